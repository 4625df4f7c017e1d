"""An imagined alternative: its sliders, and what they lead to."""

import math
from collections.abc import Mapping
from types import SimpleNamespace as View
from typing import Any

import numpy as np

from penchant.data import DATE, Attribute, Items
from penchant.exceptions import DataError
from penchant.studies import WhatIf
from penchant.texts import Texts
from penchant.views._display import show_name

_STEPS = 100
_LONGEST_LABEL = 40


def read_values(
    items: Items, item: int, fields: Mapping[str, str]
) -> dict[str, float | str]:
    """Give the values of an imagined alternative.

    Parameters
    ----------
    items : Items
        The alternatives.
    item : int
        The one that is changed.
    fields : mapping of str to str
        New values by field, "v0" for the first attribute and so on: numbers, or
        positions in the list of levels. What is missing stays as it is.

    Raises
    ------
    DataError
        If a value is not possible.
    """
    return {
        attribute.name: _read(attribute, fields.get(f"v{k}"), items, item)
        for k, attribute in enumerate(items.attributes)
    }


def _read(
    attribute: Attribute, sent: str | None, items: Items, item: int
) -> float | str:
    if sent is None:
        return _present(attribute, items.values(item)[attribute.name])
    try:
        if attribute.kind != "numeric":
            return attribute.levels[_position(sent)]
        low, high = _ends(attribute)
        value = float(sent)
        if not low <= value <= high:
            raise ValueError
    except (ValueError, IndexError):
        raise DataError(
            f"The value of {attribute.name!r} must be within its domain. Got {sent!r}."
        ) from None
    return value


def _position(text: str) -> int:
    position = int(text)
    if position < 0:
        raise ValueError
    return position


def _present(attribute: Attribute, value: Any) -> float | str:
    """Give a value as it is; where it is not known, one from the middle."""
    if attribute.kind != "numeric":
        levels = attribute.levels
        return levels[len(levels) // 2] if value != value else str(value)
    return sum(_ends(attribute)) / 2 if value != value else float(value)


def _ends(attribute: Attribute) -> tuple[float, float]:
    assert attribute.domain is not None  # items fill it in
    low, high = attribute.domain
    return float(low), float(high)


def what_if_view(
    items: Items,
    item: int,
    values: Mapping[str, float | str],
    outcome: WhatIf,
    best: int,
    texts: Texts,
    *,
    n_ranked: int | None = None,
) -> View:
    """Show an imagined alternative.

    Parameters
    ----------
    items : Items
        The alternatives.
    item : int
        The one that is changed.
    values : mapping of str to float or str
        A value for every attribute.
    outcome : WhatIf
        What they lead to.
    best : int
        The alternative that is recommended.
    texts : Texts
        In the language of the person.
    n_ranked : int, optional
        How many alternatives it is placed among; default: all.
    """
    name = show_name(items.names[item])
    changed = values != read_values(items, item, {})
    return View(
        item=item,
        title=texts("what_if.title", name=name),
        box=texts("what_if.box", name=name),
        sliders=sliders_of(items, values, texts),
        place=texts(
            "what_if.place",
            place=texts.number(outcome.place),
            alternatives=texts.number(len(items) if n_ranked is None else n_ranked),
        ),
        points=texts.points(outcome.points),
        range=texts.span(outcome.low, outcome.high),
        change=texts.signed(outcome.change),
        chance="" if item == best and not changed else texts.share(outcome.chance),
        chance_of=texts(
            "what_if.chance", name=show_name(items.names[best], _LONGEST_LABEL)
        ),
    )


def sliders_of(
    items: Items, values: Mapping[str, float | str], texts: Texts
) -> tuple[View, ...]:
    """Make a control for every attribute."""
    return tuple(
        _slider(k, attribute, values[attribute.name], items, texts)
        for k, attribute in enumerate(items.attributes)
    )


def _slider(
    k: int, attribute: Attribute, value: float | str, items: Items, texts: Texts
) -> View:
    field, label = f"v{k}", show_name(attribute.name, _LONGEST_LABEL)
    if attribute.kind != "numeric":
        options = (
            View(
                value=place,
                label=show_name(level, _LONGEST_LABEL),
                chosen=level == value,
            )
            for place, level in enumerate(attribute.levels)
        )
        return View(field=field, label=label, levels=tuple(options))
    low, high = _ends(attribute)
    number = "##" if attribute.is_year else "#"  # the script puts what is chosen
    return View(
        field=field,
        label=label,
        low=f"{low:.12g}",
        high=f"{high:.12g}",
        step=f"{_step(attribute, items):.12g}",
        value=f"{float(value):.12g}",
        shown=texts.value(attribute, value),
        unit="" if attribute.unit == DATE else texts.measured(attribute, number),
        levels=(),
    )


def _step(attribute: Attribute, items: Items) -> float:
    """Give whole numbers where the table has them, else about a hundred steps."""
    low, high = _ends(attribute)
    known = items.frame[attribute.name].dropna().to_numpy(dtype=float)
    size = (high - low) / _STEPS
    if size <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(size))
    whole = bool(np.all(known == np.round(known))) and low == round(low)
    return max(power, 1.0) if whole and power < 1.0 else power
