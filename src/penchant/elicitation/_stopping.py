"""When enough has been asked, in words."""

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from penchant.exceptions import DataError, FormatError


@dataclass(frozen=True)
class StopRule:
    """Conditions of which one is enough to stop asking.

    Parameters
    ----------
    max_regret : float, optional
        Stop when the expected regret of the recommendation is at most this, in
        units of utility.
    min_probability : float, optional
        Stop when the recommendation is the best item with at least this
        probability.
    max_questions : int, optional
        Stop after so many questions, skipped ones included.

    Examples
    --------
    >>> from penchant.elicitation import StopRule
    >>> StopRule(min_probability=0.9, max_questions=20)
    StopRule(max_regret=None, min_probability=0.9, max_questions=20)
    """

    max_regret: float | None = None
    min_probability: float | None = None
    max_questions: int | None = None

    def __post_init__(self) -> None:
        regret, probability = self.max_regret, self.min_probability
        if regret is not None and not 0 <= regret < np.inf:
            raise DataError(f"max_regret must be >= 0. Got {regret!r}.")
        if probability is not None and not 0 < probability <= 1:
            raise DataError(
                f"min_probability must be above 0 and at most 1. Got {probability!r}."
            )
        n = self.max_questions
        if n is not None and (not isinstance(n, int | np.integer) or n < 0):
            raise DataError(f"max_questions must be a whole number >= 0. Got {n!r}.")

    @property
    def is_set(self) -> bool:
        """Whether there is any condition."""
        return any(value is not None for value in asdict(self).values())

    def reason(self, regret: float, probability: float, n_questions: int) -> str:
        """Say why to stop; an empty text means to go on.

        Parameters
        ----------
        regret : float
            Expected regret of the recommendation.
        probability : float
            Probability that it is the best item.
        n_questions : int
            How many questions were asked.
        """
        if self.max_regret is not None and regret <= self.max_regret:
            return (
                f"the expected regret is {regret:.3g}, at most the "
                f"{self.max_regret:g} that was asked for"
            )
        if self.min_probability is not None and probability >= self.min_probability:
            return (
                f"the recommendation is the best item with probability "
                f"{probability:.2f}, at least the {self.min_probability:g} that was "
                "asked for"
            )
        if self.max_questions is not None and n_questions >= self.max_questions:
            return f"{self.max_questions} questions were asked, as many as were planned"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Give the conditions as plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """Make a rule of what `to_dict` gave."""
        try:
            return cls(**values)
        except (TypeError, ValueError) as error:
            raise FormatError(
                f"The stop rule of a saved elicitor is damaged: {error}."
            ) from error
