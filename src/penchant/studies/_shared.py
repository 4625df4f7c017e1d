"""What a process has worked out about the studies of a store, and keeps a while."""

import threading
from collections.abc import Callable
from functools import lru_cache
from weakref import WeakKeyDictionary, ref

from penchant._cached import LRUCache
from penchant.data import Items
from penchant.exceptions import StoreError
from penchant.gp import PopulationGP
from penchant.studies._beliefs import Beliefs
from penchant.studies._group import Group, Member
from penchant.studies._group_models import GroupModels
from penchant.studies._participation import Participation
from penchant.studies._start import complete
from penchant.studies.store._packed_models import unpack_model
from penchant.studies.store._records import StudyRecord
from penchant.studies.store._store import Store

__all__ = ["Shared", "shared"]

_N_KEPT = 1024
"""Participants whose place in the log is kept in memory, and rows of the table."""


class Shared:
    """What is kept about one study; no other process needs it.

    Parameters
    ----------
    store : Store
        Where the models are. What is kept does not keep the store alive.
    record : StudyRecord
        The study; its items never change.
    """

    def __init__(self, store: Store, record: StudyRecord) -> None:
        self.complete = complete(record.items)
        self.beliefs = Beliefs(record.items, _loader(store))
        self.group: Group | None = None
        self.members: dict[str, tuple[int, Member]] = {}
        self.models: tuple[int, GroupModels] | None = None
        self.fitting = threading.Lock()
        # To take a row out of a table takes milliseconds, and it never changes.
        self.row = lru_cache(_N_KEPT)(self._take_row)
        self.places: LRUCache[str, Participation] = LRUCache(_N_KEPT)

    def _take_row(self, item: int) -> Items:
        return self.complete.take([item])


_SHARED: WeakKeyDictionary[Store, dict[str, Shared]] = WeakKeyDictionary()
_LOCK = threading.Lock()


def shared(store: Store, record: StudyRecord) -> Shared:
    """Give what this process keeps about a study of a store."""
    with _LOCK:
        studies = _SHARED.setdefault(store, {})
        if record.id not in studies:
            studies[record.id] = Shared(store, record)
        return studies[record.id]


def _loader(store: Store) -> Callable[[str], PopulationGP]:
    kept = ref(store)

    def load(model: str) -> PopulationGP:
        opened = kept()
        if opened is None:
            raise StoreError("The store of this study is gone.")
        population: PopulationGP = unpack_model(opened.get_model(model).body)
        return population

    return load
