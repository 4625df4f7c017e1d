"""Beliefs: what is known of each participant, rebuilt from the log and kept a while."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from penchant._cached import LRUCache, cached_property
from penchant.data import Items
from penchant.elicitation import Conversation, Setting
from penchant.exceptions import FormatError, NotFoundError
from penchant.gp import LapsePosterior, PersonalUtility, PopulationGP
from penchant.studies._forms import FORMS
from penchant.studies._participation import Participation
from penchant.studies._questions import AnsweredQuestion, evidence
from penchant.studies._start import Start
from penchant.typing import FloatArray

__all__ = ["Beliefs", "Scale", "Talk"]

_GRADE_WIDTH = 0.5
"""Items with the same rating are as close as this, in standard deviations."""

_N_KEPT = 256
"""Conversations that are kept in memory."""

_log = logging.getLogger(__name__)

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

    def next_items(self, form: str) -> tuple[tuple[int, ...], bool] | None:
        """Give the items of the next question, and whether it was asked before.

        None if nothing is left to ask.
        """
        alone = self.posterior.n_items < 2
        return None if alone else FORMS[form].choose(self.moment)


class Beliefs:
    """Conversations with the participants of one study.

    A conversation follows from the log alone: it is rebuilt whenever this process
    has not seen it, and otherwise carried on from where it stood. May be used from
    several threads.

    Parameters
    ----------
    items : Items
        The alternatives.
    load : callable
        Gives the population model with an identifier.
    """

    def __init__(self, items: Items, load: Callable[[str], PopulationGP]) -> None:
        self._items = items
        self._load = load
        self._starts: dict[str | None, Start] = {}
        self._kept: LRUCache[str, Talk] = LRUCache(_N_KEPT)

    def start(self, model: str | None) -> Start:
        """Give what is believed of somebody new who starts from a model."""
        found = self._starts.get(model)
        if found is None:
            found = Start.of(self._items, self._population(model))
            self._starts[model] = found
        return found

    def _population(self, model: str | None) -> PopulationGP | None:
        if model is None:
            return None
        try:
            population = self._load(model)
        except (NotFoundError, FormatError) as error:
            _log.warning(
                "Without model %s, a belief starts from nothing: %s", model, error
            )
            return None
        if population.n_items_ != len(self._items):
            _log.warning("Model %s is about other items; it is not used.", model)
            return None
        return population

    def talk(
        self, participant_id: str, now: Participation, *, keep: bool = True
    ) -> Talk:
        """Give what is believed of a participant, given where they stand.

        Parameters
        ----------
        participant_id : str
            Who; decides between questions that are equally good.
        now : Participation
            The answers that stand, and the model that the person started from.
        keep : bool, default=True
            Whether this is likely to be asked for again soon.
        """
        start = self.start(now.model)
        kept = self._kept.get(participant_id)
        if kept is None or not _leads_to(kept, start, now):
            kept = Talk.begin(start, _seed(participant_id))
        for told in now.answered[len(kept.answers) :]:
            kept = kept.tell(told)
        if keep:
            self._kept.put(participant_id, kept)
        return kept


def _leads_to(kept: Talk, start: Start, now: Participation) -> bool:
    """Tell whether a conversation is the beginning of another."""
    n = len(kept.answers)
    return kept.start is start and kept.answers == now.answered[:n]


def _seed(participant_id: str) -> int:
    digest = hashlib.sha256(participant_id.encode()).digest()
    return int.from_bytes(digest[:4], "big")
