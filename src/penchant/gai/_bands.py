"""How sure the curves and surfaces of a GAI model are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import ncx2, norm
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from penchant._validation import check_weights
from penchant.exceptions import DataError
from penchant.gai.binned import BinnedFit, FactorError, factor_errors, has_errors
from penchant.typing import FloatArray
from penchant.utility import Factor, GAIModel


@dataclass(frozen=True, eq=False)
class Band:
    """A curve or surface of a model, and where the true one should lie.

    Parameters
    ----------
    grid : tuple of list
        Values of each attribute of the factor, in the units of the user.
    values, low, high : ndarray of shape (n_points,) or (n_points, n_points)
        The factor's function, and the ends of the band, at each point of the grid.
    """

    grid: tuple[list[Any], ...]
    values: FloatArray
    low: FloatArray
    high: FloatArray


def curve_bands(
    model: GAIModel,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    n_resamples: int = 20,
    level: float = 0.9,
    n_points: int = 25,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> dict[Factor, Band]:
    """Fit the model again and tell how sure its factors are.

    The band of a factor at a point is its value plus and minus what the error to expect
    there stays below, in size, with probability `level`. It holds point by point, not
    for whole curves, and for the factors as the model centres them.

    Models of the binned solver with squared or logistic loss are fitted once more, and
    the error is a Bayesian one: the truth of a curve is a line and two normal priors, a
    rough and a smooth one, whose scales are averaged over the data; the posterior mean
    tells how far the penalty has pulled the fit. With 300 and 1,500 rows of six
    planted functions (20 draws of each), bands of level .9 held the truth at 91 to 97 %
    of the points of curves, at 79 to 99 % of the two outermost on each side, and at
    93 to 100 % of the points of pairs. Do not rely on them where attributes of a pair
    are skewed: far beyond most rows a surface is level, and though its band is wide
    there, 88 and 81 % of the points of pairs were held where the truth is a product of
    logarithms, 68 and 65 % (of curves 93 and 78 %) where it is the root of a product.

    Other models (exact solver, tube, hinge, `monotone`, linear, several classes) are
    fitted to rows drawn with replacement, `n_resamples` times; the error is the root
    mean square of the differences of these fits to the first one. Such bands are too
    narrow where the first fit is pulled towards zero: at level .9 they held 72 to 81 %.

    Parameters
    ----------
    model : fitted GAIRegressor, GAIRanker or GAIClassifier
    X, y, sample_weight
        What it was fitted to.
    n_resamples : int, default=20
    level : float, default=0.9
        Share of points at which the true function should lie within the band.
    n_points : int, default=25
        Points along each attribute.
    n_jobs : int or None, default=None
        Fits at the same time.
    random_state : int, RandomState or None, default=0
        Draws the rows.

    Returns
    -------
    dict of tuple of int to Band
        For the factors of one or two attributes.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import GAIRegressor, curve_bands
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> y = np.sin(4 * X[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=200)
    >>> model = GAIRegressor().fit(X, y)
    >>> band = curve_bands(model, X, y, n_resamples=5)[0,]
    >>> bool(np.mean(band.high - band.low) < 0.3)
    True
    """
    check_is_fitted(model)
    if not 0 < level < 1:
        raise DataError(f"level must lie between 0 and 1. Got {level!r}.")
    if n_resamples < 2:
        raise DataError(f"n_resamples must be 2 or more. Got {n_resamples}.")
    factors = [factor for factor in model.factors_ if len(factor) <= 2]
    grids = {f: tuple(model.encoding_.grid(i, n_points) for i in f) for f in factors}
    weights = check_weights(sample_weight, len(y), "sample_weight")
    values = _on_grids(model, grids)
    widths = _local_widths(model, X, y, weights, grids, level)
    if widths is None:
        counts = check_random_state(random_state).multinomial(
            len(y), np.full(len(y), 1 / len(y)), n_resamples
        )
        fits = Parallel(n_jobs=n_jobs)(
            delayed(_refit)(model, X, y, weights * count, grids) for count in counts
        )
        moves = {f: np.stack([fit[f] for fit in fits]) - values[f] for f in factors}
        wide = float(norm.ppf((1.0 + level) / 2.0))
        widths = {f: wide * np.sqrt(np.mean(moves[f] ** 2, axis=0)) for f in factors}
    return {
        f: Band(grids[f], v, v - widths[f], v + widths[f]) for f, v in values.items()
    }


def _local_widths(
    model: GAIModel,
    X: Any,
    y: Any,
    weights: FloatArray,
    grids: dict[Factor, tuple[list[Any], ...]],
    level: float,
) -> dict[Factor, FloatArray] | None:
    """Give half the width of each band by Bayes; None: the fit has no likelihood."""
    if getattr(model, "solver_", "") != "binned":
        return None
    again: Any = clone(model)
    fits: list[BinnedFit] = []
    again._witness = fits
    again.fit(X, y, sample_weight=weights)
    if len(fits) != 1 or not has_errors(fits[0]):
        return None
    encoding, columns = model.encoding_, list(model.encoding_.active)
    places, shapes = {}, {}
    for factor, grid in grids.items():
        sides = [
            encoding.column(i, np.asarray(g)) for i, g in zip(factor, grid, strict=True)
        ]
        mesh = np.meshgrid(*sides, indexing="ij")
        shapes[factor] = mesh[0].shape
        own = tuple(columns.index(i) for i in factor)
        places[own] = np.stack([side.ravel() for side in mesh], axis=1)
    errors = factor_errors(fits[0], places)
    # The fit is in units of its own.
    unit = again.utility_.weights[0] / fits[0].utility.weights[0] if grids else 1.0
    return {
        factor: unit * _half_width(error, level).reshape(shapes[factor])
        for factor, error in zip(grids, errors.values(), strict=True)
    }


def _half_width(error: FactorError, level: float) -> FloatArray:
    """Give what a normal error stays below, in size, so often."""
    spread = np.maximum(error.spread, 1e-300)
    square = ncx2.ppf(level, 1, (error.shift / spread) ** 2)
    return np.asarray(spread * np.sqrt(square))


def _refit(
    model: GAIModel,
    X: Any,
    y: Any,
    weights: FloatArray,
    grids: dict[Factor, tuple[list[Any], ...]],
) -> dict[Factor, FloatArray]:
    return _on_grids(clone(model).fit(X, y, sample_weight=weights), grids)


def _on_grids(
    model: GAIModel, grids: dict[Factor, tuple[list[Any], ...]]
) -> dict[Factor, FloatArray]:
    """Evaluate factors; those that a fit did not find are zero."""
    return {
        factor: _on_grid(model, factor, grid)
        if factor in model.factors_
        else np.zeros([len(values) for values in grid])
        for factor, grid in grids.items()
    }


def _on_grid(
    model: GAIModel, factor: Factor, grid: tuple[list[Any], ...]
) -> FloatArray:
    points = np.meshgrid(*(np.arange(len(values)) for values in grid), indexing="ij")
    columns = [
        np.asarray(values)[places.ravel()]
        for values, places in zip(grid, points, strict=True)
    ]
    found: FloatArray = np.asarray(model.factor_function(factor)(*columns))
    return found.reshape(points[0].shape)
