"""How many questions are still to come: conversations with people like this one."""

from typing import TYPE_CHECKING

import numpy as np

from penchant.elicitation._belief import Belief
from penchant.elicitation._choice import leading_items
from penchant.elicitation._questions import Forecast
from penchant.typing import FloatArray

if TYPE_CHECKING:
    from penchant.elicitation._elicitor import Elicitor

__all__ = ["forecast"]

_MAX_DRAWN = 200
"""Items whose utilities are drawn jointly; the others keep their means."""

_MAX_QUESTIONS = 100


def forecast(elicitor: "Elicitor", n_simulations: int, seed: int) -> Forecast:
    """Carry a conversation on with people drawn from the posterior; count questions."""
    rng = np.random.default_rng([seed, len(elicitor.answers), 2])
    counts = [
        _count(elicitor.copy(), utilities, rng)
        for utilities in _people(elicitor.posterior, n_simulations, rng)
    ]
    low, middle, high = np.quantile(counts, [0.1, 0.5, 0.9], method="nearest")
    return Forecast(int(middle), int(low), int(high))


def _people(belief: Belief, n: int, rng: np.random.Generator) -> list[FloatArray]:
    """Give utilities of n people, all drawn before the first of them is asked."""
    items = leading_items(belief, np.arange(belief.n_items), _MAX_DRAWN)
    return list(belief.sample(n, rng, items))


def _count(
    elicitor: "Elicitor", utilities: FloatArray, rng: np.random.Generator
) -> int:
    """Answer questions until the conversation is done."""
    noise = 0.0 if elicitor.decisive else elicitor.posterior.noise
    n_questions = 0
    while not elicitor.done and n_questions < _MAX_QUESTIONS:
        question = elicitor.ask()
        difference = utilities[question.left] - utilities[question.right]
        difference += noise * rng.standard_normal()
        elicitor.tell(question, "left" if difference > 0 else "right")
        n_questions += 1
    return n_questions
