"""Talks with participants, and what else a process keeps about a study for a while."""

import hashlib
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary, ref

import numpy as np

from penchant._cached import LRUCache, cached_property
from penchant.data import Items, Limits
from penchant.elicitation import (
    Conversation,
    History,
    PersonBelief,
    PersonSpace,
    Reason,
    Setting,
)
from penchant.elicitation.groups import Newcomer
from penchant.exceptions import FormatError, NotFoundError, StoreError
from penchant.gp import PopulationGP
from penchant.studies._about import About, person_row
from penchant.studies._limits import NO_LIMITS, WhatFits, check_limits
from penchant.studies._participation import AnsweredQuestion, Participation, evidence
from penchant.studies._start import Start, complete
from penchant.studies.store._packed_models import unpack_model
from penchant.studies.store._records import StudyRecord, Who
from penchant.studies.store._store import Store
from penchant.typing import IntArray

if TYPE_CHECKING:
    from penchant.studies._group import Member

_MOST_TALKS, _MOST_WHOLE = 512, 12
"""Conversations that a process keeps, of all studies together. Those of the last
moments are whole, with their draws: 2 to 5 MB each in a study of 40 items. The others
are what one more answer needs: about 0.4 MB after 12 answers. With more people at once
than are kept, each of their answers replays all before it."""

_MOST_STARTS, _MOST_STUDIES = 8, 64
"""Beginnings of a study that are kept, of which there is one for each fit of its
population and all that was known of somebody; fits; and studies."""

FEWEST_ANSWERS = 3
"""Before so many answers nothing is said of how sure the recommendation is."""

_N_PLACES = 1024
"""Participants whose place in the log is kept in memory, and rows of the table."""

_log = logging.getLogger(__name__)

GRADE_WIDTH = 0.5
"""Items with the same rating are as close as this, in standard deviations."""


_Result = TypeVar("_Result")

_Fit: TypeAlias = tuple[PopulationGP | None, Items]

StartKey: TypeAlias = tuple[object, str | None, About]
"""What a beginning follows from: the study, the model, what is known of the person."""


@dataclass(frozen=True, eq=False)
class Talk(Conversation):
    """A conversation with a participant, and what is believed after it.

    Parameters
    ----------
    setting, belief, history, told, ends
        As of every `Conversation`; all that is told is read off the belief.
    start : Start
        What was believed before the first question.
    before : Talk or None
        Where it stood before the last answer, which can be taken back or amended.
    """

    belief: PersonBelief
    told: tuple[AnsweredQuestion, ...]
    start: Start
    before: "Talk | None" = None

    @classmethod
    def from_start(
        cls,
        start: Start,
        seed: int,
        *,
        policy: str = "eubo-kg",
        allowed: IntArray | None = None,
    ) -> "Talk":
        """Begin without answers.

        Parameters
        ----------
        start : Start
            What is believed of somebody new.
        seed : int
            Decides which explanations are tried, and between equally good questions.
        policy : str, default="eubo-kg"
            Which pair to ask next, see `penchant.elicitation.Elicitor`.
        allowed : ndarray of int, optional
            The items that may be asked about and recommended; default: all.
        """
        setting = Setting(policy, seed, False, start.known, start.order, allowed)
        belief = start.belief(seed)
        return cls(setting, belief, History(), (), (len(belief.answers),), start)

    def after(self, told: AnsweredQuestion) -> "Talk":
        """Give the talk after one more answer."""
        meaning = evidence(told, self.told, GRADE_WIDTH)
        why = told.because
        if why is not None and why in Reason.offered(self.start.space, told.choice):
            meaning += (Reason("reason", told.choice or (), None, why),)
        return replace(self.tell(told, meaning), before=self.bare())

    def bare(self) -> "Talk":
        """Give a copy without what was worked out for questions and results."""
        return replace(self, belief=replace(self.belief), before=None)

    @property
    def answers(self) -> tuple[AnsweredQuestion, ...]:
        """What was answered, in order, as explanations of a conversation take it."""
        return self.told

    @property
    def posterior(self) -> PersonBelief:
        """What is believed about the person, as those take it."""
        return self.belief

    @property
    def allowed(self) -> IntArray:
        """The items that may be recommended, as those take them."""
        return self.setting.candidates

    @property
    def is_known(self) -> bool:
        """Whether there are answers enough to say how sure the favourite is."""
        return sum(not told.skipped for told in self.told) >= FEWEST_ANSWERS


