"""Beliefs about people who now and then give an answer that means nothing.

With probability 2 * lapse an answer is a coin toss, so that a clear preference is
reported wrongly with probability `lapse` however far the two items are apart. The
probit of GP-1 alone has no place for that: one slip would move the belief for good.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import erfc
from typing import Self

import numpy as np
from numba import njit

from penchant._cached import cached_property
from penchant.elicitation import (
    BestItem,
    Step,
    count_wins,
    covariance_root,
    gains_over,
    normal_draws,
)
from penchant.exceptions import DataError
from penchant.gp import Answer, Posterior, RowEvidence
from penchant.gp.inference import standardised, truncated_normal
from penchant.gp.inference._expectation_propagation import (
    _add_site,
    _log_integral,
    _look,
    _rebuild,
    _without,
)
from penchant.typing import FloatArray, IntArray

__all__ = ["LAPSE", "LapsePosterior", "LapseStep"]

LAPSE = 0.05
"""Share of clear preferences that people report wrongly."""

_TOL = 1e-7
_MAX_SWEEPS = 100
_DAMPING = 0.8
"""Share of a step that is taken once a sweep has not come closer."""
_FRESH_START = 8
"""Sweeps after which the belief is rebuilt from prior and sites."""

_N_DRAWS = 1024
_MAX_ITEMS = 64
"""Items among which the best one is sought jointly."""

_NEGLIGIBLE = 0.01
"""Share of the largest expected gain below which an item is left out."""

_MAX_ANSWERED = 64
"""Items of answers that are drawn beside them, at most; the latest answers count."""

_MIN_EFFECTIVE = 50.0
"""Fewer draws than this that count: then the Gaussian itself is the better guess."""


@dataclass(frozen=True, eq=False, repr=False)
class LapsePosterior(Posterior):
    """A Gaussian belief about one person whose answers may be slips.

    Parameters
    ----------
    lapse : float, default=0.05
        Probability that a clear preference is reported wrongly; the other
        parameters are those of `Posterior`. Inference is expectation propagation
        with the likelihood ``lapse + (1 - 2 lapse) p``, p that of GP-1 or GP-10.

    Examples
    --------
    Five answers put four items in order, and the last one is a slip.

    >>> import numpy as np
    >>> answers = [(3, 2), (2, 1), (1, 0), (3, 1), (2, 0), (0, 3)]
    >>> plain = Posterior(np.zeros(4), 4 * np.eye(4), noise=0.1)
    >>> careful = LapsePosterior(np.zeros(4), 4 * np.eye(4), noise=0.1)
    >>> for winner, loser in answers:
    ...     plain, careful = plain.update(winner, loser), careful.update(winner, loser)
    >>> round(plain.probability(3, 0), 2), round(careful.probability(3, 0), 2)
    (0.72, 0.97)
    """

    lapse: float = LAPSE

    def with_answers(
        self, answers: Iterable[Answer], *, tie_width: float | None = None
    ) -> Self:
        """Give the belief after several answers, found in one go.

        Parameters
        ----------
        answers : iterable of Answer
        tie_width : float, optional
            How close items are that these answers call equal; None: as always.
        """
        width = self.tie_width if tie_width is None else tie_width
        evidence = self._evidence
        for answer in answers:
            self._check_items(answer.items)
            interval = answer.interval(width, self.threshold)
            evidence = evidence.append(
                answer, self.prior_mean, self.prior_cov, interval
            )
        return replace(self, evidence=self._infer(evidence))

    def without(self, k: int) -> Self:
        """Give the belief as if answer k had never been given."""
        if not 0 <= k < len(self.answers):
            raise DataError(
                f"There are {len(self.answers)} answers, counted from 0. Got {k}."
            )
        return replace(self, evidence=self._infer(self._evidence.without(k)))

    def _infer(self, evidence: RowEvidence) -> RowEvidence:
        if not len(evidence):
            return evidence
        tau, nu = evidence.precision.copy(), evidence.shift.copy()
        log_evidence = _propagate(
            evidence.mean,
            np.ascontiguousarray(evidence.gram),
            evidence.lower,
            evidence.upper,
            self.noise,
            self.lapse,
            tau,
            nu,
        )
        return replace(evidence, precision=tau, shift=nu, log_evidence=log_evidence)

    def log_ratios(self, items: IntArray, draws: FloatArray) -> FloatArray:
        """Give how much likelier the answers make utilities than the Gaussian says.

        Parameters
        ----------
        items : ndarray of int of shape (k,)
            Answers about other items are left out.
        draws : ndarray of shape (n, k)
            Utilities of the items.

        Returns
        -------
        ndarray of shape (n,)
            Sums of log-likelihoods, less the logarithms of the Gaussian sites.
        """
        place = np.full(self.n_items + 1, -1)  # the last stands for no second item
        place[items] = np.arange(items.size)
        pairs = np.array([(*answer.items, -1)[:2] for answer in self.answers])
        used = np.flatnonzero(
            (place[pairs[:, 0]] >= 0) & ((pairs[:, 1] < 0) | (place[pairs[:, 1]] >= 0))
        )
        told = self._evidence
        return _log_ratios(
            draws,
            place[pairs[used]],
            told.lower[used],
            told.upper[used],
            told.precision[used],
            told.shift[used],
            self.noise,
            self.lapse,
        )


@dataclass(frozen=True, eq=False)
class LapseStep(Step):
    """A moment of a conversation with somebody whose answers may be slips."""

    posterior: LapsePosterior

    @cached_property
    def best(self) -> BestItem:
        """What is believed about which contender is the best."""
        return _best_item(self.posterior, self.contenders)


def _best_item(posterior: LapsePosterior, contenders: IntArray) -> BestItem:
    """Give probabilities of being the best and the expected regret of the leader.

    As `penchant.elicitation._best.best_item`, with the likelihood of slips.
    """
    leader = int(contenders[np.argmax(posterior.mean[contenders])])
    others = contenders[contenders != leader]
    gains = gains_over(posterior, leader)[others]
    chosen = np.argsort(-gains, kind="stable")[: _MAX_ITEMS - 1]
    chosen = chosen[gains[chosen] > _NEGLIGIBLE * gains.max(initial=0.0)]
    left_out = max(float(gains.sum() - gains[chosen].sum()), 0.0)
    kept = np.concatenate([[leader], others[chosen]])
    if kept.size == 1:
        return BestItem(kept, np.ones(1), 0.0, left_out)
    items = _with_answered(posterior, kept)
    root = covariance_root(posterior.block(items))
    draws = normal_draws(root.shape[1])[:_N_DRAWS] @ root.T + posterior.mean[items]
    weights = _weights(posterior, items, draws)
    share, regret = count_wins(draws, weights, kept.size)
    return BestItem(kept, share, regret, left_out)


def _with_answered(posterior: Posterior, kept: IntArray) -> IntArray:
    """Append the items of the latest answers, as far as there is room."""
    seen = {i: None for answer in posterior.answers for i in answer.items}
    others = [item for item in seen if item not in set(kept.tolist())]
    return np.concatenate([kept, np.array(others[-_MAX_ANSWERED:], dtype=np.int64)])


def _weights(
    posterior: LapsePosterior, items: IntArray, draws: FloatArray
) -> FloatArray:
    """Weight draws from the Gaussian by what the answers really say; sum 1."""
    equal = np.full(len(draws), 1.0 / len(draws))
    if not posterior.answers:
        return equal
    logs = posterior.log_ratios(items, draws)
    weights: FloatArray = np.exp(logs - logs.max())
    weights /= weights.sum()
    return weights if 1.0 / (weights @ weights) >= _MIN_EFFECTIVE else equal


@njit(cache=True, nogil=True)
def _log_ratios(
    draws: FloatArray,
    pairs: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    precision: FloatArray,
    shift: FloatArray,
    noise: float,
    lapse: float,
) -> FloatArray:
    """Sum, for each draw, log-likelihoods less logarithms of sites."""
    sums, unit = np.zeros(len(draws)), noise * np.sqrt(2.0)
    for k in range(len(pairs)):
        i, j = pairs[k]
        for n in range(len(draws)):
            value = draws[n, i] - (draws[n, j] if j >= 0 else 0.0)
            above = 0.5 * erfc((lower[k] - value) / unit)
            beyond = 0.5 * erfc((upper[k] - value) / unit)
            likelihood = lapse + (1.0 - 2.0 * lapse) * (above - beyond)
            site = value * (shift[k] - 0.5 * precision[k] * value)
            sums[n] += np.log(likelihood) - site
    return sums


@njit(cache=True, nogil=True)
def _propagate(
    prior_mean: FloatArray,
    prior_cov: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    noise: float,
    lapse: float,
    tau: FloatArray,
    nu: FloatArray,
) -> float:
    """Match the moments of every site in turn; tau and nu are changed in place."""
    q = len(tau)
    nodes, nothing, ones = np.arange(q), np.full(q, -1), np.ones(q)
    column, gap, step, n_iter = np.empty(q), np.inf, 1.0, 0
    mean, cov, _ = _rebuild(prior_mean, prior_cov, nodes, nothing, ones, tau, nu)
    while gap > _TOL and n_iter < _MAX_SWEEPS:
        before, gap = gap, 0.0
        for k in range(q):
            s, v = _look(mean, cov, k, -1, column)
            m, rest = _without(s, v, tau[k], nu[k], prior_cov[k, k])
            new_tau, new_nu, _ = _match(lower[k], upper[k], noise, lapse, m, rest)
            more_tau = step * (new_tau - tau[k])
            more_nu = step * (new_nu - nu[k])
            growth = 1.0 + more_tau * v
            if growth <= 1e-9:  # rounding; the next rebuild puts it right
                continue
            tau[k] += more_tau
            nu[k] += more_nu
            shift = (more_nu - more_tau * s) / growth
            gap = max(gap, abs(shift) * np.sqrt(v), abs(more_tau) * v / growth)
            _add_site(mean, cov, column, shift, more_tau / growth)
        n_iter += 1
        if gap >= before:
            step = _DAMPING
        if n_iter % _FRESH_START == 0:
            mean, cov, _ = _rebuild(
                prior_mean, prior_cov, nodes, nothing, ones, tau, nu
            )
    mean, cov, total = _rebuild(prior_mean, prior_cov, nodes, nothing, ones, tau, nu)
    for k in range(q):
        s, v = _look(mean, cov, k, -1, column)
        m, rest = _without(s, v, tau[k], nu[k], prior_cov[k, k])
        _, _, log_mass = _match(lower[k], upper[k], noise, lapse, m, rest)
        total += log_mass - _log_integral(m, rest, tau[k], nu[k])
    return total


@njit(cache=True)
def _match(
    lower: float, upper: float, noise: float, lapse: float, m: float, v: float
) -> tuple[float, float, float]:
    """Give tau and nu that match the moments against N(m, v), and the log mass.

    With Z(m) the mass, the tilted mean is m + v Z'/Z and the tilted variance
    v + v^2 (log Z)''. A site that would widen the belief is left without width.
    """
    scale = np.sqrt(v + noise * noise)
    a, width = standardised(lower, upper, m, scale)
    log_mass, first, _, _, shrinkage, _, _ = truncated_normal(a, width)
    told = (1.0 - 2.0 * lapse) * np.exp(log_mass)
    mass = lapse + told
    slope, bend = first / scale, -shrinkage / scale**2
    share = told / mass
    new_slope = share * slope
    new_bend = share * (bend + slope * slope) - new_slope * new_slope
    if new_bend >= 0.0:
        return 0.0, new_slope, np.log(mass)
    left = 1.0 + v * new_bend
    return -new_bend / left, (new_slope - new_bend * m) / left, np.log(mass)
