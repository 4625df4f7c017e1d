"""The values that an attribute can take, for a search over them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Attribute, Items
from penchant.encoding import Domain, check_domain
from penchant.exceptions import DataError
from penchant.typing import FloatArray

_MANY = 10.0
"""Between ends this far apart, whole numbers are fine enough."""


@dataclass(frozen=True)
class AttributeRange:
    """The values of one attribute, in the units of the data.

    Parameters
    ----------
    name : str
    ends : (float, float)
        Of a numeric attribute.
    levels : tuple
        Of any other.
    is_ordered : bool
        Whether the levels are in order, so that steps between them count.
    attribute : Attribute or None
        Knows the unit.
    """

    name: str
    ends: tuple[float, float] = (0.0, 0.0)
    levels: tuple[Any, ...] = ()
    is_ordered: bool = True
    attribute: Attribute | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether all numbers between the ends can be taken."""
        return not self.levels

    def values(self, now: Any, n_points: int) -> Any:
        """Give all levels, or numbers between the ends; the present value is one."""
        if self.levels:
            return self.levels
        grid = np.linspace(*self.ends, n_points)
        return np.unique(np.append(grid, float(now)))

    def around(self, value: Any, reach: float, n_points: int) -> Any:
        """Give numbers near a value, up to a share of the range; or the level."""
        if self.levels:
            return [value]
        low, high = self.ends
        span = reach * (high - low)
        grid = np.linspace(value - span, value + span, n_points)
        return np.unique(np.clip(grid, low, high))

    def beyond(self, now: Any, value: Any) -> Any:
        """Round a number away from the present one: to a tenth of the change.

        Whole numbers stay whole where the ends are, too; levels stay what they are.
        """
        moved = 0.0 if self.levels else float(value) - float(now)
        if moved == 0.0:
            return value
        step = 10.0 ** np.floor(np.log10(abs(moved)) - 1.0)
        low, high = self.ends
        if high - low >= _MANY and all(float(n).is_integer() for n in (low, high, now)):
            step = max(step, 1.0)
        away = np.ceil if moved > 0 else np.floor
        rounded = away(value / step - np.sign(moved) * 1e-9) * step
        return float(np.clip(rounded, low, high))

    def sizes(self, now: Any, values: Sequence[Any]) -> FloatArray:
        """Give the lengths of changes as shares of the range, shape (n,)."""
        if not self.levels:
            width = self.ends[1] - self.ends[0]
            moved = np.abs(np.asarray(values, dtype=np.float64) - float(now))
            return np.asarray(moved / (width if width > 0 else 1.0))
        if not self.is_ordered:
            return np.array([float(value != now) for value in values])
        place = {level: k for k, level in enumerate(self.levels)}
        steps = np.array([place[value] for value in values]) - place[now]
        return np.asarray(np.abs(steps) / max(len(self.levels) - 1, 1))

    def format(self, value: Any) -> str:
        """Write a value with its unit."""
        if self.attribute is not None:
            return self.attribute.format(value)
        return f"{value:.6g}" if isinstance(value, float) else str(value)


def find_ranges(
    model: Any, rows: Any, shown: pd.DataFrame, domain: Any
) -> tuple[AttributeRange, ...]:
    """Find the values that each attribute can take.

    Parameters
    ----------
    model : fitted model
    rows : Items, DataFrame or ndarray
        As the model takes them.
    shown : DataFrame
        The same, in the order of the model.
    domain : (low, high), sequence or None
        What the user says.
    """
    names = [str(name) for name in shown.columns]
    if isinstance(rows, Items):
        known = {attribute.name: attribute for attribute in rows.attributes}
        return tuple(_of_attribute(known[name]) for name in names)
    if domain is not None:
        numbers = shown.to_numpy(np.float64)
        return tuple(_of_domain(names, check_domain(domain, None, numbers)))
    return tuple(_of_model(model, names))


def _of_attribute(attribute: Attribute) -> AttributeRange:
    if attribute.kind == "numeric":
        low, high = attribute.domain or (0.0, 0.0)
        return AttributeRange(attribute.name, (low, high), attribute=attribute)
    return AttributeRange(
        attribute.name,
        levels=attribute.levels,
        is_ordered=attribute.kind == "ordinal",
        attribute=attribute,
    )


def _of_domain(names: list[str], domain: Domain) -> list[AttributeRange]:
    return [
        AttributeRange(
            name,
            (float(domain.low[k]), float(domain.high[k])),
            () if levels is None else tuple(levels.tolist()),
        )
        for k, (name, levels) in enumerate(zip(names, domain.levels, strict=True))
    ]


def _of_model(model: Any, names: list[str]) -> list[AttributeRange]:
    encoding = getattr(model, "encoding_", None)
    domain = getattr(model, "domain_", None) if encoding is None else encoding.domain
    if not isinstance(domain, Domain):
        raise DataError(
            f"{type(model).__name__} does not know what values attributes can take. "
            "Give Items, or domain=[(low, high), ...] with one entry per attribute."
        )
    ranges = _of_domain(names, domain)
    if encoding is None:
        return ranges
    return [
        span
        if levels is None
        else AttributeRange(span.name, levels=tuple(levels.tolist()), is_ordered=False)
        for span, levels in zip(ranges, encoding.categories, strict=True)
    ]
