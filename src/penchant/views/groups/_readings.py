"""Pairs of attributes and the Choquet reading of all answers, as a page shows them."""

from dataclasses import dataclass
from math import ceil, isnan, log10
from types import SimpleNamespace as View
from typing import Any, Final

import numpy as np

from penchant.data import Attribute, Items
from penchant.learning import ModelPart, read_model
from penchant.studies import GroupModels
from penchant.texts import Texts
from penchant.views._display import show_name

_SHADES: Final = 4
_MOST_CELLS: Final = 7
_MOST_PAIRS: Final = 6
_LEAST: Final = 0.01


@dataclass(frozen=True)
class Cell:
    """Points, and how they are shaded: p1 to p4 for, m1 to m4 against, empty: none."""

    points: str
    shade: str


def pair_tables(models: GroupModels, items: Items, texts: Texts) -> tuple[Any, ...]:
    """Show the pairs of the sparse model as tables, in points of the whole table."""
    scale = 100.0 / (float(np.ptp(models.gai.utility(items))) or 1.0)
    attributes = {attribute.name: attribute for attribute in items.attributes}
    pairs = [
        part
        for part in read_model(models.gai)
        if part.kind == "pair" and part.size >= _LEAST
    ]
    return tuple(_table(part, scale, attributes, texts) for part in pairs)


def _table(
    part: ModelPart, scale: float, attributes: dict[str, Attribute], texts: Texts
) -> View:
    first, second = (attributes[name] for name in part.names)
    points = scale * np.asarray(part.values, dtype=np.float64)
    places = [_some(len(side)) for side in part.grid]
    reach = float(np.abs(points).max()) or 1.0
    rows = tuple(
        (
            show_name(texts.value(first, part.grid[0][i]), 30),
            tuple(_cell(float(points[i, j]), reach, texts) for j in places[1]),
        )
        for i in places[0]
    )
    names = [show_name(name, 40) for name in part.names]
    return View(
        title=texts("owner.model.together", a=names[0], b=names[1]),
        share=texts.share(part.size),
        columns=tuple(
            show_name(texts.value(second, part.grid[1][j]), 30) for j in places[1]
        ),
        rows=rows,
    )


def _some(n: int) -> list[int]:
    """Give places of at most seven of n values, the ends among them."""
    return sorted({round(k) for k in np.linspace(0, n - 1, min(n, _MOST_CELLS))})


def _cell(points: float, reach: float, texts: Texts) -> Cell:
    shade = ceil(_SHADES * abs(points) / reach - 0.5)
    side = "p" if points > 0 else "m"
    return Cell(texts.signed(points), f"{side}{shade}" if shade > 0 else "")


def choquet_view(models: GroupModels, texts: Texts) -> View | None:
    """Show the Choquet reading; None if there is none."""
    model = models.choquet
    if model is None:
        return None
    parts = read_model(model)
    criteria = [part for part in parts if part.kind == "criterion"]
    total = sum(part.size for part in criteria) or 1.0
    left = [show_name(name, 40) for name in models.unordered]
    return View(
        fits=texts(
            "choquet.fits",
            own=texts.number(round(100 * models.choquet_right)),
            curves=texts.number(round(100 * models.gai_right)),
        ),
        certificate=_certificate(float(model.dual_gap_), texts),
        left=texts("choquet.left", attributes=texts.listed(left)) if left else "",
        importance=tuple(_importance(part, total, texts) for part in criteria),
        together=tuple(_pairs(parts, total, texts)),
    )


def _importance(part: ModelPart, total: float, texts: Texts) -> View:
    name, share = show_name(part.names[0], 40), part.size / total
    words = texts("owner.model.part_share", part=name, share=texts.share(share))
    return View(
        name=name, figure=texts.share(share), width=round(100 * share, 1), words=words
    )


def _pairs(parts: tuple[ModelPart, ...], total: float, texts: Texts) -> list[str]:
    found = []
    for part in parts:
        share = part.size / total
        if part.kind != "interaction" or abs(share) < _LEAST:
            continue
        key = "choquet.both" if share > 0 else "choquet.either"
        a, b = (show_name(name, 40) for name in part.names)
        found.append(texts(key, a=a, b=b, share=texts.share(abs(share))))
    return found[:_MOST_PAIRS]


def _certificate(gap: float, texts: Texts) -> str:
    if isnan(gap):
        return texts("choquet.no_certificate")
    bound = 10.0 ** ceil(log10(max(gap, 1e-6)))
    return texts("choquet.certificate", gap=texts.number(bound))


def curves_certificate(models: GroupModels, texts: Texts) -> str:
    """Say in one sentence what is certified of the curves."""
    return _certificate(float(models.gai.dual_gap_), texts)
