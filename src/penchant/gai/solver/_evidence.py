"""Ratings, comparisons and ties as one-sided rows, and these as a solver needs them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg import lapack

from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray

NO_ITEM = -1
"""Stands for "no item on this side of the row"; it indexes the appended zero."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows that a utility u should satisfy, each with the cost of missing it.

    Row k pays costs[k] * max(0, targets[k] - (u(raised[k]) - u(lowered[k]))), where
    a missing side counts 0. A rating is two rows, a comparison one, a tie two
    (GAI-2, GAI-7). Build rows with `from_ratings`, `from_comparisons` and
    `from_ties`; add them up with `+` to learn from several kinds at once.

    Parameters
    ----------
    raised : ndarray of shape (n_rows,)
        Index of the item that the row pushes up, or -1.
    lowered : ndarray of shape (n_rows,)
        Index of the item that the row pushes down, or -1.
    targets : ndarray of shape (n_rows,)
        What the difference should reach.
    costs : ndarray of shape (n_rows,)
        Non-negative cost per unit missed, before the factor C of the problem.
    """

    raised: IntArray
    lowered: IntArray
    targets: FloatArray
    costs: FloatArray

    @classmethod
    def from_ratings(
        cls, y: ArrayLike, *, epsilon: float = 0.01, weights: ArrayLike | None = None
    ) -> "Evidence":
        """Rate item i with y[i]; misses up to epsilon are free (GAI-2).

        Parameters
        ----------
        y : array-like of shape (n_items,)
        epsilon : float, default=0.01
            Half-width of the tube without loss.
        weights : array-like of shape (n_items,) or None, default=None
            Cost of each rating; None: 1.
        """
        values = np.asarray(y, dtype=np.float64)
        items = np.arange(len(values))
        nobody = np.full(len(values), NO_ITEM)
        costs = _costs(weights, len(values))
        return cls(
            np.concatenate([items, nobody]),
            np.concatenate([nobody, items]),
            np.concatenate([values - epsilon, -values - epsilon]),
            np.concatenate([costs, costs]),
        )

    @classmethod
    def from_comparisons(
        cls, winners: ArrayLike, losers: ArrayLike, *, weights: ArrayLike | None = None
    ) -> "Evidence":
        """Ask for u(winner) >= u(loser) + 1 (GAI-7).

        Parameters
        ----------
        winners, losers : array-like of shape (n_comparisons,)
            Item indices.
        weights : array-like of shape (n_comparisons,) or None, default=None
            Cost of each comparison; None: 1.
        """
        up, down = _pairs(winners, losers)
        return cls(up, down, np.ones(len(up)), _costs(weights, len(up)))

    @classmethod
    def from_ties(
        cls,
        left: ArrayLike,
        right: ArrayLike,
        *,
        epsilon: float = 0.01,
        weights: ArrayLike | None = None,
    ) -> "Evidence":
        """Ask for ``|u(left) - u(right)| <= epsilon`` (GAI-7).

        Parameters
        ----------
        left, right : array-like of shape (n_ties,)
            Item indices.
        epsilon : float, default=0.01
            Differences up to this are free.
        weights : array-like of shape (n_ties,) or None, default=None
            Cost of each tie; None: 1.
        """
        one, other = _pairs(left, right)
        costs = _costs(weights, len(one))
        return cls(
            np.concatenate([one, other]),
            np.concatenate([other, one]),
            np.full(2 * len(one), -float(epsilon)),
            np.concatenate([costs, costs]),
        )

    def __add__(self, other: "Evidence") -> "Evidence":
        return Evidence(
            np.concatenate([self.raised, other.raised]),
            np.concatenate([self.lowered, other.lowered]),
            np.concatenate([self.targets, other.targets]),
            np.concatenate([self.costs, other.costs]),
        )

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def n_items(self) -> int:
        """One more than the largest item index."""
        return int(max(self.raised.max(initial=-1), self.lowered.max(initial=-1))) + 1

    @cached_property
    def levels(self) -> FloatArray:
        """What a unit of intercept adds to each row: 1, -1 or 0."""
        return (self.raised >= 0).astype(np.float64) - (self.lowered >= 0)

    @cached_property
    def _places(self) -> tuple[IntArray, IntArray]:
        """Indices of the items from 1 on; 0 stands for no item."""
        return self.raised + 1, self.lowered + 1

    @cached_property
    def one_sided(self) -> bool:
        """Whether every row names one item only, as ratings do."""
        return bool(((self.raised < 0) | (self.lowered < 0)).all())

    @cached_property
    def only_items(self) -> IntArray:
        """The item of each row, if the rows are one-sided."""
        return np.maximum(self.raised, self.lowered)

    @cached_property
    def _kinks(self) -> tuple[IntArray, FloatArray, float]:
        """Rows with a level, their costs, and how fast the loss falls left of all."""
        rated = np.flatnonzero(self.levels)
        raised = self.costs @ (self.levels > 0)
        return rated, self.costs[rated], float(raised)

    def differences(self, utilities: FloatArray) -> FloatArray:
        """Give u(raised) - u(lowered) of each row: the product Q f."""
        padded = np.zeros(len(utilities) + 1)
        padded[:-1] = utilities
        return padded[self.raised] - padded[self.lowered]

    def pull(self, rows: FloatArray, n_items: int) -> FloatArray:
        """Give the net weight of the rows on each item: the product Q'a."""
        up, down = self._places
        weights: FloatArray = np.subtract(
            np.bincount(up, rows, n_items + 1), np.bincount(down, rows, n_items + 1)
        )
        return weights[1:]

    def best_intercept(self, utilities: FloatArray) -> float:
        """Minimise the loss over the intercept, exactly: a weighted median."""
        rated, costs, falling = self._kinks
        if not len(rated):
            return 0.0
        # Each rated row is a kink: right of it a raised row costs nothing more,
        # a lowered row starts to cost.
        kinks = ((self.targets - self.differences(utilities)) * self.levels)[rated]
        order = kinks.argsort(kind="stable")
        risen = costs[order].cumsum()
        last = len(order) - 1  # rounding may leave the last slope below 0
        return float(kinks[order[min(int(risen.searchsorted(falling)), last)]])

    def loss(self, utilities: FloatArray, intercept: float) -> float:
        """Give the total cost of utilities and intercept."""
        reached = self.differences(utilities) + self.levels * intercept
        return float(self.costs @ np.maximum(self.targets - reached, 0.0))

    def merged(self, item_of: IntArray) -> "Evidence":
        """Rename items, drop rows that can say nothing, add up equal rows.

        Parameters
        ----------
        item_of : ndarray of shape (n_items,)
            New index of each item; equal for items that cannot be told apart.
        """
        raised, lowered = self._renamed(item_of)
        keep = np.flatnonzero((raised != lowered) & (self.costs > 0))
        order = keep[np.lexsort((self.targets[keep], lowered[keep], raised[keep]))]
        raised, lowered, targets = raised[order], lowered[order], self.targets[order]
        first = np.ones(len(order), dtype=np.bool_)  # of equal rows
        first[1:] = (raised[1:] != raised[:-1]) | (lowered[1:] != lowered[:-1])
        first[1:] |= targets[1:] != targets[:-1]
        costs = np.zeros(int(first.sum()))
        np.add.at(costs, np.cumsum(first) - 1, self.costs[order])
        return Evidence(raised[first], lowered[first], targets[first], costs)

    def renamed(self, item_of: IntArray) -> "Evidence":
        """Give every item its new index, `item_of`."""
        raised, lowered = self._renamed(item_of)
        return replace(self, raised=raised, lowered=lowered)

    def _renamed(self, item_of: IntArray) -> tuple[IntArray, IntArray]:
        extended = np.append(item_of, NO_ITEM)
        return extended[self.raised], extended[self.lowered]

    def scaled(self, C: float) -> "Evidence":
        """Multiply all costs by C."""
        return replace(self, costs=C * self.costs)


