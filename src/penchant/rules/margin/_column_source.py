"""What the margin program asks of a set of columns, however large (PRL-4)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from penchant.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Priced:
    """The best answers of the learner to given weights of the rows.

    Parameters
    ----------
    bound : float
        No column of the source has a larger payoff ``column @ weights``: the largest
        payoff itself, or a proven upper bound of it. It must hold for *all* columns of
        the source, since the certificate rests on it.
    keys : sequence of hashable
        The best columns that were found, sorted by falling payoff; no key twice.
    payoffs : ndarray of shape (n_keys,)
        Their payoffs.
    """

    bound: float
    keys: Sequence[Hashable]
    payoffs: FloatArray


@runtime_checkable
class ColumnSource(Protocol):
    """Columns of a margin program that can be priced without listing them all.

    A column is a vector with one entry in [-1, 1] per row (a training preference): by
    how much it speaks for the preference. If a feature may speak for either side, then
    the column and its negative are two columns with two keys.
    """

    @property
    def n_rows(self) -> int:
        """Number of entries of a column."""
        ...

    def price(self, weights: FloatArray, n_best: int) -> Priced:
        """Find the columns with the largest payoff ``column @ weights``.

        Parameters
        ----------
        weights : ndarray of shape (n_rows,)
            Any real numbers; not written to.
        n_best : int
            How many keys are wanted, at least 1. Fewer may come back, also none, but
            the first should have a payoff equal or close to `bound`.

        Returns
        -------
        Priced
        """
        ...

    def columns(self, keys: Sequence[Hashable]) -> FloatArray:
        """Make the columns of some keys.

        Parameters
        ----------
        keys : sequence of hashable
            Keys that `price` or `sample` gave; at least one.

        Returns
        -------
        ndarray of shape (n_rows, n_keys)
            Entries in [-1, 1]; in Fortran order if that costs nothing.
        """
        ...


@runtime_checkable
class SampledSource(Protocol):
    """Columns of a margin program that can be drawn at random (PRL-4).

    All that the paper's random replacement needs; a source may offer both protocols.
    """

    @property
    def n_rows(self) -> int:
        """Number of entries of a column."""
        ...

    def sample(self, n_columns: int, rng: np.random.Generator) -> Sequence[Hashable]:
        """Draw the keys of n_columns columns, independently; a key may come twice."""
        ...

    def columns(self, keys: Sequence[Hashable]) -> FloatArray:
        """Make the columns of some keys, as in `ColumnSource`."""
        ...


class TableColumns:
    """The columns of a table as a `ColumnSource`; their keys are their numbers.

    Parameters
    ----------
    table : ndarray or sparse array of shape (n_rows, n_columns)
    """

    def __init__(self, table: Any) -> None:
        self._table = sparse.csc_array(table) if sparse.issparse(table) else table
        self.n_rows = table.shape[0]

    def price(self, weights: FloatArray, n_best: int) -> Priced:
        """Find the columns with the largest payoff, the first of equal ones first."""
        payoffs = self._table.T @ weights
        best = np.argsort(-payoffs, kind="stable")[:n_best]
        return Priced(float(payoffs[best[0]]), best.tolist(), payoffs[best])

    def columns(self, keys: Sequence[Hashable]) -> FloatArray:
        """Give some columns of the table."""
        columns = self._table[:, list(keys)]
        dense = columns.toarray() if sparse.issparse(columns) else columns
        return np.asfortranarray(dense)
