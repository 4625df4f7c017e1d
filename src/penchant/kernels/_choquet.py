"""The Choquet kernel in all its forms: full, k-additive, damped (CH-1, CH-2)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from math import comb, log, log1p
from typing import Any

import numpy as np

from penchant._compiled import compiled
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray


def count_subsets(n: int, k: int | None = None) -> int:
    """Count the non-empty subsets of n attributes with at most k members."""
    top = n if k is None else min(k, n)
    return sum(comb(n, size) for size in range(1, top + 1))


def list_subsets(n: int, k: int | None = None) -> list[frozenset[int]]:
    """List the non-empty subsets of n attributes with at most k members.

    Examples
    --------
    >>> [sorted(subset) for subset in list_subsets(3, 2)]
    [[0], [1], [0, 1], [2], [0, 2], [1, 2]]
    """
    top = n if k is None else min(k, n)
    found = (
        members
        for size in range(1, top + 1)
        for members in combinations(range(n), size)
    )
    in_order = sorted(found, key=lambda members: sum(1 << i for i in members))
    return [frozenset(members) for members in in_order]


def subset_sizes(n: int, k: int | None = None) -> FloatArray:
    """Give the sizes of the subsets of `list_subsets`, as floats."""
    sizes, _ = _grow(np.zeros((1, n)), n if k is None else min(k, n))
    return sizes


def subset_minima(X: FloatArray, k: int | None = None) -> FloatArray:
    """Give min_T x for every row x and every subset T of at most k attributes.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Rows.
    k : int, optional
        Largest size of a subset; None: all subsets.

    Returns
    -------
    ndarray of shape (n_items, n_subsets)
        Columns in the order of `list_subsets`.

    Examples
    --------
    >>> import numpy as np
    >>> subset_minima(np.array([[0.5, 0.2, 0.9]]), 2).tolist()
    [[0.5, 0.2, 0.2, 0.9, 0.5, 0.2]]
    """
    _, minima = _grow(X, X.shape[1] if k is None else min(k, X.shape[1]))
    return minima.T


def _grow(X: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Add one attribute at a time to all subsets that have room for it."""
    n = X.shape[1]
    sizes = np.empty(count_subsets(n, k))
    minima = np.empty((sizes.size, X.shape[0]))
    count = 0
    for i in range(n):
        room = np.flatnonzero(sizes[:count] < k)
        end = count + 1 + room.size
        sizes[count], sizes[count + 1 : end] = 1, sizes[room] + 1
        minima[count] = X[:, i]
        np.minimum(minima[room], X[:, i], out=minima[count + 1 : end])
        count = end
    return sizes, minima


_LANES = 32  # rows of Y that one pass handles together, a few vector registers
# Explicit features cost a multiplication per subset, the lane form a few per
# pair of attributes; measured, they cross between 9 and 10 attributes.
_SUBSETS_PER_SQUARE = 8
_MAX_FEATURE_ENTRIES = 2**25  # explicit features may take 256 MB
_ROWS_PER_TASK = 128


def choquet_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    k: int | None = None,
    damping: float = 1.0,
) -> FloatArray:
    r"""Compute the Choquet kernel between the rows of X and the rows of Y.

    The kernel is the inner product of the features
    :math:`\sqrt{w_{|T|}} \min_{i \in T} x_i` over the non-empty subsets T of
    attributes, so that a linear function of these features is a Choquet integral
    plus a constant. It costs :math:`O(n^2)` per pair of rows with n attributes,
    for every `k`; no list of the :math:`2^n` subsets is made when n is large
    (CH-1, CH-2). Any real values are allowed; attributes should share one scale.
    scikit-learn takes it as it is: ``SVC(kernel=choquet_kernel)``. `KernelPCA`
    calls it once per pair of rows; give that one the matrix, with
    ``kernel="precomputed"``, when there are many rows.

    Parameters
    ----------
    X : array-like of shape (n_items_x, n_features) or (n_features,)
        Rows.
    Y : array-like of shape (n_items_y, n_features) or (n_features,), optional
        Rows; None: the rows of X. The symmetric matrix is then computed once.
    k : int, optional
        Only subsets of at most k attributes count; None: all of them.
    damping : float, default=1.0
        A subset of s attributes has the weight ``damping ** s``. With 1 / n the
        kernel stays of order 1 for any number of attributes (CH-3).

    Returns
    -------
    ndarray of shape (n_items_x, n_items_y)
        The kernel matrix; a number when X and Y are single rows. The rows of X are
        shared out over `numba.get_num_threads()` threads.

    Raises
    ------
    DataError
        Where a value is too large for a float, as for the full kernel of more
        than 1023 attributes.

    References
    ----------
    A. Fallah Tehrani, M. Strickert, E. Hüllermeier, "The Choquet kernel for
    monotone data", ESANN 2014.

    Examples
    --------
    >>> from penchant.kernels import choquet_kernel
    >>> X = [[1.0, 1.0, 1.0], [0.5, 0.2, 0.9]]
    >>> choquet_kernel(X).round(3).tolist()
    [[7.0, 2.7], [2.7, 1.47]]
    >>> choquet_kernel(X, k=1).round(3).tolist()
    [[3.0, 1.6], [1.6, 1.1]]
    """
    from sklearn.metrics.pairwise import check_pairwise_arrays  # late: slow

    if Y is not None and np.ndim(X) == 1 and np.ndim(Y) == 1:
        left, right = np.atleast_2d(X), np.atleast_2d(Y)
        return choquet_kernel(left, right, k=k, damping=damping)[0, 0]
    symmetric = Y is None or Y is X
    rows, columns = check_pairwise_arrays(X, None if symmetric else Y, dtype=np.float64)
    n = rows.shape[1]
    gains = subset_gains(n, check_order(k, damping), damping)
    with np.errstate(over="ignore", invalid="ignore"):
        gram = _gram(rows, columns, k, damping, gains, symmetric)
    if not np.isfinite(gram).all():
        raise _too_large(n)
    return gram


