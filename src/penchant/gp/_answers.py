"""What one person answered, as Gaussian sites on functionals of the utilities."""

from dataclasses import dataclass, replace
from math import erfc, log

import numpy as np
from numba import njit

from penchant._cached import cached_property
from penchant.exceptions import DataError
from penchant.gp._covariance import Covariance
from penchant.gp.inference._expectation_propagation import (
    Limits,
    SiteArrays,
    new_state,
    propagate,
)
from penchant.gp.inference._laplace import laplace
from penchant.gp.inference._sites import Sites
from penchant.gp.inference._truncated_normal import standardised, truncated_normal
from penchant.typing import FloatArray, IntArray

_N_ITEMS = {"comparison": 2, "tie": 2, "below": 1}
_TOL = 1e-9
"""Change of the standardised moments at which inference stops."""

_WITHOUT, _WITH_SLIPS = Limits(0.9, _TOL, 100), Limits(0.8, 1e-7, 100)
"""Slips make likelihoods that are not log-concave, so that steps are shorter."""

LEFT_OUT = -1
"""Stands in an answer for an item that `Posterior.take` did not keep."""

_NO_ITEM = -2
"""Stands for the second item of an answer about one."""

_CANCELLED = 1e-6
"""A difference of tails that is smaller is worked out in log space."""


@dataclass(frozen=True)
class Answer:
    """One answer of a person.

    Parameters
    ----------
    kind : {"comparison", "tie", "below"}
        The first item is preferred to the second; both are about equally good; or
        the item is not acceptable: its utility is below the threshold.
    items : tuple of int
        Two items, or one for "below".
    width : float or None, default=None
        How close the two items of a tie are; None: as close as the person's ties
        always are.
    """

    kind: str
    items: tuple[int, ...]
    width: float | None = None

    def __post_init__(self) -> None:
        items = tuple(int(item) for item in self.items)
        object.__setattr__(self, "items", items)
        if len(items) != _N_ITEMS.get(self.kind):
            raise DataError(
                "An answer is a 'comparison' or a 'tie' of two items, or 'below' with "
                f"one. Got {self.kind!r} with {len(items)} items."
            )
        if len(items) == 2 and items[0] == items[1] != LEFT_OUT:
            raise DataError(
                f"An item cannot be compared with itself. Got item {items[0]} twice."
            )

    def interval(self, tie_width: float, threshold: float) -> tuple[float, float]:
        """Give the ends between which the noisy functional must lie."""
        if self.kind == "comparison":
            return 0.0, np.inf
        if self.kind == "below":
            return -np.inf, threshold
        width = tie_width if self.width is None else self.width
        return -width, width


