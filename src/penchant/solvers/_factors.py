"""Subsets of attributes as blocks of columns: kernels, features and tensors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import linalg

from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray

Subset = tuple[int, ...]

_RANK_CUT = 1e-13
_COLUMN_CUT = 1e-9
"""Columns below this share of the largest change the kernel by 1e-18 of its norm."""

_MAX_ENTRIES = 2**24
"""Largest tensor of a factor: 128 MB."""


@dataclass(frozen=True, eq=False)
class Block:
    """Columns L_S with K_S = L_S L_S', and their origin.

    The columns of S come from the products of the columns of S without its last
    attribute and the last attribute's axes.

    Parameters
    ----------
    columns : ndarray of shape (n_items, n_columns)
    kept : ndarray of shape (n_kept,)
        Flat positions of the products that were not negligible.
    rotated : bool
        Whether the columns are the kept products after a rotation to fewer.
    """

    columns: FloatArray
    kept: IntArray
    rotated: bool


class FactorDictionary:
    """The subset kernels of a set of items, each made once when first asked for.

    Parameters
    ----------
    features : sequence of ndarray of shape (n_items, n_features_i)
        One feature matrix per attribute; K_i = features_i features_i'.
    scales : ndarray of shape (max_order + 1,)
        Factor of the columns of a subset of each size (1 / weight of its penalty).

    Attributes
    ----------
    kernels : ndarray of shape (n_attributes, n_items (n_items + 1) / 2)
        The lower triangles of the K_i, row by row.
    """

    def __init__(self, features: Sequence[FloatArray], scales: FloatArray) -> None:
        self.scales = scales
        self._axes: list[FloatArray] = []
        self._rotations: list[FloatArray] = []
        for matrix in features:
            axes, rotation = _principal(matrix, _RANK_CUT)
            self._axes.append(axes)
            self._rotations.append(rotation)
        self._blocks: dict[Subset, Block] = {}
        rows, columns = np.tril_indices(self.n_items)
        self.kernels = np.stack([(a @ a.T)[rows, columns] for a in self._axes])
        self._rows, self._columns = rows, columns
        self._doubling = np.where(rows == columns, 1.0, 2.0)
        self._unpacking = np.empty((self.n_items, self.n_items), dtype=np.int64)
        self._unpacking[rows, columns] = np.arange(len(rows))
        self._unpacking[columns, rows] = np.arange(len(rows))

    @property
    def n_attributes(self) -> int:
        """Number of attributes."""
        return len(self._axes)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self._axes[0])

    def packed_square(self, pull: FloatArray) -> FloatArray:
        """Pack ZZ' like the kernels, so that Z'KZ is an inner product with a kernel."""
        square: FloatArray = self._doubling * pull[self._rows] * pull[self._columns]
        return square

    def columns(self, subset: Subset) -> FloatArray:
        """Give L_S, scaled for the subset's size, shape (n_items, n_columns)."""
        columns: FloatArray = self.scales[len(subset)] * self._block(subset).columns
        return columns

    def combine(self, subsets: Sequence[Subset], weights: FloatArray) -> FloatArray:
        """Give sum_S weights_S K_S, scaled, shape (n_items, n_items)."""
        sizes = [len(subset) for subset in subsets]
        packed = _weighted_products(
            self.kernels,
            np.concatenate([np.array(subset) for subset in subsets]),
            np.cumsum([0, *sizes]),
            weights * self.scales[sizes] ** 2,
        )
        square: FloatArray = packed[self._unpacking]
        return square

    def tensor(self, subset: Subset, weights: FloatArray) -> FloatArray:
        """Take weights on the columns of a subset to weights on its features.

        Parameters
        ----------
        subset : tuple of int
        weights : ndarray of shape (n_columns,)

        Returns
        -------
        ndarray of shape (n_features_i for i in subset)
            The norm is that of the weights, times the scale of the subset's size.
        """
        shape = [self._axes[i].shape[1] for i in subset]
        tensor = self._unfold(subset, weights[:, None]).reshape(shape)
        for i in subset:  # each step moves the first axis to the end
            tensor = np.tensordot(tensor, self._rotations[i], axes=(0, 1))
        scaled: FloatArray = self.scales[len(subset)] * tensor
        return scaled

    def _unfold(self, subset: Subset, weights: FloatArray) -> FloatArray:
        """Take weights on columns, one set per column, to products of axes."""
        block = self._block(subset)
        parent, last = subset[:-1], self._axes[subset[-1]].shape[1]
        width = self._block(parent).columns.shape[1] if parent else 1
        n_sets = weights.shape[1]
        products = np.zeros((width * last, n_sets))
        products[block.kept] = (
            self._rotation(subset) @ weights if block.rotated else weights
        )
        if not parent:
            return products
        unfolded = self._unfold(parent, products.reshape(width, last * n_sets))
        return unfolded.reshape(-1, n_sets)

    def _block(self, subset: Subset) -> Block:
        if subset not in self._blocks:
            self._blocks[subset] = self._make_block(subset)
        return self._blocks[subset]

    def _make_block(self, subset: Subset) -> Block:
        """Multiply axes row by row; drop tiny columns; rotate if too wide."""
        axes = self._axes[subset[-1]]
        if len(subset) == 1:
            return Block(axes, np.arange(axes.shape[1]), rotated=False)
        self._check_size(subset)
        products = self._products(subset)
        norms = np.linalg.norm(products, axis=0)
        kept = np.flatnonzero(norms > _COLUMN_CUT * norms.max())
        products = products[:, kept]
        if len(kept) <= 2 * self.n_items:
            return Block(products, kept, rotated=False)
        (triangle,) = linalg.qr(products.T, mode="r", check_finite=False)
        return Block(triangle[: self.n_items].T, kept, rotated=True)

    def _products(self, subset: Subset) -> FloatArray:
        """Give the products of the parent's columns and the last attribute's axes."""
        parent = self._block(subset[:-1]).columns
        axes = self._axes[subset[-1]]
        products: FloatArray = parent[:, :, None] * axes[:, None, :]
        return products.reshape(len(axes), -1)

    def _rotation(self, subset: Subset) -> FloatArray:
        """Give the orthonormal map from columns to kept products.

        Only the factors of a model need theirs, so it is made when asked for: the
        same reflections as of the columns.
        """
        products = self._products(subset)[:, self._block(subset).kept]
        wide, _ = linalg.qr(products.T, mode="economic", check_finite=False)
        rotation: FloatArray = wide
        return rotation

    def _check_size(self, subset: Subset) -> None:
        sizes = [len(rotation) for rotation in self._rotations]
        if math.prod(sizes[i] for i in subset) <= _MAX_ENTRIES:
            return
        largest = np.cumprod(np.sort(np.array(sizes, dtype=np.float64))[::-1])
        raise DataError(
            f"A factor of {len(subset)} attributes needs a tensor of more than "
            f"{_MAX_ENTRIES} weights. Set max_order to "
            f"{max(1, int((largest <= _MAX_ENTRIES).sum()))} or less."
        )


