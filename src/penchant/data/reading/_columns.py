"""One column of a table, read as a whole: one reading must explain all its cells."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast, get_args

import numpy as np
import pandas as pd

from penchant.data._attribute import DATE, Attribute
from penchant.data._extra import ExtraRole
from penchant.data.reading._candidate import Candidate
from penchant.data.reading._cells import (
    Cells,
    ReadColumn,
    collect,
    gaps,
    shown_column,
    shown_text,
)
from penchant.data.reading._dates import read_clocks, read_dates
from penchant.data.reading._headers import (
    guess_direction,
    is_counter_header,
    is_identifier_header,
    unit_of_header,
)
from penchant.data.reading._levels import fit_levels, read_levels
from penchant.data.reading._marks import read_stars
from penchant.data.reading._numbers import NUMBER_READINGS, read_as, read_numbers
from penchant.data.reading._problems import Problem
from penchant.data.reading._report import Choice, ColumnReading, Role
from penchant.data.reading._units import find_unit
from penchant.typing import FloatArray

_PROBE = 30
"""So many distinct cells tell whether a family of readings is worth a try."""

_MANY_STRAYS = 20
"""Beyond so many cells that do not fit, the others are counted, not listed."""


@dataclass(frozen=True)
class Asked:
    """What the user said about a column; the rest is guessed."""

    attribute: Attribute | None = None
    role: str | None = None
    reading: str | None = None


def read_column(name: str, values: pd.Series, asked: Asked) -> ReadColumn:
    """Find out what a column means, by all its cells together.

    Parameters
    ----------
    name : str
        Its header.
    values : Series
        Cells as they stand in the file; the index is used as row numbers.
    asked : Asked
        What somebody said about it.
    """
    if asked.role == "leave out":
        return ReadColumn(ColumnReading(name, "leave out", reading="not read"))
    if asked.role in get_args(ExtraRole):
        return shown_column(
            collect(name, values, as_written=True), cast(Role, asked.role)
        )
    if asked.attribute is not None and asked.attribute.kind != "numeric":
        declared = ColumnReading(name, "attribute", asked.attribute, "levels")
        if asked.attribute.domain is not None:
            values = fit_levels(values, asked.attribute, asked.reading)
        return ReadColumn(declared, values)
    if asked.attribute is None and _is_empty(values):
        return _empty(name)
    found = _typed(name, values, asked) or _read_text(name, values, asked)
    if asked.attribute is not None and found.values is not None:
        unit = found.reading.attribute.unit if found.reading.attribute else ""
        known = replace(asked.attribute, unit=asked.attribute.unit or unit)
        found = replace(found, reading=replace(found.reading, attribute=known))
    return found


def looks_numeric(values: pd.Series) -> bool:
    """Tell whether the first cells of a column could be numbers or dates."""
    if pd.api.types.is_numeric_dtype(values):
        return True
    cells = collect("", values.iloc[: 4 * _PROBE])
    found = _candidates(cells, "")
    return any(np.isfinite(c.values).mean() >= 0.5 for c in found)


def _typed(name: str, values: pd.Series, asked: Asked) -> ReadColumn | None:
    """Read a column whose type the file or the data frame tells."""
    kind = values.dtype
    if isinstance(kind, pd.CategoricalDtype):
        levels = tuple(map(str, kind.categories))
        if kind.ordered:
            attribute = Attribute(name, "ordinal", guess_direction(name), levels)
            return ReadColumn(
                ColumnReading(name, "attribute", attribute, "levels"), values
            )
        return None
    if pd.api.types.is_bool_dtype(kind) and values.notna().all():
        truth = Attribute(name, "ordinal", guess_direction(name), ("False", "True"))
        read = ColumnReading(name, "attribute", truth, "yes or no")
        return ReadColumn(read, values.map({False: "False", True: "True"}))
    if pd.api.types.is_datetime64_any_dtype(kind):
        plain = (
            values.dt.tz_convert("UTC").dt.tz_localize(None) if values.dt.tz else values
        )
        days = (plain - pd.Timestamp(0)) / pd.Timedelta(days=1)
        return _numbers_of(name, days, "date", DATE)
    if pd.api.types.is_timedelta64_dtype(kind):
        return _numbers_of(name, values / pd.Timedelta(hours=1), "number", "h")
    if pd.api.types.is_numeric_dtype(kind):
        numbers = values.astype(np.float64)
        free = asked == Asked()
        known = numbers.to_numpy()
        known = known[~np.isnan(known)]
        if free and _may_be_dates(known):
            return None
        key = _counts_rows(name, known) if free else ""
        if key:
            return shown_column(collect(name, values), "identifier", key)
        reading, unit = asked.reading or "number", _home(name, asked)
        return _numbers_of(name, numbers, reading, unit)
    return None


def _may_be_dates(known: FloatArray) -> bool:
    """Tell whether whole numbers could be dates without marks, such as 20240301."""
    if not known.size or known.min() < 19_000_101 or known.max() > 21_000_000:
        return False
    month, day = known // 100 % 100, known % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


def _numbers_of(
    name: str, values: pd.Series, reading: str, unit: str = ""
) -> ReadColumn:
    known = values.dropna().to_numpy(np.float64)
    attribute, doubts = _numeric(name, known, unit)
    doubts = (*gaps(name, values.isna().to_numpy(), values.index), *doubts)
    examples = tuple(
        (shown_text(v), attribute.format(v)) for v in dict.fromkeys(known[:3].tolist())
    )
    read = ColumnReading(name, "attribute", attribute, reading, examples, (), doubts)
    return ReadColumn(read, values)


def _numeric(
    name: str, known: FloatArray, unit: str
) -> tuple[Attribute, tuple[Problem, ...]]:
    doubts: tuple[Problem, ...] = ()
    if not np.isfinite(known).all():
        message = "the numbers must be finite"
        doubts += (Problem(message, column=name, kind="infinite"),)
        known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    attribute = Attribute(name, "numeric", guess_direction(name), (low, high), unit)
    if low == high:
        same = attribute.format(low)
        message = f"all values are {same}, so the column cannot matter"
        facts = {"value": same}
        doubts += (Problem(message, None, name, "warning", "all_same", facts),)
    return attribute, doubts


def _counts_rows(name: str, known: FloatArray) -> str:
    """Say why whole numbers are a key, if they are one."""
    if not known.size or not (known == np.floor(known)).all():
        return ""
    if is_identifier_header(name):
        return f"{name!r} is called like a key"
    if np.unique(known).size < known.size:
        return ""
    counted = np.arange(known.size) + known[0]
    if is_counter_header(name) and known[0] in (0, 1) and (known == counted).all():
        return "it counts the rows"
    if known.size > 2 and known.min() >= 1e9 and known.max() < 10 * known.min():
        return "its numbers are long and all differ, as those of a key"
    return ""


def _is_empty(values: pd.Series) -> bool:
    begins_blank = not len(values) or pd.isna(values.iloc[0])
    return bool(begins_blank and values.isna().all())


def _empty(name: str) -> ReadColumn:
    doubt = Problem("the column is empty and was left out", None, name, "warning")
    return ReadColumn(ColumnReading(name, "leave out", reading="", doubts=(doubt,)))


def _read_text(name: str, values: pd.Series, asked: Asked) -> ReadColumn:
    """Read cells that are text, or of several types."""
    plain = asked.reading in ("levels", "text")
    if pd.api.types.is_numeric_dtype(values):  # they may be dates
        values = values.map(shown_text, na_action="ignore").astype(object)
    cells = collect(name, values, as_written=plain)
    if asked.reading == "text":
        return shown_column(cells, "shown")
    if not cells.distinct and asked.attribute is None:
        return _empty(name)
    if not cells.distinct:
        return _numbers(
            cells, [Candidate(asked.reading or "number", np.empty(0))], asked
        )
    candidates = [] if plain else _pool(cells, asked)
    if candidates:
        return _numbers(cells, candidates, asked)
    must = asked.role == "attribute" or plain
    if asked.attribute is not None:  # numeric, which these cells are not
        raw = ColumnReading(name, "attribute", asked.attribute, "levels")
        return ReadColumn(raw, values)
    return read_levels(cells, values, asked.reading, must_be_levels=must)


def _candidates(cells: Cells, home: str) -> list[Candidate]:
    """Give all readings as numbers that explain some of the first cells."""
    distinct, counts = cells.distinct, cells.counts
    found: list[Candidate] = []
    probe = distinct[:_PROBE]
    if any(np.isfinite(c.values).any() for c in read_numbers(probe, counts[:_PROBE])):
        found += read_numbers(distinct, counts, home)
    for family in (read_dates, read_clocks, read_stars):
        if any(np.isfinite(c.values).any() for c in family(probe)):
            found += family(distinct)
    return found


def _pool(cells: Cells, asked: Asked) -> list[Candidate]:
    """Give the readings that the user must choose between; one, if all is clear."""
    home = _home(cells.name, asked)
    if asked.reading is not None and asked.reading in NUMBER_READINGS.values():
        return [read_as(asked.reading, cells.distinct, cells.counts, home)]
    found = _candidates(cells, home)
    if asked.reading:
        return [c for c in found if c.reading == asked.reading]
    shares = [_share(cells, candidate) for candidate in found]
    best = max(shares, default=0.0)
    if best < 0.5:
        return []
    return [c for c, share in zip(found, shares, strict=True) if share == best]


def _home(name: str, asked: Asked) -> str:
    """Give the unit of cells without one: what somebody said, or the header says."""
    return asked.attribute.unit if asked.attribute else unit_of_header(name)


def _share(cells: Cells, candidate: Candidate) -> float:
    counts = cells.counts
    return float(counts[np.isfinite(candidate.values)].sum() / counts.sum())


def _numbers(cells: Cells, pool: Sequence[Candidate], asked: Asked) -> ReadColumn:
    """Make an attribute of cells that are numbers or dates."""
    chosen, name = pool[0], cells.name
    known = chosen.values[np.isfinite(chosen.values)]
    home = _home(name, asked)
    unit = chosen.unit or home
    key = _counts_rows(name, known) if not unit and len(pool) == 1 else ""
    if key and asked.role is None and asked.attribute is None:
        return shown_column(cells, "identifier", key)
    attribute, doubts = _numeric(name, known, unit)
    if asked.attribute is None:
        doubts += _other_unit(name, home, unit)
    noun = "date" if chosen.unit == DATE else "number"
    told = (*chosen.converted, *cells.notes())
    reading = ColumnReading(
        name,
        "attribute",
        attribute,
        chosen.reading,
        _examples(cells, chosen, attribute),
        told,
        (*cells.gaps(), *_strays(cells, chosen, noun), *doubts),
        _choices(cells, pool) if len(pool) > 1 else (),
    )
    return ReadColumn(reading, cells.spread(chosen.values))


def _other_unit(name: str, said: str, unit: str) -> tuple[Problem, ...]:
    """Tell that header and cells say different units; "EUR/month" is more than "€"."""
    first = re.split(r"\s*/|\s", said)[0]
    measures = {find_unit(said)[0], find_unit(first)[0]}
    if not said or unit == DATE or find_unit(unit)[0] in measures:
        return ()
    message = f"the header says {said!r}, but the cells say {unit!r}"
    facts = {"said": said, "unit": unit}
    return (Problem(message, None, name, "warning", "other_unit", facts),)


def _strays(cells: Cells, chosen: Candidate, noun: str) -> tuple[Problem, ...]:
    places = np.flatnonzero(np.isnan(chosen.values))
    rows = np.flatnonzero(np.isin(cells.codes, places))
    listed = [
        Problem(
            f"{cells.texts[cells.codes[row]]!r} is not a {noun}, but most cells are; "
            "correct or clear it",
            cells.row(row),
            cells.name,
            kind=f"stray_{noun}",
            facts={"cell": cells.texts[cells.codes[row]]},
        )
        for row in rows[:_MANY_STRAYS]
    ]
    if len(rows) > _MANY_STRAYS:
        n_more = len(rows) - _MANY_STRAYS
        message = f"{n_more} more cells are not a {noun}"
        rest = tuple(cells.row(row) for row in rows[_MANY_STRAYS:])
        facts = {"n": n_more, "rows": rest}
        listed.append(Problem(message, None, cells.name, kind="strays", facts=facts))
    return tuple(listed)


def _examples(
    cells: Cells, chosen: Candidate, attribute: Attribute
) -> tuple[tuple[str, str], ...]:
    shown = np.flatnonzero(np.isfinite(chosen.values))[:3]
    return tuple(
        (cells.texts[i], attribute.format(float(chosen.values[i]))) for i in shown
    )


def _choices(cells: Cells, pool: Sequence[Candidate]) -> tuple[Choice, ...]:
    """Show every reading on a cell where they differ."""
    values = np.stack([candidate.values for candidate in pool])
    differ = np.flatnonzero((values != values[0]).any(axis=0))
    place = int(differ[0]) if differ.size else 0
    choices = []
    for candidate in pool:
        shown = Attribute(cells.name, unit=candidate.unit)
        value = float(candidate.values[place])
        after = shown.format(value) if candidate.unit else f"{value:.12g}"
        example = f"{cells.texts[place]} → {after}"
        option = {"readings": {cells.name: candidate.reading}}
        choices.append(Choice(candidate.reading, example, option))
    return tuple(choices)