def check_order(k: Any, damping: Any) -> int | None:
    """Return k after checking that k and damping describe a Choquet kernel."""
    if k is not None and not (isinstance(k, int | np.integer) and k >= 1):
        raise DataError(f"k must be a whole number >= 1 or None. Got {k!r}.")
    if not 0 < float(damping) < np.inf:
        raise DataError(f"damping must be a finite number > 0. Got {damping!r}.")
    return None if k is None else int(k)


def subset_gains(n: int, k: int | None = None, damping: float = 1.0) -> FloatArray:
    """Give f(c) = sum_s C(c, s - 1) w_s for c = 0 .. n - 1.

    In the words of CH-1, f(c) = F(c + 1) - F(c): what the subsets weigh that a
    further member adds to a set of c.

    Raises
    ------
    DataError
        Where F(n), the kernel of the row of ones with itself, would overflow.
    """
    top = n if k is None else min(k, n)
    if top == n and n * log1p(damping) >= log(np.finfo(np.float64).max):
        raise _too_large(n)
    c = np.arange(n, dtype=np.float64)
    term = np.full(n, float(damping))
    gains = term.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for s in range(1, top):
            # C(c, s) w_{s+1} from C(c, s - 1) w_s; zero once s exceeds c
            term = term * (np.maximum(c - s + 1, 0) / s * damping)
            gains += term
        total = gains.sum()
    if not np.isfinite(total):
        raise _too_large(n)
    return gains


def _too_large(n: int) -> DataError:
    return DataError(
        f"The Choquet kernel over {n} attributes is larger than a float can hold. "
        f"Use damping=1/{n}, a small k, or attributes scaled to [0, 1]."
    )


def _gram(
    X: FloatArray,
    Y: FloatArray,
    k: int | None,
    damping: float,
    gains: FloatArray,
    symmetric: bool,
) -> FloatArray:
    """Choose the fastest of the forms of CH-2."""
    n = X.shape[1]
    n_subsets = count_subsets(n, k)
    entries = n_subsets * (X.shape[0] + Y.shape[0])
    if n_subsets <= _SUBSETS_PER_SQUARE * n**2 and entries <= _MAX_FEATURE_ENTRIES:
        return _by_features(X, Y, k, damping, symmetric)
    order, values, _, _ = _sort_rows(X)
    _, _, steps, ranks = _sort_rows(Y)
    if k is None or k >= n:  # gains are geometric: many rows of Y at once
        blocks, positions = _to_lanes(steps), _to_lanes(ranks)
        gram = np.empty((X.shape[0], blocks.shape[0] * _LANES))
        table = values, order, blocks, positions, damping, symmetric
        _run_over_rows(partial(_fill_lanes, gram, *table), X.shape[0])
        gram = np.ascontiguousarray(gram[:, : Y.shape[0]])
    else:
        gram = np.empty((X.shape[0], Y.shape[0]))
        lists = values, order, steps, ranks, gains, symmetric
        _run_over_rows(partial(_fill_prefixes, gram, *lists), X.shape[0])
    if symmetric:
        _mirror(gram)
    return gram


