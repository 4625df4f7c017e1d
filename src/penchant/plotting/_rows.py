"""Rows for a model to judge: two attributes vary over a grid, the others are held."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Attribute, Items
from penchant.encoding import Domain, as_days
from penchant.exceptions import DataError
from penchant.plotting._attribute_axis import AttributeAxis
from penchant.plotting._numbers import format_round
from penchant.typing import FloatArray


class RowMaker:
    """Makes rows of numbers as the model takes them: a data frame if it knows names.

    Parameters
    ----------
    names : sequence of str
        Of the attributes.
    data : ndarray or None
        Items of the user.
    domain : Domain
        Ends or levels of the attributes, which the model or the data know.
    named : bool
        Whether the model was fitted with names.
    """

    def __init__(
        self,
        names: Sequence[str],
        data: FloatArray | None,
        domain: Domain,
        *,
        named: bool,
    ) -> None:
        self.names = list(names)
        self.data = data
        self.domain = domain
        self.named = named

    def axis(self, i: int, n_points: int) -> AttributeAxis:
        """Give the axis of an attribute."""
        levels = self.domain.levels[i]
        if levels is not None:
            return AttributeAxis(self.names[i], "", tuple(levels.tolist()), True)
        ends = float(self.domain.low[i]), float(self.domain.high[i])
        values = np.linspace(*ends, n_points).tolist()
        return AttributeAxis(self.names[i], "", tuple(values), False)

    def column(self, i: int) -> list[Any]:
        """Give the values of an attribute in the data."""
        return [] if self.data is None else list(self.data[:, i].tolist())

    def usual(self, i: int) -> Any:
        """Give the value at which an attribute is held by default."""
        levels = self.domain.levels[i]
        column = levels if self.data is None else self.data[:, i]
        if column is None:
            return float(self.domain.low[i] + self.domain.high[i]) / 2
        # The middle one of an odd number and the lower one of an even number occur.
        return float(np.sort(column)[(len(column) - 1) // 2])

    def table(self, columns: dict[str, Any]) -> Any:
        """Make what the model takes of one column per attribute."""
        frame = pd.DataFrame(columns, dtype=np.float64)
        return frame if self.named else frame.to_numpy()

    def format(self, i: int, value: Any) -> str:
        """Write a value of an attribute."""
        return format_round([round(float(value), 3)])[0]

    def position(self, attribute: int | str) -> int:
        """Give the index of an attribute that was given by name or index."""
        names = list(self.names)
        if isinstance(attribute, str) and attribute in names:
            return names.index(attribute)
        if isinstance(attribute, str) or not 0 <= attribute < len(names):
            raise DataError(
                f"There is no attribute {attribute!r}. There are {len(names)}: "
                f"{', '.join(names)}."
            )
        return int(attribute)

    def base(self, at: Mapping[int | str, Any]) -> list[Any]:
        """Give the row at which attributes are held."""
        given = {self.position(key): value for key, value in at.items()}
        return [
            given[i] if i in given else self.usual(i) for i in range(len(self.names))
        ]

    def grid(self, held: Sequence[Any], axes: dict[int, AttributeAxis]) -> Any:
        """Make rows for all combinations; the first axis varies fastest."""
        fast, slow = axes
        across, up = len(axes[fast].values), len(axes[slow].values)
        columns: dict[str, Any] = {}
        for i, name in enumerate(self.names):
            if i == fast:
                columns[name] = list(axes[fast].values) * up
            elif i == slow:
                columns[name] = [v for v in axes[slow].values for _ in range(across)]
            else:
                columns[name] = [held[i]] * (across * up)
        return self.table(columns)

    def describe(self, held: Sequence[Any], free: Sequence[int]) -> str:
        """Say at what the other attributes are held."""
        parts = [
            f"{name} = {self.format(i, held[i])}"
            for i, name in enumerate(self.names)
            if i not in free
        ]
        return textwrap.fill("held: " + ", ".join(parts), 56) if parts else ""


class _ItemRows(RowMaker):
    """Makes rows with the columns of Items, in their units."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.names = [attribute.name for attribute in items.attributes]

    def axis(self, i: int, n_points: int) -> AttributeAxis:
        attribute = self.items.attributes[i]
        if attribute.kind == "categorical":
            raise DataError(
                f"Attribute {attribute.name!r} is categorical, so its values have no "
                "place on a map. Choose numeric or ordinal attributes."
            )
        values = () if attribute.levels else self._span(attribute, n_points)
        return AttributeAxis.of_attribute(attribute, values)

    def _span(self, attribute: Attribute, n_points: int) -> Sequence[float]:
        column = self.items.frame[attribute.name]
        low, high = attribute.domain or (column.min(), column.max())
        return list(np.linspace(low, high, n_points).tolist())

    def column(self, i: int) -> list[Any]:
        return list(self.items.frame[self.names[i]].tolist())

    def usual(self, i: int) -> Any:
        column = self.items.frame[self.names[i]]
        attribute = self.items.attributes[i]
        if attribute.kind == "numeric":
            return float(column.median())
        if attribute.kind == "categorical":
            return column.mode().iloc[0]
        codes = column.cat.codes[column.notna()]
        return attribute.levels[int(codes.median())]

    def table(self, columns: dict[str, Any]) -> Items:
        frame = pd.DataFrame(columns)
        names = [f"row {k}" for k in range(len(frame))]
        return Items(frame, self.items.attributes, tuple(names))

    def format(self, i: int, value: Any) -> str:
        return self.items.attributes[i].format(value)


def make_rows(model: Any, X: Any) -> RowMaker:
    """Find out what rows the model takes.

    Parameters
    ----------
    model : fitted estimator
    X : Items, array-like or None
        The data of the user.
    """
    known = getattr(model, "attributes_in_", None)
    if isinstance(X, pd.DataFrame) and known is not None:
        columns = {attribute.name: as_days(X[attribute.name]) for attribute in known}
        X = Items(pd.DataFrame(columns), known, tuple(map(str, range(len(X)))))
    if isinstance(X, Items):
        return _ItemRows(X)
    data = None if X is None else np.asarray(X, dtype=np.float64)
    domain = _domain_of(model, data)
    named = getattr(model, "feature_names_in_", None)
    names = [f"x{i}" for i in range(len(domain.low))] if named is None else named
    return RowMaker([*map(str, names)], data, domain, named=named is not None)


def _domain_of(model: Any, data: FloatArray | None) -> Domain:
    """Give the ends of the axes: those of the model, else those of the data."""
    encoding = getattr(model, "encoding_", None)
    domain = getattr(model, "domain_", None) if encoding is None else encoding.domain
    if isinstance(domain, Domain):
        return domain
    if data is None:
        raise DataError(
            f"{type(model).__name__} has no domain_, so the ends of the axes are not "
            "known. Give the data: plot_decision_map(model, X=X)."
        )
    return Domain(data.min(axis=0), data.max(axis=0), (None,) * data.shape[1])
