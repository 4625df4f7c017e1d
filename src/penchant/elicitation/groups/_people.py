"""What a group is worked out from: a belief about somebody new, and answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

import numpy as np

from penchant.elicitation._belief import Moments
from penchant.gp import Answer
from penchant.typing import BoolArray, FloatArray, IntArray

NOISE, LAPSE, TIE_WIDTH = 0.3, 0.05, 0.1
"""Noise of a difference, share of slips, and half the width of a tie, in units."""

_MOST_COLUMNS = 200
_TINY = 1e-9
"""Share of the variance at which a covariance is taken as reproduced."""


@dataclass(frozen=True, eq=False)
class Newcomer:
    """The belief about a person before the first question: N(mean, factor factor').

    Parameters
    ----------
    mean : ndarray of shape (n_items,)
        Expected utilities.
    factor : ndarray of shape (n_items, n_columns)
        A root of their covariance.
    """

    mean: FloatArray
    factor: FloatArray

    @classmethod
    def from_moments(cls, mean: FloatArray, cov: FloatArray) -> Self:
        """Take a mean and a covariance of the utilities of all items."""
        columns = _pivoted(np.diagonal(cov).copy(), lambda item: cov[:, item])
        return cls(np.asarray(mean, dtype=np.float64), columns)

    @classmethod
    def from_belief(cls, belief: Moments) -> Self:
        """Take the moments of a belief; of many items only columns are worked out."""
        items = np.arange(belief.n_items)
        return cls(
            np.asarray(belief.mean),
            _pivoted(
                np.array(belief.variance),
                lambda item: belief.cross(items[item : item + 1])[:, 0],
            ),
        )

    def take(self, items: IntArray) -> "Newcomer":
        """Give what is believed of some items."""
        return replace(self, mean=self.mean[items], factor=self.factor[items])

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.mean)

    @property
    def unit(self) -> float:
        """Standard deviation of utility over the items that is expected."""
        variance = float((self.factor**2).sum(axis=1).mean() + np.var(self.mean))
        return max(float(np.sqrt(variance)), 1e-9)


def _pivoted(rest: FloatArray, column: Callable[[int], FloatArray]) -> FloatArray:
    """Give the pivoted Cholesky factor, exact for up to 200 items.

    For more, the items that are least explained by those before come first, and what
    200 columns leave unexplained is dropped.
    """
    n_items, least = rest.size, _TINY * float(rest.max(initial=0.0))
    factor = np.zeros((n_items, min(n_items, _MOST_COLUMNS)))
    for k in range(factor.shape[1]):
        item = int(np.argmax(rest))
        if rest[item] <= least:
            return factor[:, :k]
        known = factor[:, :k] @ factor[item, :k]
        factor[:, k] = (column(item) - known) / np.sqrt(rest[item])
        rest = np.maximum(rest - factor[:, k] ** 2, 0.0)
        rest[item] = 0.0
    return factor


@dataclass(frozen=True)
class PersonAnswers:
    """What one person said.

    Parameters
    ----------
    answers : tuple of Answer
        Evidence about the utilities of the items.
    sides : tuple of bool or None
        For each answer, whether the item on the left was chosen; None where there
        were no sides, as in a tie or a rating.
    checked : bool, default=False
        Whether two check questions are among them, see `own_checks`.
    """

    answers: tuple[Answer, ...]
    sides: tuple[bool | None, ...] = field(default=())
    checked: bool = False

    @property
    def clicks(self) -> tuple[bool, ...]:
        """The sides that were chosen, in order."""
        return tuple(side for side in self.sides if side is not None)


class Rows(NamedTuple):
    """The answers of all people, padded: row i of person p is about ``H x + mean``.

    Parameters
    ----------
    H : ndarray of shape (n_people, n_rows, n_columns)
        x are standard normal coordinates of the utilities, ``f = mean + factor x``.
    mean : ndarray of shape (n_people, n_rows)
        Under the belief about somebody new.
    lower, upper : ndarray of shape (n_people, n_rows)
        Between these the number lies, after noise; in units of the noise.
    used : ndarray of bool of shape (n_people, n_rows)
        False where a person has fewer answers.
    """

    H: FloatArray
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    used: BoolArray

    @classmethod
    def stack(cls, people: Sequence[PersonAnswers], newcomer: Newcomer) -> "Rows":
        """Put the answers of all people into arrays; numbers in units of the noise."""
        n_rows = max([1, *(len(person.answers) for person in people)])
        shape = (len(people), n_rows)
        A = np.zeros((*shape, 2))
        items = np.zeros((*shape, 2), dtype=np.int64)
        lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
        noise, width = NOISE * newcomer.unit, TIE_WIDTH * newcomer.unit
        for p, person in enumerate(people):
            for i, answer in enumerate(person.answers):
                items[p, i, : len(answer.items)] = answer.items
                A[p, i, : len(answer.items)] = (1.0, -1.0)[: len(answer.items)]
                lower[p, i], upper[p, i] = answer.interval(width, 0.0)
        A /= noise
        H = np.einsum("pic,picd->pid", A, newcomer.factor[items])
        return cls(
            H,
            (A * newcomer.mean[items]).sum(axis=-1),
            lower / noise,
            upper / noise,
            A[..., 0] != 0,
        )

    def only(self, kept: BoolArray) -> "Rows":
        """Leave out the rows that are not kept."""
        return self._replace(
            H=self.H * kept[..., None],
            mean=self.mean * kept,
            used=self.used & kept,
        )
