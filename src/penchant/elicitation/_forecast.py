"""How many questions are still to come: conversations with people like this one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

import numpy as np

from penchant.elicitation._belief import Belief
from penchant.elicitation._choice import leading_items
from penchant.typing import FloatArray

__all__ = ["Forecast", "carry_on", "draw_people"]

_MAX_DRAWN = 200
"""Items whose utilities are drawn jointly; the others keep their means."""

Talk = TypeVar("Talk")


@dataclass(frozen=True)
class Forecast:
    """How many more questions it takes, by simulated conversations.

    Parameters
    ----------
    questions : int
        Median of the simulated conversations.
    low, high : int
        One in ten took fewer than `low`, one in ten more than `high`.
    """

    questions: int
    low: int
    high: int

    @classmethod
    def summarise(cls, counts: Sequence[int], most: float = np.inf) -> Self:
        """Sum up how many questions conversations took, `most` at most."""
        low, middle, high = np.quantile(counts, [0.1, 0.5, 0.9], method="nearest")
        return cls(*(int(min(n, most)) for n in (middle, low, high)))

    def __str__(self) -> str:
        if self.high == 0:
            return "no more questions"
        spread = "" if self.low == self.high else f" ({self.low} to {self.high})"
        return f"about {self.questions} more{spread}"


def draw_people(
    belief: Belief, n: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield utilities of n people; of many items, those of the leading ones vary."""
    items = leading_items(belief, np.arange(belief.n_items), _MAX_DRAWN)
    return belief.sample(n, rng, items)


def carry_on(
    talk: Talk, exchange: Callable[[Talk], Talk | None], most: int
) -> list[Talk]:
    """Hold a conversation; give all its moments, the first included.

    Parameters
    ----------
    talk : Conversation
        Where it stands.
    exchange : callable
        Gives the conversation after one more answer, None when it has ended.
    most : int
        Most answers.
    """
    moments = [talk]
    while len(moments) <= most:
        after = exchange(moments[-1])
        if after is None:
            break
        moments.append(after)
    return moments
