"""Rows of evidence seen from the items: E^(1/2) Q = O R, O with orthonormal columns."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.linalg import lapack

from penchant.solvers._evidence import Evidence
from penchant.typing import FloatArray


class RowScaling(ABC):
    """The factors O and R of the scaled evidence matrix.

    Newton directions are solved for in the space of O and taken back to the rows
    through O: forming them row by row would multiply rounding errors by E, which
    reaches 1e10 on rows that lie on a kink of the loss.
    """

    @abstractmethod
    def scale(self, items: FloatArray) -> FloatArray:
        """Give R f."""

    @abstractmethod
    def scale_back(self, scaled: FloatArray) -> FloatArray:
        """Give R'x."""

    @abstractmethod
    def sandwich(self, kernel: FloatArray) -> FloatArray:
        """Give R K R' from the symmetric K."""

    @abstractmethod
    def from_rows(self, rows: FloatArray) -> FloatArray:
        """Give O'r."""

    @abstractmethod
    def to_rows(self, scaled: FloatArray) -> FloatArray:
        """Give O x."""


class DiagonalScaling(RowScaling):
    """Rows with one item each (ratings): R is diagonal, no factorisation.

    Parameters
    ----------
    evidence : Evidence
    roots : ndarray of shape (n_rows,)
        E^(1/2).
    n_items : int
    """

    def __init__(self, evidence: Evidence, roots: FloatArray, n_items: int) -> None:
        self._evidence = evidence
        self._roots = roots
        sums = evidence.pull(roots**2 * evidence.levels, n_items)
        self._diagonal = np.sqrt(sums)

    def scale(self, items: FloatArray) -> FloatArray:
        return (self._diagonal * items.T).T

    def scale_back(self, scaled: FloatArray) -> FloatArray:
        return self._diagonal * scaled

    def sandwich(self, kernel: FloatArray) -> FloatArray:
        return self._diagonal[:, None] * kernel * self._diagonal[None, :]

    def from_rows(self, rows: FloatArray) -> FloatArray:
        net = self._evidence.pull(self._roots * rows, len(self._diagonal))
        return net / self._diagonal

    def to_rows(self, scaled: FloatArray) -> FloatArray:
        return self._roots * self._evidence.differences(scaled / self._diagonal)


class HouseholderScaling(RowScaling):
    """Rows of any kind: Householder QR with the rows sorted by falling size.

    Parameters
    ----------
    evidence : Evidence
    roots : ndarray of shape (n_rows,)
        E^(1/2).
    n_items : int
    """

    def __init__(self, evidence: Evidence, roots: FloatArray, n_items: int) -> None:
        self._order = np.argsort(-roots, kind="stable")
        n_rows = len(roots)
        matrix = np.zeros((n_rows, n_items + 1), order="F")
        position = np.arange(n_rows)
        matrix[position, evidence.raised[self._order]] = roots[self._order]
        matrix[position, evidence.lowered[self._order]] -= roots[self._order]
        self._reflectors, self._tau, _, _ = lapack.dgeqrf(
            matrix[:, :n_items], overwrite_a=True
        )
        self._rank = min(n_rows, n_items)
        self._triangle = np.triu(self._reflectors[: self._rank])

    def scale(self, items: FloatArray) -> FloatArray:
        scaled: FloatArray = self._triangle @ items
        return scaled

    def scale_back(self, scaled: FloatArray) -> FloatArray:
        items: FloatArray = self._triangle.T @ scaled
        return items

    def sandwich(self, kernel: FloatArray) -> FloatArray:
        scaled: FloatArray = self._triangle @ kernel @ self._triangle.T
        return scaled

    def from_rows(self, rows: FloatArray) -> FloatArray:
        return self._reflect(rows[self._order], "T")[: self._rank]

    def to_rows(self, scaled: FloatArray) -> FloatArray:
        padded = np.zeros(len(self._order))
        padded[: self._rank] = scaled
        rows = np.empty_like(padded)
        rows[self._order] = self._reflect(padded, "N")
        return rows

    def _reflect(self, vector: FloatArray, transpose: str) -> FloatArray:
        reflectors = self._reflectors[:, : self._rank]
        product, _, _ = lapack.dormqr(
            "L", transpose, reflectors, self._tau, vector[:, None], lwork=64
        )
        column: FloatArray = product[:, 0]
        return column


def row_scaling(evidence: Evidence, roots: FloatArray, n_items: int) -> RowScaling:
    """Choose the factorisation that the rows allow."""
    kind = DiagonalScaling if evidence.one_sided else HouseholderScaling
    return kind(evidence, roots, n_items)