def _principal(matrix: FloatArray, cut: float) -> tuple[FloatArray, FloatArray]:
    """Give C and an orthonormal V with matrix = C V', columns by falling size."""
    left, values, right = linalg.svd(matrix, full_matrices=False, check_finite=False)
    rank = max(1, int((values > cut * values[0]).sum()))
    return left[:, :rank] * values[:rank], right[:rank].T


def evaluate_factor(tensor: FloatArray, features: Sequence[FloatArray]) -> FloatArray:
    """Evaluate a learned factor: contract its tensor with features of items.

    Parameters
    ----------
    tensor : ndarray of shape (n_features_i for i in the factor)
    features : sequence of ndarray of shape (n_items, n_features_i)
        Features of the items, one matrix per attribute of the factor, in order.

    Returns
    -------
    ndarray of shape (n_items,)

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.solvers import evaluate_factor
    >>> evaluate_factor(np.array([[1.0, 2.0]]), [np.ones((3, 1)), np.ones((3, 2))])
    array([3., 3., 3.])
    """
    first = features[0]
    values = first @ tensor.reshape(first.shape[1], -1)
    for matrix in features[1:]:
        shaped = values.reshape(len(matrix), matrix.shape[1], -1)
        values = np.einsum("nfr,nf->nr", shaped, matrix)
    column: FloatArray = values[:, 0]
    return column


@njit(cache=True)
def _weighted_products(
    kernels: FloatArray, members: IntArray, starts: IntArray, weights: FloatArray
) -> FloatArray:
    """Sum weighted products of rows of `kernels`, cache block by cache block.

    Making the products anew is faster than reading stored ones from memory.
    """
    n_entries = kernels.shape[1]
    total = np.zeros(n_entries)
    product = np.empty(1024)
    for low in range(0, n_entries, 1024):
        size = min(1024, n_entries - low)
        for s in range(len(weights)):
            first = kernels[members[starts[s]], low : low + size]
            for e in range(size):
                product[e] = weights[s] * first[e]
            for m in range(starts[s] + 1, starts[s + 1]):
                other = kernels[members[m], low : low + size]
                for e in range(size):
                    product[e] *= other[e]
            for e in range(size):
                total[low + e] += product[e]
    return total
