"""How many kinds of people there are: by evidence, and only if they are apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from penchant.elicitation.groups._mixture import Data, Mixture, matched_log_likelihood
from penchant.elicitation.groups._people import Newcomer
from penchant.elicitation.groups._propagation import Sites
from penchant.typing import FloatArray, IntArray

SPREADS = (1.0, 0.3, 0.1, 0.03, 0.003)
"""How much people of a kind may differ, as a share of what is believed of anybody."""

_MOST_KINDS = 3
_FEWEST_PEOPLE = 6
_FEWEST_FOR_THREE = 20
"""Of fewer people three kinds are looked for only where two were found."""

_START_SPREAD, _HELD_STEPS, _FREE_STEPS = 0.3, 3, 4
"""A start keeps people where it puts them for some steps, then lets them move."""

_N_TRIES, _MOST_MOVES = 8, 20

SEPARATE, CLEARLY_SEPARATE = 0.05, 0.10
"""What separateness must add to the log likelihood, per person, before kinds are
spoken of: as two sides to which people lean, and as kinds."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """What the answers of all people say about kinds of people.

    Parameters
    ----------
    fits : tuple of Mixture
        All that were tried, with 1 to 3 kinds.
    log_evidence : ndarray of shape (n_fits,)
        Of each.
    best : Mixture
        The one to read kinds off.
    separateness : float
        What the mixture gains over one cloud with its mean and covariance, in log
        likelihood per person; 0 for one kind.
    """

    fits: tuple[Mixture, ...]
    log_evidence: FloatArray
    best: Mixture
    separateness: float

    @property
    def n_kinds(self) -> int:
        """Number of kinds that may be told apart; 1: no clear kinds."""
        return self.best.n_kinds

    @property
    def statement(self) -> str:
        """What may be said: "none", "lean", "two" (at least) or "three" (or more)."""
        if self.n_kinds == 1:
            return "none"
        if self.n_kinds > 2:
            return "three"
        return "two" if self.separateness >= CLEARLY_SEPARATE else "lean"


def find_kinds(data: Data, newcomer: Newcomer, rng: np.random.Generator) -> Kinds:
    """Fit mixtures of 1, 2 and 3 clouds, and choose by evidence (GR-2, GR-3).

    The number of kinds is that of the largest evidence, summed over spreads, if the
    mixture also gains .05 per person over one cloud of the same mean and covariance;
    otherwise one.
    """
    tried = [_Tried.judge(data, _one_kind(data))]
    while len(tried) < _MOST_KINDS and _look_further(data, tried):
        more = _more_kinds(data, newcomer, tried[0].fits, tried[-1].best, rng)
        more = [fit for fit in more if _all_have_members(data, fit)]
        if not more:
            break
        tried.append(_Tried.judge(data, more))
    best = max(tried, key=lambda each: each.total).best
    separateness = _separateness(data, best)
    if separateness < SEPARATE:
        best, separateness = tried[0].best, 0.0
    fits = tuple(fit for each in tried for fit in each.fits)
    evidence = np.concatenate([each.evidence for each in tried])
    return Kinds(fits, evidence, best, separateness)


class _Tried(NamedTuple):
    """Mixtures with the same number of kinds, and their evidence."""

    fits: list[Mixture]
    evidence: FloatArray

    @classmethod
    def judge(cls, data: Data, fits: list[Mixture]) -> "_Tried":
        return cls(fits, np.array([fit.log_evidence(data) for fit in fits]))

    @property
    def best(self) -> Mixture:
        return self.fits[int(np.argmax(self.evidence))]

    @property
    def total(self) -> float:
        return float(np.logaddexp.reduce(self.evidence))


def _look_further(data: Data, tried: list[_Tried]) -> bool:
    """Tell whether one more kind is worth a look."""
    if len(tried) == 1:
        return data.n_people >= _FEWEST_PEOPLE
    return data.n_people >= _FEWEST_FOR_THREE or tried[1].total > tried[0].total


def _all_have_members(data: Data, mixture: Mixture) -> bool:
    """Tell whether every kind is somebody's most probable one."""
    return np.unique(mixture.membership(data)[:-1].argmax(axis=0)).size == (
        mixture.n_kinds
    )


def _separateness(data: Data, mixture: Mixture) -> float:
    if mixture.n_kinds == 1:
        return 0.0
    gain = mixture.log_likelihood(data) - matched_log_likelihood(data, mixture)
    return gain / data.size


