"""Talks with participants, and what else a process keeps about a study for a while."""

import hashlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar, cast
from weakref import WeakKeyDictionary, ref

from penchant._cached import LRUCache, cached_property
from penchant.data import Items
from penchant.elicitation import Conversation, Setting
from penchant.elicitation.groups import Newcomer
from penchant.exceptions import FormatError, NotFoundError, StoreError
from penchant.explanation import Attribution
from penchant.gp import LapsePosterior, PersonalUtility, PopulationGP
from penchant.studies._forms import FORMS
from penchant.studies._participation import AnsweredQuestion, Participation, evidence
from penchant.studies._start import Start, complete
from penchant.studies.store._packed_models import unpack_model
from penchant.studies.store._records import StudyRecord
from penchant.studies.store._store import Store
from penchant.typing import FloatArray

if TYPE_CHECKING:
    from penchant.studies._checks import Calibration
    from penchant.studies._group import Group, Member
    from penchant.studies._group_models import GroupModels

__all__ = ["GRADE_WIDTH", "Memory", "Scale", "Talk", "memory"]

_N_TALKS = 256
"""Conversations that are kept in memory."""

_N_PLACES = 1024
"""Participants whose place in the log is kept in memory, and rows of the table."""

_log = logging.getLogger(__name__)

GRADE_WIDTH = 0.5
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
    def measure(cls, utilities: FloatArray, unit: float) -> "Scale":
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
        meaning = evidence(told, self.moment.told, GRADE_WIDTH * self.start.unit)
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
        return self.moment.recommendation.probability_best

    @property
    def expected_regret(self) -> float:
        """What the favourite loses against the best item, in units of `start.unit`."""
        return self.moment.recommendation.expected_regret / self.start.unit

    def chance(self, a: int, b: int) -> float:
        """Probability that item a is chosen over b, if one of them is."""
        lapse = self.posterior.lapse
        return lapse + (1.0 - 2.0 * lapse) * self.posterior.probability(a, b)

    @cached_property
    def utility(self) -> PersonalUtility:
        """The person's utility over the attributes."""
        return PersonalUtility(self.start.population, self.posterior)

    @cached_property
    def scale(self) -> Scale:
        """What turns utilities to points."""
        return Scale.measure(self.posterior.mean, self.start.unit)

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
        alone = self.moment.belief.n_items < 2
        return None if alone else FORMS[form].choose(self.moment)


class Memory:
    """What is kept about one study; no other process needs it.

    A conversation follows from the log alone: it is rebuilt whenever this process
    has not seen it, and otherwise carried on from where it stood. May be used from
    several threads.

    Parameters
    ----------
    items : Items
        The alternatives, which never change.
    load : callable
        Gives the population model with an identifier.
    """

    def __init__(self, items: Items, load: Callable[[str], PopulationGP]) -> None:
        self._items = items
        self._load = load
        self._starts: dict[str | None, Start] = {}
        self._talks: LRUCache[str, Talk] = LRUCache(_N_TALKS)
        self.places: LRUCache[str, Participation] = LRUCache(_N_PLACES)
        self.complete = complete(items)
        # To take a row out of a table takes milliseconds, and it never changes.
        self.row = lru_cache(_N_PLACES)(lambda item: self.complete.take([item]))
        self.group: Group | None = None
        self.members: dict[str, tuple[int, Member]] = {}
        self.models: tuple[int, GroupModels] | None = None
        self.calibration: tuple[int, Calibration] | None = None
        self.fitting = threading.Lock()

    @cached_property
    def newcomer(self) -> Newcomer:
        """What is believed of somebody new when nothing was learned of others.

        For a group: what was learned of these people is not used on them again.
        """
        return Newcomer.from_belief(self.start(None).posterior)

    def start(self, model: str | None) -> Start:
        """Give what is believed of somebody new who starts from a model."""
        if model not in self._starts:
            self._starts[model] = Start.from_items(self._items, self._population(model))
        return self._starts[model]

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

    def reasons_for(self, told: AnsweredQuestion) -> tuple[str, ...]:
        """Give the attributes that a choice can be for: both are known and differ."""
        if told.choice is None:
            return ()
        chosen, other = (self._items.values(item) for item in told.choice)
        return tuple(
            name
            for name, value in chosen.items()
            if value == value and other[name] == other[name] and value != other[name]
        )

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
        start, talk = self.start(now.model), self._talks.get(participant_id)
        n_told = 0 if talk is None else len(talk.moment.told)
        if (
            talk is None
            or talk.start is not start
            or talk.moment.told != now.answered[:n_told]
        ):
            talk, n_told = Talk.begin(start, _seed(participant_id)), 0
        for told in now.answered[n_told:]:
            talk = talk.tell(told)
        if keep:
            self._talks.put(participant_id, talk)
        return talk


def _seed(participant_id: str) -> int:
    digest = hashlib.sha256(participant_id.encode()).digest()
    return int.from_bytes(digest[:4], "big")


_MEMORIES: WeakKeyDictionary[Store, dict[str, Memory]] = WeakKeyDictionary()
_LOCK = threading.Lock()


def memory(store: Store, record: StudyRecord) -> Memory:
    """Give what this process keeps about a study of a store."""
    with _LOCK:
        studies = _MEMORIES.setdefault(store, {})
        if record.id not in studies:
            studies[record.id] = Memory(record.items, _loader(store))
        return studies[record.id]


def _loader(store: Store) -> Callable[[str], PopulationGP]:
    kept = ref(store)  # what is kept about a study does not keep its store alive

    def load(model: str) -> PopulationGP:
        opened = kept()
        if opened is None:
            raise StoreError("The store of this study is gone.")
        population: PopulationGP = unpack_model(opened.get_model(model).body)
        return population

    return load
