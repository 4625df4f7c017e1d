"""Store: what the rest of penchant asks of a place that keeps studies."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from penchant.data import Items

__all__ = ["Draft", "Store", "StudyRecord", "StudySummary"]


@dataclass(frozen=True)
class StudySummary:
    """A study in a list: everything but the table.

    Parameters
    ----------
    id : str
        Unguessable identifier.
    name : str
        As people read it.
    n_items, n_attributes : int
        Size of the table of alternatives.
    demo : bool
        Whether the alternatives are fictional.
    created : datetime
        In UTC.
    """

    id: str
    name: str
    n_items: int
    n_attributes: int
    demo: bool
    created: datetime


@dataclass(frozen=True)
class StudyRecord:
    """A study as it is kept.

    Parameters
    ----------
    id : str
        Unguessable identifier.
    name : str
        As people read it.
    items : Items
        The alternatives.
    demo : bool
        Whether the alternatives are fictional.
    created : datetime
        In UTC.
    """

    id: str
    name: str
    items: Items
    demo: bool
    created: datetime


@dataclass(frozen=True)
class Draft:
    """An uploaded table that waits until somebody confirms its columns.

    Parameters
    ----------
    id : str
        Unguessable identifier.
    filename : str
        Name of the uploaded file; its ending tells the format.
    content : bytes
        The file as it came.
    created : datetime
        In UTC.
    """

    id: str
    filename: str
    content: bytes
    created: datetime


class Store(ABC):
    """A place that keeps studies.

    Thread safety: every method may be called from any thread at any time, and
    several stores, also in different processes, may share one place.

    Ownership: whoever makes a store closes it; what is handed a store does not.
    A closed store is not used again. Records that come out of a store are frozen
    and belong to the caller.

    Durability: every method that changes something is one transaction. When it
    returns, the change is on disk; when it raises, nothing was changed.
    """

    @abstractmethod
    def create_study(
        self, name: str, items: Items, *, draft_id: str | None = None
    ) -> str:
        """Keep a new study and return its identifier.

        Parameters
        ----------
        name : str
            As people read it.
        items : Items
            The alternatives.
        draft_id : str, optional
            The draft that becomes this study. It is discarded in the same
            transaction, so a draft becomes a study at most once.

        Raises
        ------
        DraftNotFoundError
            If there is no such draft any more.
        """

    @abstractmethod
    def ensure_demo(self, name: str, items: Items) -> str:
        """Return the identifier of the demo study of this name, made once."""

    @abstractmethod
    def list_studies(self) -> list[StudySummary]:
        """List all studies, demos last, the newest first."""

    @abstractmethod
    def get_study(self, study_id: str) -> StudyRecord:
        """Return one study, or raise StudyNotFoundError."""

    @abstractmethod
    def add_draft(self, filename: str, content: bytes) -> str:
        """Keep an uploaded table for now and return its identifier."""

    @abstractmethod
    def get_draft(self, draft_id: str) -> Draft:
        """Return one draft, or raise DraftNotFoundError."""

    @abstractmethod
    def discard_draft(self, draft_id: str) -> None:
        """Forget a draft; one that is not there is forgotten already."""

    @abstractmethod
    def expire_drafts(self, before: datetime) -> int:
        """Forget the drafts that were added before a moment; say how many."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
