"""Columns of dates and times: ISO, local forms, names of months, clocks."""

import datetime as dt
import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from penchant.data._attribute import DATE
from penchant.data.reading._candidate import Candidate, Cell, rounded
from penchant.typing import FloatArray

DATE_READINGS = ("day first", "month first", "year first")
CLOCK_READINGS = ("hours:minutes", "minutes:seconds")

_MONTHS = (
    "jan|january|januar|jänner|jän|janvier|janv|enero|ene|gennaio|gen|januari|janeiro",
    "feb|february|februar|februari|février|févr|fév|febrero|febbraio|fevereiro|fev",
    "mar|march|märz|mär|mrz|mars|marzo|maart|mrt|março",
    "apr|april|avril|avr|abril|abr|aprile",
    "may|mai|mayo|maggio|mag|mei|maio|maj",
    "jun|june|juni|juin|junio|giugno|giu|junho",
    "jul|july|juli|juillet|juil|julio|luglio|lug|julho",
    "aug|august|août|aout|agosto|ago|augustus|augusti",
    "sep|sept|september|septembre|septiembre|settembre|set|setembro",
    "oct|october|oktober|okt|octobre|octubre|ottobre|ott|outubro|out",
    "nov|november|novembre|noviembre|novembro",
    "dec|december|dezember|dez|décembre|déc|diciembre|dic|dicembre|dezembro",
)
_MONTH = {
    word: number
    for number, words in enumerate(_MONTHS, start=1)
    for word in words.split("|")
}
_TIME = (
    r"(?:(?:[T,]\s*|\s+)(?P<hour>[01]?\d|2[0-3])[:.h](?P<minute>[0-5]\d)"
    r"(?::(?P<second>[0-5]\d(?:\.\d+)?))?"
    r"\s?(?P<half>[ap]\.?m\.?)?(?:\s?Uhr)?"
    r"(?P<zone>Z|\s?(?:UTC)?\s?[+-]\d\d:?\d\d)?)?"
)
_WEEKDAY = r"(?:[^\W\d]{2,10}\.?,?\s+)?"
_NAME = r"(?P<month>[^\W\d]{3,10})\.?"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text + _TIME, re.IGNORECASE)


_YEAR_FIRST = _pattern(r"(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})")
_COMPACT = _pattern(r"(?P<year>(?:19|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)")
_NAMED = (
    _pattern(
        rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th|er|º)?[\s-]*(?:de\s+)?{_NAME},?"
        r"[\s-]*(?:de\s+)?(?P<year>\d{4}|\d{2})"
    ),
    _pattern(
        rf"{_WEEKDAY}{_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})"
    ),
    _pattern(rf"{_NAME}\s+(?P<year>\d{{4}})"),
    _pattern(r"(?P<month>0?[1-9]|1[0-2])/(?P<year>\d{4})"),
)
_D, _M = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})"
_MARK, _AGAIN = r"(?P<mark>[-/.])\s?", r"(?P=mark)\s?"
_Y = r"(?P<year>\d{4}|\d{2})"
_LOCAL = {
    "day first": _pattern(_D + _MARK + _M + _AGAIN + _Y),
    "month first": _pattern(_M + _MARK + _D + _AGAIN + _Y),
    "year first": _pattern(r"(?P<year>\d{2})" + _MARK + _M + _AGAIN + _D),
}
_CLOCK = re.compile(
    r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?\s?(?:([ap])\.?m\.?|(Uhr|h))?",
    re.IGNORECASE,
)


def read_dates(cells: Sequence[Cell]) -> list[Candidate]:
    """Read a column as dates, as days since 1970, in every order that differs.

    Points between day and month mean that the day comes first, as in all languages
    that write so, unless a value says otherwise.
    """
    found = [
        Candidate(order, _each(cells, partial(_day, order=order)), DATE)
        for order in DATE_READINGS
    ]
    known = [int(np.isfinite(candidate.values).sum()) for candidate in found]
    kept = [c for c, n in zip(found, known, strict=True) if n == max(known) > 0]
    kept = [c for i, c in enumerate(kept) if not any(map(c.agrees, kept[:i]))]
    points = [c for c in cells if isinstance(c, str) and re.match(r"\d+\.", c)]
    if len(kept) > 1 and points and kept[0].reading == "day first":
        slashes = _each(cells, partial(_day, order="day first", marks="-/"))
        if not np.isfinite(slashes).any():
            kept = kept[:1]
    if len(kept) == 1 and not _depends(cells):
        return [Candidate("date", kept[0].values, DATE)]
    return kept


