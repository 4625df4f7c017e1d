"""What a process has worked out about the studies of a store, and keeps a while."""

import hashlib
import logging
import threading
from collections.abc import Callable
from functools import lru_cache
from weakref import WeakKeyDictionary, ref

from penchant._cached import LRUCache
from penchant.data import Items
from penchant.exceptions import FormatError, NotFoundError, StoreError
from penchant.gp import PopulationGP
from penchant.studies._group import Group, Member
from penchant.studies._group_models import GroupModels
from penchant.studies._participation import Participation
from penchant.studies._start import Start, complete
from penchant.studies._talk import Talk
from penchant.studies.store._packed_models import unpack_model
from penchant.studies.store._records import StudyRecord
from penchant.studies.store._store import Store

__all__ = ["Memory", "memory"]

_N_TALKS = 256
"""Conversations that are kept in memory."""

_N_PLACES = 1024
"""Participants whose place in the log is kept in memory, and rows of the table."""

_log = logging.getLogger(__name__)


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
        self.fitting = threading.Lock()

    def start(self, model: str | None) -> Start:
        """Give what is believed of somebody new who starts from a model."""
        if model not in self._starts:
            self._starts[model] = Start.of(self._items, self._population(model))
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
        if (
            talk is None
            or talk.start is not start
            or talk.answers != now.answered[: len(talk.answers)]
        ):
            talk = Talk.begin(start, _seed(participant_id))
        for told in now.answered[len(talk.answers) :]:
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
