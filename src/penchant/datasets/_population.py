"""People with tastes that resemble each other, and what they answered."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.linalg import cholesky
from scipy.spatial.distance import cdist

from penchant._validation import frozen_array
from penchant.data import Comparisons
from penchant.datasets._checks import check_at_least, check_generator, check_noise
from penchant.exceptions import DataError
from penchant.typing import FloatArray, RandomState

_JITTER = 1e-8  # keeps the Cholesky factor of a nearly singular kernel


@dataclass(frozen=True, eq=False)
class Population:
    """People, items, true utilities, and comparisons that the people made.

    Parameters
    ----------
    X_items : ndarray of shape (n_items, n_item_features)
        Features of the items, in [0, 1].
    X_users : ndarray of shape (n_users, n_user_features)
        Features of the people, in [0, 1].
    utilities : ndarray of shape (n_users, n_items)
        What each item is worth to each person.
    comparisons : Comparisons
        Answers; the users are rows of `utilities`.
    segments : tuple of str of length n_users, or None
        The kind of person, where the population is made of kinds.
    """

    X_items: FloatArray
    X_users: FloatArray
    utilities: FloatArray
    comparisons: Comparisons
    segments: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("X_items", "X_users", "utilities"):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))


def make_population(
    n_users: int = 50,
    n_items: int = 20,
    *,
    n_item_features: int = 3,
    n_user_features: int = 2,
    n_comparisons: int = 10,
    agreement: float = 0.1,
    noise: float = 0.0,
    random_state: RandomState = None,
) -> Population:
    """Draw people whose tastes are alike as far as they and the items are alike.

    Features are uniform on the unit cube. The utilities are one draw of a Gaussian
    process with covariance ``(a + (1 - a) k(s, t)) k(x, y)`` between user s, item x
    and user t, item y: ``a`` is the agreement and ``k`` the squared-exponential
    kernel with length scale ``sqrt(number of features) / 4``.

    Parameters
    ----------
    n_users, n_items : int
        Number of people and of items.
    n_item_features, n_user_features : int
        Number of features that describe an item and a person.
    n_comparisons : int
        Different pairs of items that each person compares.
    agreement : float
        Between 0 and 1: the correlation of the tastes of two people who have
        nothing in common. At 1 all have the same taste.
    noise : float
        Standard deviation of the noise that is added to a difference of utilities
        when a person answers; utilities have prior variance 1.
    random_state : int, RandomState, Generator or None
        Seed or source of randomness.

    Returns
    -------
    Population

    Notes
    -----
    Time is cubic in `n_users` and in `n_items`.

    Examples
    --------
    >>> from penchant.datasets import make_population
    >>> population = make_population(n_users=5, n_items=8, random_state=0)
    >>> population.utilities.shape, len(population.comparisons)
    ((5, 8), 50)
    """
    check_at_least("n_users", n_users, 1)
    check_at_least("n_items", n_items, 2)
    check_at_least("n_item_features", n_item_features, 1)
    check_at_least("n_user_features", n_user_features, 1)
    if not 0 <= agreement <= 1:
        raise DataError(f"agreement must be between 0 and 1. Got {agreement!r}.")
    rng = check_generator(random_state)
    X_items = rng.random((n_items, n_item_features))
    X_users = rng.random((n_users, n_user_features))
    between_users = agreement + (1.0 - agreement) * _kernel(X_users)
    normal = rng.standard_normal((n_users, n_items))
    utilities = _root(between_users) @ normal @ _root(_kernel(X_items)).T
    comparisons = draw_comparisons(utilities, n_comparisons, noise, rng)
    return Population(X_items, X_users, utilities, comparisons)


def draw_comparisons(
    utilities: FloatArray, n_comparisons: int, noise: float, rng: np.random.Generator
) -> Comparisons:
    """Let each person (a row of utilities) compare different random pairs."""
    check_noise(noise)
    n_users, n_items = utilities.shape
    left, right = np.triu_indices(n_items, k=1)
    check_at_least("n_comparisons", n_comparisons, 1)
    if n_comparisons > left.size:
        raise DataError(
            f"{n_items} items make {left.size} pairs. "
            f"Got n_comparisons={n_comparisons}; ask for fewer."
        )
    pairs = np.concatenate(
        [rng.choice(left.size, n_comparisons, replace=False) for _ in range(n_users)]
    )
    users = np.repeat(np.arange(n_users), n_comparisons)
    first, second = left[pairs], right[pairs]
    difference = utilities[users, first] - utilities[users, second]
    difference += noise * rng.standard_normal(difference.size)
    return Comparisons(
        np.where(difference >= 0, first, second),
        np.where(difference >= 0, second, first),
        ties=difference == 0,
        users=users,
    )


def _kernel(X: FloatArray) -> FloatArray:
    scale = sqrt(X.shape[1]) / 4.0
    return np.exp(-0.5 * cdist(X, X, "sqeuclidean") / scale**2)


def _root(K: FloatArray) -> FloatArray:
    return cholesky(K + _JITTER * np.eye(len(K)), lower=True)
