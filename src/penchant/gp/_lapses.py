"""Beliefs about people who now and then give an answer that means nothing.

With probability 2 * lapse an answer is a coin toss, so that a clear preference is
reported wrongly with probability `lapse` however far the two items are apart. The
probit of GP-1 alone has no place for that: one slip would move the belief for good.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numba import njit

from penchant.gp._answers import RowEvidence
from penchant.gp._posterior import Posterior
from penchant.gp.inference._expectation_propagation import (
    _add_site,
    _log_integral,
    _look,
    _rebuild,
    _without,
)
from penchant.gp.inference._sites import standardised
from penchant.gp.inference._truncated_normal import truncated_normal
from penchant.typing import FloatArray

__all__ = ["LapsePosterior"]

_TOL = 1e-7
_MAX_SWEEPS = 100
_DAMPING = 0.8
"""Share of a step that is taken once a sweep has not come closer."""
_FRESH_START = 8
"""Sweeps after which the belief is rebuilt from prior and sites."""


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

    lapse: float = 0.05  # type: ignore[misc]  # here it can be chosen

    # Fewer draws of fewer items, since people wait for them after every answer.
    negligible: ClassVar[float] = 0.01
    _n_draws: ClassVar[int] = 1024
    _fewest_draws: ClassVar[float] = 50.0

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
