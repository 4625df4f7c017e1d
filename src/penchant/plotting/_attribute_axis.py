"""Where the values of an attribute lie on an axis, and how the axis is labelled."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator

from penchant.data import DATE, Attribute, Items
from penchant.encoding import Encoding, as_days
from penchant.exceptions import DataError
from penchant.plotting._numbers import NumberFormatter
from penchant.plotting._style import date_axis, number_axis
from penchant.typing import FloatArray

_LETTERS_PER_AXIS = 34
"""Letters of level names that fit side by side; longer ones are wrapped or turned."""


@dataclass(frozen=True)
class AttributeAxis:
    """One attribute as an axis of a picture.

    Parameters
    ----------
    name, unit : str
        What people read.
    values : tuple
        The levels, or equally spaced values of a numeric attribute, in the units of
        the user.
    has_levels : bool
        Levels are placed at 0, 1, 2, ...; numbers where they are.
    ordered : bool
        Whether the values have an order.
    """

    name: str
    unit: str
    values: tuple[Any, ...]
    has_levels: bool
    ordered: bool = True

    @classmethod
    def of_encoding(cls, encoding: Encoding, i: int, n_points: int) -> "AttributeAxis":
        """Make the axis of an attribute of a GAI model."""
        known = None if encoding.attributes is None else encoding.attributes[i]
        values = tuple(encoding.grid(i, n_points))
        if known is not None:
            return cls.of_attribute(known, values)
        is_categorical = encoding.categories[i] is not None
        has_levels = is_categorical or encoding.ordinal_levels(i) is not None
        return cls(encoding.names[i], "", values, has_levels, not is_categorical)

    @classmethod
    def of_attribute(
        cls, attribute: Attribute, values: Sequence[Any]
    ) -> "AttributeAxis":
        """Make the axis of a column of Items."""
        return cls(
            attribute.name,
            DATE if attribute.unit == DATE else attribute.unit_beside,
            tuple(attribute.levels or values),
            bool(attribute.levels),
            attribute.kind != "categorical",
        )

    @property
    def label(self) -> str:
        """The name, with the unit if there is one; dates speak for themselves."""
        has_unit = self.unit and self.unit != DATE
        return f"{self.name} ({self.unit})" if has_unit else self.name

    @property
    def places(self) -> FloatArray:
        """Where the values lie, shape (n_values,)."""
        return self.place(self.values)

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the axis."""
        places = self.places
        margin = 0.5 if self.has_levels else 0.0
        return float(places[0] - margin), float(places[-1] + margin)

    @property
    def level_names(self) -> list[str]:
        """The levels as text."""
        if all(isinstance(value, str) for value in self.values):
            return list(self.values)
        return NumberFormatter().format_ticks(self.values)

    def place(self, values: Sequence[Any]) -> FloatArray:
        """Give the places of values; NaN for a level that is not known."""
        if not self.has_levels:
            return np.asarray(values, dtype=np.float64)
        order = {level: float(k) for k, level in enumerate(self.values)}
        return np.array([order.get(value, np.nan) for value in values])

    def apply(self, ax: Any, which: str) -> None:
        """Set limits, ticks and label of the x or the y axis."""
        axis = ax.xaxis if which == "x" else ax.yaxis
        ax.set(**{f"{which}lim": self.limits, f"{which}label": self.label})
        if not self.has_levels:
            (date_axis if self.unit == DATE else number_axis)(axis)
            return
        axis.set_major_locator(FixedLocator(self.places.tolist()))
        width = _LETTERS_PER_AXIS // len(self.values) if which == "x" else 14
        labels = _wrapped(self.level_names, width)
        turned = which == "x" and _too_wide(labels)
        axis.set_ticklabels(
            self.level_names if turned else labels,
            rotation=40 if turned else 0,
            **({"ha": "right", "rotation_mode": "anchor"} if turned else {}),
        )
        ax.tick_params(axis=which, length=0)


def _wrapped(names: list[str], width: int) -> list[str]:
    """Break names between words; all of them once one is too long."""
    if max(map(len, names)) <= width:
        return names
    longest = max(len(word) for name in names for word in name.split() or [""])
    return [
        textwrap.fill(
            name, max(longest, 1), break_long_words=False, break_on_hyphens=False
        )
        for name in names
    ]


def _too_wide(labels: list[str]) -> bool:
    lines = [max(map(len, label.split("\n"))) for label in labels]
    return sum(lines) + len(lines) - 1 > _LETTERS_PER_AXIS + 4


def column_of(X: Any, encoding: Encoding, i: int) -> list[Any]:
    """Give one attribute of the items, in the units of the user.

    Parameters
    ----------
    X : Items, data frame or array-like of shape (n_items, n_features)
        With the columns of the fit, where it had names or text.
    encoding : Encoding
    i : int
    """
    if encoding.attributes is not None:
        name = encoding.names[i]
        frame = X.frame if isinstance(X, Items) else X
        if not isinstance(frame, pd.DataFrame) or name not in frame:
            raise DataError(
                "The model was fitted with Items, so X must be Items or a data frame "
                f"with a column {name!r}. Got {type(X).__name__}."
            )
        return list(as_days(frame[name]).tolist())
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(encoding.names):
        raise DataError(
            f"X must have one column per attribute ({len(encoding.names)}). "
            f"Got an array of shape {table.shape}."
        )
    return list(table[:, i].tolist())
