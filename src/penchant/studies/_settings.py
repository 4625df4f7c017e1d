"""What the owner of a study decides about the asking, and until when people join."""

import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

from penchant._cached import cached_property
from penchant.data import Limits
from penchant.exceptions import DataError
from penchant.studies._about import PersonQuestion, check_questions, read_questions
from penchant.studies._forms import QUESTION_FORMS
from penchant.studies._limits import NO_LIMITS
from penchant.studies.store._plain import check_text

LONGEST_NOUN = 40
"""Letters of what alternatives are called."""

_MOST_QUESTIONS = 1000
_LARGEST_QUOTA = 1_000_000
_LONGEST_TEXT = 20_000
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z]{2})?\Z")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_WRITTEN = "%Y-%m-%dT%H:%MZ"


class Noun(NamedTuple):
    """What the alternatives are called in a language: flat, flats."""

    language: str
    singular: str
    plural: str


class OwnTexts(NamedTuple):
    """What the owner wrote for participants in one language, in Markdown."""

    language: str
    intro: str = ""
    consent: str = ""
    thanks: str = ""


@dataclass(frozen=True)
class StudySettings:
    """What the owner of a study decides about the asking.

    Parameters
    ----------
    question : str
        Form of the questions, one of `QUESTION_FORMS`.
    max_questions : int
        Most questions that one participant is asked, 1 to 1000.
    max_regret : float
        Stop when the expected loss of the recommendation is at most this, in
        standard deviations of utility over the alternatives; 0 or more.
    consent : str
        Text that participants agree to first, in Markdown; empty: they are not asked.
    languages : tuple of str
        Codes of the languages that participants may choose; the first is the
        default.
    intro : str
        Text on the first page, in Markdown.
    open : bool
        Whether new participants may join.
    help_each_other : bool
        Whether the answers of earlier participants shape the questions to later
        ones.
    reasons : bool
        Whether people may say, after a choice, which attribute it was mainly for.
    check_every : int
        One in so many questions, at most three to a person, is there to see whether
        its answer is predicted correctly; 0: none, else 2 to 1000.
    own_limits : bool
        Whether people may say what an alternative must have for themselves; what was
        said before stands.
    end_checks : bool
        Whether two questions whose answers seem clear end the asking; careless people
        are found by them. They count among the three.
    closes : str
        Moment from which on nobody new joins, in UTC, as "2026-12-01T18:00Z"; other
        ways to write it are turned into this. Empty: none.
    quota : int
        Nobody new joins when so many real people, who count, have finished; 0: no
        such limit.
    owner_sees : bool
        Whether the owner may look at the results of single people: of those who
        agreed while the consent page said so.
    nouns : tuple of Noun
        What the alternatives are called, at most once per language; in others they
        are called alternatives. As plain values: ``{"en": ["flat", "flats"]}``.
    limits : Limits
        What an alternative must have to be asked about or recommended. As plain
        values: ``{"rent": {"at_most": 900}}``.
    about : tuple of PersonQuestion
        What participants are asked about themselves, before or after the choices. As
        plain values: a list of what `PersonQuestion.to_dict` gives.
    thanks : str
        Text on the page with the result, after the last question, in Markdown.
    texts : tuple of OwnTexts
        `intro`, `consent` and `thanks` in some languages, instead of those above. As
        plain values: ``{"fr": {"intro": "Bonjour !"}}``.

    Examples
    --------
    >>> StudySettings.from_dict({"max_questions": 12}).max_questions
    12
    """

    question: str = "pair"
    max_questions: int = 25
    max_regret: float = 0.1
    consent: str = ""
    languages: tuple[str, ...] = ("en", "fr", "de")
    intro: str = ""
    open: bool = True
    help_each_other: bool = True
    reasons: bool = True
    check_every: int = 8
    end_checks: bool = False
    own_limits: bool = True
    closes: str = ""
    quota: int = 0
    owner_sees: bool = False
    nouns: tuple[Noun, ...] = ()
    limits: Limits = NO_LIMITS
    about: tuple[PersonQuestion, ...] = ()
    thanks: str = ""
    texts: tuple[OwnTexts, ...] = ()

    def __post_init__(self) -> None:
        if self.question not in QUESTION_FORMS:
            raise DataError(
                f"The form of the questions must be one of {list(QUESTION_FORMS)}. "
                f"Got {self.question!r}."
            )
        if not _is_number(self.max_questions, int, 1, _MOST_QUESTIONS):
            raise DataError(
                "The most questions must be a whole number from 1 to "
                f"{_MOST_QUESTIONS}. Got {self.max_questions!r}.",
                "errors.most_questions",
                most=_MOST_QUESTIONS,
            )
        if not _is_number(self.max_regret, int | float, 0, sys.float_info.max):
            raise DataError(
                "The regret at which the asking stops must be a number of at least 0. "
                f"Got {self.max_regret!r}.",
                "errors.regret",
            )
        _check_languages(self.languages)
        check_text("The consent text", self.consent, longest=_LONGEST_TEXT)
        check_text("The introduction", self.intro, longest=_LONGEST_TEXT)
        check_text("The thanks", self.thanks, longest=_LONGEST_TEXT)
        _check_texts(self.texts)
        if self.check_every != 0 and not _is_number(
            self.check_every, int, 2, _MOST_QUESTIONS
        ):
            raise DataError(
                "One in how many questions is predicted must be 0 (none) or a whole "
                f"number from 2 to {_MOST_QUESTIONS}. Got {self.check_every!r}.",
                "errors.check_every",
                most=_MOST_QUESTIONS,
            )
        object.__setattr__(self, "closes", check_moment(self.closes))
        if not _is_number(self.quota, int, 0, _LARGEST_QUOTA):
            raise DataError(
                "The number of people who are to finish must be 0 (no limit) or a "
                f"whole number up to {_LARGEST_QUOTA}. Got {self.quota!r}.",
                "errors.quota",
                most=_LARGEST_QUOTA,
            )
        for name, kind in type(self).__annotations__.items():
            if kind is bool and not isinstance(getattr(self, name), bool):
                raise DataError(f"The setting {name!r} must be true or false.")
        _check_nouns(self.nouns)
        if not isinstance(self.limits, Limits):
            raise DataError(f"The limits must be Limits. Got {self.limits!r}.")
        check_questions(self.about)

    @property
    def closing(self) -> datetime | None:
        """When the study closes, or closed; None: it has no date."""
        if not self.closes:
            return None
        return datetime.strptime(self.closes, _WRITTEN).replace(tzinfo=UTC)

    @property
    def over(self) -> bool:
        """Whether the date at which the study closes has passed."""
        return self.closing is not None and self.closing <= datetime.now(UTC)

    @cached_property
    def has_consent(self) -> bool:
        """Whether there is a text to agree to, in any language."""
        return bool(self.text("consent", ""))

    @property
    def asks_consent(self) -> bool:
        """Whether participants have to agree to something first."""
        return self.has_consent or self.owner_sees

    def text(self, name: str, language: str) -> str:
        """Give the "intro", "consent" or "thanks" in a language.

        Where there is none of its own, that for all languages; without that, the
        first of another language: who has to agree to something is never let pass.
        """
        own = {each.language: str(getattr(each, name)) for each in self.texts}
        wanted = [own.get(language, ""), str(getattr(self, name)), *own.values()]
        return next((text for text in wanted if text.strip()), "")

    def about_now(self, when: str) -> tuple[PersonQuestion, ...]:
        """Give the questions about people that are put "before" or "after"."""
        return tuple(question for question in self.about if question.when == when)

    def noun(self, language: str) -> Noun:
        """Give what the alternatives are called; empty: nothing in particular."""
        known = {noun.language: noun for noun in self.nouns}
        return known.get(language, Noun(language, "", ""))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make settings of what `to_dict` gave; what is missing is the default."""
        if not isinstance(values, Mapping):
            raise DataError(f"Settings must be a mapping. Got {values!r}.")
        known = {field.name for field in fields(cls)}
        unknown = sorted(str(name) for name in values if name not in known)
        if unknown:
            raise DataError(
                f"There are no settings called {unknown}; there are {sorted(known)}."
            )
        chosen = dict(values)
        if isinstance(chosen.get("languages"), list):
            chosen["languages"] = tuple(chosen["languages"])
        if "nouns" in chosen:
            chosen["nouns"] = _read_nouns(chosen["nouns"])
        if "limits" in chosen and not isinstance(chosen["limits"], Limits):
            chosen["limits"] = Limits.from_dict(chosen["limits"])
        if "about" in chosen:
            chosen["about"] = read_questions(chosen["about"])
        if "texts" in chosen:
            chosen["texts"] = _read_texts(chosen["texts"])
        return cls(**chosen)

    def to_dict(self) -> dict[str, Any]:
        """Give the settings as plain values for JSON."""
        return {
            **asdict(self),
            "languages": list(self.languages),
            "nouns": {
                noun.language: [noun.singular, noun.plural] for noun in self.nouns
            },
            "limits": self.limits.to_dict(),
            "about": [question.to_dict() for question in self.about],
            "texts": {
                each.language: {k: v for k, v in list(each._asdict().items())[1:] if v}
                for each in self.texts
            },
        }


def _is_number(value: Any, kind: Any, least: float, most: float) -> bool:
    return (
        isinstance(value, kind)
        and not isinstance(value, bool)
        and least <= value <= most
    )


def _check_languages(languages: object) -> None:
    codes = languages if isinstance(languages, tuple) else ()
    fine = all(isinstance(code, str) and _LANGUAGE.match(code) for code in codes)
    if not codes or not fine or len(set(codes)) < len(codes):
        raise DataError(
            "The languages must be different codes such as 'en' or 'fr', at least "
            f"one. Got {languages!r}."
        )


def _read_nouns(values: object) -> tuple[Noun, ...]:
    """Make nouns of plain values; what is no mapping to pairs is refused."""
    if isinstance(values, Mapping):
        pairs = [isinstance(p, list | tuple) and len(p) == 2 for p in values.values()]
        if all(pairs):
            return tuple(Noun(code, *pair) for code, pair in values.items())
    raise DataError(
        "The nouns must map languages to what one alternative and several are called, "
        f"such as {{'en': ['flat', 'flats']}}. Got {values!r}."
    )


def _read_texts(values: object) -> tuple[OwnTexts, ...]:
    """Make texts of plain values; what is no mapping of mappings is refused."""
    try:
        return tuple(OwnTexts(code, **each) for code, each in dict(values).items())  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise DataError(
            "The texts must map languages to intro, consent and thanks, such as "
            f"{{'fr': {{'intro': 'Bonjour !'}}}}. Got {values!r}."
        ) from None


def _check_texts(texts: object) -> None:
    known = texts if isinstance(texts, tuple) else None
    if known is None or not all(isinstance(each, OwnTexts) for each in known):
        raise DataError(f"The texts must be a tuple of OwnTexts. Got {texts!r}.")
    for each in known:
        for text in each[1:]:
            check_text(f"A text in {each.language!r}", text, longest=_LONGEST_TEXT)
    if known:
        _check_languages(tuple(each.language for each in known))


def _check_nouns(nouns: object) -> None:
    known = nouns if isinstance(nouns, tuple) else None
    if known is None or not all(isinstance(noun, Noun) for noun in known):
        raise DataError(f"The nouns must be a tuple of Noun. Got {nouns!r}.")
    for noun in known:
        for word in (noun.singular, noun.plural):
            check_text("What the alternatives are called", word, longest=LONGEST_NOUN)
            if not word.strip():
                raise DataError("Say what one alternative and several are called.")
    if known:
        _check_languages(tuple(noun.language for noun in known))


def check_moment(text: object) -> str:
    """Return a moment in UTC as it is kept, or raise a DataError.

    Parameters
    ----------
    text : str
        Empty: never. Without a time zone it is UTC; a day alone means its last
        minute.

    Examples
    --------
    >>> check_moment("2026-12-01"), check_moment("2026-12-01T18:00+01:00")
    ('2026-12-01T23:59Z', '2026-12-01T17:00Z')
    """
    if text == "":
        return ""
    try:
        typed = text.strip() if isinstance(text, str) else "?"
        typed = f"{typed}T23:59" if _DAY.match(typed) else typed
        moment = datetime.fromisoformat(typed)
        known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return known.astimezone(UTC).strftime(_WRITTEN)
    except (OverflowError, ValueError):
        raise DataError(
            "The moment at which a study closes must be a day or a day and a time, as "
            "2026-12-01 or 2026-12-01T18:00, in UTC unless it names another zone. "
            f"Got {text!r}.",
            "errors.closes",
        ) from None


@dataclass(frozen=True)
class Taking:
    """Whether a study takes new people.

    Parameters
    ----------
    state : {"open", "closed", "over", "full"}
        It does; the owner closed it; its date has passed; enough people have
        finished.
    closes : datetime or None
        When it closes, or closed; None: it has no date.
    quota : int
        How many people are to finish; 0: as many as come.
    n_finished : int
        Real people who count and have finished; 0 where there is no quota.
    """

    state: str
    closes: datetime | None = None
    quota: int = 0
    n_finished: int = 0

    @property
    def open(self) -> bool:
        """Whether new people may join."""
        return self.state == "open"

    @property
    def is_over(self) -> bool:
        """Whether also those may not begin who have a link already."""
        return self.state in ("over", "full")

    @property
    def reason(self) -> str:
        """Why nobody may join, in a sentence; empty: they may."""
        closed = f"{self.closes:%Y-%m-%d %H:%M} UTC" if self.closes else "its date"
        return {
            "open": "",
            "closed": "The study takes no new participants at the moment.",
            "over": f"The study takes no new participants since {closed}.",
            "full": f"The study is full: {self.n_finished} people have finished.",
        }[self.state]
