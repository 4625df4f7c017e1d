"""Subsets of attributes as blocks of columns: kernels, features and tensors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.linalg import lapack

from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray

Subset = tuple[int, ...]

_PIVOT_CUT = 1e-15
"""Share of a kernel's largest diagonal entry below which a pivot is rounding."""

_MAX_ENTRIES = 2**24
"""Largest tensor of a factor: 128 MB."""


@dataclass(frozen=True, eq=False)
class Block:
    """Columns L_S with K_S = L_S L_S': a Cholesky factor with pivots.

    Parameters
    ----------
    columns : ndarray of shape (n_items, rank)
    pivots : ndarray of shape (rank,)
        Items in the order of their elimination; their rows of `columns` are a lower
        triangle.
    """

    columns: FloatArray
    pivots: IntArray


class FactorDictionary:
    """The subset kernels of a set of items, each factored once when first asked for.

    Parameters
    ----------
    features : sequence of ndarray of shape (n_items, n_features_i)
        One feature matrix per attribute; K_i = features_i features_i'.
    max_order : int
        Largest size of a subset.

    Attributes
    ----------
    kernels : ndarray of shape (n_attributes, n_items (n_items + 1) / 2)
        The lower triangles of the K_i, row by row.
    """

    def __init__(self, features: Sequence[FloatArray], max_order: int) -> None:
        self.max_order = max_order
        self.kernels = np.stack([_pack(matrix @ matrix.T) for matrix in features])
        self._features = features
        self._blocks: dict[Subset, Block] = {}

    @property
    def n_attributes(self) -> int:
        """Number of attributes."""
        return len(self._features)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self._features[0])

    def packed_square(self, pull: FloatArray) -> FloatArray:
        """Pack ZZ' like the kernels, so that Z'KZ is an inner product with a kernel."""
        packed: FloatArray = _packed_square(pull)
        return packed

    def columns(self, subset: Subset) -> FloatArray:
        """Give L_S, shape (n_items, rank)."""
        return self._block(subset).columns

    def tensor(self, subset: Subset, weights: FloatArray) -> FloatArray:
        """Take weights on the columns of a subset to weights on its features.

        Weights v are shares L_S^-T v of the pivots; each pivot stands for the
        products of its features.

        Parameters
        ----------
        subset : tuple of int
        weights : ndarray of shape (rank,)
            In the range of L_S', as solutions are: others may lose digits.

        Returns
        -------
        ndarray of shape (n_features_i for i in subset)
            The norm is that of the weights.
        """
        block = self._block(subset)
        triangle = block.columns[block.pivots]
        shares, _ = lapack.dtrtrs(triangle.T, weights)
        features = [self._features[i][block.pivots] for i in subset]
        half = len(features) // 2  # the products of one half only fit into memory
        left = _row_products([shares[:, None], *features[:half]])
        tensor: FloatArray = left.T @ _row_products(features[half:])
        return tensor.reshape([matrix.shape[1] for matrix in features])

    def _block(self, subset: Subset) -> Block:
        if subset not in self._blocks:
            self._check_size(subset)
            kernel = _product(self.kernels, np.array(subset))
            self._blocks[subset] = _factored(kernel)
        return self._blocks[subset]

    def _check_size(self, subset: Subset) -> None:
        sizes = [matrix.shape[1] for matrix in self._features]
        if math.prod(sizes[i] for i in subset) <= _MAX_ENTRIES:
            return
        largest = np.cumprod(np.sort(np.array(sizes, dtype=np.float64))[::-1])
        raise DataError(
            f"A factor of {len(subset)} attributes needs a tensor of more than "
            f"{_MAX_ENTRIES} weights. Set max_order to "
            f"{max(1, int((largest <= _MAX_ENTRIES).sum()))} or less."
        )


class SubsetKernels:
    """The kernels of a list of subsets, to be added up or weighed many times.

    Parameters
    ----------
    kernels : ndarray of shape (n_attributes, n_items (n_items + 1) / 2)
        The lower triangles of the attributes' kernels, row by row.
    subsets : sequence of tuple of int
    """

    def __init__(self, kernels: FloatArray, subsets: Sequence[Subset]) -> None:
        self._kernels = kernels
        nodes = sorted({s[:size] for s in subsets for size in range(1, len(s) + 1)})
        place = {node: n for n, node in enumerate(nodes)}
        self._places = np.array([place[subset] for subset in subsets])
        self._last = np.array([node[-1] for node in nodes])
        self._depths = np.array([len(node) for node in nodes])

    def add(self, weights: FloatArray, matrix: FloatArray) -> None:
        """Add sum_S weights_S K_S to a matrix of shape (n_items, n_items)."""
        nodes = self._last, self._depths, self._places
        _add_nested_products(self._kernels, *nodes, weights, matrix)

    def values(self, packed: FloatArray) -> FloatArray:
        """Give the inner product of every kernel with a packed matrix."""
        sums = _nested_sums(self._kernels, self._last, self._depths, packed)
        values: FloatArray = sums[self._places]
        return values


