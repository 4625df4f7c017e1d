"""Subsets of attributes as blocks of columns: kernels, features and tensors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy.linalg import lapack

from penchant._compiled import compiled
from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray

Subset = tuple[int, ...]

# Sums may be reordered, which lets them use vector registers; NaN stays NaN.
_compiled = compiled(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})

_PIVOT_CUT = 1e-15
"""Share of a kernel's largest diagonal entry below which a pivot is rounding."""

_N_TOGETHER = 512
"""Entries of kernels in one go: those of all depths stay in the fastest cache."""

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
        lower = np.tri(len(features[0]), dtype=np.bool_)
        # Half of each symmetric matrix: sums over all entries read half as many.
        self.kernels = np.stack([(matrix @ matrix.T)[lower] for matrix in features])
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
        packed = np.empty(self.kernels.shape[1])
        _fill_packed_square(pull, packed)
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
        # A solution is L_S'a for some a: the pivots alone can carry it, and the
        # triangle gives how much each does. No kernel is inverted.
        shares, _ = lapack.dtrtrs(triangle.T, weights)
        features = [self._features[i][block.pivots] for i in subset]
        half = len(features) // 2  # the products of one half only fit into memory
        left = _row_products([shares[:, None], *features[:half]])
        tensor: FloatArray = left.T @ _row_products(features[half:])
        return tensor.reshape([matrix.shape[1] for matrix in features])

    def _block(self, subset: Subset) -> Block:
        if subset not in self._blocks:
            self._check_size(subset)
            kernel = np.zeros((self.n_items, self.n_items))
            packed = reduce(np.multiply, [self.kernels[i] for i in subset])
            _add_unpacked(packed, kernel)
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
        # All prefixes of all subsets, in the order of a walk through their tree:
        # siblings share the product of their parent.
        nodes = sorted({s[:size] for s in subsets for size in range(1, len(s) + 1)})
        place = {node: n for n, node in enumerate(nodes)}
        self._places = np.array([place[subset] for subset in subsets])
        last = np.array([node[-1] for node in nodes])
        depths = np.array([len(node) for node in nodes])
        self._tree = kernels, last, depths
        self._shape = int(depths.max()) + 1, _N_TOGETHER

    def add(self, weights: FloatArray, matrix: FloatArray) -> None:
        """Add sum_S weights_S K_S to a matrix of shape (n_items, n_items)."""
        kernels, last, _ = self._tree
        spread, packed = np.zeros(len(last)), np.empty(kernels.shape[1])
        spread[self._places] = weights
        _fill_sum(*self._tree, spread, np.zeros(self._shape), packed)
        _add_unpacked(packed, matrix)

    def values(self, packed: FloatArray) -> FloatArray:
        """Give the inner product of every kernel with a packed matrix."""
        sums = np.zeros(len(self._tree[1]))
        _add_values(*self._tree, packed, np.empty(self._shape), sums)
        return sums[self._places]


def _factored(kernel: FloatArray) -> Block:
    """Factor a kernel by Cholesky with complete pivoting, which reveals its rank."""
    cut = _PIVOT_CUT * kernel.diagonal().max()
    # Smooth kernels have few eigenvalues above rounding, and so have their products:
    # far fewer columns than items.
    factor, pivots, rank, _ = lapack.dpstrf(
        kernel.T, tol=cut, lower=True, overwrite_a=True
    )
    rank = max(1, rank)  # a kernel of zeros keeps one column of zeros
    items, rows = pivots - 1, np.zeros((rank, len(pivots)))
    _fill_lower_rows(factor, items, rows)
    return Block(rows.T, items[:rank])


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
    # One axis after the other: the products of all features are never formed.
    values = first @ tensor.reshape(first.shape[1], -1)
    for matrix in features[1:]:
        shaped = values.reshape(len(matrix), matrix.shape[1], -1)
        values = np.einsum("nfr,nf->nr", shaped, matrix)
    return values[:, 0]


@_compiled
def _fill_sum(
    kernels: FloatArray,
    last: IntArray,
    depths: IntArray,
    weights: FloatArray,
    sums: FloatArray,
    total: FloatArray,
) -> None:
    """Sum weighted products of rows of `kernels` by Horner's rule, block by block.

    The subsets are the nodes of a tree, in the order of a walk through it: each one
    has its last attribute, its size and its weight. What a subset and its extensions
    share is multiplied once: K_1 (w_1 + K_2 (w_12 + K_3 w_123) + K_3 w_13). The sums
    of the extensions, by depth, begin and end at 0.
    """
    for low in range(0, len(total), _N_TOGETHER):
        size = min(_N_TOGETHER, len(total) - low)
        # Children stand behind their parents, so that backwards every node finds its
        # sum.
        for n in range(len(last) - 1, -1, -1):
            kernel, weight = kernels[last[n], low : low + size], weights[n]
            parent, own = sums[depths[n] - 1], sums[depths[n]]
            if n + 1 < len(last) and depths[n + 1] > depths[n]:
                for e in range(size):
                    parent[e] += kernel[e] * (weight + own[e])
                    own[e] = 0.0
            else:
                for e in range(size):
                    parent[e] += kernel[e] * weight
        for e in range(size):
            total[low + e] = sums[0, e]
            sums[0, e] = 0.0


@_compiled
def _add_values(
    kernels: FloatArray,
    last: IntArray,
    depths: IntArray,
    packed: FloatArray,
    products: FloatArray,
    sums: FloatArray,
) -> None:
    """Sum up the products of `packed` with each subset's kernels, block by block.

    The subsets are nodes of a tree as in `_fill_sum`; each one's product is that of
    its parent times one more kernel.
    """
    for low in range(0, len(packed), _N_TOGETHER):
        size = min(_N_TOGETHER, len(packed) - low)
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


@_compiled
def _fill_packed_square(vector: FloatArray, packed: FloatArray) -> None:
    """Write the lower triangle of xx', row by row; all but the diagonal twice."""
    low = 0
    for i in range(len(vector)):
        row = packed[low : low + i + 1]
        for j in range(i):
            row[j] = 2.0 * vector[i] * vector[j]
        row[i] = vector[i] * vector[i]
        low += i + 1


@_compiled
def _add_unpacked(packed: FloatArray, square: FloatArray) -> None:
    """Add the symmetric matrix of a packed lower triangle to a matrix."""
    low = 0
    for i in range(len(square)):
        row = packed[low : low + i + 1]
        for j in range(i):
            square[i, j] += row[j]
            square[j, i] += row[j]
        square[i, i] += row[i]
        low += i + 1


@_compiled
def _fill_lower_rows(factor: FloatArray, items: IntArray, rows: FloatArray) -> None:
    """Give the lower triangle's rows back to their items, shape (rank, n_items)."""
    for j in range(len(rows)):
        for i in range(j, len(items)):
            rows[j, items[i]] = factor[i, j]
