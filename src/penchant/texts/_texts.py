"""Texts: what people read, in their language, from one catalogue."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, Final

from penchant.data import Attribute
from penchant.exceptions import DataError

__all__ = ["LANGUAGES", "Texts", "choose_language", "load_texts"]

LANGUAGES: Final = ("en", "fr")
"""Languages that have a catalogue; the first is what remains when none fits."""

_SMALLEST_SHARE, _LARGEST_SHARE = 0.01, 0.99
_DIGITS = 6
_SHORT_UNIT = 3
_ONE_IN: Final = {"en": lambda n: n == 1, "fr": lambda n: n < 2}
"""Which numbers go with the singular."""


@dataclass(frozen=True)
class Texts:
    r"""The texts of one language, and how numbers are written in it.

    Parameters
    ----------
    language : str
        Its code, such as "en".
    entries : mapping of str to str
        Texts by dotted key, with placeholders in braces.
    noun, nouns : str
        What one alternative and several are called; empty: as in the catalogue.

    Examples
    --------
    >>> from penchant.studies import load_texts
    >>> load_texts("en")("question.choose", letter="A")
    'Choose A'
    >>> load_texts("fr").number(1234.5)
    '1\u202f234,5'
    >>> load_texts("en").about("flat", "flats")("compare.title_same")
    'Compare two flats'
    """

    language: str
    entries: Mapping[str, str]
    noun: str = ""
    nouns: str = ""

    def __call__(self, key: str, **values: Any) -> str:
        """Give a text with its placeholders filled in.

        Besides the values, {noun} and {nouns} are what one alternative and several
        are called, {Noun} and {Nouns} the same at the beginning of a sentence.
        """
        noun = self.noun or self.entries["noun.singular"]
        nouns = self.nouns or self.entries["noun.plural"]
        words = {"noun": noun, "nouns": nouns}
        words |= {"Noun": self.sentence(noun), "Nouns": self.sentence(nouns)}
        return self.entries[key].format_map(words | values)

    def about(self, noun: str, nouns: str) -> "Texts":
        """Give the same texts about something else than alternatives.

        Parameters
        ----------
        noun, nouns : str
            What one and several are called; empty: as in the catalogue.
        """
        return replace(self, noun=noun, nouns=nouns)

    def count(self, key: str, n: int, **values: Any) -> str:
        """Give the text that goes with the number n, which is the placeholder n."""
        form = "one" if _ONE_IN[self.language](n) else "other"
        return self(f"{key}.{form}", n=self.number(n), **values)

    def number(self, value: float) -> str:
        """Write a number with at most six digits that mean something.

        Parameters
        ----------
        value : float
            A finite number.
        """
        if value == 0:
            return "0"
        decimals = max(0, _DIGITS - 1 - math.floor(math.log10(abs(value))))
        plain = f"{abs(value):,.{decimals}f}"
        whole, _, rest = plain.partition(".")
        digits = whole.replace(",", self("numbers.thousands"))
        if rest := rest.rstrip("0"):
            digits += self("numbers.decimal") + rest
        return f"−{digits}" if value < 0 and digits != "0" else digits  # noqa: RUF001 - a true minus

    def points(self, value: float) -> str:
        """Write points: whole, with a true minus sign."""
        return self.number(round(value))

    def signed(self, value: float) -> str:
        """Write points that are added or taken away, always with a sign."""
        rounded = round(value)
        return f"+{self.number(rounded)}" if rounded > 0 else self.number(rounded)

    def span(self, low: float, high: float) -> str:
        """Write a range of points."""
        return self("numbers.range", low=self.points(low), high=self.points(high))

    def share(self, share: float) -> str:
        """Write a chance as a percentage; never as 0 % or 100 %."""
        if share < _SMALLEST_SHARE:
            return self("numbers.less_than", share=1)
        if share > _LARGEST_SHARE:
            return self("numbers.more_than", share=99)
        return self("numbers.share", share=round(100 * share))

    def listed(self, words: Sequence[str]) -> str:
        """Join words to a list in a sentence."""
        if len(words) < 2:
            return "".join(words)
        return self("numbers.and", before=", ".join(words[:-1]), last=words[-1])

    def day(self, moment: datetime) -> str:
        """Write the day of a moment."""
        month = self(f"numbers.months.{moment.month}")
        return self("numbers.day", day=moment.day, month=month, year=moment.year)

    @staticmethod
    def sentence(words: str) -> str:
        """Begin a sentence with a capital letter."""
        return words[:1].upper() + words[1:]

    def value(self, attribute: Attribute, value: Any) -> str:
        """Write a value of an attribute with its unit, or that it is not known."""
        if value is None or value != value:
            return self("numbers.unknown")
        text = self.number(float(value)) if attribute.kind == "numeric" else str(value)
        return text + self.unit(attribute)

    @staticmethod
    def unit(attribute: Attribute) -> str:
        """Give what follows a value: a unit that stays on the line if it is short."""
        if not attribute.unit:
            return ""
        space = " " if len(attribute.unit) > _SHORT_UNIT else "\u00a0"
        return space + attribute.unit


@cache
def load_texts(language: str) -> Texts:
    """Read the catalogue of a language.

    Parameters
    ----------
    language : str
        One of `LANGUAGES`.

    Returns
    -------
    Texts
    """
    if language not in LANGUAGES:
        raise DataError(
            f"There are texts in {', '.join(LANGUAGES)}. Got the language {language!r}."
        )
    source = files("penchant.texts") / "catalogues" / f"{language}.toml"
    return Texts(language, _flat(tomllib.loads(source.read_text(encoding="utf-8"))))


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Give the entries of nested tables under dotted keys."""
    entries: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            entries |= _flat(value, f"{prefix}{key}.")
        else:
            entries[f"{prefix}{key}"] = value
    return entries


def choose_language(wanted: Sequence[str], offered: Sequence[str]) -> str:
    """Give the first wanted language that is offered and has texts.

    Parameters
    ----------
    wanted : sequence of str
        Codes, the dearest first; regions as in "fr-CH" do not matter.
    offered : sequence of str
        Codes that the study offers, its default first.

    Returns
    -------
    str
        If none is wanted and offered, the first offered one that has texts; if
        there is none, the first of `LANGUAGES`.

    Examples
    --------
    >>> choose_language(["de", "fr-CH", "en"], ["en", "fr"])
    'fr'
    """
    known = [code.partition("-")[0] for code in offered]
    known = [code for code in known if code in LANGUAGES] or [LANGUAGES[0]]
    asked = [code.partition("-")[0].lower() for code in wanted]
    return next((code for code in asked if code in known), known[0])
