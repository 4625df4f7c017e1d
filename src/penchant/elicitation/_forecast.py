"""How many questions are still to come: conversations with people like this one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self, TypeVar

import numpy as np

from penchant.elicitation._belief import Belief
from penchant.elicitation._choice import leading_items
from penchant.elicitation._conversation import Conversation
from penchant.elicitation._history import Told
from penchant.elicitation._stopping import StopRule
from penchant.typing import FloatArray

__all__ = ["Forecast", "carry_on", "draw_people", "forecast"]

_MAX_DRAWN = 200
"""Items whose utilities are drawn jointly; the others keep their means."""

_MAX_QUESTIONS = 100

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


def forecast(talk: Conversation, rule: StopRule, n_people: int) -> Forecast:
    """Carry a conversation on with people drawn from the belief; count questions."""
    rng = np.random.default_rng([talk.setting.seed, len(talk.told), 2])
    people = list(draw_people(talk.belief, n_people, rng))
    counts = []
    for utilities in people:
        exchange = partial(_exchange, rule=rule, utilities=utilities, rng=rng)
        counts.append(len(carry_on(talk, exchange, _MAX_QUESTIONS)) - 1)
    return Forecast.summarise(counts)


def _exchange(
    talk: Conversation,
    rule: StopRule,
    utilities: FloatArray,
    rng: np.random.Generator,
) -> Conversation | None:
    """Ask a person one more question, unless the conversation is done."""
    question = None if talk.stop_reason(rule) else talk.question
    if question is None:
        return None
    noise = 0.0 if talk.setting.decisive else talk.belief.noise
    difference = utilities[question.left] - utilities[question.right]
    difference += noise * rng.standard_normal()
    told = Told(question.left, question.right, "left" if difference > 0 else "right")
    return talk.tell(told, told.evidence)