def _costs(weights: ArrayLike | None, n_rows: int) -> FloatArray:
    if weights is None:
        return np.ones(n_rows)
    costs = np.asarray(weights, dtype=np.float64)
    if costs.shape != (n_rows,) or not (costs >= 0).all():
        raise DataError(
            f"weights must be {n_rows} non-negative numbers, one per row of evidence. "
            f"Got shape {costs.shape} with minimum {costs.min(initial=0.0)}."
        )
    return costs


def _pairs(left: ArrayLike, right: ArrayLike) -> tuple[IntArray, IntArray]:
    one = np.asarray(left, dtype=np.int64)
    other = np.asarray(right, dtype=np.int64)
    if one.ndim != 1 or one.shape != other.shape:
        raise DataError(
            "The two sides must be 1-D and equally long. "
            f"Got shapes {one.shape} and {other.shape}."
        )
    if min(one.min(initial=0), other.min(initial=0)) < 0:
        raise DataError("Item indices must be 0 or more. Got a negative one.")
    return one, other


class RowScaling(Protocol):
    """Rows as a Newton system sees them: E^(1/2) Q = O R with orthonormal O.

    Newton directions are solved for in the space of O and taken back to the rows
    through O: forming them row by row would multiply rounding errors by E, which
    reaches 1e10 on rows that lie on a kink of the loss.
    """

    def scale(self, items: FloatArray) -> FloatArray:
        """Give R f, of a vector or of all columns of a matrix."""

    def scale_back(self, scaled: FloatArray) -> FloatArray:
        """Give R'x."""

    def from_rows(self, rows: FloatArray) -> FloatArray:
        """Give O'r."""

    def to_rows(self, scaled: FloatArray) -> FloatArray:
        """Give O x."""


