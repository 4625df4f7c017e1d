"""Rated items whose true utility is known."""

from dataclasses import dataclass
from math import comb

import numpy as np
from scipy.interpolate import BSpline
from scipy.stats import qmc
from sklearn.utils import check_array

from penchant.datasets._checks import check_at_least, check_generator, check_noise
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, RandomState

_DEGREE = 2
_N_SCALE = 256  # Sobol points that fix the scale: a sample like the paper's


@dataclass(frozen=True, eq=False)
class SplineUtility:
    """A sum of products of univariate splines that have mean 0 and variance 1.

    ``u(x) = offset + scale * sum_S prod_{i in S} g_{S,i}(x_i)``. Each ``g`` is a
    quadratic B-spline series with integral 0 and squared integral 1 on [0, 1], so
    the terms are the ANOVA decomposition of ``u`` under the uniform distribution
    and all have the same variance, ``scale**2``.

    Parameters
    ----------
    n_features : int
        Number of attributes.
    factors : tuple of tuples of int
        Sets of attributes, each sorted.
    coefficients : tuple of ndarrays of shape (factor size, n_basis)
        B-spline coefficients of the functions ``g``, one row per attribute of the
        factor, in the basis with equally long pieces.
    offset, scale : float
        Fixed by `make_gai` so that the utility runs from 0 to 1.
    """

    n_features: int
    factors: tuple[tuple[int, ...], ...]
    coefficients: tuple[FloatArray, ...]
    offset: float = 0.0
    scale: float = 1.0

    def utility(self, X: ArrayLike) -> FloatArray:
        """Give the utility of each row of X, whose entries are in [0, 1]."""
        return self.offset + sum(self.decompose(X).values(), np.zeros(1))

    def decompose(self, X: ArrayLike) -> dict[tuple[int, ...], FloatArray]:
        """Give each factor's part of the utility of each row of X."""
        items = _check_items(X, self.n_features)
        n_basis = self.coefficients[0].shape[1]
        basis = [_basis(column, n_basis) for column in items.T]
        parts = {}
        for factor, coefficients in zip(self.factors, self.coefficients, strict=True):
            splines = [
                basis[attribute] @ row
                for attribute, row in zip(factor, coefficients, strict=True)
            ]
            parts[factor] = self.scale * np.prod(splines, axis=0)
        return parts


@dataclass(frozen=True)
class ProductUtility:
    """The utility ``sum_i x_i + 1000 prod_i x_i``: one interaction of all attributes.

    Parameters
    ----------
    n_features : int
        Number of attributes.
    """

    n_features: int

    @property
    def factors(self) -> tuple[tuple[int, ...], ...]:
        """One factor with all attributes: it includes every term."""
        return (tuple(range(self.n_features)),)

    def utility(self, X: ArrayLike) -> FloatArray:
        """Give the utility of each row of X, whose entries are in [0, 1]."""
        items = _check_items(X, self.n_features)
        return items.sum(axis=1) + 1000.0 * items.prod(axis=1)


@dataclass(frozen=True, eq=False)
class RatedSample:
    """Items with noisy ratings, and the utility behind them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Items, uniform on the unit cube.
    y : ndarray of shape (n_samples,)
        Ratings: the utility plus Gaussian noise.
    model : SplineUtility or ProductUtility
        The utility without noise.
    """

    X: FloatArray
    y: FloatArray
    model: SplineUtility | ProductUtility

    @property
    def factors(self) -> tuple[tuple[int, ...], ...]:
        """The true factors: sorted tuples of attribute indices."""
        return self.model.factors

    def utility(self, X: ArrayLike) -> FloatArray:
        """Give the utility without noise of each row of X."""
        return self.model.utility(X)