def _by_features(
    X: FloatArray, Y: FloatArray, k: int | None, damping: float, symmetric: bool
) -> FloatArray:
    """Multiply explicit features."""
    scale = damping ** (subset_sizes(X.shape[1], k) / 2)
    left = subset_minima(X, k) * scale
    right = left if symmetric else subset_minima(Y, k) * scale
    return left @ right.T


def _mirror(gram: FloatArray) -> None:
    """Copy the upper triangle of a square matrix to the lower one."""
    for row in range(1, len(gram)):
        gram[row, :row] = gram[:row, row]


def _sort_rows(X: FloatArray) -> tuple[IntArray, FloatArray, FloatArray, IntArray]:
    """Give order, sorted values x_(i), steps dx_i and ranks of every row."""
    order = np.argsort(X, axis=1, kind="stable")
    values = np.take_along_axis(X, order, axis=1)
    steps = np.diff(values, axis=1, prepend=0.0)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(X.shape[1])[np.newaxis], axis=1)
    return order, values, steps, ranks


def _to_lanes(table: FloatArray | IntArray) -> FloatArray:
    """Turn (n_items, n_features) into (n_blocks, n_features, lanes), zero-padded."""
    n_items, n_features = table.shape
    n_blocks = -(-n_items // _LANES)
    padded = np.zeros((n_blocks * _LANES, n_features))
    padded[:n_items] = table
    lanes = padded.reshape(n_blocks, _LANES, n_features).transpose(0, 2, 1)
    return np.ascontiguousarray(lanes)


def _run_over_rows(fill: Callable[[tuple[int, int]], None], n_rows: int) -> None:
    """Share rows out over threads; the compiled code releases the lock.

    Plain threads, because Numba's own may neither be forked nor nested.
    """
    from numba import get_num_threads

    n_threads = get_num_threads()
    if n_threads == 1 or n_rows <= _ROWS_PER_TASK:
        fill((0, n_rows))
        return
    starts = range(0, n_rows, _ROWS_PER_TASK)
    with ThreadPoolExecutor(n_threads) as pool:
        ends = (min(start + _ROWS_PER_TASK, n_rows) for start in starts)
        tasks = [pool.submit(fill, rows) for rows in zip(starts, ends, strict=True)]
    for task in tasks:
        task.result()


@compiled(cache=True, nogil=True)
def _fill_lanes(
    gram: FloatArray,
    values: FloatArray,
    order: IntArray,
    blocks: FloatArray,
    positions: FloatArray,
    damping: float,
    symmetric: bool,
    rows: tuple[int, int],
) -> None:
    # Attributes of x enter from the largest down. u_j holds dx*_j (1 + g)^c with
    # c = |A n B_j| for the set A of those that entered; attribute e of rank r in
    # x* lies in B_j for j <= r, and adds g x_e sum_{j <= r} u_j.
    n = values.shape[1]
    u = np.empty((n, _LANES))
    sums = np.empty(_LANES)
    for row in range(rows[0], rows[1]):
        for block in range(row // _LANES if symmetric else 0, blocks.shape[0]):
            first = block * _LANES
            for lane in range(_LANES):
                gram[row, first + lane] = 0.0
                for j in range(n):
                    u[j, lane] = blocks[block, j, lane]
            for i in range(n - 1, -1, -1):
                e = order[row, i]
                for lane in range(_LANES):
                    sums[lane] = 0.0
                for j in range(n):
                    for lane in range(_LANES):
                        held = u[j, lane] if positions[block, e, lane] >= j else 0.0
                        sums[lane] += held
                        u[j, lane] += damping * held
                share = damping * values[row, i]
                for lane in range(_LANES):
                    gram[row, first + lane] += share * sums[lane]


@compiled(cache=True, nogil=True)
def _fill_prefixes(
    gram: FloatArray,
    values: FloatArray,
    order: IntArray,
    steps: FloatArray,
    ranks: IntArray,
    gains: FloatArray,
    symmetric: bool,
    rows: tuple[int, int],
) -> None:
    # Touches only the subsets of y that hold the next attribute of x.
    n = values.shape[1]
    count = np.empty(n, np.int64)
    for row in range(rows[0], rows[1]):
        for column in range(row if symmetric else 0, steps.shape[0]):
            for j in range(n):
                count[j] = 0
            total = 0.0
            for i in range(n - 1, -1, -1):
                held = 0.0
                for j in range(ranks[column, order[row, i]] + 1):
                    held += steps[column, j] * gains[count[j]]
                    count[j] += 1
                total += values[row, i] * held
            gram[row, column] = total