class Memory:
    """What is kept about one study; no other process needs it.

    A conversation follows from the log alone: it is rebuilt whenever this process
    has not seen it, and otherwise carried on from where it stood. May be used from
    several threads.

    Parameters
    ----------
    items : Items
        The alternatives, in one version of the table; another version has a memory
        of its own.
    load : callable
        Gives the population model with an identifier, and the version of the table
        that it was fitted on.
    version : int, default=1
        Number of the version.
    withdrawn : sequence of int
        Positions of alternatives that are neither asked nor recommended.
    limits : Limits
        What the owner demands of alternatives; others have a memory of their own.
    """

    def __init__(
        self,
        items: Items,
        load: Callable[[str], tuple[PopulationGP, Items]],
        version: int = 1,
        withdrawn: Sequence[int] = (),
        limits: Limits = NO_LIMITS,
    ) -> None:
        self._items = items
        self._load = load
        self.version = version
        self.limits = limits
        among = partial(WhatFits.among, items, limits, out=frozenset(withdrawn))
        self.fits_of = lru_cache(_N_PLACES)(among)
        self._own = object()  # tells the beginnings of this table from others
        self._fits: LRUCache[str, _Fit] = LRUCache(_MOST_STARTS)
        self._starts: LRUCache[StartKey, Start] = LRUCache(_MOST_STARTS)
        self.places: LRUCache[str, Participation] = LRUCache(_N_PLACES)
        self.complete = complete(items)
        # To take a row out of a table takes milliseconds, and it never changes.
        self.row = lru_cache(_N_PLACES)(lambda item: self.complete.take([item]))
        self.members: dict[str, tuple[int, Member]] = {}
        # What follows from all logs, by name, and how many events they had then.
        self.results: dict[str, tuple[int, Any]] = {}
        self.fitting = threading.Lock()

    @cached_property
    def newcomer(self) -> Newcomer:
        """What is believed of somebody new when nothing was learned of others.

        For a group: what was learned of these people is not used on them again.
        """
        return Newcomer.from_belief(self.start(None).posterior)

    @cached_property
    def space(self) -> PersonSpace:
        """The features of the items, when nothing was learned of people."""
        return self.start(None).space

    def start(self, model: str | None, about: About = ()) -> Start:
        """Give what is believed of somebody new who starts from a model.

        Parameters
        ----------
        model : str or None
            The fit of the population; None: nobody has answered yet.
        about : tuple of (str, value), default=()
            What is known of the person.
        """
        return self._start(self._key(model, about))

    def _key(self, model: str | None, about: About) -> StartKey:
        """Name a beginning: people of whom a model knows the same share one."""
        known = person_row(self._population(model)[0], about) if about else ()
        return self._own, model, known

    def _start(self, key: StartKey) -> Start:
        found = self._starts.get(key)
        if found is None:
            own, model, about = key
            population, fitted_on = self._population(model)
            if population is not None and about:
                base = self._start((own, model, ()))
                found = base.for_person(population, dict(about), key)
            else:
                found = Start.from_items(self._items, population, fitted_on, key)
            self._starts.put(key, found)
        return found

    def _population(self, model: str | None) -> _Fit:
        """Give a model, and the table that it was fitted on."""
        if model is None:
            return None, self._items
        found = self._fits.get(model)
        if found is None:
            found = self._loaded(model)
            self._fits.put(model, found)
        return found

    def _loaded(self, model: str) -> _Fit:
        try:
            population, fitted_on = self._load(model)
        except (NotFoundError, FormatError) as error:
            _log.warning(
                "Without model %s, a belief starts from nothing: %s", model, error
            )
            return None, self._items
        if population.n_items_ != len(fitted_on):
            _log.warning("Model %s is about other items; it is not used.", model)
            return None, self._items
        return population, fitted_on

    def worked_out(
        self, name: str, n_events: int, make: Callable[[], _Result]
    ) -> _Result:
        """Give what follows from all logs; made again when one of them has grown."""
        known = self.results.get(name)
        if known is None or known[0] != n_events:
            known = self.results[name] = n_events, make()
        found: _Result = known[1]
        return found

    def can_be_asked(self, shown: tuple[int, ...], own: Limits) -> bool:
        """Tell whether all items of a question meet the limits of a person."""
        allowed = self.fits_of(own).allowed
        return allowed is None or bool(np.isin(shown, allowed).all())

    def check_limits(self, own: Limits) -> None:
        """Refuse limits of a person that cannot be applied, or that nothing fits."""
        check_limits(own, self._items, self.fits_of(NO_LIMITS).open_to)

    def talk(self, participant: Who, now: Participation, *, keep: bool = True) -> Talk:
        """Give what is believed of a participant, given where they stand.

        Parameters
        ----------
        participant : str or ParticipantRecord
            Who; decides between questions that are equally good.
        now : Participation
            The answers that stand, and the model that the person started from.
        keep : bool, default=True
            Whether this is likely to be asked for again soon.
        """
        who = participant if isinstance(participant, str) else participant.id
        key = self._key(now.model, now.features)
        talk = _WHOLE.get(who) or _TALKS.get(who)
        while talk is not None and (
            talk.start.key != key or talk.told != now.answered[: len(talk.told)]
        ):
            talk = talk.before  # the last answer was taken back or amended, or more
        if talk is None:
            talk = Talk.from_start(self._start(key), _seed(who))
        talk = talk.among(self.fits_of(now.limits).allowed)
        for told in now.answered[len(talk.told) :]:
            talk = talk.after(told)
        if keep:
            _WHOLE.put(who, talk)
            _TALKS.put(who, talk.bare())
        return talk