@dataclass(frozen=True, eq=False)
class RowEvidence:
    """Answers in row space: answer k is about the number a_k'f.

    With A the matrix of the rows a_k, m and C the prior of the utilities, the
    posterior has mean ``m + (AC)' w`` and covariance ``C - H'H`` (GP-8, GP-10).

    Parameters
    ----------
    rows : ndarray of shape (n_answers, n_items)
        A C.
    mean : ndarray of shape (n_answers,)
        A m.
    gram : ndarray of shape (n_answers, n_answers)
        A C A'.
    lower, upper : ndarray of shape (n_answers,)
        Interval in which a_k'f plus noise lies.
    precision, shift : ndarray of shape (n_answers,)
        What replaces each answer: the Gaussian ``exp(shift s - precision s^2 / 2)``.
    answers : tuple of Answer
    log_evidence : float
        Logarithm of the probability of the answers.
    """

    rows: FloatArray
    mean: FloatArray
    gram: FloatArray
    lower: FloatArray
    upper: FloatArray
    precision: FloatArray
    shift: FloatArray
    answers: tuple[Answer, ...]
    log_evidence: float = 0.0

    @classmethod
    def empty(cls, n_items: int) -> "RowEvidence":
        """Start without answers."""
        none = np.empty(0)
        rows, gram = np.empty((0, n_items)), np.empty((0, 0))
        return cls(rows, none, gram, none, none, none, none, answers=())

    def __len__(self) -> int:
        return len(self.answers)

    def append(
        self,
        answer: Answer,
        prior_mean: FloatArray,
        prior_cov: Covariance,
        interval: tuple[float, float],
    ) -> "RowEvidence":
        """Add an answer; its site starts without effect until `infer` is called."""
        items, signs = (
            np.array(answer.items),
            np.array([1.0, -1.0][: len(answer.items)]),
        )
        # One more row and column; nothing of the earlier answers is computed again.
        row = signs @ prior_cov.rows(items)
        size = len(self)
        gram = np.empty((size + 1, size + 1))
        gram[:size, :size] = self.gram
        gram[size, :size] = gram[:size, size] = self.rows[:, items] @ signs
        gram[size, size] = signs @ row[items]
        return RowEvidence(
            rows=np.vstack([self.rows, row]),
            mean=np.append(self.mean, signs @ prior_mean[items]),
            gram=gram,
            lower=np.append(self.lower, interval[0]),
            upper=np.append(self.upper, interval[1]),
            precision=np.append(self.precision, 0.0),
            shift=np.append(self.shift, 0.0),
            answers=(*self.answers, answer),
        )

    def without(self, k: int) -> "RowEvidence":
        """Leave answer k out; the other sites stay until `infer` is called."""
        keep = np.arange(len(self)) != k
        names = ("rows", "mean", "lower", "upper", "precision", "shift")
        return RowEvidence(
            gram=self.gram[np.ix_(keep, keep)],
            answers=self.answers[:k] + self.answers[k + 1 :],
            **{name: getattr(self, name)[keep] for name in names},
        )

    def take(self, items: IntArray) -> "RowEvidence":
        """Keep the columns of some items; what was said of others still counts."""
        place = {int(item): k for k, item in enumerate(items)}
        answers = (
            replace(a, items=tuple(place.get(i, LEFT_OUT) for i in a.items))
            for a in self.answers
        )
        rows = np.ascontiguousarray(self.rows[:, items])
        return replace(self, rows=rows, answers=tuple(answers))

    def infer(self, inference: str, noise: float, lapse: float) -> "RowEvidence":
        """Find the sites, from where they stand; slips need expectation propagation."""
        if not len(self):
            return self
        tau, nu = self.precision.copy(), self.shift.copy()
        if inference == "laplace" and not lapse:
            sites = Sites(self.lower, self.upper, noise)
            found = laplace(self.mean, self.gram, sites, start=(tau, nu), tol=_TOL)
            tau, nu, total = found.tau, found.nu, found.log_evidence
        else:
            q, gram = len(self), np.ascontiguousarray(self.gram)
            rows = (np.arange(q), np.full(q, -1))
            ends = (self.lower, self.upper, np.full(q, noise), np.ones(q))
            arrays = SiteArrays(*rows, *ends, lapse)
            state = new_state(tau, nu, np.maximum(np.diagonal(gram), 0.0))
            limits = _WITH_SLIPS if lapse else _WITHOUT
            _, _, total, _, _ = propagate(self.mean, gram, arrays, state, limits)
        return replace(self, precision=tau, shift=nu, log_evidence=float(total))

    @cached_property
    def root(self) -> FloatArray:
        """The matrix L^-1 T^(1/2), T the precisions and LL' = I + T^(1/2) G T^(1/2)."""
        # I + T^(1/2) G T^(1/2) has no eigenvalue below 1, however alike the answers
        # are.
        scale = np.sqrt(self.precision)
        system = scale[:, None] * self.gram * scale
        system[np.diag_indices_from(system)] += 1.0
        lower = np.linalg.cholesky(system)
        return np.linalg.solve(lower, np.diag(scale))

    @cached_property
    def weights(self) -> FloatArray:
        """The weights w of the rows in the posterior mean, shape (n_answers,)."""
        pulled = self.root @ (self.gram @ self.shift + self.mean)
        return self.shift - self.root.T @ pulled

    @cached_property
    def reduction(self) -> FloatArray:
        """The matrix H = root A C, shape (n_answers, n_items)."""
        return self.root @ self.rows

    def log_ratios(
        self, items: IntArray, draws: FloatArray, noise: float, lapse: float
    ) -> FloatArray:
        """Say how much likelier the answers make utilities than their sites do.

        Inference replaces every answer by a Gaussian site (GP-10). The quotient of
        the two turns draws of the approximation into draws of the true posterior,
        which is skewed: an item that won is rarely the worse one, though a Gaussian
        allows it.

        Parameters
        ----------
        items : ndarray of int of shape (k,)
            Answers about other items do not enter.
        draws : ndarray of shape (n_draws, k)
            Utilities of the items.
        noise, lapse : float
            The likelihood of an answer is ``lapse + (1 - 2 lapse) p``, p of GP-1 or
            GP-10.

        Returns
        -------
        ndarray of shape (n_draws,)
            Sums of log-likelihoods, less the logarithms of the sites.
        """
        place = {int(item): k for k, item in enumerate(items)}
        place[_NO_ITEM] = _NO_ITEM
        pairs = np.array(
            [
                [place.get(item, LEFT_OUT) for item in (*answer.items, _NO_ITEM)[:2]]
                for answer in self.answers
            ]
        )
        used = np.flatnonzero((pairs != LEFT_OUT).all(axis=1))
        ends = np.stack([self.lower, self.upper])[:, used]
        sites = np.stack([self.precision, self.shift])[:, used]
        return _log_ratios(draws, pairs[used], ends, sites, noise, lapse)


@njit(cache=True, nogil=True)
def _log_ratios(
    draws: FloatArray,
    pairs: IntArray,
    ends: FloatArray,
    sites: FloatArray,
    noise: float,
    lapse: float,
) -> FloatArray:
    """Sum, for each draw, log-likelihoods less logarithms of sites."""
    sums, unit = np.zeros(len(draws)), noise * np.sqrt(2.0)
    for k in range(len(pairs)):
        i, j = pairs[k]
        open_above = ends[1, k] == np.inf  # of a comparison: half the work
        for n in range(len(draws)):
            value = draws[n, i] - (draws[n, j] if j >= 0 else 0.0)
            above = 0.5 * erfc((ends[0, k] - value) / unit)
            beyond = 0.0 if open_above else 0.5 * erfc((ends[1, k] - value) / unit)
            likelihood = lapse + (1.0 - 2.0 * lapse) * (above - beyond)
            # With slips the likelihood is at least the lapse; without, a tie or a far
            # tail may lose all its digits in the difference.
            if likelihood > _CANCELLED or lapse > 0.0:
                sums[n] += log(likelihood)
            else:
                a, width = standardised(ends[0, k], ends[1, k], value, noise)
                sums[n] += truncated_normal(a, width)[0]
            sums[n] -= value * (sites[1, k] - 0.5 * sites[0, k] * value)
    return sums