def make_gai(
    n_samples: int = 140,
    n_features: int = 10,
    *,
    n_factors: int = 10,
    max_size: int = 2,
    n_basis: int = 3,
    noise: float = 0.05,
    random_state: RandomState = None,
) -> RatedSample:
    """Draw a utility with a sparse GAI decomposition, and rate random items with it.

    The utility is a sum of tensor products of zero-mean quadratic splines, as in
    the third synthetic experiment of Herin et al. (2024). It is drawn before the
    items, so the same `random_state` gives the same utility for any `n_samples`.

    Parameters
    ----------
    n_samples : int
        Number of rated items, uniform on the unit cube.
    n_features : int
        Number of attributes.
    n_factors : int
        Number of factors, all different.
    max_size : int
        Attributes in the largest factor. One factor has this size; the sizes of
        the others are uniform on 1 to `max_size`, as long as sets of that size
        are left.
    n_basis : int
        B-splines per attribute, at least 3: `n_basis` - 2 pieces of equal length. One
        piece gives errors like those of the paper; more make for harder tasks.
        The coefficients are standard normal before each spline is centred and
        scaled.
    noise : float
        Standard deviation of the noise of the ratings. The utility runs from 0 to
        1 over 256 Sobol points of the cube, so 0.05 is a twentieth of its range.
    random_state : int, RandomState, Generator or None
        Seed or source of randomness.

    Returns
    -------
    RatedSample
        With ``X``, ``y``, ``factors`` and ``utility(X)``.

    References
    ----------
    Herin, Perny and Sokolovska, "Learning GAI-decomposable utility models for
    multiattribute decision making", AAAI 2024.

    Examples
    --------
    >>> from penchant.datasets import make_gai
    >>> sample = make_gai(100, 4, n_factors=3, noise=0.0, random_state=0)
    >>> sample.factors
    ((0,), (1,), (2, 3))
    >>> bool(abs(sample.utility(sample.X) - sample.y).max() == 0)
    True
    """
    check_at_least("n_samples", n_samples, 1)
    check_at_least("n_features", n_features, 1)
    check_at_least("n_factors", n_factors, 1)
    check_at_least("n_basis", n_basis, _DEGREE + 1)
    check_noise(noise)
    rng = check_generator(random_state)
    factors = _draw_factors(n_features, n_factors, max_size, rng)
    draws = tuple(rng.standard_normal((len(factor), n_basis)) for factor in factors)
    model = _to_unit_range(SplineUtility(n_features, factors, _standardise(draws)))
    return _rate(model, rng.random((n_samples, n_features)), noise, rng)


def make_product_utility(
    n_samples: int = 70,
    n_features: int = 6,
    *,
    noise: float = 0.05,
    random_state: RandomState = None,
) -> RatedSample:
    """Rate random items with ``sum_i x_i + 1000 prod_i x_i``.

    The second synthetic experiment of Herin et al. (2024): an interaction of all
    attributes, which no utility with small factors can follow.

    Parameters
    ----------
    n_samples : int
        Number of rated items, uniform on the unit cube.
    n_features : int
        Number of attributes.
    noise : float
        Standard deviation of the noise, in units of the utility, which runs from
        0 to ``n_features + 1000``. The paper does not say whether its 0.05 is on
        this scale or on that of the normalised utility; for the latter multiply by
        the range of the noise-free ratings.
    random_state : int, RandomState, Generator or None
        Seed or source of randomness.

    Returns
    -------
    RatedSample
        With ``X``, ``y``, ``factors`` and ``utility(X)``.

    References
    ----------
    Herin, Perny and Sokolovska, "Learning GAI-decomposable utility models for
    multiattribute decision making", AAAI 2024, Table 1.

    Examples
    --------
    >>> from penchant.datasets import make_product_utility
    >>> sample = make_product_utility(random_state=0)
    >>> sample.utility([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0]]).tolist()
    [1006.0, 5.0]
    """
    check_at_least("n_samples", n_samples, 1)
    check_at_least("n_features", n_features, 1)
    check_noise(noise)
    rng = check_generator(random_state)
    model = ProductUtility(n_features)
    return _rate(model, rng.random((n_samples, n_features)), noise, rng)


