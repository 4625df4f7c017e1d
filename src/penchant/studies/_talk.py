"""Talk: a conversation with a participant, and the points in which it is told."""

from dataclasses import dataclass, replace
from typing import TypeVar, cast

from penchant._cached import cached_property
from penchant.elicitation import Conversation, Setting
from penchant.explanation import Attribution
from penchant.gp import LapsePosterior, PersonalUtility
from penchant.studies._forms import FORMS
from penchant.studies._questions import AnsweredQuestion, evidence
from penchant.studies._start import Start
from penchant.typing import FloatArray

__all__ = ["Scale", "Talk"]

_GRADE_WIDTH = 0.5
"""Items with the same rating are as close as this, in standard deviations."""

Values = TypeVar("Values", float, FloatArray)


@dataclass(frozen=True)
class Scale:
    """Points: 0 is the item that is liked least, 100 the one that is liked best.

    Where little is known and all items look alike, a standard deviation of utility
    is 100 points, and all are near 50.

    Parameters
    ----------
    centre : float
        Utility of 50 points.
    span : float
        Utility that makes 100 points.
    """

    centre: float
    span: float

    @classmethod
    def of(cls, utilities: FloatArray, unit: float) -> "Scale":
        """Measure expected utilities, with at least `unit` from 0 to 100."""
        low, high = float(utilities.min()), float(utilities.max())
        return cls(0.5 * (low + high), max(high - low, unit))

    def points(self, utility: Values) -> Values:
        """Turn utilities to points."""
        return 50.0 + self.amount(utility - self.centre)

    def amount(self, difference: Values) -> Values:
        """Turn differences of utility to differences in points."""
        return 100.0 / self.span * difference


@dataclass(frozen=True, eq=False)
class Talk:
    """A conversation with a participant, and how its results are read.

    Parameters
    ----------
    start : Start
        What was believed before the first question.
    moment : Conversation
        Where it stands.
    """

    start: Start
    moment: Conversation

    @classmethod
    def begin(cls, start: Start, seed: int, *, policy: str = "eubo-kg") -> "Talk":
        """Begin without answers.

        Parameters
        ----------
        start : Start
            What is believed of somebody new.
        seed : int
            Decides between equally good questions.
        policy : str, default="eubo-kg"
            Which pair to ask next, see `penchant.elicitation.Elicitor`.
        """
        setting = Setting(policy, seed, False, start.known, start.order)
        return cls(start, Conversation.begin(setting, start.posterior))

    def tell(self, told: AnsweredQuestion) -> "Talk":
        """Give the talk after one more answer."""
        meaning = evidence(told, self.answers, _GRADE_WIDTH * self.start.unit)
        return Talk(self.start, self.moment.tell(told, meaning))

    @property
    def answers(self) -> tuple[AnsweredQuestion, ...]:
        """What was answered, in order."""
        return self.moment.told

    @property
    def evidence_rows(self) -> list[list[int]]:
        """For each answer, which of ``posterior.answers`` are there because of it."""
        return self.moment.evidence_rows

    @property
    def posterior(self) -> LapsePosterior:
        """What is believed about the utilities of the items."""
        return cast(LapsePosterior, self.moment.belief)

    @property
    def favourite(self) -> int:
        """The item to recommend."""
        return self.moment.favourite

    @property
    def certainty(self) -> float:
        """Probability that the favourite is the best item."""
        return self.moment.describe(self.favourite).probability_best

    @property
    def expected_regret(self) -> float:
        """What the favourite loses against the best item, in units of `start.unit`."""
        return self.moment.describe(self.favourite).expected_regret / self.start.unit

    @cached_property
    def utility(self) -> PersonalUtility:
        """The person's utility over the attributes."""
        return PersonalUtility(self.start.population, self.posterior)

    @cached_property
    def scale(self) -> Scale:
        """What turns utilities to points."""
        return Scale.of(self.posterior.mean, self.start.unit)

    def in_points(self, found: Attribution) -> Attribution:
        """Turn contributions to utility to contributions in points."""
        scale, factor = self.scale, 100.0 / self.scale.span
        return replace(
            found,
            values=scale.amount(found.values),
            base=scale.points(found.base),
            predictions=scale.points(found.predictions),
            std=None if found.std is None else factor * found.std,
            cov=None if found.cov is None else factor**2 * found.cov,
        )

    def next_items(self, form: str) -> tuple[tuple[int, ...], bool] | None:
        """Give the items of the next question, and whether it was asked before.

        None if nothing is left to ask.
        """
        alone = self.posterior.n_items < 2
        return None if alone else FORMS[form].choose(self.moment)
