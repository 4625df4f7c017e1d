"""What follows from the answers so far about what may be asked next."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from penchant._cached import cached_property
from penchant.elicitation._belief import Moments, Pair
from penchant.elicitation._view import View
from penchant.gp import Answer
from penchant.typing import IntArray

__all__ = ["DISAGREE", "SKIPPED", "UNEXPECTED", "History"]

DISAGREE = "asked again because your answers disagree"
UNEXPECTED = "asked again because your answer was unexpected"
SKIPPED = "asked again because you skipped it before"

_MAX_ASKED = 3
"""So often the same pair is asked at most, however noisy the answers look."""

_REST = 10
"""So many questions a skipped pair rests; skipped twice, it never comes back."""

_UNEXPECTED = 0.5
"""An answer is checked if, with all answers known, the opposite is more likely."""


class Said(NamedTuple):
    """What was said about two items.

    Parameters
    ----------
    pair : (int, int)
        The items; of a comparison the better one first.
    kind : {"comparison", "tie", "neither", "skip"}
    """

    pair: Pair
    kind: str


@dataclass(frozen=True)
class History:
    """All that was said about pairs of items, in order.

    Parameters
    ----------
    said : tuple of Said
        Skipped questions included.
    """

    said: tuple[Said, ...] = ()

    @classmethod
    def read(cls, belief: Moments) -> "History":
        """Read the comparisons and ties that a belief already rests on."""
        return cls().plus((), [a for a in belief.answers if min(a.items) >= 0])

    def plus(self, shown: Sequence[int], evidence: Iterable[Answer]) -> "History":
        """Give the history after one more answer.

        Parameters
        ----------
        shown : sequence of int
            The items of the question.
        evidence : iterable of Answer
            What the answer says of them. Where it compares none, all pairs of them
            were passed over, or rejected if there is any.
        """
        told = list(evidence)
        said = [Said(_pair(a), a.kind) for a in told if a.kind != "below"]
        if not said:
            kind = "neither" if told else "skip"
            said = [Said(pair, kind) for pair in combinations(shown, 2)]
        return History((*self.said, *said))

    @cached_property
    def asked(self) -> Counter[Pair]:
        """How often each pair was answered; skipped questions do not count."""
        return Counter(_sorted(s.pair) for s in self.said if s.kind != "skip")

    @cached_property
    def skipped(self) -> Counter[Pair]:
        """How often each pair was skipped."""
        return Counter(_sorted(s.pair) for s in self.said if s.kind == "skip")

    @cached_property
    def duels(self) -> list[Pair]:
        """Winner and loser of every comparison, in order."""
        return [s.pair for s in self.said if s.kind == "comparison"]

    @cached_property
    def defeated(self) -> frozenset[int]:
        """Items that lost a duel; of two equally good ones the second counts."""
        kinds = ("comparison", "tie")
        return frozenset(s.pair[1] for s in self.said if s.kind in kinds)

    @cached_property
    def resting(self) -> frozenset[Pair]:
        """Skipped pairs that are not asked now."""
        recent = History(self.said[-_REST:]).skipped if self.skipped else ()
        return frozenset({*recent, *(p for p, n in self.skipped.items() if n > 1)})

    @cached_property
    def circular(self) -> frozenset[Pair]:
        """Pairs whose answers contradict each other, directly or in a circle."""
        if len(self.duels) < 2:
            return frozenset()
        items, places = np.unique(self.duels, return_inverse=True)
        winners, losers = places.reshape(-1, 2).T
        above = np.zeros((items.size, items.size))
        above[winners, losers] = 1.0
        for _ in range(int(items.size).bit_length()):  # paths of twice the length
            above = np.minimum(above + above @ above, 1.0)
        closed = np.flatnonzero(above[losers, winners])
        return frozenset(_sorted(self.duels[k]) for k in closed)

    def unexpected(self, posterior: Moments) -> frozenset[Pair]:
        """Pairs whose answer the posterior, which knows all answers, disbelieves."""
        if not self.duels:
            return frozenset()
        view, winners, losers = View.of_pairs(posterior, np.array(self.duels))
        d, spread = view.difference(winners, losers)
        doubted = ndtr(d / view.answer_scale(spread)) < _UNEXPECTED
        return frozenset(_sorted(self.duels[k]) for k in np.flatnonzero(doubted))

    def repeatable(self, posterior: Moments) -> dict[Pair, str]:
        """Give the pairs that are worth asking again, each with the reason."""
        reasons = dict.fromkeys(self.unexpected(posterior), UNEXPECTED)
        reasons |= dict.fromkeys(self.circular, DISAGREE)
        return {p: why for p, why in reasons.items() if self.asked[p] < _MAX_ASKED}

    def blocked(self, again: Collection[Pair] = ()) -> IntArray:
        """Give the pairs not to ask, shape (n, 2): answered or resting."""
        pairs = (set(self.asked) - set(again)) | self.resting
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _sorted(duel: Pair) -> Pair:
    return min(duel), max(duel)


def _pair(answer: Answer) -> Pair:
    return answer.items[0], answer.items[1]
