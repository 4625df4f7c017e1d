"""Questions and answers as values, and what they mean whatever their form."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.exceptions import DataError
from penchant.gp import Answer
from penchant.studies._forms import FORMS
from penchant.typing import FloatArray

__all__ = [
    "AnsweredQuestion",
    "OpenQuestion",
    "check_answer",
    "evidence",
    "simulated_answer",
]


@dataclass(frozen=True)
class OpenQuestion:
    """A question that waits for its answer.

    Parameters
    ----------
    id : str
        What an answer refers to.
    form : str
        What the person is to do with the items.
    items : tuple of int
        Positions in the table, in the order in which to show them.
    number : int
        Place in the conversation, counted from 1.
    repeat : bool
        Whether the same was asked before.
    """

    id: str
    form: str
    items: tuple[int, ...]
    number: int
    repeat: bool = False

    def to_event(self) -> tuple[str, dict[str, Any]]:
        """Give the event that says that this was asked."""
        body = {
            "question": self.id,
            "form": self.form,
            "items": list(self.items),
            "repeat": self.repeat,
        }
        return "asked", body


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question and what the person said to it.

    Parameters
    ----------
    question : str
        Identifier of the question.
    form : str
        What the person was to do with the items.
    items : tuple of int
        Positions in the table, in the order in which they were shown.
    answer : str, int, list or dict
        As `check_answer` gives it.
    repeat : bool
        Whether the same was asked before.
    """

    question: str
    form: str
    items: tuple[int, ...]
    answer: Any
    repeat: bool = False

    @property
    def skipped(self) -> bool:
        """Whether the person passed over the question."""
        return bool(self.answer == "skip")


def check_answer(form: str, items: tuple[int, ...], answer: Any) -> Any:
    """Return an answer that fits a question as plain values, or say what would fit.

    Parameters
    ----------
    form : str
        Form of the question.
    items : tuple of int
        The items of the question.
    answer : object
        "skip" fits every question. A pair takes "left", "right", "tie" or
        "neither"; best and worst a dict with the items "best" and "worst"; a rating
        a whole number from 1 to 5; a ranking the list of all items, best first.

    Raises
    ------
    DataError
        If it does not fit.
    """
    if isinstance(answer, str) and answer == "skip":
        return answer
    fitting = FORMS[form].fit(items, answer)
    if fitting is None:
        raise DataError(f"{FORMS[form].wanted} Got {answer!r}.")
    return fitting


def evidence(
    told: AnsweredQuestion,
    earlier: Sequence[AnsweredQuestion] = (),
    width: float | None = None,
) -> tuple[Answer, ...]:
    """Say what one answer means for the utilities of the items.

    Parameters
    ----------
    told : AnsweredQuestion
        A pair is one comparison or tie, or two items below what is acceptable. Of
        four items the best beats three and two more beat the worst. In a ranking
        each item beats the next. A rating beats the nearest earlier ratings that
        are lower, and ties with equal ones; the lowest is not acceptable.
    earlier : sequence of AnsweredQuestion
        What the same person answered before.
    width : float, optional
        How close items are that are rated alike; default: as in other ties.

    Returns
    -------
    tuple of Answer
        Empty if the question was skipped.

    Examples
    --------
    >>> told = AnsweredQuestion("q", "ranking", (3, 1, 2), [2, 3, 1])
    >>> [answer.items for answer in evidence(told)]
    [(2, 3), (3, 1)]
    """
    if told.skipped:
        return ()
    return tuple(FORMS[told.form].evidence(told, earlier, width))


def simulated_answer(
    form: str,
    items: tuple[int, ...],
    utilities: FloatArray,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    wrong: float = 0.0,
) -> Any:
    """Answer a question as a person with known utilities would.

    Parameters
    ----------
    form : str
        Form of the question.
    items : tuple of int
        Its items.
    utilities : ndarray of shape (n_items,)
        What all items are worth to the person.
    rng : Generator
        Draws the noise.
    noise : float, default=0.0
        Standard deviation of the noise in a difference of utilities.
    wrong : float, default=0.0
        Probability that the answer is that of somebody who likes the opposite.
    """
    felt = utilities[list(items)]
    felt = felt + noise * np.sqrt(0.5) * rng.standard_normal(len(items))
    if rng.random() < wrong:
        felt = -felt + 2.0 * utilities.mean()
    return FORMS[form].simulate(items, felt, utilities)