def _factored(kernel: FloatArray) -> Block:
    """Factor a kernel by Cholesky with complete pivoting, which reveals its rank."""
    cut = _PIVOT_CUT * kernel.diagonal().max()
    factor, pivots, rank, _ = lapack.dpstrf(
        kernel.T, tol=cut, lower=True, overwrite_a=True
    )
    rank = max(1, rank)  # a kernel of zeros keeps one column of zeros
    items = pivots - 1
    return Block(_lower_rows(factor, items, rank).T, items[:rank])


def _row_products(matrices: Sequence[FloatArray]) -> FloatArray:
    """Give all products of entries of the same row, one from each matrix."""
    products = matrices[0]
    for matrix in matrices[1:]:
        products = (products[:, :, None] * matrix[:, None, :]).reshape(len(matrix), -1)
    return products


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
def _add_nested_products(
    kernels: FloatArray,
    last: IntArray,
    depths: IntArray,
    places: IntArray,
    weights: FloatArray,
    matrix: FloatArray,
) -> None:
    spread = np.zeros(len(last))
    for s in range(len(places)):
        spread[places[s]] = weights[s]
    _add_unpacked(_nested_products(kernels, last, depths, spread), matrix)


@njit(cache=True)
def _nested_products(
    kernels: FloatArray, last: IntArray, depths: IntArray, weights: FloatArray
) -> FloatArray:
    """Sum weighted products of rows of `kernels` by Horner's rule, block by block.

    The subsets are the nodes of a tree, in the order of a walk through it: each one
    has its last attribute, its size and its weight. What a subset and its extensions
    share is multiplied once: K_1 (w_1 + K_2 (w_12 + K_3 w_123) + K_3 w_13).
    """
    n_entries, n_nodes = kernels.shape[1], len(last)
    total = np.empty(n_entries)
    # Blocks of 512 numbers: those of all depths stay in the fastest cache.
    sums = np.zeros((depths.max() + 1, 512))  # of the extensions, by depth
    for low in range(0, n_entries, 512):
        size = min(512, n_entries - low)
        for n in range(n_nodes - 1, -1, -1):
            kernel = kernels[last[n], low : low + size]
            parent, own = sums[depths[n] - 1], sums[depths[n]]
            if n + 1 < n_nodes and depths[n + 1] > depths[n]:
                for e in range(size):
                    parent[e] += kernel[e] * (weights[n] + own[e])
                    own[e] = 0.0
            else:
                for e in range(size):
                    parent[e] += kernel[e] * weights[n]
        for e in range(size):
            total[low + e] = sums[0, e]
            sums[0, e] = 0.0
    return total


@njit(cache=True, fastmath={"reassoc", "contract"})
def _nested_sums(
    kernels: FloatArray, last: IntArray, depths: IntArray, packed: FloatArray
) -> FloatArray:
    """Sum up the products of `packed` with each subset's kernels, block by block.

    The subsets are nodes of a tree as in `_nested_products`; each one's product is
    that of its parent times one more kernel.
    """
    sums = np.zeros(len(last))
    products = np.empty((depths.max() + 1, 512))  # by depth
    for low in range(0, len(packed), 512):
        size = min(512, len(packed) - low)
        for e in range(size):
            products[0, e] = packed[low + e]
        for n in range(len(last)):
            kernel = kernels[last[n], low : low + size]
            parent, own = products[depths[n] - 1], products[depths[n]]
            total = 0.0
            for e in range(size):
                own[e] = parent[e] * kernel[e]
                total += own[e]
            sums[n] += total
    return sums


@njit(cache=True)
def _pack(square: FloatArray) -> FloatArray:
    """Take the lower triangle of a symmetric matrix, row by row."""
    n = len(square)
    packed = np.empty(n * (n + 1) // 2)
    for i in range(n):
        low = i * (i + 1) // 2
        for j in range(i + 1):
            packed[low + j] = square[i, j]
    return packed


@njit(cache=True)
def _packed_square(vector: FloatArray) -> FloatArray:
    """Take the lower triangle of xx', row by row; all but the diagonal twice."""
    n = len(vector)
    packed = np.empty(n * (n + 1) // 2)
    for i in range(n):
        low = i * (i + 1) // 2
        for j in range(i):
            packed[low + j] = 2.0 * vector[i] * vector[j]
        packed[low + i] = vector[i] ** 2
    return packed


@njit(cache=True)
def _add_unpacked(packed: FloatArray, square: FloatArray) -> None:
    """Add the symmetric matrix of a packed lower triangle to a matrix."""
    for i in range(len(square)):
        low = i * (i + 1) // 2
        for j in range(i):
            square[i, j] += packed[low + j]
            square[j, i] += packed[low + j]
        square[i, i] += packed[low + i]


@njit(cache=True)
def _product(kernels: FloatArray, subset: IntArray) -> FloatArray:
    """Give the product of some attributes' kernels, shape (n_items, n_items)."""
    n = int((2 * kernels.shape[1]) ** 0.5)
    packed = np.ones(kernels.shape[1])
    for i in subset:
        packed *= kernels[i]
    square = np.zeros((n, n))
    _add_unpacked(packed, square)
    return square


@njit(cache=True)
def _lower_rows(factor: FloatArray, items: IntArray, rank: int) -> FloatArray:
    """Give the lower triangle's rows back to their items, shape (rank, n_items)."""
    rows = np.zeros((rank, len(items)))
    for j in range(rank):
        for i in range(j, len(items)):
            rows[j, items[i]] = factor[i, j]
    return rows
