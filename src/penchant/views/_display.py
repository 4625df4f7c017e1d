"""How names and values of alternatives are shown, whatever they contain."""

import re
import unicodedata
from typing import Final

from penchant.data import Items
from penchant.texts import Texts

__all__ = ["FACTS", "item_facts", "item_values", "show_name"]

FACTS: Final = 5
"""So many values stand beside the name of an alternative."""

_LONGEST_NAME = 80
_LONGEST_VALUE = 200
_FIRST_STRONG, _END = "\u2068", "\u2069"
_TURNS: Final = frozenset(
    ["R", "AL", "AN", "RLE", "RLO", "LRE", "LRO", "RLI", "LRI", "FSI"]
)
_ISOLATES: Final = re.compile("[\u2066-\u2069]")


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


def item_facts(items: Items, item: int, texts: Texts, most: int = FACTS) -> str:
    """Give the first values of an alternative in one line."""
    values = items.values(item)
    shown = zip(items.attributes, item_values(items, item, texts), strict=True)
    known = [text for a, text in shown if values[a.name] == values[a.name]]
    return " · ".join(show_name(value, 40) for value in known[:most])
