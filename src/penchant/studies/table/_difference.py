"""What is different between two versions of a table."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import pandas as pd

from penchant.data import Attribute, Items
from penchant.studies.store._records import TableVersion

ChangeKind = Literal[
    "added",
    "withdrawn",
    "restored",
    "renamed",
    "value",
    "column added",
    "column gone",
    "role",
    "kind",
    "direction",
    "unit",
    "levels",
]


@dataclass(frozen=True)
class TableChange:
    """One thing that is different between two versions of a table.

    Parameters
    ----------
    kind : str
        An alternative is "added", "withdrawn", "restored" or "renamed"; a "value" of
        it is another; a "column added" or "column gone"; its "role" (compared, or one
        of those of `Extra`), "kind", "direction", "unit" or order of "levels".
    item : str
        The alternative, as it is called now; empty: it is about a column.
    column : str
        The column; empty: it is about a whole alternative.
    before, after : str
        As people read it; empty where there was or is nothing.
    """

    kind: ChangeKind
    item: str = ""
    column: str = ""
    before: str = ""
    after: str = ""

    def to_dict(self) -> dict[str, str]:
        """Give the change as plain values for JSON."""
        return asdict(self)


def difference(old: TableVersion, new: TableVersion) -> tuple[TableChange, ...]:
    """Say what is different in a later version: alternatives, columns, then values.

    Values of alternatives that are new, and of columns that are new or gone, are not
    listed one by one.
    """
    return (
        *_alternatives(old, new),
        *_columns(old.items, new.items),
        *_values(old.items, new.items),
    )


def _alternatives(old: TableVersion, new: TableVersion) -> Iterator[TableChange]:
    names = new.items.names
    gone = set(new.withdrawn)
    for place in range(len(old.items), len(names)):
        if place not in gone:
            yield TableChange("added", names[place])
    for place in sorted(gone - set(old.withdrawn)):
        if place < len(old.items):
            yield TableChange("withdrawn", names[place])
    for place in sorted(set(old.withdrawn) - gone):
        yield TableChange("restored", names[place])
    for before, after in zip(old.items.names, names, strict=False):
        if before != after:
            yield TableChange("renamed", after, "", before, after)


def _columns(old: Items, new: Items) -> Iterator[TableChange]:
    before, after = roles(old), roles(new)
    for name in after:
        if name not in before:
            yield TableChange("column added", "", name)
    for name in before:
        if name not in after:
            yield TableChange("column gone", "", name)
        elif before[name] != after[name]:
            yield TableChange("role", "", name, before[name], after[name])
    known = {attribute.name: attribute for attribute in old.attributes}
    for attribute in new.attributes:
        if attribute.name in known:
            yield from _attribute(known[attribute.name], attribute)


def roles(items: Items) -> dict[str, str]:
    """Give what each column of a table is: compared, or the role of an extra."""
    compared = {attribute.name: "compared" for attribute in items.attributes}
    return compared | {extra.name: extra.role for extra in items.extras}


def _attribute(old: Attribute, new: Attribute) -> Iterator[TableChange]:
    for kind in ("kind", "direction", "unit"):
        before, after = getattr(old, kind), getattr(new, kind)
        if before != after:
            yield TableChange(kind, "", new.name, before, after)
    if new.kind != "ordinal" or old.kind != "ordinal":
        return  # only there the order says something
    shared = set(old.levels) & set(new.levels)
    orders = [
        [level for level in each.levels if level in shared] for each in (old, new)
    ]
    if orders[0] != orders[1]:
        told = ", ".join(old.levels), ", ".join(new.levels)
        yield TableChange("levels", "", new.name, *told)


def _values(old: Items, new: Items) -> Iterator[TableChange]:
    units = {attribute.name: attribute for attribute in new.attributes}
    before, after = (cells(items).to_dict("list") for items in (old, new))
    both = [name for name in after if name in before]
    for place, name in enumerate(new.names[: len(old)]):
        for column in both:
            was, now = before[column][place], after[column][place]
            if was == now or as_text(was) == as_text(now):
                continue
            told = (_shown(each, units.get(column)) for each in (was, now))
            yield TableChange("value", name, column, *told)


def cells(items: Items) -> pd.DataFrame:
    """Give all columns of a table as they are read: numbers, texts, None for blanks."""
    table = {
        attribute.name: items.frame[attribute.name].astype(object)
        for attribute in items.attributes
    }
    table |= {extra.name: list(extra.values) for extra in items.extras}
    frame = pd.DataFrame(table, index=range(len(items)), dtype=object)
    return frame.where(frame.notna(), None)


def as_text(value: Any) -> str:
    """Give a cell as text: empty if blank, whole numbers without a decimal point."""
    if value is None or value != value:
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value).strip()


def _shown(value: Any, attribute: Attribute | None) -> str:
    if value is None:
        return ""
    numeric = attribute is not None and attribute.kind == "numeric"
    if attribute is None or numeric != isinstance(value, float | int):
        return str(value)
    return attribute.format(value)
