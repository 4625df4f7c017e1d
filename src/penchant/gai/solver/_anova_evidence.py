"""Scales, weights, orders, warps and noise of an ANOVA kernel, by its evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from penchant.exceptions import DataError
from penchant.kernels import AttributeTable, anova_gram, anova_slopes, attribute_table
from penchant.typing import ArrayLike, FloatArray

__all__ = ["AnovaEvidence", "AnovaEvidenceResult"]

_JITTER = 1e-8
"""Smallest noise variance of a distinct item; keeps the matrix invertible."""
_FAILED = 1e10
"""Stands for the value where the matrix is not positive definite."""
_SCALES = (0.08, 6.0)
_BOUNDS = {"weight": (-9.0, 4.0), "order": (-9.0, 6.0), "noise": (-14.0, 3.0)}
_WARP_BOUNDS = (-6.0, 9.0)
_GRADIENT_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class AnovaEvidenceResult:
    """The kernel of largest penalised evidence, and the Gaussian process with it.

    K(x, y) = sum_q order_weights[q] e_q(T_1, ..., T_d), where e_q sums the products
    of q of the T_i, and T_i is weights[i] times the zero-mean Gaussian kernel of
    unit mean diagonal with length scales[i], on x or on log(1 + rates[i] x).

    Parameters
    ----------
    status : {"optimal", "stalled"}
        Whether the gradient is small, or the limit of iterations came first.
    n_iter : int
    objective : float
        Minus the logarithm of evidence times prior, up to a constant.
    gradient_norm : float
        Largest component of the gradient that the bounds leave free.
    parameters : ndarray of shape (n_parameters,)
        What was optimised; a start for a similar problem.
    scales, weights : ndarray of shape (n_features,)
    rates : ndarray of shape (n_features,)
        0 where there is no warp.
    order_weights : ndarray of shape (max_order + 1,)
        The first one is the variance of the constant.
    noise : float
        Variance of the noise.
    items : ndarray of shape (n_distinct, n_features)
    coef : ndarray of shape (n_distinct,)
        The mean of the process is K(x, items) @ coef.
    """

    status: str
    n_iter: int
    objective: float
    gradient_norm: float
    parameters: FloatArray
    scales: FloatArray
    weights: FloatArray
    rates: FloatArray
    order_weights: FloatArray
    noise: float
    items: FloatArray
    coef: FloatArray


class AnovaEvidence:
    """Gaussian process evidence of an ANOVA kernel as a function of its parameters.

    Equal items are merged exactly. One evaluation with its gradient costs
    O(n_distinct^3 + n_distinct^2 n_features max_order).

    Parameters
    ----------
    items : array-like of shape (n_items, n_features)
        Encoded items.
    y : array-like of shape (n_items,)
        Ratings; best with mean 0 and variance 1, where the priors expect them.
    measures : sequence of (ndarray, ndarray)
        Points and weights (summing to 1) of the measure that centres each
        attribute's kernel (GAI-1).
    max_order : int
        Largest order of the products.
    weights : array-like of shape (n_items,) or None, default=None
        Weight of each rating: the noise has variance noise / weight.
    warped : sequence of bool or None, default=None
        Attributes with a log-warp; None: no attribute.
    fixed_scales : sequence of (float or None) or None, default=None
        Length scales that are not learned. A scale much smaller than the distance
        between codes gives the delta kernel of categories.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.solvers import AnovaEvidence
    >>> x = np.linspace(0.0, 1.0, 12)
    >>> grid = (x, np.full(12, 1 / 12))
    >>> problem = AnovaEvidence(x[:, None], np.sin(3 * x), [grid], max_order=1)
    >>> result = problem.solve()
    >>> bool(result.noise < 1e-3)
    True
    """

    def __init__(
        self,
        items: ArrayLike,
        y: ArrayLike,
        measures: Sequence[tuple[FloatArray, FloatArray]],
        *,
        max_order: int,
        weights: ArrayLike | None = None,
        warped: Sequence[bool] | None = None,
        fixed_scales: Sequence[float | None] | None = None,
    ) -> None:
        table, ratings = np.asarray(items, np.float64), np.asarray(y, np.float64)
        if table.ndim != 2 or ratings.shape != (len(table),):
            raise DataError(
                "items must be 2-D with one rating each. "
                f"Got shapes {table.shape} and {ratings.shape}."
            )
        counts = np.ones(len(ratings)) if weights is None else np.asarray(weights)
        n_features = table.shape[1]
        self.items, place = np.unique(table, axis=0, return_inverse=True)
        place = place.ravel()
        self._counts = np.bincount(place, counts).astype(np.float64)
        self._means = np.bincount(place, counts * ratings) / self._counts
        self._spread = float(counts @ (ratings - self._means[place]) ** 2)
        self._surplus = float(counts.sum()) - len(self.items)
        self._measures = list(measures)
        self._warped = np.array(warped or [False] * n_features, dtype=np.bool_)
        self._fixed = list(fixed_scales or [None] * n_features)
        self.max_order = min(max_order, n_features)

    @cached_property
    def _slices(self) -> dict[str, slice]:
        """Where scales, weights, orders, noise and warps stand in the parameters."""
        d, p, w = self.items.shape[1], self.max_order + 1, int(self._warped.sum())
        ends = np.cumsum([d, d, p, 1, w]).tolist()
        names = ("scale", "weight", "order", "noise", "warp")
        return {
            name: slice(low, high)
            for name, low, high in zip(names, [0, *ends], ends, strict=False)
        }

    @cached_property
    def start(self) -> FloatArray:
        """A start that suits standardised ratings."""
        start = np.zeros(self._slices["warp"].stop)
        start[self._slices["scale"]] = [np.log(f or 0.7) for f in self._fixed]
        start[self._slices["weight"]] = np.log(0.5)
        start[self._slices["order"]] = -np.log(1.0 + np.arange(self.max_order + 1))
        start[self._slices["noise"]] = np.log(0.1)
        return start

    @cached_property
    def _prior(self) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of the normal prior of the parameters."""
        mean, deviation = self.start.copy(), np.ones_like(self.start)
        mean[self._slices["scale"]] = 0.0
        for name, value in zip(self._slices, (1.2, 1.5, 2.0, 3.0, 2.5), strict=True):
            deviation[self._slices[name]] = value
        return mean, deviation

    @cached_property
    def _bounds(self) -> list[tuple[float, float]]:
        scales = [(f, f) if f else _SCALES for f in self._fixed]
        bounds = [(float(np.log(low)), float(np.log(high))) for low, high in scales]
        for name in ("weight", "order", "noise"):
            part = self._slices[name]
            bounds += [_BOUNDS[name]] * (part.stop - part.start)
        return bounds + [_WARP_BOUNDS] * int(self._warped.sum())

    def solve(
        self, start: FloatArray | None = None, *, max_iter: int = 50
    ) -> AnovaEvidenceResult:
        """Maximise evidence times prior by L-BFGS from one start.

        Parameters
        ----------
        start : ndarray of shape (n_parameters,) or None, default=None
            Parameters of a similar problem; None: `start`.
        max_iter : int, default=50

        Returns
        -------
        AnovaEvidenceResult
        """
        found = minimize(
            self.objective,
            self.start if start is None else start,
            jac=True,
            method="L-BFGS-B",
            bounds=self._bounds,
            options={"maxiter": max_iter, "maxfun": max_iter + max_iter // 3 + 2},
        )
        low, high = np.array(self._bounds).T
        step = np.clip(found.x - found.jac, low, high) - found.x
        norm = float(np.abs(step).max(initial=0.0))
        scale = 1.0 + abs(float(found.fun))
        done = found.success or norm <= _GRADIENT_TOLERANCE * scale
        return self._result(
            "optimal" if done else "stalled", int(found.nit), found.x, norm
        )

    def objective(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Give minus the logarithm of evidence times prior, and its gradient.

        Parameters
        ----------
        parameters : ndarray of shape (n_parameters,)
            log scales, log weights, log order weights, log noise, log rates.

        Returns
        -------
        value : float
        gradient : ndarray of shape (n_parameters,)
        """
        orders, noise, table = self._unpack(parameters)
        K, kernels = anova_gram(table, orders)
        factor = self._factor(K, noise)
        if factor is None:
            return _FAILED, np.zeros_like(parameters)
        alpha = cho_solve((factor, True), self._means, check_finite=False)
        value = 0.5 * self._means @ alpha + np.log(np.diag(factor)).sum()
        value += 0.5 * self._surplus * np.log(noise) + 0.5 * self._spread / noise
        inverse, _ = dpotri(factor, lower=1)  # its lower triangle only
        slope = inverse - np.outer(alpha, alpha)
        gradient = self._gradient(orders, noise, table, kernels, slope)
        mean, deviation = self._prior
        score = (parameters - mean) / deviation
        return float(value + 0.5 * score @ score), gradient + score / deviation

    def _gradient(
        self,
        orders: FloatArray,
        noise: float,
        table: AttributeTable,
        kernels: FloatArray,
        slope: FloatArray,
    ) -> FloatArray:
        """Give half the sum of slope * d(K + noise) for each parameter."""
        scale, weight, order, warp = anova_slopes(table, orders, kernels, slope)
        gradient = np.zeros_like(self.start)
        gradient[self._slices["scale"]] = scale
        gradient[self._slices["weight"]] = weight
        gradient[self._slices["order"]] = orders * order
        gradient[self._slices["warp"]] = warp[self._warped]
        gradient[self._slices["noise"]] = 0.5 * (
            noise * np.sum(np.diag(slope) / self._counts)
            + self._surplus
            - self._spread / noise
        )
        return gradient

    def _unpack(
        self, parameters: FloatArray
    ) -> tuple[FloatArray, float, AttributeTable]:
        values = np.exp(parameters)
        rates = np.zeros(len(self._warped))
        rates[self._warped] = values[self._slices["warp"]]
        table = attribute_table(
            self.items,
            self._measures,
            values[self._slices["scale"]],
            values[self._slices["weight"]],
            rates,
        )
        noise = float(values[self._slices["noise"]][0])
        return values[self._slices["order"]], noise, table

    def _factor(self, K: FloatArray, noise: float) -> FloatArray | None:
        """Factorise the covariance of the mean ratings of the distinct items."""
        K[np.diag_indices_from(K)] += noise / self._counts + _JITTER
        try:
            factor: FloatArray = cholesky(
                K, lower=True, overwrite_a=True, check_finite=False
            )
        except np.linalg.LinAlgError:
            return None
        return factor

    def _result(
        self, status: str, n_iter: int, parameters: FloatArray, norm: float
    ) -> AnovaEvidenceResult:
        value, _ = self.objective(parameters)
        orders, noise, table = self._unpack(parameters)
        K, _ = anova_gram(table, orders)
        factor = self._factor(K, noise)
        coef = np.zeros(len(self.items))
        if factor is not None:
            coef = cho_solve((factor, True), self._means)
        rates = np.zeros(len(self._warped))
        rates[self._warped] = np.exp(parameters[self._slices["warp"]])
        return AnovaEvidenceResult(
            status=status,
            n_iter=n_iter,
            objective=value,
            gradient_norm=norm,
            parameters=parameters,
            scales=np.exp(parameters[self._slices["scale"]]),
            weights=np.exp(parameters[self._slices["weight"]]),
            rates=rates,
            order_weights=orders,
            noise=noise,
            items=self.items,
            coef=coef,
        )