def _rate(
    model: SplineUtility | ProductUtility,
    X: FloatArray,
    noise: float,
    rng: np.random.Generator,
) -> RatedSample:
    y = model.utility(X) + noise * rng.standard_normal(len(X))
    return RatedSample(X, y, model)


def _check_items(X: ArrayLike, n_features: int) -> FloatArray:
    items: FloatArray = check_array(X, dtype=np.float64)
    if items.shape[1] != n_features:
        raise DataError(
            f"This utility is defined on {n_features} attributes. "
            f"Got items with {items.shape[1]}."
        )
    if items.min() < 0 or items.max() > 1:
        raise DataError(
            "This utility is defined on the unit cube. "
            f"Got entries from {items.min():g} to {items.max():g}."
        )
    return items


def _draw_factors(
    n_features: int, n_factors: int, max_size: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """Different sets of attributes, sorted; at least one of the largest size."""
    if not 1 <= max_size <= n_features:
        raise DataError(
            f"max_size must be 1 to n_features ({n_features}). Got {max_size}."
        )
    left = {size: comb(n_features, size) for size in range(1, max_size + 1)}
    if n_factors > sum(left.values()):
        raise DataError(
            f"There are only {sum(left.values())} sets of 1 to {max_size} of "
            f"{n_features} attributes. Got n_factors={n_factors}."
        )
    factors: set[tuple[int, ...]] = set()
    while len(factors) < n_factors:
        open_sizes = [size for size, count in left.items() if count]
        size = int(rng.choice(open_sizes)) if factors else max_size
        factors.add(_draw_new(factors, n_features, size, rng))
        left[size] -= 1
    return tuple(sorted(factors))


def _draw_new(
    factors: set[tuple[int, ...]], n_features: int, size: int, rng: np.random.Generator
) -> tuple[int, ...]:
    """Draw sets of this size until one is not among the factors."""
    while True:
        drawn = rng.choice(n_features, size, replace=False)
        factor = tuple(int(attribute) for attribute in np.sort(drawn))
        if factor not in factors:
            return factor


def _basis(x: FloatArray, n_basis: int) -> FloatArray:
    """Quadratic B-splines with equal pieces at the points x, (n_points, n_basis)."""
    inner = np.linspace(0.0, 1.0, n_basis - _DEGREE + 1)
    knots = np.concatenate([np.zeros(_DEGREE), inner, np.ones(_DEGREE)])
    return BSpline.design_matrix(x, knots, _DEGREE).toarray()


def _standardise(draws: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """Give every spline (a row) integral 0 and squared integral 1."""
    n_basis = draws[0].shape[1]
    # three Gauss points per piece are exact up to degree 5; a square has degree 4
    nodes, weights = np.polynomial.legendre.leggauss(3)
    n_pieces = n_basis - _DEGREE
    points = (np.arange(n_pieces)[:, None] + (nodes + 1.0) / 2.0).ravel() / n_pieces
    design = _basis(points, n_basis)
    measure = np.tile(weights / 2.0, n_pieces) / n_pieces
    standardised = []
    for draw in draws:
        # B-splines add up to 1, so shifting coefficients shifts the function
        centred = draw - (draw @ (design.T @ measure))[:, None]
        norms = np.sqrt((centred @ design.T) ** 2 @ measure)
        standardised.append(centred / norms[:, None])
    return tuple(standardised)


def _to_unit_range(model: SplineUtility) -> SplineUtility:
    sampler = qmc.Sobol(model.n_features, scramble=False)
    values = model.utility(sampler.random(_N_SCALE))
    scale = 1.0 / np.ptp(values)
    return SplineUtility(
        model.n_features,
        model.factors,
        model.coefficients,
        offset=float(-values.min() * scale),
        scale=float(scale),
    )
