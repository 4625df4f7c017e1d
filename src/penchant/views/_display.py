"""How names and values of alternatives are shown, whatever they contain."""

from dataclasses import dataclass

from penchant.data import Items
from penchant.texts import Texts, show_name

__all__ = ["Fact", "item_facts", "show_name"]


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