def _depends(cells: Sequence[Cell]) -> bool:
    """Tell whether the order of day and month plays a part in a column."""
    local = _LOCAL["day first"], _LOCAL["month first"], _LOCAL["year first"]
    texts = [cell for cell in cells if isinstance(cell, str)]
    return any(pattern.fullmatch(text) for text in texts for pattern in local)


def _each(cells: Sequence[Cell], read: Callable[[Cell], float | None]) -> FloatArray:
    values = [read(cell) for cell in cells]
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _day(cell: Cell, order: str, marks: str = "-/.") -> float | None:
    if isinstance(cell, dt.datetime):
        return _days_of(cell)
    if isinstance(cell, dt.date):
        return float(cell.toordinal() - _EPOCH)
    if not isinstance(cell, str) or not any(map(str.isdigit, cell)):
        return None
    match = _LOCAL[order].fullmatch(cell)
    if match:
        return _from_parts(match) if match["mark"] in marks else None
    for pattern in (_YEAR_FIRST, _COMPACT, *_NAMED):
        match = pattern.fullmatch(cell)
        if match:
            return _from_parts(match)
    return None


_EPOCH = dt.date(1970, 1, 1).toordinal()


def _days_of(moment: dt.datetime) -> float:
    if moment.tzinfo is not None:
        moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
    return (moment - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)


def _from_parts(match: re.Match[str]) -> float | None:
    parts = match.groupdict()
    month = parts["month"]
    number = int(month) if month.isdigit() else _MONTH.get(month.lower(), 0)
    year = int(parts["year"])
    if len(parts["year"]) == 2:  # 69 to 99 are the last century, as in POSIX
        year += 1900 if year >= 69 else 2000
    try:
        day = dt.date(year, number, int(parts.get("day") or 1)).toordinal() - _EPOCH
    except ValueError:
        return None
    return day + (0.0 if parts["hour"] is None else _day_share(parts))


def _day_share(parts: dict[str, str | None]) -> float:
    hour = int(parts["hour"] or 0)
    half = (parts["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    seconds = hour * 3600 + int(parts["minute"] or 0) * 60
    zone = re.search(r"([+-])(\d\d):?(\d\d)", parts["zone"] or "")
    shift = 0
    if zone:
        minutes = int(zone[2]) * 60 + int(zone[3])
        shift = minutes * 60 * (1 if zone[1] == "-" else -1)
    return (seconds + float(parts["second"] or 0) + shift) / 86_400


def read_clocks(cells: Sequence[Cell]) -> list[Candidate]:
    """Read a column such as "1:30": hours, or minutes, which only people know."""
    hours = _each(cells, partial(_clock, in_hours=True))
    if not np.isfinite(hours).any():
        return []
    texts = [_CLOCK.fullmatch(cell) for cell in cells if isinstance(cell, str)]
    found = [match for match in texts if match]
    told = any(match[4] or match[5] for match in found)
    if not found or told or all(match[3] for match in found):
        return [Candidate(CLOCK_READINGS[0], hours, "h")]
    minutes = _each(cells, partial(_clock, in_hours=False))
    return [
        Candidate(CLOCK_READINGS[0], hours, "h"),
        Candidate(CLOCK_READINGS[1], minutes, "min"),
    ]


def _clock(cell: Cell, *, in_hours: bool) -> float | None:
    if isinstance(cell, dt.timedelta):
        return rounded(cell / dt.timedelta(hours=1))
    if isinstance(cell, dt.time):
        return rounded(cell.hour + cell.minute / 60 + cell.second / 3600)
    match = _CLOCK.fullmatch(cell) if isinstance(cell, str) else None
    if not match:
        return None
    first, second, third = int(match[1]), int(match[2]), match[3]
    if match[4]:
        first = first % 12 + (12 if match[4].lower() == "p" else 0)
    if third is not None:
        hours = first + second / 60 + float(third) / 3600
        return rounded(hours if in_hours else hours * 60)
    return rounded(first + second / 60)
