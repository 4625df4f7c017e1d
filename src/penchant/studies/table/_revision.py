"""Making the next version of a table: what may change, and what must not.

All functions take the version that there is and give the next, which nobody has kept
yet. Alternatives keep their positions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal

import pandas as pd

from penchant.data import DATE, Attribute, Extra, Items, Table
from penchant.exceptions import DataError
from penchant.studies.store._records import TableVersion
from penchant.studies.table._difference import as_text, cells, roles

LEFT_OUT: Final = "left out"
"""What a column is that is to go."""

Missing = Literal["refuse", "withdraw", "keep"]


def plan_replacement(
    table: TableVersion, items: Items, *, missing: Missing = "refuse"
) -> TableVersion:
    """Take a whole table in which alternatives are known by their names.

    Parameters
    ----------
    table : TableVersion
        What there is.
    items : Items
        What it is to be. Names that are known stay where they are and get the new
        values; others are added. Columns that are not in it stay as they are.
    missing : {"refuse", "withdraw", "keep"}
        What to do about alternatives that are not in it.

    Raises
    ------
    DataError
        If alternatives are missing and nobody said what to do about them.
    """
    old = table.items
    places = {name: place for place, name in enumerate(old.names)}
    gone = [name for name in old.names if name not in set(items.names)]
    gone = [name for name in gone if places[name] not in table.withdrawn]
    if gone and missing == "refuse":
        raise DataError(
            f"{len(gone)} alternatives of the study are not in the new table: "
            f"{_list(gone)}. Answers may be about them: withdraw them, keep them as "
            "they are, or write their names as they were."
        )
    names = [*old.names, *(name for name in items.names if name not in places)]
    before, after = cells(old), cells(items)
    after.index = pd.Index([names.index(name) for name in items.names])
    columns: dict[str, pd.Series] = {}
    for name in [*before.columns, *(c for c in after.columns if c not in before)]:
        column = before[name] if name in before else pd.Series(dtype=object)
        column = column.reindex(range(len(names))).astype(object)
        if name in after:
            column.loc[after.index] = after[name]
        columns[name] = column
    meaning = _opened(old) | _opened(items, old)
    told = roles(old) | roles(items)
    lost = {places[name] for name in gone} if missing == "withdraw" else set()
    back = {places[name] for name in items.names if name in places}
    withdrawn = (set(table.withdrawn) - back) | lost
    built = _build(table, columns, names, meaning, told)
    return _next(table, built, withdrawn)


def corrected(
    table: TableVersion, item: str, values: Mapping[str, Any], name: str | None = None
) -> TableVersion:
    """Change values of one alternative, or what it is called.

    Parameters
    ----------
    table : TableVersion
        What there is.
    item : str
        Name of the alternative.
    values : mapping from column to value
        In the units of the table; None or an empty text: not known.
    name : str, optional
        Another name for it.
    """
    place = table.items.index(item)
    names = list(table.items.names)
    names[place] = item if name is None else name.strip()
    columns = _columns(table.items, values)
    for column, value in values.items():
        columns[column].loc[place] = value
    return _next(table, _build(table, columns, names), table.withdrawn)


def extended(table: TableVersion, name: str, values: Mapping[str, Any]) -> TableVersion:
    """Add an alternative at the end; what is not said of it is not known."""
    names = [*table.items.names, name.strip()]
    columns = {
        column: series.reindex(range(len(names))).astype(object)
        for column, series in _columns(table.items, values).items()
    }
    for column, value in values.items():
        columns[column].loc[len(names) - 1] = value
    return _next(table, _build(table, columns, names), table.withdrawn)


def with_column(
    table: TableVersion,
    column: str,
    *,
    direction: str | None = None,
    unit: str | None = None,
    levels: Sequence[str] | None = None,
    kind: str | None = None,
    role: str | None = None,
) -> TableVersion:
    """Change what a column means; None leaves it as it is.

    Parameters
    ----------
    table : TableVersion
        What there is.
    column : str
        Which column.
    direction : {"up", "down", "unknown"}, optional
        Whether more is better.
    unit : str, optional
        What is written after its numbers; the numbers stay the same.
    levels : sequence of str, optional
        All levels, from first to last; makes it ordinal unless `kind` says otherwise.
    kind : {"numeric", "ordinal", "categorical"}, optional
        What its values are.
    role : str, optional
        "compared", a role of `Extra`, or "left out": the column goes.
    """
    items, told = table.items, roles(table.items)
    columns = _columns(items, [column])
    told[column] = role or told[column]
    meaning = _opened(items)
    known = meaning.get(column) or _guessed(column, columns[column])
    sort = kind or ("ordinal" if levels is not None else known.kind)
    domain = known.domain if sort == known.kind else None
    way = direction or ("unknown" if sort == "categorical" else known.direction)
    meaning[column] = Attribute(
        column,
        sort,  # type: ignore[arg-type]
        way,  # type: ignore[arg-type]
        domain if levels is None else tuple(levels),
        known.unit if unit is None else unit.strip(),
    )
    built = _build(table, columns, items.names, meaning, told)
    return _next(table, built, table.withdrawn)


def withdrawn(table: TableVersion, names: Iterable[str]) -> TableVersion:
    """Ask and recommend some alternatives no longer."""
    places = {table.items.index(name) for name in names}
    return _next(table, table.items, {*table.withdrawn} | places)


def restored(table: TableVersion, names: Iterable[str]) -> TableVersion:
    """Ask and recommend some alternatives again."""
    places = {table.items.index(name) for name in names}
    return _next(table, table.items, {*table.withdrawn} - places)


def plan_change(
    table: TableVersion,
    *,
    correct: Mapping[str, Mapping[str, Any]] | None = None,
    rename: Mapping[str, str] | None = None,
    add: Mapping[str, Mapping[str, Any]] | None = None,
    columns: Mapping[str, Mapping[str, Any]] | None = None,
    withdraw: Iterable[str] = (),
    restore: Iterable[str] = (),
) -> TableVersion:
    """Change several things at once, in this order.

    Parameters
    ----------
    table : TableVersion
        What there is.
    correct : mapping from alternative to values
        See `corrected`.
    rename : mapping from old to new name
        Of alternatives.
    add : mapping from alternative to values
        See `extended`.
    columns : mapping from column to what it means
        See `with_column`.
    withdraw, restore : iterable of str
        Alternatives, by the names that they have after the change.
    """
    now = table
    for item, values in (correct or {}).items():
        now = corrected(now, item, values)
    for item, name in (rename or {}).items():
        now = corrected(now, item, {}, name)
    for name, values in (add or {}).items():
        now = extended(now, name, values)
    for column, meaning in (columns or {}).items():
        now = with_column(now, column, **meaning)
    now = restored(withdrawn(now, withdraw), restore)
    return replace(now, number=table.number + 1)


def read_like(table: TableVersion, cells: Table) -> Items:
    """Read a file as the columns of the study are understood.

    Parameters
    ----------
    table : TableVersion
        What there is. Its columns keep their meaning, the file may have more, and
        the column with most of its names is taken for that of the names.
    cells : Table
        What `read_table` gave.
    """
    items, header = table.items, [str(name) for name in cells.cells.columns]
    known = set(items.names)
    hits = {
        name: sum(str(cell).strip() in known for cell in cells.cells[name])
        for name in cells.cells.columns
    }
    best = max(hits, key=lambda name: hits[name], default=None)
    return Items.from_table(
        cells,
        [
            each if each.kind == "ordinal" else replace(each, domain=None)
            for each in items.attributes
            if each.name in header
        ],
        names=best if best is not None and hits[best] else None,
        roles={each.name: each.role for each in items.extras if each.name in header},
    )


def _next(table: TableVersion, items: Items, withdrawn: Iterable[int]) -> TableVersion:
    out = tuple(sorted(withdrawn))
    if len(out) >= len(items):
        raise DataError("At least one alternative must stay. All would be withdrawn.")
    return TableVersion(table.number + 1, items, table.at, out)


def _columns(items: Items, wanted: Iterable[str]) -> dict[str, pd.Series]:
    """Give the cells by column, all of them known."""
    frame = cells(items)
    for name in wanted:
        if name not in frame:
            raise DataError(
                f"There is no column {name!r}. The columns are: "
                f"{', '.join(map(str, frame.columns))}."
            )
    return {str(name): frame[name].copy() for name in frame.columns}


def _build(
    table: TableVersion,
    columns: Mapping[str, pd.Series],
    names: Sequence[str],
    meaning: Mapping[str, Attribute] | None = None,
    told: Mapping[str, str] | None = None,
) -> Items:
    """Make items of cells; domains follow the values unless somebody set them."""
    items = table.items
    meaning = _opened(items) if meaning is None else meaning
    told = roles(items) if told is None else told
    attributes, extras, frame = [], [], {}
    for name, column in columns.items():
        if told[name] == LEFT_OUT:
            continue
        if told[name] != "compared":
            texts = tuple(map(as_text, column))
            extras.append(Extra(name, told[name], texts))  # type: ignore[arg-type]
            continue
        attribute = meaning.get(name) or _guessed(name, column)
        plain = column.map(partial(_typed, attribute=attribute))
        attributes.append(_widened(attribute, plain, _lost(items, name)))
        frame[name] = plain
    index = pd.RangeIndex(len(names))
    values = pd.DataFrame(frame, index=index, dtype=object)
    return Items(values, tuple(attributes), tuple(names), tuple(extras))


def _typed(value: Any, attribute: Attribute) -> Any:
    """Read what was typed: blanks, and dates as days since 1970."""
    if not as_text(value):
        return None
    if attribute.unit != DATE or not isinstance(value, str):
        return value
    try:
        return pd.Timestamp(value).timestamp() / 86_400
    except ValueError:
        raise DataError(
            f"Column {attribute.name!r} must hold dates, as 2026-03-01. Got {value!r}."
        ) from None


def _widened(attribute: Attribute, column: pd.Series, lost: set[str]) -> Attribute:
    """Let a domain hold all values, and levels that the table had go with them."""
    if attribute.domain is None or attribute.kind == "ordinal":
        return attribute
    if attribute.kind == "numeric":
        low, high = attribute.domain
        numbers = pd.to_numeric(column, errors="coerce").dropna()
        ends = min([low, *numbers]), max([high, *numbers])
        return replace(attribute, domain=ends)
    used = {*map(as_text, column.dropna())}
    levels = [level for level in attribute.levels if level in used or level not in lost]
    more = sorted(used - {*attribute.levels})
    return replace(attribute, domain=(*levels, *more))


def _opened(items: Items, old: Items | None = None) -> dict[str, Attribute]:
    """Give attributes, without the ends of numbers that come from the table.

    Ends that somebody set for an older table hold for this one, too.
    """
    before = {} if old is None else _opened(old)
    found = {}
    for attribute in items.attributes:
        known = before.get(attribute.name, attribute)
        domain = attribute.domain
        if attribute.kind == "numeric":
            values = items.frame[attribute.name].dropna()
            from_table = (
                domain == (values.min(), values.max()) if len(values) else False
            )
            set_before = known.domain if known.kind == "numeric" else None
            domain = (None if old is None else set_before) if from_table else domain
        elif attribute.kind == "categorical" and known.kind == "categorical":
            more = set(attribute.levels) - {*known.levels}
            domain = (*known.levels, *sorted(more))
        found[attribute.name] = replace(attribute, domain=domain)
    return found


def _lost(items: Items, name: str) -> set[str]:
    """Give the levels that a column of the table has had."""
    return set(map(str, items.frame[name].dropna())) if name in items.frame else set()


def _guessed(name: str, column: pd.Series) -> Attribute:
    """Say what a column means of which nothing is known."""
    values = [value for value in column if as_text(value)]
    numbers = pd.to_numeric(pd.Series(values, dtype=object), errors="coerce")
    if values and numbers.notna().all():
        return Attribute(name, "numeric", "unknown")
    return Attribute(name, "categorical", "unknown")


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
