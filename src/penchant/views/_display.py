"""How names and values of alternatives are shown, whatever they contain."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from penchant.data import DATE, Attribute, Items
from penchant.texts import Texts, show_name

__all__ = ["Fact", "grid_value", "item_facts", "show_name"]


def grid_value(
    attribute: Attribute, grid: Sequence[Any], k: int, texts: Texts, longest: int = 40
) -> str:
    """Write a value between others with the digits that tell it from the next."""
    value = grid[k]
    if attribute.kind == "numeric" and grid[0] < value < grid[-1]:
        step = (float(grid[-1]) - float(grid[0])) / (len(grid) - 1)
        digits = 0 if attribute.unit == DATE else max(0, 1 - floor(log10(step)))
        value = round(float(value), digits)
    return show_name(texts.value(attribute, value), longest)


@dataclass(frozen=True)
class Fact:
    """A value with its name: a value never stands alone."""

    label: str
    value: str


def item_facts(items: Items, item: int, texts: Texts, most: int) -> tuple[Fact, ...]:
    """Give the first values of an alternative that are known, with their names."""
    values = items.values(item)
    shown = zip(items.attributes, texts.values(items, item), strict=True)
    known = [
        Fact(show_name(a.name, 30), show_name(text, 40))
        for a, text in shown
        if values[a.name] == values[a.name]
    ]
    return tuple(known[:most])
