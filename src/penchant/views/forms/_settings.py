"""The form in which an owner decides how participants are asked."""

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace as View
from typing import Any, Final, NamedTuple

from penchant.exceptions import DataError
from penchant.studies import (
    LONGEST_NOUN,
    QUESTION_FORMS,
    Noun,
    OwnTexts,
    StudyRecord,
    StudySettings,
)
from penchant.texts import LANGUAGES, Texts, load_texts
from penchant.views.forms._table import name_error, noun_error


class Pace(NamedTuple):
    """How long people are asked: the most questions, and what may be lost."""

    max_questions: int
    max_regret: float


PACES: Final = {
    "quick": Pace(8, 0.3),
    "normal": Pace(25, 0.1),
    "careful": Pace(40, 0.05),
}
"""Ready choices by name; "normal" is what a new study has."""


_TYPED: Final = ("question", "intro", "consent", "thanks", "closes")
_TICKED: Final = (
    "open",
    "help_each_other",
    "reasons",
    "own_limits",
    "end_checks",
    "owner_sees",
)
_COUNTS: Final = ("max_questions", "check_every", "quota")
_OWN_TEXTS: Final = ("intro", "consent", "thanks")


def settings_form(study: StudyRecord) -> View:
    """Fill in the form with what holds now."""
    settings = study.settings
    own = {each.language: each for each in settings.texts}
    return _form(
        {name: getattr(settings, name) for name in (*_TYPED, *_TICKED)}
        | {name: str(getattr(settings, name)) for name in _COUNTS}
        | {
            "name": study.name,
            "max_regret": f"{settings.max_regret:g}",
            "closes": settings.closes.rstrip("Z").removesuffix("T23:59"),
            "languages": settings.languages,
            "nouns": [settings.noun(code) for code in LANGUAGES],
            "texts": [own.get(code, OwnTexts(code)) for code in LANGUAGES],
        }
    )


def read_settings(fields: Mapping[str, Any]) -> View:
    """Read what was sent; a box that is not ticked is not sent."""

    def text(name: str) -> str:
        value = fields.get(name, "")
        return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""

    typed = {name: text(name) for name in (*_TYPED, *_COUNTS, "max_regret")}
    if pace := PACES.get(text("pace")):
        typed["max_questions"] = str(pace.max_questions)
        typed["max_regret"] = f"{pace.max_regret:g}"
    return _form(
        {name: name in fields for name in _TICKED}
        | typed
        | {
            "name": text("study"),
            "quota": text("quota") or "0",
            "languages": tuple(c for c in LANGUAGES if f"language-{c}" in fields),
            "nouns": [
                Noun(
                    code,
                    text(f"noun-{code}")[:LONGEST_NOUN],
                    text(f"nouns-{code}")[:LONGEST_NOUN],
                )
                for code in LANGUAGES
            ],
            "texts": [
                OwnTexts(code, *(text(f"{name}-{code}") for name in _OWN_TEXTS))
                for code in LANGUAGES
            ],
        }
    )


def _form(typed: dict[str, Any]) -> View:
    """Add to what is typed what there is to choose from.

    `pace` is the ready choice that the numbers are, or "own"; the names of languages
    stand beside what is typed in them.
    """
    numbers = (typed["max_questions"], typed["max_regret"])
    paces = {
        (str(p.max_questions), f"{p.max_regret:g}"): name for name, p in PACES.items()
    }
    names = {code: load_texts(code)("language.name") for code in LANGUAGES}
    return View(
        **typed,
        error="",
        paces=PACES,
        pace=paces.get(numbers, "own"),
        questions=QUESTION_FORMS,
        named=[(each, names[each.language]) for each in typed["nouns"]],
        own_texts=[(each, names[each.language]) for each in typed["texts"]],
        language_choices=[
            (code, name, code in typed["languages"]) for code, name in names.items()
        ],
    )


def check_settings(
    form: View, texts: Texts, before: StudySettings
) -> StudySettings | None:
    """Make the settings, or say in the form why that is not possible.

    What the form does not speak of stays as it was `before`.
    """
    errors = [name_error(form.name, texts)]
    errors += [noun_error(each.singular, each.plural, texts) for each in form.nouns]
    form.error = next(filter(None, errors), "")
    if form.error:
        return None
    names = (*_TYPED, *_TICKED, "languages")
    told: dict[str, Any] = {name: getattr(form, name) for name in names}
    try:
        told |= {name: _whole(getattr(form, name)) for name in _COUNTS}
        return replace(
            before,
            **told,
            max_regret=_number(form.max_regret),
            nouns=tuple(noun for noun in form.nouns if noun.singular),
            texts=tuple(each for each in form.texts if any(each[1:])),
        )
    except DataError as error:
        form.error = texts.refusal(error)
    return None


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise DataError(
            "The most questions, one in how many is a check, and how many people are "
            f"to finish are whole numbers. Got {text!r}.",
            "errors.whole",
        )
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DataError(
            f"The regret at which the asking stops must be a number. Got {text!r}.",
            "errors.regret",
        ) from None
