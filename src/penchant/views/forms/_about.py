"""The form in which a participant says something about themselves."""

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace as View
from typing import Any

from penchant.exceptions import DataError
from penchant.studies import PersonQuestion
from penchant.texts import Texts


def about_form(
    questions: Iterable[PersonQuestion],
    texts: Texts,
    given: Mapping[str, Any] | None = None,
    errors: Mapping[str, str] | None = None,
) -> tuple[View, ...]:
    """Show questions, with what was sent and what is wrong with it, if anything.

    Parameters
    ----------
    questions : iterable of PersonQuestion
        To be put now.
    texts : Texts
        In the language of the person.
    given : mapping, optional
        The fields that were sent.
    errors : mapping, optional
        What `read_about_form` found, by name of the question.
    """
    sent, wrong = given or {}, errors or {}
    return tuple(
        View(
            name=_field(question),
            label=question.ask(texts.language),
            kind=question.kind,
            required=question.required,
            options=_options(question, texts, sent),
            value=_text(sent, _field(question)),
            error=wrong.get(question.name, ""),
        )
        for question in questions
    )


def read_about_form(
    questions: Sequence[PersonQuestion], given: Mapping[str, Any], texts: Texts
) -> tuple[dict[str, Any], dict[str, str]]:
    """Give what was said, and in the words of the person what is wrong with it."""
    answers: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for question in questions:
        said = _said(question, given)
        try:
            answers[question.name] = question.check(said)
        except DataError:
            key = "required" if said in (None, "", []) else f"wrong_{question.kind}"
            errors[question.name] = texts(f"about.{key}")
    return answers, errors


def said_before(
    questions: Iterable[PersonQuestion], about: Mapping[str, Any]
) -> dict[str, str]:
    """Give the fields that would send again what a person said."""
    fields: dict[str, str] = {}
    for question in questions:
        said, field = about.get(question.name), _field(question)
        if question.kind == "choices":
            ticked = enumerate(question.options)
            fields |= {f"{field}-{k}": "yes" for k, o in ticked if o in (said or ())}
        elif said is not None:
            fields[field] = str(said)
    return fields


def read_number(typed: str) -> float | str:
    """Give the number that somebody typed, whatever the comma; the text if none is."""
    try:
        number = float(typed.replace(",", ".").replace("\u2212", "-"))
    except ValueError:
        return typed
    return int(number) if number.is_integer() else number


def _field(question: PersonQuestion) -> str:
    return f"about-{question.name}"


def _options(
    question: PersonQuestion, texts: Texts, sent: Mapping[str, Any]
) -> tuple[View, ...]:
    several = question.kind == "choices"
    chosen = set(_said(question, sent) or ()) if several else {_said(question, sent)}
    words = question.words(texts.language)
    return tuple(
        View(
            value=f"{place}" if several else option, words=word, chosen=option in chosen
        )
        for place, (option, word) in enumerate(
            zip(question.options, words, strict=True)
        )
    )


def _said(question: PersonQuestion, sent: Mapping[str, Any]) -> Any:
    field = _field(question)
    if question.kind == "choices":
        ticked = enumerate(question.options)
        return [option for place, option in ticked if f"{field}-{place}" in sent]
    typed = _text(sent, field).strip()
    return read_number(typed) if question.kind == "number" and typed else typed


def _text(sent: Mapping[str, Any], field: str) -> str:
    value = sent.get(field, "")
    return value.replace("\r\n", "\n") if isinstance(value, str) else ""