def _one_kind(data: Data) -> list[Mixture]:
    """Fit one cloud with every spread, the widest first."""
    nothing = np.zeros((1, data.rows.H.shape[-1]))
    fits = [Mixture.begin(data, SPREADS[0], nothing).climb(data)]
    for spread in SPREADS[1:]:
        fits.append(fits[-1].with_spread(data, spread).climb(data))
    return fits


def _more_kinds(
    data: Data,
    newcomer: Newcomer,
    fits: list[Mixture],
    before: Mixture,
    rng: np.random.Generator,
) -> list[Mixture]:
    """Fit one more kind than `before`, with every spread, the widest first."""
    base = fits[SPREADS.index(_START_SPREAD)]
    n_kinds = before.n_kinds + 1
    tried = [
        _from_labels(data, base, labels, n_kinds)
        for labels in _starts(data, newcomer, fits[0], before, rng)
    ]
    now = max(tried, key=lambda each: each.log_likelihood(data))
    found = []
    for spread in SPREADS:  # step by step: a leap ends in a worse place
        now = now.with_spread(data, spread).climb(data)
        found.append(now)
    return found


def _from_labels(data: Data, base: Mixture, labels: IntArray, n_kinds: int) -> Mixture:
    """Begin with people where the labels put them, and take a few steps."""
    careless = base.membership(data)[-1]
    member = np.vstack([labels == k for k in range(n_kinds)]) * (1.0 - careless)
    state = base.state._replace(
        sites=Sites(*(np.repeat(each, n_kinds, axis=0) for each in base.state.sites)),
        log_z=np.repeat(base.state.log_z, n_kinds, axis=0),
        weights=np.repeat(base.state.weights, n_kinds, axis=0),
        curvature=np.repeat(base.state.curvature, n_kinds, axis=0),
    )
    now = Mixture(
        base.spread,
        np.repeat(base.centres, n_kinds, axis=0),
        np.full(n_kinds, 1.0 / n_kinds),
        base.careless,
        state,
    )
    for _ in range(_HELD_STEPS):
        now = now.step(data, np.vstack([member, careless]))
    return now.climb(data, _FREE_STEPS)


def _starts(
    data: Data,
    newcomer: Newcomer,
    widest: Mixture,
    before: Mixture,
    rng: np.random.Generator,
) -> Iterator[IntArray]:
    """Propose who belongs together: by k-means, and by splits of each kind."""
    alone = Mixture.begin(data, 1.0, np.zeros_like(widest.centres))
    tastes = [_tastes(data, newcomer, each) for each in (widest, alone)]
    for each in tastes:
        yield _k_means(each, data.weights, before.n_kinds + 1, rng)
    labels = before.membership(data)[:-1].argmax(axis=0)
    for kind in range(before.n_kinds):
        inside = np.flatnonzero(labels == kind)
        if inside.size >= 2:
            split = labels.copy()
            parts = _k_means(tastes[0][inside], data.weights[inside], 2, rng)
            split[inside[parts == 1]] = before.n_kinds
            yield split


def _tastes(data: Data, newcomer: Newcomer, mixture: Mixture) -> FloatArray:
    """Give what each person probably thinks of all items, standardised."""
    w, rows = mixture.state.weights[0], data.rows
    x = mixture.centres[0] + mixture.spread * (w[:, None, :] @ rows.H)[:, 0]
    utilities = newcomer.mean + x @ newcomer.factor.T
    utilities -= utilities.mean(axis=1, keepdims=True)
    scale = utilities.std(axis=1, keepdims=True)
    standard: FloatArray = utilities / np.where(scale > 0, scale, 1.0)
    return standard


def _k_means(
    points: FloatArray, weights: FloatArray, k: int, rng: np.random.Generator
) -> IntArray:
    """Give labels of the best of a few runs of k-means."""
    best, least = np.zeros(len(points), dtype=np.int64), np.inf
    for _ in range(_N_TRIES):
        centres = points[rng.choice(len(points), min(k, len(points)), replace=False)]
        labels = best
        for _ in range(_MOST_MOVES):
            apart = (centres**2).sum(axis=1) - 2.0 * points @ centres.T
            moved = apart.argmin(axis=1)
            if np.array_equal(moved, labels):
                break
            labels = moved
            for j in np.unique(labels):
                own = labels == j
                centres[j] = np.average(points[own], axis=0, weights=weights[own])
        cost = float((weights[:, None] * (points - centres[labels]) ** 2).sum())
        if cost < least:
            best, least = labels, cost
    return best
