"""The form in which an owner decides how participants are asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class SettingsForm:
    """What an owner says about a study, as typed.

    Parameters
    ----------
    name : str
        Name of the study.
    question, max_questions, max_regret, check_every, intro, consent, thanks : str
        As in `penchant.studies.StudySettings`.
    languages : tuple of str
        Codes that are ticked, in the order of the form.
    open, help_each_other, reasons, end_checks : bool
        Whether they are ticked.
    owner_sees : bool
        Whether it is ticked.
    closes, quota : str
        As typed: a moment in UTC, a number of people.
    nouns : tuple of Noun
        What alternatives are called, one per language; empty where nothing is typed.
    texts : tuple of OwnTexts
        What participants read, one per language; empty where nothing is typed.
    error : str
        What to correct.
    """

    name: str
    question: str
    max_questions: str
    max_regret: str
    check_every: str
    intro: str
    consent: str
    languages: tuple[str, ...]
    open: bool
    help_each_other: bool
    reasons: bool
    end_checks: bool
    owner_sees: bool
    closes: str
    quota: str
    nouns: tuple[Noun, ...]
    thanks: str
    texts: tuple[OwnTexts, ...]
    error: str = ""

    @property
    def paces(self) -> Mapping[str, Pace]:
        """The ready choices there are."""
        return PACES

    @property
    def pace(self) -> str:
        """The ready choice that the numbers are; "own": none of them."""
        typed = (self.max_questions, self.max_regret)
        return next(
            (
                name
                for name, pace in PACES.items()
                if typed == (str(pace.max_questions), f"{pace.max_regret:g}")
            ),
            "own",
        )

    @property
    def questions(self) -> tuple[str, ...]:
        """The forms of questions there are."""
        return QUESTION_FORMS

    @property
    def named(self) -> list[tuple[Noun, str]]:
        """What alternatives are called, with the names of the languages."""
        return [
            (noun, load_texts(noun.language)("language.name")) for noun in self.nouns
        ]

    @property
    def own_texts(self) -> list[tuple[OwnTexts, str]]:
        """What participants read, with the names of the languages."""
        return [
            (each, load_texts(each.language)("language.name")) for each in self.texts
        ]

    @property
    def language_choices(self) -> list[tuple[str, str, bool]]:
        """The languages there are: code, name and whether it is ticked."""
        return [
            (code, load_texts(code)("language.name"), code in self.languages)
            for code in LANGUAGES
        ]


def settings_form(study: StudyRecord) -> SettingsForm:
    """Fill in the form with what holds now."""
    settings = study.settings
    return SettingsForm(
        study.name,
        settings.question,
        str(settings.max_questions),
        f"{settings.max_regret:g}",
        str(settings.check_every),
        settings.intro,
        settings.consent,
        settings.languages,
        settings.open,
        settings.help_each_other,
        settings.reasons,
        settings.end_checks,
        settings.owner_sees,
        settings.closes.rstrip("Z"),
        str(settings.quota),
        tuple(settings.noun(code) for code in LANGUAGES),
        settings.thanks,
        tuple(
            {each.language: each for each in settings.texts}.get(code, OwnTexts(code))
            for code in LANGUAGES
        ),
    )


def read_settings(fields: Mapping[str, Any]) -> SettingsForm:
    """Read what was sent; a box that is not ticked is not sent."""

    def text(name: str) -> str:
        value = fields.get(name, "")
        return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""

    pace = PACES.get(text("pace"))
    return SettingsForm(
        text("study"),
        text("question"),
        text("max_questions") if pace is None else str(pace.max_questions),
        text("max_regret") if pace is None else f"{pace.max_regret:g}",
        text("check_every"),
        text("intro"),
        text("consent"),
        tuple(code for code in LANGUAGES if f"language-{code}" in fields),
        "open" in fields,
        "help_each_other" in fields,
        "reasons" in fields,
        "end_checks" in fields,
        "owner_sees" in fields,
        text("closes"),
        text("quota") or "0",
        tuple(
            Noun(
                code,
                text(f"noun-{code}")[:LONGEST_NOUN],
                text(f"nouns-{code}")[:LONGEST_NOUN],
            )
            for code in LANGUAGES
        ),
        text("thanks"),
        tuple(
            OwnTexts(
                code,
                *(text(f"{name}-{code}") for name in ("intro", "consent", "thanks")),
            )
            for code in LANGUAGES
        ),
    )


def check_settings(
    form: SettingsForm, texts: Texts, before: StudySettings
) -> tuple[StudySettings | None, SettingsForm]:
    """Make the settings, or say in the form why that is not possible.

    What the form does not speak of stays as it was `before`.
    """
    errors = [name_error(form.name, texts)]
    errors += [noun_error(each.singular, each.plural, texts) for each in form.nouns]
    if any(errors):
        return None, replace(form, error=next(error for error in errors if error))
    try:
        settings = replace(
            before,
            question=form.question,
            max_questions=_whole(form.max_questions),
            max_regret=_number(form.max_regret),
            consent=form.consent,
            languages=form.languages,
            intro=form.intro,
            open=form.open,
            help_each_other=form.help_each_other,
            reasons=form.reasons,
            check_every=_whole(form.check_every),
            end_checks=form.end_checks,
            owner_sees=form.owner_sees,
            closes=form.closes,
            quota=_whole(form.quota),
            nouns=tuple(noun for noun in form.nouns if noun.singular),
            thanks=form.thanks,
            texts=tuple(each for each in form.texts if any(each[1:])),
        )
    except DataError as error:
        return None, replace(form, error=texts.refusal(error))
    return settings, form


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
