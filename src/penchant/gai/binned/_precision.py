"""How sure a fit over bins is: what Bayes says of its curves and pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, eigvalsh
from scipy.special import ndtri

from penchant.gai.binned._bins import Axis, eigenfunctions, features_of
from penchant.gai.binned._cones import mid_ranks
from penchant.gai.binned._fit import BinnedFit
from penchant.gai.binned._groups import Group
from penchant.gai.binned._solver import BinnedProblem, Point
from penchant.typing import FloatArray
from penchant.utility import Factor

_RANK, _COLUMNS = 8, 64
"""Of pairs; the fit may have fewer."""
_SMOOTH_RANKS, _SMOOTH_COLUMNS = (12, 3), (12, 10)
_ALL_PAIRS = 1_500
"""Columns of each kind that all pairs may have together."""
_FEW = 3
"""Groups of so few columns are free: nothing can be learned of their scale."""
_ROUNDS = 4
_SCALES = 10.0 ** np.linspace(-7.0, 2.5, 150)
_RIDGE = 1e-9


class FactorError(NamedTuple):
    """What is known of the error of a factor's function at some places.

    Parameters
    ----------
    shift : ndarray of shape (n_places,)
        The truth to expect, less the function.
    spread : ndarray of shape (n_places,)
        The standard deviation of the truth around that.
    """

    shift: FloatArray
    spread: FloatArray


def has_errors(fit: BinnedFit) -> bool:
    """Tell whether the loss is a likelihood and no coefficient is held at a bound."""
    if fit.state is None or fit.solver != "binned":
        return False
    problem, _ = fit.state
    free = all(isinstance(g, Group) and not g.is_cone for g in problem.groups)
    return free and problem.loss.is_likelihood


def factor_errors(
    fit: BinnedFit, places: Mapping[Factor, FloatArray]
) -> dict[Factor, FactorError]:
    """Tell how far the truth should be from factors at some places.

    The intervals of Wahba (1983) and Nychka (1988), with free null spaces as in Marra
    and Wood (2012). A curve is a line, which is free, and a sum of two normal priors: a
    rough one, that of the fit, and a smooth one, a quintic spline, which can be steep
    at the ends. A pair has such a sum, too, with more features than the fit has, and
    what these leave out is a part of the variance. How large each part is, is averaged
    over what the data say of it. The penalty has no say in the truth: it tells where
    the fit is, and so how far it was pulled.

    Parameters
    ----------
    fit : BinnedFit
        For which `has_errors`.
    places : mapping of tuple of int to ndarray of shape (n_places, n_attributes)
        Encoded values of the attributes of each factor.
    """
    assert fit.state is not None
    parts = _Parts(*fit.state, list(places))
    posterior = parts.posterior()
    return {
        factor: posterior.error(parts, factor, values)
        for factor, values in places.items()
    }


class _Parts:
    """The groups that factors are made of, for bands, and where the fit is.

    Parameters
    ----------
    problem : BinnedProblem
    point : Point
    factors : list of tuple of int
    """

    def __init__(
        self, problem: BinnedProblem, point: Point, factors: Sequence[Factor]
    ) -> None:
        self._skewed = {
            g.factor[0] for g in problem.groups if isinstance(g, Group) and g.is_rank
        }
        n_pairs = max(1, sum(len(factor) == 2 for factor in factors))
        self._n_columns = max(_ALL_PAIRS // n_pairs, 16)
        found = [
            piece
            for k, group in enumerate(problem.groups)
            if isinstance(group, Group) and group.factor in factors
            for piece in self._pieces(group, point.coefs.get(k))
        ]
        self.groups = [group for group, _ in found]
        coefs = {k: coef for k, (_, coef) in enumerate(found)}
        self.problem = replace(problem, groups=self.groups)
        self.point = replace(point, coefs=coefs)
        ends = np.cumsum([group.size for group in self.groups])
        self.slices = [
            slice(end - group.size, end)
            for end, group in zip(ends, self.groups, strict=True)
        ]

    def _pieces(
        self, group: Group, coef: FloatArray | None
    ) -> Iterator[tuple[Group, FloatArray]]:
        """Yield a group, which may be a richer one, and its smooth companion."""
        coef = np.zeros(group.size) if coef is None else coef
        order = len(group.factor) - 1
        if order == 1:
            table = group.table(coef)
            tables = tuple(_rough(axis, order, _RANK) for axis in group.axes)
            n_columns = min(_COLUMNS, self._n_columns)
            group = replace(group, tables=tables, n_columns=n_columns)
            coef = group.coefficients(table)
        yield group, coef
        if group.is_line or group.is_rank or any(a.is_categorical for a in group.axes):
            return
        tables = tuple(
            _smooth(axis, order, i in self._skewed)
            for axis, i in zip(group.axes, group.factor, strict=True)
        )
        n_columns = min(_SMOOTH_COLUMNS[order], self._n_columns)
        smooth = replace(group, tables=tables, n_columns=n_columns)
        yield smooth, np.zeros(smooth.size)

    def posterior(self) -> "_Posterior":
        """Find the normal approximation, the scales of priors and the noise."""
        problem, point = self.problem, self.point
        problem.update_model(point)
        every = range(len(self.groups))
        pricing = problem.price(point, every)
        is_known = not problem.loss.is_quadratic  # the loss knows the noise
        found = _Posterior(
            H=problem.model.part(every),
            pull=problem.model.stacked(pricing.correlations),
            coef=problem.model.stacked(point.coefs),
            n_rows=problem.total,
            loss=pricing.loss,
            noise=1.0 if is_known else 2.0 * pricing.loss,
            slices=self.slices,
            scales=[np.inf if _is_free(group) else 1e-2 for group in self.groups],
        )
        for _ in range(_ROUNDS):
            if not is_known:
                found.learn_noise()
            found.learn_scales()
        return found


def _is_free(group: Group) -> bool:
    return group.is_line or group.is_rank or group.size <= _FEW


@dataclass(eq=False, kw_only=True)
class _Posterior:
    """Coefficients around those of the fit: N(coef + change, covariance).

    Parameters
    ----------
    H : ndarray of shape (n_columns, n_columns)
        Curvature of the mean loss.
    pull, coef : ndarray of shape (n_columns,)
        What the data would change, and where the fit is.
    n_rows, loss, noise : float
    slices : list of slice
        The columns of each part.
    scales : list of float
        The prior variance of the coefficients of each part; inf: free.
    """

    H: FloatArray
    pull: FloatArray
    coef: FloatArray
    n_rows: float
    loss: float
    noise: float
    slices: list[slice]
    scales: list[float]

    def __post_init__(self) -> None:
        least = float(eigvalsh(self.H, subset_by_index=[0, 0])[0])
        # Where columns follow from others, rounding leaves curvature below 0.
        self._ridge = max(_RIDGE * float(np.mean(np.diag(self.H))), -2.0 * least)
        self._solve()

    def _solve(self) -> None:
        prior = np.zeros(len(self.coef))
        for own, scale in zip(self.slices, self.scales, strict=True):
            prior[own] = self.noise / self.n_rows / scale
        matrix = self.H.copy()
        matrix.flat[:: len(matrix) + 1] += prior + self._ridge
        inverse = cho_solve((cholesky(matrix, lower=True), True), np.eye(len(matrix)))
        self.change: FloatArray = inverse @ (self.pull - prior * self.coef)
        self.n_free = float(len(prior) - np.diag(inverse) @ (prior + self._ridge))
        self.covariance: FloatArray = self.noise / self.n_rows * inverse

    def learn_noise(self) -> None:
        """Take what is left of the squares over the degrees of freedom."""
        move = self.change
        left = float(2.0 * self.loss + move @ (self.H @ move - 2.0 * self.pull))
        self.noise = left * self.n_rows / max(self.n_rows - self.n_free - 1.0, 1.0)

    def learn_scales(self) -> None:
        """Take for each prior the mean scale, given the data and the other priors.

        Standard deviations are alike likely beforehand (Gelman 2006). A most likely
        scale may be 0, as if it were known that there is nothing.
        """
        mean = self.coef + self.change
        for k, own in enumerate(self.slices):
            if np.isinf(self.scales[k]):
                continue
            precision = np.linalg.inv(self.covariance[own, own])
            linear = precision @ mean[own]
            precision.flat[:: len(precision) + 1] -= 1.0 / self.scales[k]
            values, vectors = np.linalg.eigh(precision)  # of the likelihood
            bends = _SCALES[:, None] * np.maximum(values, 0.0)
            gains = _SCALES[:, None] * (vectors.T @ linear) ** 2 / (1.0 + bends)
            evidence = 0.5 * (gains - np.log1p(bends)).sum(axis=1)
            weights = np.exp(evidence - evidence.max()) * np.sqrt(_SCALES)
            self.scales[k] = float(weights @ _SCALES / weights.sum())
        self._solve()

    def error(self, parts: _Parts, factor: Factor, values: FloatArray) -> FactorError:
        """Give the error of a factor at some places."""
        mine = [k for k, group in enumerate(parts.groups) if group.factor == factor]
        columns = np.hstack([parts.groups[k].columns_at(values) for k in mine])
        chosen = np.hstack([np.r_[self.slices[k]] for k in mine])
        covariance = self.covariance[np.ix_(chosen, chosen)]
        variance: FloatArray = np.sum(columns @ covariance * columns, axis=1)
        rough = next((k for k in mine if not _is_free(parts.groups[k])), None)
        if rough is not None:
            left_out = _left_out(parts.groups[rough], values)
            variance = variance + self.scales[rough] * left_out
        if len(factor) == 2:
            mean = self.coef + self.change
            pieces = [parts.groups[k].table(mean[self.slices[k]]) for k in mine]
            axes = parts.groups[mine[0]].axes
            variance += _within_cells(axes, np.sum(pieces, axis=0), values)
        return FactorError(columns @ self.change[chosen], np.sqrt(variance))


def _rough(axis: Axis, order: int, rank: int) -> FloatArray:
    """Give features of the fit's kernel."""
    line = axis.lines if order == 0 and axis.has_line else None
    return features_of(axis.shares[order], axis.is_categorical, line, rank)


