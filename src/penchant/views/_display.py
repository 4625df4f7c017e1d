"""How names and values of alternatives are shown, whatever they contain."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor, log10
from typing import Any, Final

from penchant.data import DATE, Attribute, Items
from penchant.texts import Texts

_LONGEST_NAME = 80
_LONGEST_VALUE = 200
_FIRST_STRONG, _END = "\u2068", "\u2069"
_TURNS: Final = frozenset(
    ["R", "AL", "AN", "RLE", "RLO", "LRE", "LRO", "RLI", "LRI", "FSI"]
)
_ISOLATES: Final = re.compile("[\u2066-\u2069]")


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


def item_values(items: Items, item: int, texts: Texts) -> list[str]:
    """Give the values of an alternative as texts, in the order of the attributes."""
    values = items.values(item)
    return [
        show_name(texts.value(attribute, values[attribute.name]), _LONGEST_VALUE)
        for attribute in items.attributes
    ]


@dataclass(frozen=True)
class Fact:
    """A value with its name: a value never stands alone."""

    label: str
    value: str


def item_facts(items: Items, item: int, texts: Texts, most: int) -> tuple[Fact, ...]:
    """Give the first values of an alternative that are known, with their names."""
    values = items.values(item)
    shown = zip(items.attributes, item_values(items, item, texts), strict=True)
    known = [
        Fact(show_name(a.name, 30), show_name(text, 40))
        for a, text in shown
        if values[a.name] == values[a.name]
    ]
    return tuple(known[:most])
