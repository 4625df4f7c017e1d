"""The demo: fictional flats to rent, and simulated people who looked for one."""

from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from penchant.data import Attribute, Items
from penchant.datasets._checks import check_at_least, check_generator
from penchant.datasets._population import Population, draw_comparisons
from penchant.typing import FloatArray, RandomState

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
