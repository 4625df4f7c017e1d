"""Tables in pieces, on a Dask cluster or read one piece after the other."""

# mypy: allow-untyped-calls
# distributed declares itself typed, and most of its functions are not.

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from penchant._parallel import one_thread
from penchant.exceptions import DataError
from penchant.gai.binned._blocks import Here, Place, picked
from penchant.typing import FloatArray, IntArray

_MOST_LEVELS = 1_000
"""Columns with more values than this in a piece are told by their ends."""


def is_spread(X: Any) -> bool:
    """Tell whether X is a Dask array or data frame."""
    return hasattr(X, "to_delayed") and hasattr(X, "dask")


def read_column(y: Any) -> Any:
    """Bring a column here: 8 bytes a row."""
    return np.asarray(y.compute() if hasattr(y, "compute") else y)


class There:
    """Blocks on the workers of a Dask cluster.

    Results are kept as the results of tasks, never scattered: what a lost worker held
    is computed again. Workers use one thread of BLAS, as fits here do, so that sums
    have the same last bits.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def keep(self, function: Callable[..., Any], *columns: Sequence[Any]) -> list[Any]:
        """Apply a function block by block; results stay on the workers."""
        import dask

        alone = partial(_alone, function)
        with dask.config.set(
            {"distributed.admin.large-graph-warning-threshold": "1TB"}
        ):
            return list(self._client.map(alone, *columns, pure=False))

    def fetch(self, function: Callable[..., Any], *columns: Sequence[Any]) -> list[Any]:
        """Apply a function block by block and bring the results here."""
        return list(self._client.gather(self.keep(function, *columns)))


def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    with one_thread():
        return function(*arguments)


@dataclass(frozen=True, eq=False)
class Spread:
    """Rows in pieces, wherever these are.

    Parameters
    ----------
    pieces : list
        Arrays of shape (n_rows, n_columns), or what stands for them at their place.
    sizes : list of int
        Number of rows of each.
    names : list of str or None
        Of the columns.
    place : Place
    """

    pieces: list[Any]
    sizes: list[int]
    names: list[str] | None
    place: Place

    @classmethod
    def from_dask(cls, X: Any) -> "Spread":
        """Take the pieces of a Dask array or data frame, in their order."""
        names = [str(c) for c in X.columns] if hasattr(X, "columns") else None
        if names is None and X.ndim != 2:
            raise DataError(f"X must have two dimensions. Got {X.ndim}.")
        whole = X if names is not None else X.rechunk({1: -1})
        delayed = np.ravel(np.asarray(whole.to_delayed(), dtype=object)).tolist()
        place = _place()
        if isinstance(place, There):
            raw = place._client.compute(delayed)
        else:
            raw = [piece.compute() for piece in delayed]
        pieces = place.keep(_as_array, raw)
        return cls(pieces, place.fetch(len, pieces), names, place)

    def map(self, function: Callable[[FloatArray], FloatArray]) -> "Spread":
        """Apply a function to each piece, row by row."""
        return replace(self, pieces=self.place.keep(function, self.pieces))

    def pick(self, rows: IntArray) -> FloatArray:
        """Bring some rows here; `rows` rise."""
        return np.concatenate(
            self.place.fetch(picked, self.pieces, self.parts(rows, local=True))
        )

    def parts(self, values: Any, *, local: bool = False) -> list[Any]:
        """Split a column as the rows are; or rising positions, to places in pieces."""
        ends = np.cumsum(self.sizes)
        if not local:
            return np.split(values, ends[:-1])
        found = np.split(values, np.searchsorted(values, ends[:-1]))
        starts = ends - self.sizes
        return [own - start for own, start in zip(found, starts, strict=True)]

    def summary(self) -> Any:
        """Give a small table with the same ends, blanks and levels of each column."""
        found = self.place.fetch(_values, self.pieces)
        columns = [_few(np.concatenate(parts)) for parts in zip(*found, strict=True)]
        size = max(map(len, columns))
        table = np.stack([np.resize(column, size) for column in columns], axis=1)
        return table if self.names is None else pd.DataFrame(table, columns=self.names)


def _place() -> Place:
    """Give the cluster of the client that the user opened; none: this process."""
    try:
        from distributed import default_client

        return There(default_client())
    except (ImportError, ValueError):
        return Here()


def _as_array(piece: Any) -> FloatArray:
    return np.ascontiguousarray(piece, dtype=np.float64)


def _values(piece: FloatArray) -> list[FloatArray]:
    return [_few(column) for column in piece.T]


def _few(column: FloatArray) -> FloatArray:
    """Give the distinct values of a column, or its ends if these are many."""
    values = np.unique(column)
    if len(values) <= _MOST_LEVELS:
        return values
    ends = [np.fmin.reduce(values), np.fmax.reduce(values)]
    return np.concatenate([ends, values[np.isnan(values)][:1]])
