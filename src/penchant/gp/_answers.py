"""What one person answered, as Gaussian sites on functionals of the utilities."""

from dataclasses import dataclass, replace

import numpy as np

from penchant._cached import cached_property
from penchant.exceptions import DataError
from penchant.gp._covariance import Covariance
from penchant.gp.inference._expectation_propagation import expectation_propagation
from penchant.gp.inference._laplace import laplace
from penchant.gp.inference._sites import Sites
from penchant.typing import FloatArray, IntArray

__all__ = ["Answer", "RowEvidence"]

_N_ITEMS = {"comparison": 2, "tie": 2, "below": 1}
_TOL = 1e-9
"""Change of the standardised moments at which inference stops."""

LEFT_OUT = -1
"""Stands in an answer for an item that `Posterior.take` did not keep."""


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
    """

    kind: str
    items: tuple[int, ...]

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
        return (-tie_width, tie_width) if self.kind == "tie" else (-np.inf, threshold)


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
        return RowEvidence(
            rows=self.rows[keep],
            mean=self.mean[keep],
            gram=self.gram[np.ix_(keep, keep)],
            lower=self.lower[keep],
            upper=self.upper[keep],
            precision=self.precision[keep],
            shift=self.shift[keep],
            answers=self.answers[:k] + self.answers[k + 1 :],
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

    def infer(self, inference: str, noise: float) -> "RowEvidence":
        """Find the sites, from where they stand."""
        if not len(self):
            return self
        sites = Sites(self.lower, self.upper, noise)
        solve = expectation_propagation if inference == "ep" else laplace
        start = (self.precision, self.shift)
        found = solve(self.mean, self.gram, sites, start=start, tol=_TOL)
        return replace(
            self,
            precision=found.tau,
            shift=found.nu,
            log_evidence=float(found.log_evidence),
        )

    @cached_property
    def root(self) -> FloatArray:
        """The matrix L^-1 T^(1/2), T the precisions and LL' = I + T^(1/2) G T^(1/2)."""
        scale = np.sqrt(self.precision)
        system = scale[:, None] * self.gram * scale
        system[np.diag_indices_from(system)] += 1.0
        lower = np.linalg.cholesky(system)
        root: FloatArray = np.linalg.solve(lower, np.diag(scale))
        return root

    @cached_property
    def weights(self) -> FloatArray:
        """The weights w of the rows in the posterior mean, shape (n_answers,)."""
        pulled = self.root @ (self.gram @ self.shift + self.mean)
        weights: FloatArray = self.shift - self.root.T @ pulled
        return weights

    @cached_property
    def reduction(self) -> FloatArray:
        """The matrix H = root A C, shape (n_answers, n_items)."""
        reduction: FloatArray = self.root @ self.rows
        return reduction
