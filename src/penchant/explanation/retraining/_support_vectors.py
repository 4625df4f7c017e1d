"""Support vector machines on a given kernel matrix: sequential minimal optimisation."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray

__all__ = ["SupportVectorProblem", "SupportVectors"]

_ROUND = 10_000  # steps before the slopes are computed afresh
_ROUNDING = 64 * np.finfo(np.float64).eps
_SLACK = 0.999  # of tol, for what rounding adds until the slopes are computed afresh
_FLAT = 1e-12  # least curvature along a step, as in libsvm


@dataclass(frozen=True, eq=False)
class SupportVectors:
    """A support vector machine ``K @ coefficients + intercept`` and how good it is.

    Parameters
    ----------
    coefficients : ndarray of shape (n,)
        Of sum 0; rows whose coefficient is not 0 are the support vectors.
    intercept : float
        The mean of what the rows strictly between their limits ask for; the middle
        of what all rows allow if there is none.
    violation : float
        Of the optimality conditions: by how much one row asks for a larger
        intercept than another one allows. Measured at these coefficients, afresh.
    n_iter : int
        Steps; each changes two coefficients.
    status : {"optimal", "iteration_limit", "stalled"}
        "optimal" if the violation is at most the tolerance; "stalled" if rounding
        ended progress.
    """

    coefficients: FloatArray
    intercept: float
    violation: float
    n_iter: int
    status: str


class SupportVectorProblem:
    """Learn a support vector machine from a kernel matrix, or from many.

    Minimises ``b @ K @ b / 2 - target @ b + epsilon * abs(b).sum()`` over coefficients
    b of sum 0 between `lower` and `upper`, which do not depend on the kernel.
    `regression` and `classification` state the usual duals in this form.

    Parameters
    ----------
    target : array-like of shape (n,)
    lower, upper : array-like of shape (n,)
        Limits of the coefficients: at most 0 and at least 0.
    epsilon : float, default=0.0
        Error that costs nothing.

    References
    ----------
    R.-E. Fan, P.-H. Chen and C.-J. Lin, Working set selection using second order
    information for training support vector machines, JMLR 6, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.solvers import SupportVectorProblem
    >>> x, y = np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 3.0])
    >>> problem = SupportVectorProblem.regression(y, C=1.0, epsilon=0.3)
    >>> line = problem.solve(np.outer(x, x))
    >>> line.coefficients.round(4), round(line.intercept, 4)
    (array([-0.2667,  0.    ,  0.2667]), 0.3)
    """

    def __init__(
        self,
        target: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        epsilon: float = 0.0,
    ) -> None:
        self.target, self.lower, self.upper = (
            np.ascontiguousarray(each, dtype=np.float64)
            for each in (target, lower, upper)
        )
        self.epsilon = float(epsilon)
        self._check()

    @classmethod
    def regression(
        cls, y: ArrayLike, C: float, epsilon: float
    ) -> "SupportVectorProblem":
        """State the dual of regression: coefficients between -C and C."""
        limits = np.full(np.shape(y), float(C))
        return cls(y, -limits, limits, epsilon=epsilon)

    @classmethod
    def classification(
        cls, is_positive: ArrayLike, C: float | ArrayLike
    ) -> "SupportVectorProblem":
        """State the dual of two classes, with one C or one for each row.

        Coefficients lie between 0 and C in the positive class, between -C and 0 in
        the other one.
        """
        positive = np.asarray(is_positive, dtype=bool)
        upper, lower = np.where(positive, C, 0.0), np.where(positive, 0.0, C)
        if not positive.any() or positive.all():
            raise DataError("There must be rows of two classes. Got rows of one only.")
        return cls(np.where(positive, 1.0, -1.0), -lower, upper)

    def _check(self) -> None:
        shapes = self.target.shape, self.lower.shape, self.upper.shape
        if len(set(shapes)) > 1 or self.target.ndim != 1 or self.target.size == 0:
            raise DataError(
                "target, lower and upper must have one entry for each row. "
                f"Got shapes {', '.join(map(str, shapes))}."
            )
        if not ((self.lower <= 0).all() and (self.upper >= 0).all()):
            raise DataError(
                "Coefficients must be able to be 0: lower at most 0, upper at least 0 "
                "in every row, so C must not be negative."
            )
        if not ((self.lower < 0).any() and (self.upper > 0).any()):
            raise DataError(
                "Some coefficient must be able to rise and some to fall. Got limits "
                "that leave all of them at 0; raise C."
            )

    def solve(
        self,
        K: FloatArray,
        *,
        tol: float = 1e-3,
        max_iter: int | None = None,
        start: FloatArray | None = None,
    ) -> SupportVectors:
        """Find the coefficients for a kernel matrix.

        A step changes the two coefficients that promise most by the second order, in
        O(n) (Fan, Chen and Lin 2005). Steps, stopping and intercept are those of
        libsvm, with one variable instead of two for each row of a regression.

        Parameters
        ----------
        K : ndarray of shape (n, n)
            Symmetric, positive semi-definite.
        tol : float, default=1e-3
            Violation of the optimality conditions to reach, in units of the target.
        max_iter : int or None, default=None
            Largest number of steps; None: no limit but that of rounding.
        start : ndarray of shape (n,) or None, default=None
            Coefficients to start with, such as those of another kernel; None: 0.

        Returns
        -------
        SupportVectors
        """
        K = self._check_kernel(K)
        b = np.zeros(len(K)) if start is None else self._check_start(start)
        slopes = self._slopes(K, b)
        limits = (self.lower, self.upper, self.epsilon)
        n_iter, aim, limit = 0, tol, np.inf if max_iter is None else max_iter
        while True:
            n_steps = int(min(_ROUND, limit - n_iter))
            n_iter += _descend(K, b, slopes, *limits, _SLACK * aim, n_steps)
            slopes = self._slopes(K, b)
            violation, intercept = _certificate(b, slopes, *limits)
            if violation <= aim or n_iter >= limit:
                break
            aim = max(tol, self._rounding(K, b))
        failure = "stalled" if violation <= aim else "iteration_limit"
        status = "optimal" if violation <= tol else failure
        return SupportVectors(b, intercept, violation, n_iter, status)

    def _slopes(self, K: FloatArray, b: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            slopes: FloatArray = self.target - K @ b
        if not np.isfinite(slopes).all():  # they are not if anything in K is not
            raise DataError("K and target must be finite. Got NaN or infinity.")
        return slopes

    def _rounding(self, K: FloatArray, b: FloatArray) -> float:
        """Give the size of differences of slopes that rounding may have made."""
        largest = np.abs(self.target).max() + np.diag(K).max() * np.abs(b).sum()
        return float(_ROUNDING * largest)

    def _check_start(self, start: FloatArray) -> FloatArray:
        b = np.array(start, dtype=np.float64)
        fits = b.shape == self.target.shape
        if not fits or not ((self.lower <= b) & (b <= self.upper)).all():
            raise DataError(
                "start must be coefficients between lower and upper, one for each row. "
                "Take those that solve gave."
            )
        if abs(b.sum()) > 1e-9 * np.abs(b).sum():
            raise DataError(f"start must have the sum 0. Got {b.sum():g}.")
        return b

    def _check_kernel(self, K: FloatArray) -> FloatArray:
        n = len(self.target)
        if np.shape(K) != (n, n):
            raise DataError(
                f"K must have a row and a column for each of {n} rows. "
                f"Got shape {np.shape(K)}."
            )
        return np.ascontiguousarray(K, dtype=np.float64)


@njit(cache=True, error_model="numpy")
def _descend(
    K: FloatArray,
    b: FloatArray,
    slopes: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    epsilon: float,
    tol: float,
    max_steps: int,
) -> int:
    """Move pairs of coefficients until the violation is small; count the steps.

    Changes b and slopes = target - K b. A rising coefficient i wins reach[i] per unit,
    a falling one k loses slopes[k] + falls[k].
    """
    n = len(b)
    rises, falls = np.empty(n), np.empty(n)
    for k in range(n):
        rises[k], falls[k] = _kinks(b[k], lower[k], upper[k], epsilon)
    diagonal = np.diag(K).copy()
    reach, gaps, gains = slopes + rises, np.empty(n), np.empty(n)
    for step in range(max_steps):
        i = _place_of_largest(reach)
        _rate_partners(i, reach[i], slopes, falls, K[i], diagonal, gaps, gains)
        j = _place_of_largest(gains)
        if gaps[j] <= tol and gaps.max() <= tol:
            return step
        curvature = max(K[i, i] + K[j, j] - 2.0 * K[i, j], _FLAT)
        length = _move(b, i, j, gaps[j] / curvature, lower, upper)
        for k in (i, j):
            rises[k], falls[k] = _kinks(b[k], lower[k], upper[k], epsilon)
        _follow(slopes, reach, rises, length, K[i], K[j])
    return max_steps


@njit(cache=True, error_model="numpy")
def _kinks(b: float, lower: float, upper: float, epsilon: float) -> tuple[float, float]:
    """Give minus the slopes of epsilon * abs(b) to the right and to the left.

    Infinite where a limit forbids the move.
    """
    rise = -epsilon if b >= 0.0 else epsilon
    fall = epsilon if b <= 0.0 else -epsilon
    return rise if b < upper else -np.inf, fall if b > lower else np.inf


@njit(cache=True, error_model="numpy")
def _rate_partners(
    i: int,
    reach: float,
    slopes: FloatArray,
    falls: FloatArray,
    row: FloatArray,
    diagonal: FloatArray,
    gaps: FloatArray,
    gains: FloatArray,
) -> None:
    """Find what it is worth to let each k fall while i rises: slope and decrease."""
    own = diagonal[i]
    for k in range(len(slopes)):
        gap = reach - (slopes[k] + falls[k])  # 0 for i itself, also when rounded
        gap = gap if gap > 0.0 else 0.0
        curvature = own + diagonal[k] - 2.0 * row[k]
        curvature = curvature if curvature > _FLAT else _FLAT
        gaps[k] = gap
        gains[k] = gap * gap / curvature


@njit(cache=True, error_model="numpy")
def _move(
    b: FloatArray,
    i: int,
    j: int,
    length: float,
    lower: FloatArray,
    upper: FloatArray,
) -> float:
    """Raise b[i] and lower b[j], at most to a limit or to 0; give the length."""
    end_i = 0.0 if b[i] < 0.0 else upper[i]
    end_j = 0.0 if b[j] > 0.0 else lower[j]
    room_i, room_j = end_i - b[i], b[j] - end_j
    length = min(length, room_i, room_j)
    b[i] = end_i if length == room_i else b[i] + length
    b[j] = end_j if length == room_j else b[j] - length
    return length


@njit(cache=True, error_model="numpy")
def _follow(
    slopes: FloatArray,
    reach: FloatArray,
    rises: FloatArray,
    length: float,
    row_i: FloatArray,
    row_j: FloatArray,
) -> None:
    """Update the slopes after a step."""
    for k in range(len(slopes)):
        slope = slopes[k] - length * (row_i[k] - row_j[k])
        slopes[k] = slope
        reach[k] = slope + rises[k]


@njit(cache=True, error_model="numpy")
def _place_of_largest(values: FloatArray) -> int:
    """Find the maximum: eight by eight, for one by one each waits for the last."""
    n = len(values)
    largest, place, whole = -np.inf, 0, n - n % 8
    for start in range(0, whole, 8):
        left = _largest_of_four(values, start)
        top = _larger(left, _largest_of_four(values, start + 4))
        if top > largest:
            largest, place = top, start
    for k in range(whole, n):
        if values[k] > largest:
            largest, place = values[k], k
    while values[place] != largest and place < n - 1:
        place += 1
    return place


@njit(cache=True, error_model="numpy")
def _largest_of_four(values: FloatArray, start: int) -> float:
    left = _larger(values[start], values[start + 1])
    return _larger(left, _larger(values[start + 2], values[start + 3]))


@njit(cache=True, error_model="numpy")
def _larger(left: float, right: float) -> float:
    return left if left > right else right  # one instruction, unlike max


@njit(cache=True, error_model="numpy")
def _certificate(
    b: FloatArray,
    slopes: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    epsilon: float,
) -> tuple[float, float]:
    """Give the violation of the optimality conditions, and the intercept."""
    asked, allowed, total, n_free = -np.inf, np.inf, 0.0, 0
    for k in range(len(b)):
        rise, fall = _kinks(b[k], lower[k], upper[k], epsilon)
        asked = max(asked, slopes[k] + rise)
        allowed = min(allowed, slopes[k] + fall)
        if lower[k] < b[k] < upper[k] and b[k] != 0.0:
            total += slopes[k] + rise
            n_free += 1
    middle = total / n_free if n_free else (asked + allowed) / 2.0
    return max(asked - allowed, 0.0), middle
