"""Evidence rows as a Newton system sees them: E^(1/2) Q = O R with orthonormal O.

Newton directions are solved for in the space of O and taken back to the rows through O:
forming them row by row would multiply rounding errors by E, which reaches 1e10 on rows
that lie on a kink of the loss.
"""

from typing import Protocol

import numpy as np
from scipy.linalg import lapack

from penchant.gai.solver._evidence import Evidence
from penchant.typing import FloatArray

__all__ = ["RowScaling", "row_scaling"]


class RowScaling(Protocol):
    """The factors O and R of the scaled evidence matrix."""

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
        scaled: FloatArray = sums / self._diagonal
        return scaled

    def to_rows(self, scaled: FloatArray) -> FloatArray:
        rows: FloatArray = self._signed * (scaled / self._diagonal)[self._items]
        return rows


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
        product: FloatArray = self._triangle @ items
        return product

    def scale_back(self, scaled: FloatArray) -> FloatArray:
        product: FloatArray = scaled @ self._triangle
        return product

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
        column: FloatArray = reflected[:, 0]
        return column