def row_scaling(evidence: Evidence, roots: FloatArray, n_items: int) -> RowScaling:
    """Factor the evidence's rows, each times its root.

    Parameters
    ----------
    evidence : Evidence
    roots : ndarray of shape (n_rows,)
        E^(1/2).
    n_items : int
    """
    if evidence.one_sided:
        return _Diagonal(evidence, roots, n_items)
    return _Reflected(evidence, roots, n_items)


class _Diagonal:
    """Rows with one item each, as of ratings: R is diagonal."""

    def __init__(self, evidence: Evidence, roots: FloatArray, n_items: int) -> None:
        self._items, self._signed = evidence.only_items, roots * evidence.levels
        sums = np.bincount(self._items, self._signed**2, n_items)
        self._diagonal: FloatArray = np.sqrt(sums)

    def scale(self, items: FloatArray) -> FloatArray:
        return (self._diagonal * items.T).T

    def scale_back(self, scaled: FloatArray) -> FloatArray:
        return self._diagonal * scaled

    def from_rows(self, rows: FloatArray) -> FloatArray:
        sums = np.bincount(self._items, self._signed * rows, len(self._diagonal))
        return sums / self._diagonal

    def to_rows(self, scaled: FloatArray) -> FloatArray:
        return self._signed * (scaled / self._diagonal)[self._items]


class _Reflected:
    """Rows with two items: O is a product of Householder's reflections."""

    def __init__(self, evidence: Evidence, roots: FloatArray, n_items: int) -> None:
        # Roots differ by many orders: reflections keep the digits of small rows only
        # if the large ones come first.
        self._order = order = np.argsort(-roots, kind="stable")
        position = np.arange(len(roots))
        # Missing items have the index -1: what they write goes to a column to be cut.
        matrix = np.zeros((len(roots), n_items + 1), order="F")
        matrix[position, evidence.raised[order]] = roots[order]
        matrix[position, evidence.lowered[order]] -= roots[order]
        reflectors, self._factors, _, _ = lapack.dgeqrf(
            matrix[:, :n_items], overwrite_a=True
        )
        self._rank = rank = min(len(roots), n_items)
        self._reflectors = reflectors[:, :rank]
        self._triangle = np.triu(reflectors[:rank])

    def scale(self, items: FloatArray) -> FloatArray:
        return self._triangle @ items

    def scale_back(self, scaled: FloatArray) -> FloatArray:
        return scaled @ self._triangle

    def from_rows(self, rows: FloatArray) -> FloatArray:
        return self._reflect("T", rows[self._order])[: self._rank]

    def to_rows(self, scaled: FloatArray) -> FloatArray:
        sorted_rows, rows = np.zeros(len(self._order)), np.empty(len(self._order))
        sorted_rows[: self._rank] = scaled
        rows[self._order] = self._reflect("N", sorted_rows)
        return rows

    def _reflect(self, transposed: str, vector: FloatArray) -> FloatArray:
        # Room for a single number: reflections one by one, which is best for a vector.
        reflected, _, _ = lapack.dormqr(
            "L", transposed, self._reflectors, self._factors, vector[:, None], 1
        )
        return reflected[:, 0]
