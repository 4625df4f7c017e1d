"""Texts: what people read, in their language, from gettext catalogues.

An entry has the key that the code uses as msgctxt and the English text as msgid, so
that Poedit or Weblate show translators a sentence, and a translation whose English has
changed is noticed. A folder with a catalogue is all that a new language needs.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from gettext import c2py
from importlib.resources import files
from typing import Any, Final
from unicodedata import category

from babel import Locale, dates, lists, units
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from penchant.data import DATE, Attribute, Items
from penchant.exceptions import DataError

_CATALOGUES = files("penchant.texts") / "catalogues"
_FOUND = {folder.name for folder in _CATALOGUES.iterdir() if folder.is_dir()}
LANGUAGES: Final = ("en", *sorted(_FOUND - {"en"}))
"""Languages that have a catalogue; the first is what remains when none fits."""

_SMALLEST_SHARE, _LARGEST_SHARE = 0.01, 0.99
_DIGITS = 6
_LARGEST = 1e20
"""Numbers from here on are not written out: nobody means them."""
_SHORT_UNIT = 3

_YEAR = 365.2425
_MONTH = _YEAR / 12
_MANY_DAYS, _MANY_MONTHS = 61, 24
"""From here on a time is told in months, or in years."""

_END_OF_DAY = 23, 59
"""What a day alone means as the moment at which a study closes."""

_LONGEST_NAME = 80
_LONGEST_VALUE = 200
_FIRST_STRONG, _END = "\u2068", "\u2069"
_TURNS: Final = frozenset(
    ["R", "AL", "AN", "RLE", "RLO", "LRE", "LRO", "RLI", "LRI", "FSI"]
)
_ISOLATES: Final = re.compile("[\u2066-\u2069]")

# Pages write the same few numbers again and again, and Babel takes its time.
_decimal = lru_cache(maxsize=4096)(format_decimal)


@lru_cache(maxsize=4096)
def show_name(name: str, longest: int = _LONGEST_NAME) -> str:
    """Give a name that fits into a sentence: short, and with its own direction.

    A name that is written from right to left, or that turns the direction round, is
    kept from doing so to the words beside it.
    """
    short = name if len(name) <= longest else f"{name[: longest - 1]}…"
    if not any(unicodedata.bidirectional(letter) in _TURNS for letter in short):
        return short
    return f"{_FIRST_STRONG}{_ISOLATES.sub('', short)}{_END}"


@dataclass(frozen=True)
class Texts:
    r"""The texts of one language, and how numbers are written in it.

    Parameters
    ----------
    language : str
        Its code, such as "en".
    locale : babel.Locale
        How numbers, lists and days are written.
    entries : mapping of str to tuple of str
        Texts by dotted key, with placeholders in braces; several if the text goes
        with a number.
    plural : callable
        Gives the place of the text that goes with a number.
    words : mapping of str to str
        The placeholders that every text may have: what alternatives are called.

    Examples
    --------
    >>> from penchant.texts import load_texts
    >>> load_texts("en")("question.choose", letter="A")
    'Choose A'
    >>> load_texts("fr").number(1234.5)
    '1\u202f234,5'
    >>> load_texts("en").about("flat", "flats")("compare.title_same")
    'Compare two flats'
    """

    language: str
    locale: Locale
    entries: Mapping[str, tuple[str, ...]]
    plural: Callable[[int], int]
    words: Mapping[str, str]

    def __call__(self, key: str, **values: Any) -> str:
        """Give a text with its placeholders filled in.

        Besides the values, {noun} and {nouns} are what one alternative and several
        are called, {Noun} and {Nouns} the same at the beginning of a sentence.
        """
        return self.entries[key][0].format_map({**self.words, **values})

    def refusal(self, error: Exception) -> str:
        """Say what is wrong, in this language where there is a text for it."""
        if not (key := getattr(error, "key", "")):
            return str(error)
        numbers = vars(error)["values"].items()
        return self(key, **{name: self.number(value) for name, value in numbers})

    def about(self, noun: str, nouns: str) -> "Texts":
        """Give the same texts about something else than alternatives.

        Parameters
        ----------
        noun, nouns : str
            What one and several are called; empty: as in the catalogue.
        """
        noun = noun or self.entries["noun.singular"][0]
        nouns = nouns or self.entries["noun.plural"][0]
        capital = {"Noun": self.sentence(noun), "Nouns": self.sentence(nouns)}
        return replace(self, words={"noun": noun, "nouns": nouns, **capital})

    def count(self, key: str, n: int, **values: Any) -> str:
        """Give the text that goes with the number n, which is the placeholder n."""
        text = self.entries[key][self.plural(n)]
        return text.format_map({**self.words, "n": self.number(n), **values})

    def number(self, value: float, cents: bool = False, *, grouped: bool = True) -> str:
        """Write a number with at most six digits that mean something.

        Parameters
        ----------
        value : float
            A finite number.
        cents : bool, default=False
            Whether what is not whole has two decimals at least.
        grouped : bool, default=True
            Whether thousands are set apart; those of years are not.
        """
        if abs(value) >= _LARGEST:
            return f"{value:.{_DIGITS}g}"
        whole = abs(value) >= 10 ** (_DIGITS - 1)
        rounded = round(value) if whole else float(f"{value:.{_DIGITS}g}")
        # Quantization would round again, to three decimals; "or 0" is for -0.0.
        form = "#,##0.00" if cents and rounded % 1 else None
        text = _decimal(
            rounded or 0,
            form,
            self.locale,
            decimal_quantization=False,
            group_separator=grouped,
        )
        return text.replace("-", "\N{MINUS SIGN}")

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
        return lists.format_list(words, locale=self.locale)

    def day(self, moment: datetime) -> str:
        """Write the day of a moment."""
        return dates.format_date(moment, "long", locale=self.locale)

    def moment(self, moment: datetime) -> str:
        """Write a moment with its zone, which is UTC; the end of a day as that day."""
        known = moment.astimezone(UTC)
        if (known.hour, known.minute) == _END_OF_DAY:
            return self.day(known)
        return f"{self.day(known)}, {known:%H:%M} UTC"

    def duration(self, seconds: float) -> str:
        """Write how long something took, in one unit."""
        return dates.format_timedelta(
            timedelta(seconds=round(seconds)),
            threshold=2,
            format="short",
            locale=self.locale,
        )

    def span_of_days(self, days: int) -> str:
        """Write how far two days are apart, in the largest unit that tells enough."""
        if days < _MANY_DAYS:
            return units.format_unit(days, "duration-day", locale=self.locale)
        if days < _MANY_MONTHS * _MONTH:
            months = round(days / _MONTH)
            return units.format_unit(months, "duration-month", locale=self.locale)
        years = round(days / _YEAR, 1)
        return units.format_unit(years, "duration-year", locale=self.locale)

    def short_day(self, day: date) -> str:
        """Write a day of this year, as beside a chart."""
        return dates.format_skeleton("MMMd", day, locale=self.locale)

    @staticmethod
    def sentence(words: str) -> str:
        """Begin a sentence with a capital letter."""
        return words[:1].upper() + words[1:]

    def value(self, attribute: Attribute, value: Any) -> str:
        """Write a value of an attribute with its unit, or that it is not known."""
        if value is None or value != value:
            return self("numbers.unknown")
        if attribute.unit == DATE and attribute.kind == "numeric":
            return self._date(float(value)) or attribute.format(value)
        if attribute.kind != "numeric":
            return self.measured(attribute, str(value))
        cents, grouped = _is_money(attribute.unit), not attribute.is_year
        text = self.number(abs(value), cents, grouped=grouped)
        sign = "\N{MINUS SIGN}" if value < 0 else ""
        return sign + self.measured(attribute, text)

    def ticks(self, attribute: Attribute, values: Sequence[float]) -> list[str]:
        """Write round values of an attribute, dates as shortly as they are round."""
        if attribute.unit != DATE:
            grouped = not attribute.is_year
            return [self.number(value, grouped=grouped) for value in values]
        try:
            days = [
                datetime.fromtimestamp(0, UTC) + timedelta(value) for value in values
            ]
        except OverflowError:
            return [attribute.format(value) for value in values]
        form = "y"
        if any(day.day > 1 or day.month > 1 for day in days):
            form = "yMMMd" if any(day.day > 1 for day in days) else "yMMM"
        return [dates.format_skeleton(form, day, locale=self.locale) for day in days]

    def _date(self, days: float) -> str:
        """Write days since 1970 as a date; empty: that is beyond the calendar."""
        try:
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=days)
        except OverflowError:
            return ""
        if days.is_integer():
            return dates.format_date(moment, "medium", locale=self.locale)
        return dates.format_datetime(moment, "short", locale=self.locale)

    def measured(self, attribute: Attribute, number: str) -> str:
        """Put the unit beside a number: money as the language does, others behind."""
        unit = "" if attribute.unit == DATE else attribute.unit
        if _is_money(unit) and self.locale.currency_formats["standard"].prefix[0]:
            symbol, per, what = unit.partition("/")
            return f"{symbol}{number}{per}{what}"
        space = " " if len(unit) > _SHORT_UNIT else "\u00a0"
        return f"{number}{space}{unit}" if unit else number

    def values(self, items: Items, item: int) -> list[str]:
        """Write the values of an alternative, in the order of the attributes."""
        values = [(each, items.columns[each.name][item]) for each in items.attributes]
        return [show_name(self.value(*each), _LONGEST_VALUE) for each in values]


@lru_cache(maxsize=256)
def _is_money(unit: str) -> bool:
    """Whether a unit is a sign such as $, or one that is paid per something."""
    return category(unit.partition("/")[0][-1:] or " ") == "Sc"


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
    with (_CATALOGUES / language / "LC_MESSAGES" / "penchant.po").open("rb") as source:
        catalogue = read_po(source, abort_invalid=True)
    locale = catalogue.locale or Locale.parse(language)
    entries = {
        each.context: _forms(each.string or "") or _forms(each.id)
        for each in catalogue
        if each.context
    }
    plural = c2py(catalogue.plural_expr)
    return Texts(language, locale, entries, plural, {}).about("", "")


def _forms(written: str | Sequence[str]) -> tuple[str, ...]:
    """Give the forms of a text that are not empty: English has no translation."""
    return tuple(filter(None, [written] if isinstance(written, str) else written))


def choose_language(wanted: Sequence[str], offered: Sequence[str]) -> str:
    """Give the first wanted language that is offered and has texts.

    Parameters
    ----------
    wanted : sequence of str
        Codes, the most wanted first; regions as in "fr-CH" do not matter.
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