def _left_out(group: Group, values: FloatArray) -> FloatArray:
    """Give the prior variance that the features of a rough group do not have."""
    order = len(group.factor) - 1
    whole = np.full(len(values), group.scale**2)
    pairs = zip(group.axes, group.tables, values.T, strict=True)
    for axis, table, column in pairs:
        every = _rough(axis, order, len(table))
        kept = axis.shares[order] @ every[:, : table.shape[1]] ** 2
        diagonal = np.sum(every**2, axis=1) / kept.sum()
        whole *= diagonal[axis.cells[order][axis.fine(column)]]
    inside = np.sum(group.columns_at(values) ** 2, axis=1)
    return np.maximum(whole - inside, 0.0)


def _within_cells(
    axes: Sequence[Axis], table: FloatArray, values: FloatArray
) -> FloatArray:
    """Give the square of what a surface may change by from a cell's mean to a place.

    Cells of a pair are level. Where few rows are far apart, the truth is not.
    """
    cells = [
        axis.cells[1][axis.fine(x)] for axis, x in zip(axes, values.T, strict=True)
    ]
    total = np.zeros(len(values))
    for place, (axis, x) in enumerate(zip(axes, values.T, strict=True)):
        means = _means(axis, 1)
        gaps = np.diff(means[:-1])
        if not (axis.has_line and len(gaps) and gaps.min() > 0):
            continue
        away = (x - axis.centre) / axis.spread - means[cells[place]]
        known = np.moveaxis(table, place, 0)[:-1]
        slopes = np.gradient(known, means[:-1], axis=0)
        slopes = np.moveaxis(np.concatenate([slopes, 0.0 * slopes[:1]]), 0, place)
        total += (slopes[cells[0], cells[1]] * np.nan_to_num(away)) ** 2
    return total


