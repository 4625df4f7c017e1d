"""Attribution: what each attribute adds to a prediction, and of which game."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from penchant._html import html_table
from penchant._validation import frozen_array, set_fields
from penchant.exceptions import DataError
from penchant.typing import FloatArray

_SHOWN = 20  # rows in the table of a notebook
_BY_ROW = ("values", "base", "predictions", "std", "cov", "classes")


@dataclass(frozen=True, eq=False, repr=False)
class Attribution:
    """What each attribute adds to the prediction of each row.

    ``base + values.sum(axis=1) + gap`` is the prediction. Values of different games
    answer different questions and must not be compared: `game` says which one.

    Parameters
    ----------
    values : array-like of shape (n, d)
        Contribution of each attribute (player) to each row.
    base : float or array-like of shape (n,)
        What is predicted when no attribute is known.
    predictions : array-like of shape (n,)
        What the model predicts.
    names : iterable of str
        The d attributes.
    game : str
        Which game was solved, in words.
    std : array-like of shape (n, d), optional
        Standard errors; taken from `cov` if that is given alone.
    cov : array-like of shape (n, d, d), optional
        Covariance of the contributions to each row.
    n_models : int, optional
        Number of different models that were asked, the user's own included.
    complexity : float, optional
        Their share among the models of all non-empty sets of attributes.
    data : DataFrame of shape (n, d), optional
        The rows as people read them, one column per attribute; its index names the
        rows.
    reference : DataFrame of shape (n, d), optional
        What each row is contrasted with, if it is.
    classes : array-like of shape (n,), optional
        The class whose probability is explained.

    Examples
    --------
    >>> from penchant.explanation import Attribution
    >>> found = Attribution([[0.5, -0.2]], 1.0, [1.3], ["rent", "size"], "an example")
    >>> found.gap.round(12)
    array([0.])
    >>> found.to_frame()
       row attribute  contribution
    0    0      rent           0.5
    1    0      size          -0.2
    """

    values: FloatArray
    base: FloatArray
    predictions: FloatArray
    names: tuple[str, ...]
    game: str
    std: FloatArray | None = None
    cov: FloatArray | None = None
    n_models: int | None = None
    complexity: float | None = None
    data: pd.DataFrame | None = None
    reference: pd.DataFrame | None = None
    classes: Any = None

    def __post_init__(self) -> None:
        values = frozen_array(self.values, np.float64)
        names = tuple(map(str, self.names))
        if values.ndim != 2 or values.shape[1] != len(names):
            raise DataError(
                "values must have one row per explained row and one column per name "
                f"({len(names)}). Got shape {values.shape}."
            )
        n, d = values.shape
        base = np.broadcast_to(np.asarray(self.base, dtype=np.float64), (n,))
        set_fields(self, values=values, names=names, base=frozen_array(base))
        self._freeze("predictions", (n,))
        self._freeze("cov", (n, d, d))
        if self.std is None and self.cov is not None:
            variances = np.diagonal(self.cov, axis1=1, axis2=2)
            set_fields(self, std=np.sqrt(np.maximum(variances, 0.0)))
        self._freeze("std", (n, d))
        if self.classes is not None:
            set_fields(self, classes=frozen_array(self.classes))
        for name in ("data", "reference"):
            self._check_rows(name, (n, d))

    def _freeze(self, name: str, shape: tuple[int, ...]) -> None:
        if getattr(self, name) is None:
            return
        array = frozen_array(getattr(self, name), np.float64)
        if array.shape != shape:
            raise DataError(f"{name} must have shape {shape}. Got {array.shape}.")
        set_fields(self, **{name: array})

    def _check_rows(self, name: str, shape: tuple[int, int]) -> None:
        rows = getattr(self, name)
        if rows is not None and rows.shape != shape:
            raise DataError(
                f"{name} must be a data frame of shape {shape}. Got {rows.shape}."
            )

    @property
    def gap(self) -> FloatArray:
        """What the contributions leave unexplained, shape (n,)."""
        return self.predictions - self.base - self.values.sum(axis=1)

    @property
    def rows(self) -> tuple[Any, ...]:
        """What names the rows: the index of `data`, or their numbers."""
        return tuple(range(len(self)) if self.data is None else self.data.index)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> "Attribution":
        """Take one row (still of shape (1, d)), a slice, or some rows by number."""
        if isinstance(key, int | np.integer):
            if not -len(self) <= key < len(self):
                raise IndexError(f"There are {len(self)} rows. Got the index {key}.")
            key = [int(key)]
        changes = {
            name: getattr(self, name)[key]
            for name in _BY_ROW
            if getattr(self, name) is not None
        }
        for name in ("data", "reference"):
            if getattr(self, name) is not None:
                changes[name] = getattr(self, name).iloc[key]
        return replace(self, **changes)

    def __iter__(self) -> Iterator["Attribution"]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
        return f"Attribution({rows}: {', '.join(self.names)}; {self.game})"

    def to_frame(self) -> pd.DataFrame:
        """Give one line per row and attribute.

        Returns
        -------
        DataFrame
            Columns row, attribute, contribution; class, value, reference and std
            where they are known.
        """
        n, d = self.values.shape
        index = pd.Index(self.rows, tupleize_cols=False).repeat(d)
        columns: dict[str, Any] = {"row": index, "attribute": self.names * n}
        if self.classes is not None:
            columns["class"] = np.repeat(self.classes, d)
        for name, rows in (("value", self.data), ("reference", self.reference)):
            if rows is not None:
                columns[name] = _cells(rows)
        columns["contribution"] = self.values.ravel()
        if self.std is not None:
            columns["std"] = self.std.ravel()
        return pd.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values for JSON; data frames as lists of texts."""
        plain: dict[str, Any] = {"gap": self.gap.tolist()}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, pd.DataFrame):
                value = [[str(cell) for cell in row] for row in value.to_numpy(object)]
            elif isinstance(value, np.ndarray):
                value = value.tolist()
            plain[field.name] = list(value) if field.name == "names" else value
        return plain

    def _headline(self) -> str:
        parts = [self.game]
        if self.n_models is not None:
            parts.append(f"{self.n_models:,} models")
        if self.complexity is not None:
            parts.append(f"{self.complexity:.3g} of all")
        if len(self):
            parts.append(f"largest gap {np.abs(self.gap).max():.2g}")
        return ", ".join(parts)

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Give heading and cells: attributes down for one row, across for several."""
        if len(self) == 1:
            frame = self.to_frame().drop(columns="row")
            lines = [[_text(cell) for cell in row] for row in frame.to_numpy(object)]
            return list(frame.columns), lines
        head = ["row", *(() if self.classes is None else ("class",))]
        lines = [
            [
                str(name),
                *(() if self.classes is None else (str(self.classes[row]),)),
                _text(self.base[row]),
                *map(_text, self.values[row]),
                _text(self.gap[row]),
                _text(self.predictions[row]),
            ]
            for row, name in enumerate(self.rows[:_SHOWN])
        ]
        return [*head, "base", *self.names, "gap", "prediction"], lines

    def _repr_html_(self) -> str:
        more = f"<p>… {len(self)} rows in all</p>" if len(self) > _SHOWN else ""
        return html_table(*self._table(), self._headline()) + more


def _cells(rows: pd.DataFrame) -> Any:
    """Give the cells row by row, as numbers if all are."""
    cells = rows.to_numpy(object).ravel()
    return pd.Series(list(cells), dtype=object).infer_objects()


def _text(cell: Any) -> str:
    return f"{cell:.4g}" if isinstance(cell, float | np.floating) else str(cell)
