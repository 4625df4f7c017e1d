"""A map of the utility or the decision over two attributes, with the others held."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator
from scipy.ndimage import distance_transform_edt

from penchant.data import Attribute, Items
from penchant.encoding import Domain, as_days
from penchant.exceptions import DataError, NotAnswerableError
from penchant.plotting._attribute_axis import AttributeAxis
from penchant.plotting._marks import draw_points, label_contours, write
from penchant.plotting._numbers import format_round
from penchant.plotting._style import Theme, ThemeName, drawing, write_title
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


_POINTS = 101
_BANDS = 7
_LEAST_ROOM = 0.04
"""Half the width that the name of a class needs, as a share of the map."""


def plot_decision_map(
    model: Any,
    attributes: Sequence[int | str] = (0, 1),
    *,
    at: Mapping[int | str, Any] | None = None,
    X: Any = None,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw the utility over two attributes as a map, or the classes of a classifier.

    Lines of equal utility carry numbers. For a classifier strong lines part the
    areas of the classes, whose names stand in them.

    Parameters
    ----------
    model : fitted estimator
        With ``utility``, or a classifier.
    attributes : sequence of two int or str, default=(0, 1)
        Indices or names; the first is drawn along x.
    at : mapping from int or str to value, optional
        Where other attributes are held, in the units of the user. Default: the
        median of X (the most frequent level of a categorical attribute), or the
        middle of the domain without X.
    X : Items or array-like of shape (n_items, n_features), optional
        Items to draw as dots, larger where some coincide. After a fit with Items
        give Items here: they know the units; without, the axes show encoded values.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import ChoquetRegressor
    >>> from penchant.plotting import plot_decision_map
    >>> X = np.random.default_rng(0).random((50, 3))
    >>> model = ChoquetRegressor().fit(X, X[:, 2] + X[:, :2].min(axis=1))
    >>> ax = plot_decision_map(model, (0, 1), at={2: 0.5})
    >>> ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")
    ('x0', 'x1', 'held: x2 = 0.5')
    """
    rows = make_rows(model, X)
    first, second = _check_pair(rows, attributes)
    held = rows.base(at or {})
    x, y = rows.axis(first, _POINTS), rows.axis(second, _POINTS)
    grid = rows.grid(held, {first: x, second: y})
    shape = (len(y.values), len(x.values))
    with drawing(ax, theme, (4.8, 4.2)) as (axes, colours):
        for axis, which in ((x, "x"), (y, "y")):
            axis.apply(axes, which)
            axes.set(**{f"{which}lim": (axis.places[0], axis.places[-1])})
        _draw_utility(axes, x, y, _utilities(model, grid, shape), colours, model)
        if hasattr(model, "classes_"):
            _draw_classes(axes, x, y, model, grid, colours)
        if X is not None:
            points = [a.place(rows.column(i)) for i, a in ((first, x), (second, y))]
            draw_points(axes, *points, theme=colours)
        write_title(axes, rows.describe(held, (first, second)))
    return axes


def _check_pair(rows: RowMaker, attributes: Sequence[int | str]) -> tuple[int, int]:
    if isinstance(attributes, str) or len(attributes) != 2:
        raise DataError(
            f"attributes must be two, such as (0, 1) or two names. Got {attributes!r}."
        )
    first, second = (rows.position(member) for member in attributes)
    if first == second:
        raise DataError(f"attributes must be two different ones. Got {attributes!r}.")
    return first, second


def _utilities(model: Any, grid: Any, shape: tuple[int, int]) -> FloatArray | None:
    """Evaluate the model on the grid; None for classes without a common utility."""
    try:
        return np.asarray(model.utility(grid), dtype=np.float64).reshape(shape)
    except NotAnswerableError:
        return None


def _draw_utility(
    ax: Axes,
    x: AttributeAxis,
    y: AttributeAxis,
    table: FloatArray | None,
    theme: Theme,
    model: Any,
) -> None:
    """Fill bands of equal utility; lines with numbers unless there are classes."""
    if table is None or np.ptp(table) == 0:
        return
    # Text must stay readable on every band, so the strongest step is left out.
    cmap = LinearSegmentedColormap.from_list(
        "utility", [theme.surface, *theme.plus[:3]]
    )
    levels = np.asarray(MaxNLocator(_BANDS).tick_values(table.min(), table.max()))
    ax.contourf(x.places, y.places, table, levels=levels, cmap=cmap)
    if hasattr(model, "classes_"):
        return
    lines = ax.contour(
        x.places,
        y.places,
        table,
        levels=levels,
        colors=theme.ink_2,
        linewidths=0.7,
        linestyles="solid",
    )
    label_contours(ax, lines, format_round(levels), theme)


def _draw_classes(
    ax: Axes, x: AttributeAxis, y: AttributeAxis, model: Any, grid: Any, theme: Theme
) -> None:
    """Separate the areas of the classes by lines, and write their names into them."""
    shape = (len(y.values), len(x.values))
    margins = _margins(model, grid).reshape(*shape, -1)
    for label, margin in zip(model.classes_, np.moveaxis(margins, -1, 0), strict=True):
        area = margin > 0
        if area.any() and not area.all():
            ax.contour(
                x.places,
                y.places,
                margin,
                levels=[0.0],
                colors=theme.ink,
                linewidths=1.4,
            )
        # The name stands where the area is widest, if it has room there.
        depth = distance_transform_edt(np.pad(area, 1))[1:-1, 1:-1]
        if depth.max() < _LEAST_ROOM * max(shape):
            continue
        row, column = np.unravel_index(depth.argmax(), shape)
        place = float(x.places[column]), float(y.places[row])
        style = {"va": "center", "fontweight": "bold", "zorder": 5}
        write(ax, place, str(label), theme.ink, behind=theme.surface, **style)


def _margins(model: Any, grid: Any) -> FloatArray:
    """Give by how much each class wins, (n_rows, n_classes); its area is where > 0."""
    if not hasattr(model, "decision_function"):
        predicted = np.asarray(model.predict(grid))[:, np.newaxis]
        return (predicted == model.classes_) - 0.5
    scores = np.asarray(model.decision_function(grid), dtype=np.float64)
    if scores.ndim == 1:
        return np.column_stack([-scores, scores])
    ordered = np.sort(scores, axis=1)
    best, second = ordered[:, -1:], ordered[:, -2:-1]
    return scores - np.where(scores == best, second, best)
