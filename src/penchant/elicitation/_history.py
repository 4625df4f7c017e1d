"""What follows from the answers so far about what may be asked next."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import ndtr

from penchant._cached import cached_property
from penchant.elicitation._belief import Moments, Pair
from penchant.elicitation._questions import Answer, Told
from penchant.elicitation._view import View
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


@dataclass(frozen=True)
class History:
    """All answers of a conversation, in order.

    Parameters
    ----------
    told : tuple of Told
        The answers, skipped questions included.
    """

    told: tuple[Told, ...] = ()

    def __len__(self) -> int:
        return len(self.told)

    @classmethod
    def of(cls, posterior: Moments) -> Self:
        """Read the comparisons and ties that a posterior already rests on."""
        told: list[Told] = []
        for answer in posterior.answers:
            if answer.kind != "below" and min(answer.items) >= 0:
                word: Answer = "left" if answer.kind == "comparison" else "tie"
                told.append(Told(answer.items[0], answer.items[1], word))
        return cls(tuple(told))

    def plus(self, told: Told) -> "History":
        """Give the history with one more answer."""
        return History((*self.told, told))

    @cached_property
    def asked(self) -> Counter[Pair]:
        """How often each pair was answered; skipped questions do not count."""
        return Counter(entry.pair for entry in self.told if entry.answer != "skip")

    @cached_property
    def duels(self) -> list[Pair]:
        """Winner and loser of every comparison, in order."""
        return [entry.duel for entry in self.told if entry.duel is not None]

    @cached_property
    def defeated(self) -> frozenset[int]:
        """Items that lost a duel; of two equally good ones the right one counts."""
        level = {entry.right for entry in self.told if entry.answer == "tie"}
        return frozenset({loser for _, loser in self.duels} | level)

    @cached_property
    def resting(self) -> frozenset[Pair]:
        """Skipped pairs that are not asked now."""
        skipped = [(k, e.pair) for k, e in enumerate(self.told) if e.answer == "skip"]
        often = Counter(pair for _, pair in skipped)
        recent = {pair for k, pair in skipped if len(self) - k <= _REST}
        return frozenset(recent | {pair for pair, n in often.items() if n > 1})

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

    def blocked(self, again: Sequence[Pair] | dict[Pair, str] = ()) -> IntArray:
        """Give the pairs not to ask, shape (n, 2): answered or resting."""
        pairs = (set(self.asked) - set(again)) | self.resting
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)

    def was_skipped(self, pair: Pair) -> bool:
        """Tell whether a pair was skipped before."""
        return any(e.pair == pair for e in self.told if e.answer == "skip")


def _sorted(duel: Pair) -> Pair:
    return min(duel), max(duel)
