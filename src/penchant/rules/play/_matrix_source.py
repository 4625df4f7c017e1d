"""Features that stand in a matrix, as columns of a margin program (PRL-4)."""

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from penchant.exceptions import DataError
from penchant.rules.margin._column_source import Priced
from penchant.typing import ArrayLike, FloatArray, IntArray

MatrixKey: TypeAlias = tuple[int, int]


class MatrixSource:
    """Both signs of every feature of a matrix, scaled to a largest entry of 1.

    The key of a column is ``(feature, sign)``; its entry in row i is
    ``sign * directions[i] * X[i, feature] / max |X[:, feature]|`` (PRL-2 for two
    classes). Pricing is one product with X, which is never copied.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Numbers. Kept as given if of type float64.
    directions : array-like of shape (n_rows,)
        The class of the row, or its weight in that class: from -1 to 1.

    Attributes
    ----------
    n_rows : int
    n_columns : int
        Number of columns, both signs counted.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.solvers import MatrixSource
    >>> source = MatrixSource([[2.0, 1.0], [1.0, -4.0]], [1.0, -1.0])
    >>> priced = source.price(np.array([0.5, 0.5]), 2)
    >>> priced.bound, priced.keys
    (0.625, [(1, 1), (0, 1)])
    >>> source.columns(priced.keys)
    array([[ 0.25,  1.  ],
           [ 1.  , -0.5 ]])
    """

    def __init__(self, X: Any, directions: ArrayLike) -> None:
        self._X = _check_matrix(X)
        self._directions = np.asarray(directions, dtype=np.float64)
        self.n_rows = self._X.shape[0]
        self.n_columns = 2 * self._X.shape[1]
        if self._directions.shape != (self.n_rows,):
            raise DataError(
                f"directions must have one number per row of X ({self.n_rows}). "
                f"Got shape {self._directions.shape}."
            )
        self._scales = _scales(self._X)

    def price(self, weights: FloatArray, n_best: int) -> Priced:
        """Find the columns with the largest payoff; see `ColumnSource`."""
        pay = (self._X.T @ (weights * self._directions)) * self._scales
        size = np.abs(pay)
        best = _largest(size, n_best)
        signs = np.where(pay[best] < 0.0, -1, 1)
        keys = list(zip(best.tolist(), signs.tolist(), strict=True))
        return Priced(float(size[best[0]]), keys, size[best])

    def columns(self, keys: Sequence[Hashable]) -> FloatArray:
        """Make the columns of some keys; see `ColumnSource`."""
        features, signs = np.array(list(keys), dtype=np.int64).reshape(-1, 2).T
        values = self._X[:, features]
        if sparse.issparse(values):
            values = values.toarray(order="F")
        made: FloatArray = values * (signs * self._scales[features])
        made *= self._directions[:, None]
        return made

    def sample(self, n_columns: int, rng: np.random.Generator) -> list[MatrixKey]:
        """Draw columns uniformly; see `SampledSource`."""
        numbers = rng.integers(self.n_columns, size=n_columns)
        features, signs = np.divmod(numbers, 2)
        return list(zip(features.tolist(), (1 - 2 * signs).tolist(), strict=True))


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


def _scales(X: Any) -> FloatArray:
    """Return 1 / largest absolute entry of each feature; 0 for a zero feature."""
    high, low = X.max(axis=0), X.min(axis=0)
    if sparse.issparse(X):
        high, low = high.toarray().ravel(), low.toarray().ravel()
    size = np.maximum(high, -low)
    return np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0.0)


def _largest(values: FloatArray, n_best: int) -> IntArray:
    """Return the positions of the largest values, falling."""
    n_best = min(n_best, len(values))
    best = np.argpartition(values, len(values) - n_best)[len(values) - n_best :]
    return best[np.argsort(-values[best], kind="stable")]