def _smooth(axis: Axis, order: int, is_skewed: bool) -> FloatArray:
    """Give features of a quintic spline: a parabola, and what bends otherwise.

    In a pair also a line; of a curve that is a group of its own. Blanks are at 0.
    """
    shares = axis.shares[order].copy()
    shares[-1] = 0.0
    places = _places(axis, order, is_skewed)
    powers = places[:, None] ** np.arange(3)
    moments = (shares[:, None] * powers).T
    away = np.eye(len(places)) - powers @ np.linalg.pinv(moments @ powers) @ moments
    distances = np.abs(np.subtract.outer(places, places))
    kernel = -away @ distances**5 @ away.T
    kernel *= len(kernel) / max(np.trace(kernel), 1e-300)
    features = [eigenfunctions(kernel, shares, moments, _SMOOTH_RANKS[order])]
    for degree in (1, 2)[order == 0 :]:
        simpler, own = powers[:, :degree], moments[:degree]
        rest = powers[:, degree] - simpler @ (
            np.linalg.pinv(own @ simpler) @ (own @ powers[:, degree])
        )
        size = np.sqrt(shares @ rest**2)
        features.append(
            rest[:, None] / size if size > 1e-6 else np.zeros((len(rest), 0))
        )
    table: FloatArray = np.hstack(features) / np.sqrt(len(features))
    table[-1] = 0.0
    return table


def _places(axis: Axis, order: int, is_skewed: bool) -> FloatArray:
    """Place cells in [0, 1]: by their values or, if these are skewed, their ranks.

    In a pair the ranks are those of a normal attribute.
    """
    if is_skewed:
        places = mid_ranks(axis, order)
        if order:  # a pair has no line over values: its far cells have to be far away
            scores = ndtri(places)
            places = (scores - scores[0]) / max(np.ptp(scores), 1e-300)
        return np.append(places, 0.5)
    means = _means(axis, order)
    low, width = means[:-1].min(), max(np.ptp(means[:-1]), 1e-300)
    return np.asarray((means - low) / width)


def _means(axis: Axis, order: int) -> FloatArray:
    """Give the mean of the linear column in each cell."""
    mass = np.bincount(axis.cells[order], axis.shares[0])
    sums = np.bincount(axis.cells[order], axis.shares[0] * axis.lines)
    return np.asarray(sums / np.maximum(mass, 1e-300))
