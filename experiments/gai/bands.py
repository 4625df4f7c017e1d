"""How often bands of level .9 hold the true function: curves, their ends, and pairs.

Not in the paper. Planted functions, of which each draw has fresh rows and noise: smooth
ones, jumps, steep ends, skewed attributes, pairs of different smoothness, and classes.
The share of the points of the grid at which the band holds the truth: of curves, of
their ends (the two outermost of 25 points on each side), of pairs, and of factors that
the model has and the truth has not.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit

from experiments._outcome import Measurement, Outcome
from penchant.models import GAIClassifier, GAIRegressor, curve_bands
from penchant.typing import BoolArray, FloatArray
from penchant.utility import Factor

LEVEL, N_DRAWS, N_ENDS = 0.9, 20, 2
KINDS = "curves", "ends of curves", "pairs", "not in the truth"
Term = Callable[..., FloatArray]


@dataclass(frozen=True)
class Planted:
    """A sum of functions of one attribute or two, and how rows are drawn.

    Parameters
    ----------
    n_attributes : int
    terms : mapping of tuple of int to function
    noise : float
        Its standard deviation; 0: the sum is the log odds of a class.
    is_skewed : bool
        Whether attributes are log-normal instead of uniform.
    """

    n_attributes: int
    terms: Mapping[Factor, Term]
    noise: float
    is_skewed: bool = False

    def draw(self, n_rows: int, seed: int) -> tuple[FloatArray, FloatArray]:
        """Draw rows and what is said of them."""
        rng = np.random.default_rng(seed)
        X = rng.uniform(size=(n_rows, self.n_attributes))
        if self.is_skewed:
            X = np.exp(rng.normal(size=X.shape))
        total = sum(term(*X[:, list(f)].T) for f, term in self.terms.items())
        if self.noise:
            return X, total + self.noise * rng.normal(size=n_rows)
        return X, (rng.uniform(size=n_rows) < expit(total)).astype(float)

    def factor(self, factor: Factor, grid: Any, X: FloatArray) -> FloatArray:
        """Give the centred function of a factor on a grid, as the model centres it."""
        points = [np.asarray(values, dtype=float) for values in grid]
        if len(factor) == 2:
            parts = [
                _centred_pair(term, points, X[:, list(own)])
                for own, term in self.terms.items()
                if own == factor
            ]
        else:
            parts = [
                _centred_curve(term, own.index(factor[0]), points[0], X[:, list(own)])
                for own, term in self.terms.items()
                if factor[0] in own
            ]
        return sum(parts, np.zeros([len(values) for values in points]))


def _centred_curve(
    term: Term, place: int, points: FloatArray, columns: FloatArray
) -> FloatArray:
    """Average over the other attribute, if there is one, and centre."""
    if columns.shape[1] == 1:
        return term(points) - term(columns[:, 0]).mean()
    own, other = columns[:, place], columns[:, 1 - place]

    def mean(values: FloatArray) -> FloatArray:
        sides = np.broadcast_arrays(values[:, None], other[None])
        return term(*sides[:: 1 if place == 0 else -1]).mean(axis=1)

    return mean(points) - mean(own).mean()


def _centred_pair(
    term: Term, points: list[FloatArray], columns: FloatArray
) -> FloatArray:
    """Take the means along both attributes away."""
    a, b = columns.T
    first, second = points
    rows = term(first[:, None], b[None]).mean(axis=1)
    others = term(a[:, None], second[None]).mean(axis=0)
    both = term(a[:, None], b[None]).mean()
    return term(first[:, None], second[None]) - rows[:, None] - others + both


def _steps(x: FloatArray) -> FloatArray:
    return 1.5 * (x > 0.3) - 2.0 * (x > 0.62) + 1.0 * (x > 0.8)


PLANTED = {
    "a wave and a pair": Planted(
        3,
        {(0,): lambda x: np.sin(6 * x), (1, 2): lambda a, b: 3 * (a - 0.5) * (b - 0.5)},
        0.3,
    ),
    "planted pairs": Planted(
        10,
        {
            (0,): lambda x: 5 * np.sin(7 * x),
            (1,): lambda x: 6 * np.abs(x - 0.4),
            (2, 3): lambda a, b: 20 * (a - 0.5) * (b - 0.5),
            (4, 5): lambda a, b: 6.0 * (a > b),
            (6, 7): lambda a, b: 8 * np.cos(5 * a) * b,
        },
        1.0,
    ),
    "jumps": Planted(
        4,
        {
            (0,): _steps,
            (1,): lambda x: 2.0 * x,
            (2,): lambda x: 1.0 * (x > 0.9),
            (3,): lambda x: np.round(3 * x),
        },
        0.5,
    ),
    "steep ends": Planted(
        4,
        {
            (0,): lambda x: np.exp(4 * x) / 15,
            (1,): lambda x: np.log(x + 0.03),
            (2,): lambda x: 6 * (x - 0.5) ** 3 * 4,
        },
        0.5,
    ),
    "pairs": Planted(
        6,
        {
            (0, 1): lambda a, b: 4 * (a - 0.5) * (b - 0.5),
            (2, 3): lambda a, b: 1.5 * np.sin(6 * a) * np.cos(4 * b),
            (4, 5): lambda a, b: 2.0 * ((a > 0.6) & (b > 0.5)),
        },
        0.5,
    ),
    "skewed": Planted(
        4,
        {
            (0,): lambda x: np.log(x),
            (1,): lambda x: np.minimum(x, 2.0),
            (2, 3): lambda a, b: 0.7 * np.log(a) * np.log(b),
        },
        0.5,
        is_skewed=True,
    ),
    "skewed roots": Planted(
        4,
        {
            (0,): lambda x: np.log(x),
            (1,): lambda x: np.minimum(x, 2.0),
            (2, 3): lambda a, b: np.sqrt(a * b),
        },
        0.5,
        is_skewed=True,
    ),
    "classes": Planted(
        4,
        {
            (0,): lambda x: 3 * np.sin(6 * x),
            (1,): lambda x: 3.0 * (x > 0.5),
            (2, 3): lambda a, b: 12 * (a - 0.5) * (b - 0.5),
        },
        0.0,
    ),
}
AGAIN = "jumps", "steep ends", "pairs", "skewed", "skewed roots", "classes"
CASES = (
    *((name, 300) for name in PLANTED if name != "classes"),
    *((name, 1_500) for name in AGAIN),
)


def run(*, quick: bool) -> Outcome:
    """Measure all cases (if quick, two draws of the first)."""
    cases, n_draws = (CASES[:1], 2) if quick else (CASES, N_DRAWS)
    cells = [
        Measurement.from_scores(
            f"{name}, {n_rows:,} rows", kind, own, in_paper=False, note="share held"
        )
        for name, n_rows in cases
        for kind, own in measure(PLANTED[name], n_rows, n_draws).items()
        if own
    ]
    return Outcome("bands", tuple(cells), tuple(range(n_draws)))


def measure(planted: Planted, n_rows: int, n_draws: int) -> dict[str, list[float]]:
    """Give for each kind the share of points that were held, draw by draw."""
    draws = Parallel()(
        delayed(_shares)(planted, n_rows, seed) for seed in range(n_draws)
    )
    return {kind: [own[kind] for own in draws if kind in own] for kind in KINDS}


def _shares(planted: Planted, n_rows: int, seed: int) -> dict[str, float]:
    """Give the share of points that were held, of each kind that there is."""
    held: dict[str, list[BoolArray]] = {}
    for kind, inside in _held(planted, n_rows, seed):
        held.setdefault(kind, []).append(inside.ravel())
    return {kind: float(np.concatenate(own).mean()) for kind, own in held.items()}


def _held(planted: Planted, n_rows: int, seed: int) -> Iterator[tuple[str, BoolArray]]:
    """Fit once and tell for each factor where its band holds the truth."""
    X, y = planted.draw(n_rows, seed)
    model = (GAIRegressor if planted.noise else GAIClassifier)().fit(X, y)
    for factor, band in curve_bands(model, X, y, level=LEVEL).items():
        truth = planted.factor(factor, band.grid, X)
        inside = (band.low <= truth) & (truth <= band.high)
        if not truth.any():
            yield "not in the truth", inside
        elif len(factor) == 2:
            yield "pairs", inside
        else:
            yield "curves", inside
            yield "ends of curves", np.r_[inside[:N_ENDS], inside[-N_ENDS:]]
