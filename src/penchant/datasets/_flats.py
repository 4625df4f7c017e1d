"""The demo: fictional flats to rent, and simulated people who looked for one."""

from dataclasses import dataclass
from importlib.resources import files
from math import sqrt

import numpy as np
from scipy.linalg import cholesky
from scipy.spatial.distance import cdist

from penchant._validation import frozen_array
from penchant.data import Attribute, Comparisons, Items
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


_ATTRIBUTES = (
    Attribute("price", "numeric", "down", (400, 1500), "EUR/month"),
    Attribute("size", "numeric", "up", (20, 120), "m²"),
    Attribute("commute", "numeric", "down", (5, 60), "min"),
    Attribute("floor", "numeric", "unknown", (0, 12)),
    Attribute(
        "balcony",
        "categorical",
        "unknown",
        ("none", "balcony", "roof terrace", "garden"),
    ),
    Attribute("energy class", "ordinal", "down", tuple("ABCDEFG")),
    Attribute("noise", "ordinal", "down", ("quiet", "some traffic", "busy street")),
    Attribute("furnished", "categorical", "unknown", ("no", "yes")),
)


@dataclass(frozen=True)
class _Segment:
    """A kind of person: mean features, and what counts (see `_TASTES`)."""

    name: str
    age: float
    household: float
    office_days: float
    tastes: tuple[float, ...]


_TASTES = (
    "price",
    "size",
    "commute",
    "floor",
    "energy class",
    "noise",
    "furnished",
    "balcony",
    "roof terrace",
    "garden",
)
_SIZE, _COMMUTE = _TASTES.index("size"), _TASTES.index("commute")
_SEGMENTS = (
    _Segment("student", 23, 1.2, 4, (4.5, 2.2, 1.2, 0.3, 0.2, 0.4, 0.8, 0.3, 0.6, 0.2)),
    _Segment("couple", 32, 2.1, 4, (3.2, 2.8, 1.6, 0.7, 0.8, 0.8, -0.2, 0.7, 1.2, 0.4)),
    _Segment(
        "family", 39, 3.8, 3, (3.5, 6.0, 0.8, -0.8, 0.8, 1.2, -0.5, 0.4, 0.4, 1.2)
    ),
    _Segment("remote", 35, 1.6, 1, (3.4, 3.2, 0.2, 0.4, 1.0, 1.8, -0.1, 0.8, 0.9, 0.7)),
    _Segment(
        "retired", 69, 1.7, 0, (3.0, 2.4, 0.8, -1.5, 1.0, 1.6, -0.4, 0.8, 0.2, 1.0)
    ),
)


def load_flats() -> Items:
    """Load the demo table: forty flats to rent, all fictional.

    Rents are those of a mid-sized European town. Bigger, closer, quieter and
    better insulated flats cost more, and none beats another in everything, so
    which one is best depends on the person.

    Returns
    -------
    Items
        40 rows: price (EUR per month), size (m²), commute (minutes), floor,
        balcony, energy class, noise and furnished.

    Examples
    --------
    >>> from penchant.datasets import load_flats
    >>> flats = load_flats()
    >>> len(flats), flats.names[0]
    (40, 'Alder Row 3')
    """
    content = (files("penchant.datasets") / "data" / "flats.csv").read_bytes()
    return Items.from_csv(content, _ATTRIBUTES, names="name")


def make_flats_population(
    n_users: int = 60,
    *,
    n_comparisons: int = 15,
    noise: float = 0.2,
    random_state: RandomState = 0,
) -> Population:
    """Simulate people who compared the flats of `load_flats`.

    Each person belongs to one of five kinds (student, couple, family, remote
    worker, retired) that weigh the attributes differently; within a kind people
    differ, those who go to the office more often mind the commute more, and
    larger households want more room. Outdoor space is worth less beside a busy
    street.

    Parameters
    ----------
    n_users : int
        Number of people; the kinds are equally frequent, as far as possible.
    n_comparisons : int
        Different pairs of flats that each person compared.
    noise : float
        Standard deviation of the noise that is added to a difference of utilities
        when a person answers. Each person's utilities have mean 0 and standard
        deviation 1.
    random_state : int, RandomState, Generator or None
        Seed or source of randomness; by default always the same people.

    Returns
    -------
    Population
        ``X_items`` is ``load_flats().encode()``; ``X_users`` has the columns age
        (18 to 80), household (1 to 5 people) and days at the office (0 to 5 a
        week), each mapped to [0, 1]; ``segments`` names the kinds.

    Examples
    --------
    >>> from penchant.datasets import load_flats, make_flats_population
    >>> people = make_flats_population()
    >>> people.segments[0], load_flats().names[people.utilities[0].argmax()]
    ('student', 'Ironmonger Lane 2')
    """
    check_at_least("n_users", n_users, 1)
    rng = check_generator(random_state)
    flats = load_flats()
    kinds = [_SEGMENTS[user % len(_SEGMENTS)] for user in range(n_users)]
    people = _draw_people(kinds, rng)
    utilities = _draw_tastes(kinds, people, rng) @ _values(flats).T
    utilities -= utilities.mean(axis=1, keepdims=True)
    utilities /= utilities.std(axis=1, keepdims=True)
    comparisons = draw_comparisons(utilities, n_comparisons, noise, rng)
    segments = tuple(kind.name for kind in kinds)
    return Population(flats.encode(), people, utilities, comparisons, segments)


def _draw_people(kinds: list[_Segment], rng: np.random.Generator) -> FloatArray:
    """Age, household and office days around the means of the kinds, in [0, 1]."""
    means = np.array([[kind.age, kind.household, kind.office_days] for kind in kinds])
    drawn = np.rint(means + rng.standard_normal(means.shape) * (5.0, 0.6, 0.8))
    low, high = np.array([18.0, 1.0, 0.0]), np.array([80.0, 5.0, 5.0])
    return (np.clip(drawn, low, high) - low) / (high - low)


def _draw_tastes(
    kinds: list[_Segment], people: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Weights of the columns of `_values`, (n_users, n_tastes)."""
    means = np.array([kind.tastes for kind in kinds])
    tastes: FloatArray = means * rng.lognormal(0.0, 0.4, means.shape)
    tastes[:, _SIZE] += 1.5 * people[:, 1]
    tastes[:, _COMMUTE] += 1.2 * people[:, 2]
    return tastes


def _values(flats: Items) -> FloatArray:
    """Give what the tastes weigh, (n_items, n_tastes); columns as in `_TASTES`."""
    encoded = dict(zip(flats.frame.columns, flats.encode().T, strict=True))
    # a second room matters more than a fifth
    encoded["size"] = np.sqrt(encoded["size"])
    calm = 0.4 + 0.6 * encoded["noise"]
    for level in ("balcony", "roof terrace", "garden"):
        encoded[level] = calm * (flats.frame["balcony"] == level).to_numpy()
    return np.column_stack([encoded[taste] for taste in _TASTES])
