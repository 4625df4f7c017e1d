"""Columns of numbers: separators, units, currencies, percent, ranges."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penchant.data.reading._candidate import Candidate, Cell, rounded
from penchant.data.reading._units import (
    CURRENCY,
    MULTIPLIERS,
    Unit,
    find_unit,
    is_known,
)
from penchant.typing import IntArray

NUMBER_READINGS = {".": "decimal point", ",": "decimal comma"}


class Measured(float):
    """A number whose file says its unit: a percent or currency format of a cell."""

    unit: str

    def __new__(cls, value: float, unit: str = "") -> "Measured":
        measured = super().__new__(cls, value)
        measured.unit = unit
        return measured


@dataclass(frozen=True)
class _Quantity:
    """A cell with a number: how it is written as a float, and its unit."""

    value: float
    unit: str
    is_range: bool = False


_DASH = "-–—−"  # noqa: RUF001 - what people type for a dash
_SPACES = " \u00a0\u2009\u202f"


def _core(decimal: str) -> str:
    """Give the pattern of a number without sign and unit."""
    comma = "," if decimal == "." else "."
    point = re.escape(decimal)
    groups = "|".join(
        rf"[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+"
        for mark in (comma, "'", "’", *_SPACES)  # noqa: RUF001 - an apostrophe
    )
    lakh = rf"|[1-9]\d?(?:{re.escape(comma)}\d\d)+{re.escape(comma)}\d{{3}}"
    whole = rf"(?:{groups}{lakh}|0|[1-9]\d*)"
    no_cents = rf"{point}[{_DASH}]{{1,2}}"
    return rf"(?:{whole}(?:{point}\d+|{no_cents})?|{point}\d+)(?:[eE][+-]?\d+)?"


_ABOUT = r"(?:(?:ca\.?|circa|approx\.?|about|etwa|environ|env\.|~|≈)\s*)?"
_WORDS = r"(?![,.;:!?()\[\]+*#@=<>|_&-])[^\d\s][^\d,;:!?()]{0,20}(?:/\s?\d+\s?[a-z]+)?"
_CELL = {
    d: re.compile(
        rf"{_ABOUT}(?P<sign>[-+−]?)\s?(?P<before>{CURRENCY})?\s*(?P<sign2>[-−]?)"  # noqa: RUF001
        rf"(?P<number>{_core(d)})\s*(?P<after>{_WORDS})?",
        re.IGNORECASE,
    )
    for d in NUMBER_READINGS
}
_PARTS = {
    d: re.compile(
        rf"(?P<a>{_core(d)})\s*(?P<u>[^\d\s.,]+\.?)\s*"
        rf"(?P<b>{_core(d)})\s*(?P<v>[^\d\s.,]+\.?)?"
    )
    for d in NUMBER_READINGS
}
_RANGE = re.compile(rf"(.*?[^\s])\s*(?:[{_DASH}]|\b(?:to|bis|à|until)\b)\s*(.+)")
_PLAIN = {
    d: re.compile(
        rf"(?:-?(?:0|[1-9]\d*)(?:{re.escape(d)}\d+)?(?:[eE][+-]?\d+)?(?:\n|\Z))*"
    )
    for d in NUMBER_READINGS
}
_PROOF = {
    d: re.compile(
        rf"{re.escape(d)}(?!\d{{3}}(?:\n|\Z))|(?:^|\n)-?(?:0|\d{{4,}}){re.escape(d)}"
    )
    for d in NUMBER_READINGS
}


def is_plain(texts: Sequence[str], decimal: str = ".") -> bool:
    """Tell whether texts are bare numbers that nobody could read in another way."""
    joined = "\n".join(texts)
    if not texts or not _PLAIN[decimal].fullmatch(joined):
        return False
    return decimal not in joined or bool(_PROOF[decimal].search(joined))


def read_numbers(
    cells: Sequence[Cell], counts: IntArray, home: str = ""
) -> list[Candidate]:
    """Read a column as numbers in every way that differs.

    Parameters
    ----------
    cells : sequence
        The distinct cells that are not blank.
    counts : ndarray of shape (n_cells,)
        How often each occurs.
    home : str
        Unit to convert to; empty: the most frequent one.

    Returns
    -------
    list of Candidate
        One, or two if a decimal point and a decimal comma both make sense.
    """
    texts = [cell for cell in cells if isinstance(cell, str)]
    for decimal in NUMBER_READINGS if len(texts) == len(cells) else ():
        if is_plain(texts, decimal):
            return [_plain_candidate(texts, decimal)]
    found = [_candidate(cells, counts, decimal, home) for decimal in NUMBER_READINGS]
    best = max(_explained(candidate, counts) for candidate in found)
    kept = [c for c in found if _explained(c, counts) == best] if best else []
    if len(kept) == 2 and kept[0].agrees(kept[1]):
        return [Candidate("number", kept[0].values, kept[0].unit, kept[0].converted)]
    return kept


def read_as(
    reading: str, cells: Sequence[Cell], counts: IntArray, home: str = ""
) -> Candidate:
    """Read a column as numbers with the decimal sign that the user named."""
    decimal = next(d for d, name in NUMBER_READINGS.items() if name == reading)
    return _candidate(cells, counts, decimal, home)


def _explained(candidate: Candidate, counts: IntArray) -> int:
    return int(counts[~np.isnan(candidate.values)].sum())


def _plain_candidate(texts: Sequence[str], decimal: str) -> Candidate:
    joined = "\n".join(texts)
    values = np.array(joined.replace(",", ".").split("\n"), dtype="U").astype(float)
    return Candidate(
        NUMBER_READINGS[decimal] if decimal in joined else "number", values
    )


def _candidate(
    cells: Sequence[Cell], counts: IntArray, decimal: str, home: str
) -> Candidate:
    found = [_quantity(cell, decimal) for cell in cells]
    used: Counter[str] = Counter()
    for quantity, count in zip(found, counts, strict=True):
        if quantity is not None:
            used[quantity.unit] += count
    # A word that nobody knows is a unit only where most cells have it.
    strange = {u for u in used if not is_known(u) and 2 * used[u] < counts.sum()}
    used = Counter({unit: n for unit, n in used.items() if unit not in strange})
    label = _label(used, home)
    goal = find_unit(label)
    # With two units in a column nobody can say which one a bare number has.
    bare_fits = len({find_unit(u) for u in used if u}) < 2 or label == home
    values = np.full(len(cells), np.nan)
    for place, quantity in enumerate(found):
        if quantity is None or quantity.unit in strange:
            continue
        if quantity.unit or bare_fits:
            values[place] = _convert(quantity, goal)
    values[~np.isfinite(values)] = np.nan
    converted = _conversions(cells, found, used, label)
    return Candidate(NUMBER_READINGS[decimal], values, label, tuple(converted))


def _label(used: Counter[str], home: str) -> str:
    """Choose the unit of the column: the one asked for, or the most frequent one."""
    measures = {find_unit(unit)[0] for unit in used if unit}
    if home and find_unit(home)[0] in measures:
        return home
    named = [(count, unit) for unit, count in used.items() if unit]
    return max(named, key=lambda pair: pair[0])[1] if named else ""


def _convert(quantity: _Quantity, goal: Unit) -> float:
    measure, factor = find_unit(quantity.unit) if quantity.unit else goal
    if measure != goal[0]:
        return np.nan
    same = factor == goal[1]
    return quantity.value if same else rounded(quantity.value * (factor / goal[1]))


def _conversions(
    cells: Sequence[Cell],
    found: Sequence[_Quantity | None],
    used: Counter[str],
    label: str,
) -> list[str]:
    """Say what was done to the cells beside taking the number."""
    goal = find_unit(label)
    told = []
    others = [unit for unit in used if unit and find_unit(unit) != goal]
    fitting = [unit for unit in others if find_unit(unit)[0] == goal[0]]
    if fitting:
        told.append(f"{', '.join(map(repr, fitting))} converted to {label!r}")
    if label and used[""] and not others:
        told.append(f"{used['']} cells without a unit taken as {label!r}")
    ranges = [c for c, q in zip(cells, found, strict=True) if q and q.is_range]
    if ranges:
        told.append(f"ranges such as {ranges[0]!r} taken as their midpoint")
    return told


def _quantity(cell: Cell, decimal: str) -> _Quantity | None:
    if isinstance(cell, bool):
        return None
    if isinstance(cell, (int, float, np.number)):
        return _Quantity(float(cell), getattr(cell, "unit", ""))
    return _parse(cell, decimal) if isinstance(cell, str) else None


def _parse(text: str, decimal: str) -> _Quantity | None:
    return (
        _single(text, decimal) or _compound(text, decimal) or _midpoint(text, decimal)
    )


def _single(text: str, decimal: str) -> _Quantity | None:
    match = _CELL[decimal].fullmatch(text)
    if not match or (match["sign"] and match["sign2"]):
        return None
    zeros, unit = _split_zeros((match["after"] or "").strip())
    negative = (match["sign"] or match["sign2"]) in ("-", "−")  # noqa: RUF001
    number = _float(match["number"], decimal, zeros)
    before = match["before"] or ""
    if before and unit and not unit.startswith("/"):
        return None
    return _Quantity(-number if negative else number, before + unit)


def _split_zeros(after: str) -> tuple[int, str]:
    """Take words for thousand and million off a unit."""
    word, _, rest = after.partition(" ")
    if word in MULTIPLIERS:
        return MULTIPLIERS[word], rest.strip()
    if after[:1] in ("k", "M") and find_unit(after[1:])[0] in ("€", "$", "£"):
        return MULTIPLIERS[after[0]], after[1:]
    return 0, after


def _float(number: str, decimal: str, zeros: int) -> float:
    digits = "".join(c for c in number if c.isdigit() or c in f"{decimal}eE+-")
    plain = digits.replace(decimal, ".").rstrip("-")
    return float(plain if "e" in plain.lower() else f"{plain}e{zeros}")


def _compound(text: str, decimal: str) -> _Quantity | None:
    """Add up "2 h 30 min", and "2h30" too."""
    match = _PARTS[decimal].fullmatch(text)
    if not match:
        return None
    measure, large = find_unit(match["u"])
    if match["v"] is None and (measure, large) != ("time", 3600.0):
        return None
    other, small = find_unit(match["v"] or "min")
    if measure != other or small >= large:
        return None
    a, b = (_float(match[part], decimal, 0) for part in "ab")
    return _Quantity(rounded(a + b * small / large), match["u"])


def _midpoint(text: str, decimal: str) -> _Quantity | None:
    """Take "10-12 GB" as 11 GB; the first end may leave the unit to the second."""
    match = _RANGE.fullmatch(text)
    if not match:
        return None
    low, high = _single(match[1], decimal), _single(match[2], decimal)
    if low is None or high is None:
        return None
    unit = high.unit or low.unit
    bottom, top = (_convert(end, find_unit(unit)) for end in (low, high))
    if not bottom < top:
        return None
    return _Quantity(rounded((bottom + top) / 2), unit, is_range=True)
