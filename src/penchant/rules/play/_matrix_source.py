"""Features that stand in a matrix, as columns of a margin program (PRL-4)."""

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from penchant.exceptions import DataError
from penchant.rules.margin._column_source import Priced
from penchant.typing import ArrayLike, FloatArray, IntArray

MatrixKey: TypeAlias = tuple[int, int, int]


class MatrixSource:
    """Both signs of every feature of a matrix, scaled to a largest entry of 1.

    The key of a column is ``(feature, pair, sign)``; its entry in row i is
    ``sign * x[instance of i, feature] / max |x[:, feature]|`` times what the row's
    direction says about the pair of labels. Pricing is one product with X, which is
    never copied.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_instances, n_features)
        Numbers. Kept as given if of type float64.
    directions : array-like of shape (n_rows,) or (n_rows, n_labels)
        Two classes: the sign of the row, in [-1, 1]. Label preferences: +1 at the
        preferred label, -1 at the other, 0 elsewhere (PRL-2).
    instances : array-like of int of shape (n_rows,) or None, default=None
        Which line of X a row speaks of; None: row i speaks of line i.

    Attributes
    ----------
    n_rows : int
    n_columns : int
        Number of columns, both signs counted.
    pairs : tuple of tuple of int
        The pair of labels that the second entry of a key counts; empty for signs.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.solvers import MatrixSource
    >>> source = MatrixSource([[2.0, 1.0], [1.0, -4.0]], [1.0, -1.0])
    >>> priced = source.price(np.array([0.5, 0.5]), 2)
    >>> priced.bound, priced.keys
    (0.625, [(1, 0, 1), (0, 0, 1)])
    >>> source.columns(priced.keys)
    array([[ 0.25,  1.  ],
           [ 1.  , -0.5 ]])
    """

    def __init__(
        self, X: Any, directions: ArrayLike, *, instances: ArrayLike | None = None
    ) -> None:
        self._X = _check_matrix(X)
        labels = np.asarray(directions, dtype=np.float64)
        self._instances = _check_instances(instances, len(labels), self._X.shape[0])
        self.pairs = _pairs_of(labels)
        self._directions = labels.reshape(len(labels), -1)
        self._contrasts = _contrasts(self._directions.shape[1], self.pairs)
        self._scales = _scales(self._X)
        self.n_rows = len(labels)
        self.n_columns = 2 * self._X.shape[1] * self._contrasts.shape[1]

    def price(self, weights: FloatArray, n_best: int) -> Priced:
        """Find the columns with the largest payoff; see `ColumnSource`."""
        weighted = weights[:, None] * self._directions
        if self._instances is not None:
            per_row = weighted
            weighted = np.zeros((self._X.shape[0], per_row.shape[1]))
            np.add.at(weighted, self._instances, per_row)
        pay = (self._X.T @ (weighted @ self._contrasts)) * self._scales[:, None]
        flat = pay.ravel()
        size = np.abs(flat)
        best = _largest(size, n_best)
        features, pairs = np.divmod(best, pay.shape[1])
        signs = np.where(flat[best] < 0.0, -1, 1)
        keys = list(zip(features.tolist(), pairs.tolist(), signs.tolist(), strict=True))
        return Priced(float(size[best[0]]), keys, size[best])

    def columns(self, keys: Sequence[Hashable]) -> FloatArray:
        """Make the columns of some keys; see `ColumnSource`."""
        features, pairs, signs = np.array(list(keys), dtype=np.int64).reshape(-1, 3).T
        values = self._X[:, features]
        if sparse.issparse(values):
            values = values.toarray(order="F")
        if self._instances is not None:
            values = values[self._instances]
        factors = self._contrasts[:, pairs] * (signs * self._scales[features])
        made: FloatArray = values * (self._directions @ factors)
        return made

    def sample(self, n_columns: int, rng: np.random.Generator) -> list[MatrixKey]:
        """Draw columns uniformly; see `SampledSource`."""
        numbers = rng.integers(self.n_columns, size=n_columns)
        rest, signs = np.divmod(numbers, 2)
        features, pairs = np.divmod(rest, self._contrasts.shape[1])
        return list(
            zip(
                features.tolist(),
                pairs.tolist(),
                (1 - 2 * signs).tolist(),
                strict=True,
            )
        )


def _check_matrix(X: Any) -> Any:
    matrix: Any = X if sparse.issparse(X) else np.asarray(X)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise DataError(
            "X must be a matrix with at least one row and one feature. "
            f"Got shape {matrix.shape}."
        )
    matrix = matrix.astype(np.float64, copy=False)
    values = matrix.data if sparse.issparse(matrix) else matrix
    if not np.isfinite(values.sum()):
        raise DataError("X must be finite. Got NaN or infinity.")
    return matrix.tocsr() if sparse.issparse(matrix) else matrix


def _check_instances(
    instances: ArrayLike | None, n_rows: int, n_instances: int
) -> IntArray | None:
    if instances is None:
        if n_rows != n_instances:
            raise DataError(
                f"directions must have one row per line of X ({n_instances}) unless "
                f"instances says which line each row speaks of. Got {n_rows} rows."
            )
        return None
    lines = np.asarray(instances, dtype=np.int64)
    if lines.shape != (n_rows,) or lines.min() < 0 or lines.max() >= n_instances:
        raise DataError(
            f"instances must name one of {n_instances} lines of X for each of "
            f"{n_rows} rows. Got shape {lines.shape}, from {lines.min()} to "
            f"{lines.max()}."
        )
    return lines


def _pairs_of(labels: FloatArray) -> tuple[tuple[int, int], ...]:
    if labels.ndim == 1:
        return ()
    return tuple(combinations(range(labels.shape[1]), 2))


def _contrasts(n_labels: int, pairs: Sequence[tuple[int, int]]) -> FloatArray:
    """Return one column per pair: half of e_a - e_b, so that entries stay within 1."""
    if not pairs:
        return np.ones((n_labels, 1))
    contrasts = np.zeros((n_labels, len(pairs)))
    for number, (first, second) in enumerate(pairs):
        contrasts[first, number], contrasts[second, number] = 0.5, -0.5
    return contrasts


def _scales(X: Any) -> FloatArray:
    """Return 1 / largest absolute entry of each feature; 0 for a zero feature."""
    high, low = X.max(axis=0), X.min(axis=0)
    if sparse.issparse(X):
        high, low = high.toarray().ravel(), low.toarray().ravel()
    size = np.maximum(high, -low)
    scales: FloatArray = np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0.0)
    return scales


def _largest(values: FloatArray, n_best: int) -> IntArray:
    """Return the positions of the largest values, falling."""
    n_best = min(n_best, len(values))
    best = np.argpartition(values, len(values) - n_best)[len(values) - n_best :]
    order: IntArray = best[np.argsort(-values[best], kind="stable")]
    return order
