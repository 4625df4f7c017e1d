"""What is believed about one person's utilities, and how answers change it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtr

from penchant._cached import cached_property
from penchant._validation import set_fields
from penchant.exceptions import DataError, FormatError
from penchant.gp._answers import Answer, RowEvidence
from penchant.gp._covariance import (
    MAX_DIMENSION,
    Covariance,
    DenseCovariance,
    Draws,
    LowRankCovariance,
    as_covariance,
    covariance_root,
    normal_draws,
    read_only,
)
from penchant.typing import ArrayLike, FloatArray, IntArray

_ARRAYS = ("rows", "mean", "gram", "precision", "shift")
_NOTHING = RowEvidence.empty(0)


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """A Gaussian belief about what every item is worth to one person.

    It never changes: `update`, `update_tie` and `update_below` return a new one. An
    answer costs a system of the size of the number of answers so far and one pass
    over the items, however many people the prior was learned from.

    Parameters
    ----------
    prior_mean : array-like of shape (n_items,)
        Mean of the utilities before any answer.
    prior_cov : array-like of shape (n_items, n_items), or a covariance
        Their covariance; `DenseCovariance` or `LowRankCovariance` for many items.
    noise : float, default=1.0
        Standard deviation of the noise in a comparison (GP-1).
    tie_width : float, default=0.1
        Items whose noisy utilities differ by less are called equally good.
    threshold : float, default=0.0
        Utility below which an item is not acceptable.
    inference : {"ep", "laplace"}, default="ep"
        How answers become Gaussian: expectation propagation (GP-10), good for any
        noise, or Laplace's approximation (GP-4), as in the paper.
    evidence : RowEvidence, optional
        The answers so far, of a posterior with the same prior; default: none.

    Attributes
    ----------
    lapse : float
        Probability that a clear preference is reported wrongly: 0.
    negligible : float
        An item that is expected to gain less over the leader than this share of the
        largest gain is not drawn to see whether it is the best.

    Notes
    -----
    After the q-th answer of a person about N items: O(q^3) time for inference,
    O(q N) for mean and variance, O(q N^2) when `cov` is asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import Posterior
    >>> belief = Posterior(np.zeros(3), np.eye(3), noise=0.5)
    >>> told = belief.update(2, 0)
    >>> told.mean.round(3), round(told.probability(2, 0), 3)
    (array([-0.532,  0.   ,  0.532]), 0.843)
    """

    prior_mean: FloatArray
    prior_cov: Covariance
    noise: float = 1.0
    tie_width: float = 0.1
    threshold: float = 0.0
    inference: str = "ep"
    evidence: RowEvidence = _NOTHING

    lapse: ClassVar[float] = 0.0
    negligible: ClassVar[float] = 1e-9
    _n_draws: ClassVar[int] = 4096
    # If fewer draws would count, the Gaussian itself is the better guess.
    _fewest_draws: ClassVar[float] = 100.0

    def __post_init__(self) -> None:
        if self.answers:
            return  # all was checked when the posterior without answers was made
        covariance, mean = as_covariance(self.prior_cov), read_only(self.prior_mean)
        if mean.shape != (covariance.n_items,):
            raise DataError(
                f"prior_mean must have one entry per item ({covariance.n_items}). "
                f"Got shape {mean.shape}."
            )
        for name, value in (("noise", self.noise), ("tie_width", self.tie_width)):
            if not 0 < value < np.inf:
                raise DataError(f"{name} must be a positive number. Got {value!r}.")
        if self.inference not in ("ep", "laplace"):
            raise DataError(
                f"inference must be 'ep' or 'laplace'. Got {self.inference!r}."
            )
        nothing = RowEvidence.empty(mean.size)
        set_fields(self, prior_mean=mean, prior_cov=covariance, evidence=nothing)

    def __repr__(self) -> str:
        return (
            f"Posterior({self.n_items} items, {len(self.answers)} answers, "
            f"noise={self.noise:.3g})"
        )

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.prior_mean.size)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What the person answered, first answer first."""
        return self.evidence.answers

    @property
    def log_evidence(self) -> float:
        """Logarithm of the probability that the model gave to the answers."""
        return self.evidence.log_evidence

    @cached_property
    def mean(self) -> FloatArray:
        """Expected utilities, shape (n_items,)."""
        rows, weights = self.evidence.rows, self.evidence.weights
        return read_only(self.prior_mean + weights @ rows)

    @cached_property
    def variance(self) -> FloatArray:
        """Variances of the utilities, shape (n_items,)."""
        reduction = self.evidence.reduction
        known = np.einsum("ki,ki->i", reduction, reduction)
        return read_only(np.maximum(self.prior_cov.variance - known, 0.0))

    @cached_property
    def cov(self) -> FloatArray:
        """Covariance of the utilities, (n_items, n_items); refused above 5000 items."""
        prior = self.prior_cov.dense()
        if not self.answers:
            return read_only(prior)
        reduction = self.evidence.reduction
        covariance = reduction.T @ reduction
        np.subtract(prior, covariance, out=covariance)
        covariance.setflags(write=False)
        return covariance

    def block(self, items: ArrayLike) -> FloatArray:
        """Give the covariance of some items.

        Parameters
        ----------
        items : array-like of int of shape (k,)

        Returns
        -------
        ndarray of shape (k, k)
        """
        index = self._check_items(items)
        reduction = self.evidence.reduction[:, index]
        return self.prior_cov.block(index) - reduction.T @ reduction

    def cross(self, items: ArrayLike) -> FloatArray:
        """Give the covariance of all items with some.

        Parameters
        ----------
        items : array-like of int of shape (k,)

        Returns
        -------
        ndarray of shape (n_items, k)
        """
        index = self._check_items(items)
        reduction = self.evidence.reduction
        return self.prior_cov.rows(index).T - reduction.T @ reduction[:, index]

    def probability(self, i: int, j: int) -> float:
        """Give the probability that the person, asked now, prefers i to j (GP-6)."""
        block = self.block([i, j])
        # Asked now, the person answers with noise; the comparison of true utilities has
        # none.
        spread = max(block[0, 0] + block[1, 1] - 2.0 * block[0, 1], 0.0)
        z = (self.mean[i] - self.mean[j]) / np.sqrt(spread + self.noise**2)
        return float(ndtr(z))

    def draw(self, items: ArrayLike) -> Draws:
        """Draw utilities of some items, always from the same Sobol points.

        Each draw of the Gaussian counts by what the answers really say, see
        `RowEvidence.log_ratios`; where too few would count, all count alike.

        Parameters
        ----------
        items : array-like of int of shape (k,)
            At most 192.

        Returns
        -------
        Draws
            With 4096 draws the probability of an event is right to about .01.
        """
        index = self._check_items(items)
        joint = self._with_answered(index)
        root = covariance_root(self.block(joint))
        # The same points at every call, so that what is told does not flicker between
        # one page and the next.
        points = normal_draws()[: self._n_draws, : root.shape[1]]
        utilities = points @ root.T + self.mean[joint]
        weights = self._weigh(joint, utilities)
        return Draws(utilities[:, : index.size], weights)

    def _with_answered(self, index: IntArray) -> IntArray:
        """Append the items of the latest answers, as far as there is room."""
        # Answers weigh draws only where all their items are drawn.
        seen = {i: None for answer in self.answers for i in answer.items if i >= 0}
        others = [item for item in seen if item not in set(index.tolist())]
        surplus = max(index.size + len(others) - MAX_DIMENSION, 0)
        return np.concatenate([index, np.array(others[surplus:], dtype=np.int64)])

    def _weigh(self, items: IntArray, utilities: FloatArray) -> FloatArray:
        """Weight draws from the Gaussian by the likelihood of the answers; sum 1."""
        equal = np.full(len(utilities), 1.0 / len(utilities))
        if not self.answers:
            return equal
        logs = self.evidence.log_ratios(items, utilities, self.noise, self.lapse)
        weights: FloatArray = np.exp(logs - logs.max())
        weights /= weights.sum()
        # The effective number of draws: few heavy ones would be worse than the
        # Gaussian.
        return weights if 1.0 / (weights @ weights) >= self._fewest_draws else equal

    def sample(
        self, n: int, rng: np.random.Generator, items: ArrayLike | None = None
    ) -> Iterator[FloatArray]:
        """Yield the utilities of people like this one, each of shape (n_items,).

        Parameters
        ----------
        n : int
            How many people.
        rng : Generator
            Draws each of them when it is asked for.
        items : array-like of int of shape (k,), optional
            Items whose utilities vary, the others keep their means; default: all.
            Time is cubic in their number.
        """
        index = np.arange(self.n_items) if items is None else self._check_items(items)
        root = covariance_root(self.block(index))
        for _ in range(n):
            utilities = self.mean.copy()
            utilities[index] += root @ rng.standard_normal(root.shape[1])
            yield utilities

    def update(self, winner: int, loser: int) -> Self:
        """Give the belief after the person preferred one item to another."""
        return self.with_answers([Answer("comparison", (winner, loser))])

    def update_tie(self, i: int, j: int) -> Self:
        """Give the belief after the person called two items about equally good."""
        return self.with_answers([Answer("tie", (i, j))])

    def update_below(self, i: int) -> Self:
        """Give the belief after the person called an item not acceptable."""
        return self.with_answers([Answer("below", (i,))])

    def with_answers(self, answers: Iterable[Answer]) -> Self:
        """Give the belief after several answers, found in one go."""
        evidence = self.evidence
        for answer in answers:
            self._check_items(answer.items)
            evidence = evidence.append(
                answer,
                self.prior_mean,
                self.prior_cov,
                answer.interval(self.tie_width, self.threshold),
            )
        if evidence is self.evidence:
            return self
        found = evidence.infer(self.inference, self.noise, self.lapse)
        return replace(self, evidence=found)

    def without(self, k: int) -> Self:
        """Give the belief as if answer k had never been given.

        Parameters
        ----------
        k : int
            Position in `answers`.

        Returns
        -------
        Posterior
        """
        if not 0 <= k < len(self.answers):
            raise DataError(
                f"There are {len(self.answers)} answers, counted from 0. Got {k}."
            )
        evidence = self.evidence.without(k)
        found = evidence.infer(self.inference, self.noise, self.lapse)
        return replace(self, evidence=found)

    def take(self, items: ArrayLike) -> Self:
        """Give the belief about some items only, numbered anew.

        Later answers about these items have the same effect on them as before. In
        `answers`, -1 stands for an item that was left out.

        Parameters
        ----------
        items : array-like of int of shape (k,)
            Different items.

        Returns
        -------
        Posterior
        """
        index = self._check_items(items)
        if np.unique(index).size < index.size:
            raise DataError("take needs different items. Got one twice.")
        return replace(
            self,
            prior_mean=read_only(self.prior_mean[index]),
            prior_cov=self.prior_cov.take(index),
            evidence=self.evidence.take(index),
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the belief as plain lists and numbers, ready for JSON."""
        arrays = {name: getattr(self.evidence, name).tolist() for name in _ARRAYS}
        return {
            "prior_mean": self.prior_mean.tolist(),
            "prior_cov": {
                field.name: getattr(self.prior_cov, field.name).tolist()
                for field in fields(self.prior_cov)
            },
            "noise": self.noise,
            "tie_width": self.tie_width,
            "threshold": self.threshold,
            "inference": self.inference,
            "answers": [
                [a.kind, *a.items, *([] if a.width is None else [a.width])]
                for a in self.answers
            ],
            "log_evidence": self.log_evidence,
            **arrays,
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """Give back the belief that `to_dict` described."""
        try:
            return cls._from_state(state)
        except (KeyError, TypeError, IndexError) as error:
            raise FormatError(
                "A posterior must be a dict as to_dict gives it. "
                f"Got something else: {error!r}."
            ) from error

    @classmethod
    def _from_state(cls, state: dict[str, Any]) -> Self:
        low_rank = "factor" in state["prior_cov"]
        kind = LowRankCovariance if low_rank else DenseCovariance
        names = ("noise", "tie_width", "threshold", "inference")
        empty = cls(
            np.array(state["prior_mean"]),
            kind(**state["prior_cov"]),
            **{name: state[name] for name in names},
        )
        if not state["answers"]:
            return empty
        answers = tuple(
            Answer(kind, told[:2], *told[2:]) for kind, *told in state["answers"]
        )
        intervals = [a.interval(empty.tie_width, empty.threshold) for a in answers]
        lower, upper = np.array(intervals).T
        evidence = RowEvidence(
            lower=lower,
            upper=upper,
            answers=answers,
            log_evidence=state["log_evidence"],
            **{name: np.array(state[name]) for name in _ARRAYS},
        )
        return replace(empty, evidence=evidence)

    def _check_items(self, items: ArrayLike) -> IntArray:
        """Return item numbers as an array, all of them known."""
        index = np.asarray(items, dtype=np.int64)
        if index.size and not (index.min() >= 0 and index.max() < self.n_items):
            raise DataError(
                f"Items have the numbers 0 to {self.n_items - 1}. Got {index.tolist()}."
            )
        return index


@dataclass(frozen=True, eq=False, repr=False)
class LapsePosterior(Posterior):
    """A Gaussian belief about one person whose answers may be slips.

    With probability 2 * lapse an answer is a coin toss, so that a clear preference is
    reported wrongly with probability `lapse` however far the two items are apart. The
    probit of GP-1 alone has no place for that: one slip would move the belief for good.

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
