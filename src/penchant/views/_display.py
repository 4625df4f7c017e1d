"""How names and values of alternatives are shown, whatever they contain."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from penchant.data import Items
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