def _seed(participant_id: str) -> int:
    digest = hashlib.sha256(participant_id.encode()).digest()
    return int.from_bytes(digest[:4], "big")


_WHOLE: LRUCache[str, Talk] = LRUCache(_MOST_WHOLE)
_TALKS: LRUCache[str, Talk] = LRUCache(_MOST_TALKS)
_MEMORIES: WeakKeyDictionary[Store, LRUCache[tuple[str, int], Memory]] = (
    WeakKeyDictionary()
)
_LOCK = threading.Lock()


def memory(store: Store, record: StudyRecord) -> Memory:
    """Give what this process keeps about a study of a store."""
    with _LOCK:
        if store not in _MEMORIES:
            _MEMORIES[store] = LRUCache(_MOST_STUDIES)
        studies = _MEMORIES[store]
        found = studies.get((record.id, record.version))
        limits = record.settings.limits
        if found is None or found.limits != limits:
            table = record.items, _loader(store), record.version, record.withdrawn
            found = Memory(*table, limits)
            studies.put((record.id, record.version), found)
        return found


def _loader(store: Store) -> Callable[[str], tuple[PopulationGP, Items]]:
    kept = ref(store)  # what is kept about a study does not keep its store alive

    def load(model: str) -> tuple[PopulationGP, Items]:
        opened = kept()
        if opened is None:
            raise StoreError("The store of this study is gone.")
        found = opened.get_model(model)
        table = opened.get_version(found.study_id, found.version)
        return unpack_model(found.body), table.items

    return load
