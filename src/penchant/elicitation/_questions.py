"""Questions, answers and recommendations as values."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from penchant.elicitation._belief import Pair
from penchant.exceptions import DataError
from penchant.gp import Answer

__all__ = ["Question", "Recommendation", "Told", "check_answer"]

Word = Literal["left", "right", "tie", "skip", "neither"]


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
class Recommendation:
    """An item, and what is believed about it.

    Parameters
    ----------
    item : int
        The item.
    mean, std : float
        Expected utility and its standard deviation.
    probability_best : float
        Probability that no other item is better.
    expected_regret : float
        What the person loses in expectation by taking it instead of the best one.
    """

    item: int
    mean: float
    std: float
    probability_best: float
    expected_regret: float

    def to_dict(self) -> dict[str, Any]:
        """Give the recommendation as plain values for JSON."""
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
    """

    left: int
    right: int
    answer: Word

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
        """What it says of the items: both are below if neither is acceptable."""
        if self.answer in ("left", "right"):
            duel = self.items if self.answer == "left" else self.items[::-1]
            return (Answer("comparison", duel),)
        if self.answer == "tie":
            return (Answer("tie", self.items),)
        rejected = self.items if self.answer == "neither" else ()
        return tuple(Answer("below", (item,)) for item in rejected)


def check_answer(answer: object) -> Word:
    """Return a known answer, or say which there are."""
    known = get_args(Word)
    if answer not in known:
        raise DataError(f"answer must be one of {', '.join(known)}. Got {answer!r}.")
    return answer  # type: ignore[return-value]  # one of the literals
