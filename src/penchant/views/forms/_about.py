"""The form in which a participant says something about themselves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from penchant.exceptions import DataError
from penchant.studies import PersonQuestion
from penchant.texts import Texts


class AboutOption(NamedTuple):
    """An option: what is sent, what is read, and whether it is chosen."""

    value: str
    words: str
    chosen: bool


@dataclass(frozen=True)
class AboutField:
    """A question about the person, as it stands in a form.

    Parameters
    ----------
    name : str
        Under which the answer is sent; several choices add the number of the option.
    label : str
        The question, in the language of the person.
    kind : {"text", "number", "choice", "choices"}
        What may be said.
    required : bool
        Whether it must be answered.
    options : tuple of AboutOption
        Of which to choose.
    value : str
        What was typed.
    error : str
        What to correct.
    """

    name: str
    label: str
    kind: str
    required: bool
    options: tuple[AboutOption, ...]
    value: str
    error: str = ""


def about_form(
    questions: Iterable[PersonQuestion],
    texts: Texts,
    given: Mapping[str, Any] | None = None,
    errors: Mapping[str, str] | None = None,
) -> tuple[AboutField, ...]:
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
        AboutField(
            _field(question),
            question.ask(texts.language),
            question.kind,
            question.required,
            _options(question, texts, sent),
            _text(sent, _field(question)),
            wrong.get(question.name, ""),
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
) -> tuple[AboutOption, ...]:
    several = question.kind == "choices"
    chosen = set(_said(question, sent) or ()) if several else {_said(question, sent)}
    words = question.words(texts.language)
    return tuple(
        AboutOption(f"{place}" if several else option, word, option in chosen)
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
