"""The result of simulated conversations."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from penchant._validation import frozen_array, set_fields
from penchant.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Simulation:
    """What was recommended to simulated people after every question.

    Column q of the tables of n_questions + 1 columns is after q questions.

    Parameters
    ----------
    policy : str
        Who chose the questions.
    loss : ndarray of shape (n_people, n_questions + 1)
        Regret of the recommended item as a share of the person's range: 0 is the
        best item, 1 the worst.
    top_found : ndarray of bool of shape (n_people, n_questions + 1)
        Whether the recommended item is the best.
    probability : ndarray of shape (n_people, n_questions + 1)
        Stated probability that it is.
    expected_regret : ndarray of shape (n_people, n_questions + 1)
        Stated expected regret, in units of the posterior.
    questions : ndarray of int of shape (n_people, n_questions, 2)
        The pairs, left item first; -1 where there was nothing left to ask.
    seconds : ndarray of shape (n_people, n_questions)
        CPU time to choose each question.
    """

    policy: str
    loss: FloatArray
    top_found: BoolArray
    probability: FloatArray
    expected_regret: FloatArray
    questions: IntArray
    seconds: FloatArray

    def __post_init__(self) -> None:
        for name in ("loss", "probability", "expected_regret", "seconds"):
            set_fields(self, **{name: frozen_array(getattr(self, name), np.float64)})
        set_fields(
            self,
            top_found=frozen_array(self.top_found, np.bool_),
            questions=frozen_array(self.questions, np.int64),
        )

    @property
    def n_people(self) -> int:
        """Number of people."""
        return len(self.loss)

    @property
    def n_questions(self) -> int:
        """Number of questions that everybody was asked."""
        return int(self.loss.shape[1]) - 1

    def summary(self) -> pd.DataFrame:
        """Give means over people with standard errors, one row per question count.

        Returns
        -------
        DataFrame with columns loss, loss_error, top_found, top_found_error, probability
        and seconds
            The seconds are the median of the CPU time to choose the last question,
            NaN where nobody was asked.
        """
        rows = [[np.nan] * self.n_people, *self._asked_seconds().T]
        return pd.DataFrame(
            {
                "loss": self.loss.mean(axis=0),
                "loss_error": _standard_error(self.loss),
                "top_found": self.top_found.mean(axis=0),
                "top_found_error": _standard_error(self.top_found),
                "probability": self.probability.mean(axis=0),
                "seconds": pd.DataFrame(rows).median(axis=1),
            },
            index=pd.RangeIndex(self.n_questions + 1, name="questions"),
        )

    def to_frame(self) -> pd.DataFrame:
        """Give one row per person and question count.

        Returns
        -------
        DataFrame with columns person, questions, left, right, loss, top_found,
        probability, expected_regret and seconds
            Left and right are the items of the last question.
        """
        n_counts = self.n_questions + 1
        none = np.full((self.n_people, 1, 2), -1)
        pairs = np.concatenate([none, self.questions], axis=1).reshape(-1, 2)
        first = np.full((self.n_people, 1), np.nan)
        seconds = np.concatenate([first, self._asked_seconds()], axis=1)
        return pd.DataFrame(
            {
                "person": np.repeat(np.arange(self.n_people), n_counts),
                "questions": np.tile(np.arange(n_counts), self.n_people),
                "left": pairs[:, 0],
                "right": pairs[:, 1],
                "loss": self.loss.ravel(),
                "top_found": self.top_found.ravel(),
                "probability": self.probability.ravel(),
                "expected_regret": self.expected_regret.ravel(),
                "seconds": seconds.ravel(),
            }
        )

    def _asked_seconds(self) -> FloatArray:
        """Give the seconds, NaN where nothing was asked."""
        seconds: FloatArray = np.where(
            self.questions[:, :, 0] >= 0, self.seconds, np.nan
        )
        return seconds

    def _repr_html_(self) -> str:
        html: str = self.summary().round(4).to_html()
        return html


def _standard_error(values: FloatArray | BoolArray) -> FloatArray:
    """Give the standard error of the mean of each column; NaN for one person."""
    n = len(values)
    if n < 2:
        return np.full(values.shape[1], np.nan)
    error: FloatArray = values.std(axis=0, ddof=1) / np.sqrt(n)
    return error
