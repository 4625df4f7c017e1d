"""Which attributes belong together for a person, as the pages show it."""

from collections.abc import Sequence
from dataclasses import dataclass

from penchant.data import Items
from penchant.studies import Interaction
from penchant.texts import Texts
from penchant.views._display import show_name

__all__ = ["HeatCell", "HeatRow", "TogetherView", "together_view"]

_SURE = 0.8
"""A pair whose sign is less certain gets no colour."""
_STEPS = 4
_SENTENCES = 3
_MOST_ATTRIBUTES = 12
_LONGEST_LABEL = 24


@dataclass(frozen=True)
class HeatCell:
    """Points of one pair; `step` is the class of its colour, empty if it has none."""

    points: str
    step: str


@dataclass(frozen=True)
class HeatRow:
    """The pairs of one attribute with those before it."""

    label: str
    cells: tuple[HeatCell, ...]
    n_empty: int


@dataclass(frozen=True)
class TogetherView:
    """Half of the table of all pairs, and the strongest pairs as sentences."""

    heads: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    sentences: tuple[str, ...]


def together_view(
    items: Items, interactions: Sequence[Interaction], texts: Texts
) -> TogetherView | None:
    """Show which attributes belong together; None if none do.

    Parameters
    ----------
    items : Items
        The alternatives.
    interactions : sequence of Interaction
        Pairs that matter, the strongest first.
    texts : Texts
        In the language of the person.
    """
    if not any(each.sure >= _SURE for each in interactions):
        return None
    found = {frozenset((each.first, each.second)): each for each in interactions}
    met = {name for pair in found for name in pair}
    names = [a.name for a in items.attributes if a.name in met][:_MOST_ATTRIBUTES]
    largest = max(abs(each.strength) for each in interactions)
    rows = []
    for k, name in enumerate(names[1:], start=1):
        pairs = [found.get(frozenset((name, other))) for other in names[:k]]
        cells = tuple(_cell(pair, largest, texts) for pair in pairs)
        label = show_name(name, _LONGEST_LABEL)
        rows.append(HeatRow(label, cells, len(names) - 1 - k))
    sure = [each for each in interactions if each.sure >= _SURE]
    return TogetherView(
        tuple(show_name(name, _LONGEST_LABEL) for name in names[:-1]),
        tuple(rows),
        tuple(_sentence(each, texts) for each in sure[:_SENTENCES]),
    )


def _cell(pair: Interaction | None, largest: float, texts: Texts) -> HeatCell:
    if pair is None:
        return HeatCell("0", "")
    points = texts.signed(pair.strength)
    if pair.sure < _SURE:
        return HeatCell(points, "")
    step = min(_STEPS, 1 + int(_STEPS * abs(pair.strength) / largest))
    return HeatCell(points, f"{'p' if pair.strength > 0 else 'm'}{step}")


def _sentence(pair: Interaction, texts: Texts) -> str:
    key = "together.sentence_better" if pair.strength > 0 else "together.sentence_worse"
    words = texts(
        key,
        a=show_name(pair.first, _LONGEST_LABEL),
        b=show_name(pair.second, _LONGEST_LABEL),
        points=texts.points(abs(pair.strength)),
        share=texts.share(pair.sure),
    )
    return texts.sentence(words)
