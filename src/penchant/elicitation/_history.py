"""Questions and answers as values, and what may be asked next after them."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from penchant._cached import cached_property
from penchant.elicitation._belief import Moments, Pair
from penchant.elicitation.person import Reason
from penchant.exceptions import DataError
from penchant.gp import Answer
from penchant.typing import IntArray

Word = Literal["left", "right", "tie", "skip", "neither"]

DISAGREE = "asked again because your answers disagree"
UNEXPECTED = "asked again because your answer was unexpected"
SKIPPED = "asked again because you skipped it before"

_ABOUT_PAIRS = ("comparison", "tie")
"""Kinds of evidence that settle which of two items is better, or that none is."""

_MAX_ASKED = 3
"""So often the same pair is asked at most, however noisy the answers look."""

_REST = 10
"""So many questions a skipped pair rests; skipped twice, it never comes back."""


@dataclass(frozen=True)
class Question:
    """Two items, of which the person is to name the better one.

    Parameters
    ----------
    left, right : int
        The items, in the order in which to show them.
    number : int or None, default=None
        Place in the conversation, counted from 1. None for a pair that the caller
        brings, such as one of an offline questionnaire.
    reason : str, default=""
        Why it is asked, where a person may wonder: it was asked before.
    """

    left: int
    right: int
    number: int | None = None
    reason: str = ""

    @property
    def pair(self) -> Pair:
        """The two items, the smaller index first."""
        return min(self.left, self.right), max(self.left, self.right)

    def to_dict(self) -> dict[str, Any]:
        """Give the question as plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Told:
    """An answer to a question.

    Parameters
    ----------
    left, right : int
        The items.
    answer : {"left", "right", "tie", "skip", "neither"}
        What the person said.
    because : str, optional
        The attribute that spoke most for the preferred item.
    """

    left: int
    right: int
    answer: Word
    because: str | None = None

    def __post_init__(self) -> None:
        if self.because is not None and self.answer not in ("left", "right"):
            raise DataError(
                "Only a preference has a reason: the answer must be left or right. "
                f"Got {self.answer!r} because of {self.because!r}."
            )

    @property
    def pair(self) -> Pair:
        """The two items, the smaller index first."""
        return min(self.left, self.right), max(self.left, self.right)

    @property
    def items(self) -> Pair:
        """The two items as they were shown."""
        return self.left, self.right

    @property
    def skipped(self) -> bool:
        """Whether the question was passed over."""
        return self.answer == "skip"

    @property
    def evidence(self) -> tuple[Answer, ...]:
        """What it says of the items."""
        return pair_evidence(self.items, self.answer, self.because)


def pair_evidence(
    items: Pair, answer: str, because: str | None = None
) -> tuple[Answer, ...]:
    """Say what an answer means: both items are below if neither is acceptable."""
    if answer in ("left", "right"):
        duel = items if answer == "left" else items[::-1]
        more = () if because is None else (Reason("reason", duel, None, because),)
        return (Answer("comparison", duel), *more)
    if answer == "tie":
        return (Answer("tie", items),)
    rejected = items if answer == "neither" else ()
    return tuple(Answer("below", (item,)) for item in rejected)


def check_answer(answer: object) -> Word:
    """Return a known answer, or say which there are."""
    known = get_args(Word)
    if answer not in known:
        raise DataError(f"answer must be one of {', '.join(known)}. Got {answer!r}.")
    return answer  # type: ignore[return-value]  # one of the literals


class Said(NamedTuple):
    """What was said about two items.

    Parameters
    ----------
    pair : (int, int)
        The items, the smaller index first.
    kind : {"comparison", "tie", "neither", "skip"}
    items : (int, int)
        The items; of a comparison the better one first.
    """

    pair: Pair
    kind: str
    items: Pair


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
        pairs = [a for a in told if a.kind in _ABOUT_PAIRS]
        said = [(a.kind, a.items[0], a.items[1]) for a in pairs]
        if not said:
            kind = "neither" if told else "skip"
            said = [(kind, i, j) for i, j in combinations(shown, 2)]
        entries = (Said((min(i, j), max(i, j)), kind, (i, j)) for kind, i, j in said)
        return History((*self.said, *entries))

    @cached_property
    def asked(self) -> Counter[Pair]:
        """How often each pair was answered; skipped questions do not count."""
        return Counter(each.pair for each in self.said if each.kind != "skip")

    def defeated(self, allowed: IntArray | None = None) -> frozenset[int]:
        """Items that lost a duel; of two equally good ones the second counts.

        Only duels that were won by an item that may be chosen; None: all may.
        """
        rivals = None if allowed is None else set(allowed.tolist())
        beaten = (each.items for each in self.said if each.kind in _ABOUT_PAIRS)
        return frozenset(
            loser for winner, loser in beaten if rivals is None or winner in rivals
        )

    @cached_property
    def resting(self) -> frozenset[Pair]:
        """Skipped pairs that are not asked now."""
        recent = {each.pair for each in self.said[-_REST:] if each.kind == "skip"}
        often = Counter(each.pair for each in self.said if each.kind == "skip")
        return frozenset(recent | {pair for pair, n in often.items() if n > 1})

    def repeatable(self, posterior: Moments, pause: int = 0) -> dict[Pair, str]:
        """Give the pairs that are worth asking again, each with the reason.

        An answer is unexpected if, with all answers known, the opposite is more
        likely. None of which one of the last `pause` statements was about.
        """
        mean = posterior.mean
        duels = [each for each in self.said if each.kind == "comparison"]
        reasons = {
            duel.pair: UNEXPECTED
            for duel in duels
            if mean[duel.items[0]] < mean[duel.items[1]]
        }
        reasons |= dict.fromkeys(_in_circles(duels), DISAGREE)
        out = {pair for pair, n in self.asked.items() if n >= _MAX_ASKED}
        first = max(len(self.said) - pause, 0)
        out |= {each.pair for each in self.said[first:]}
        return {pair: why for pair, why in reasons.items() if pair not in out}

    def blocked(self, again: Collection[Pair] = ()) -> IntArray:
        """Give the pairs not to ask, shape (n, 2): answered or resting."""
        pairs = (set(self.asked) - set(again)) | self.resting
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _in_circles(duels: Sequence[Said]) -> set[Pair]:
    """Give the pairs whose answers contradict each other, directly or in a circle."""
    if len(duels) < 2:
        return set()
    items, places = np.unique([duel.items for duel in duels], return_inverse=True)
    winners, losers = places.reshape(-1, 2).T
    above = np.zeros((items.size, items.size))
    above[winners, losers] = 1.0
    for _ in range(int(items.size).bit_length()):  # paths of twice the length
        above = np.minimum(above + above @ above, 1.0)
    closed: list[int] = np.flatnonzero(above[losers, winners]).tolist()
    return {duels[k].pair for k in closed}
