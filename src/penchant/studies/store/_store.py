"""Store: what the rest of penchant asks of a place that keeps studies."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from penchant.data import Items
from penchant.studies._settings import StudySettings
from penchant.studies.store._records import (
    Draft,
    EventRecord,
    ModelHead,
    ModelRecord,
    OwnerRecord,
    ParticipantRecord,
    SessionRecord,
    StudyDump,
    StudyRecord,
    StudySummary,
)

__all__ = ["NewEvent", "Store"]

NewEvent = tuple[str, Mapping[str, Any]]
"""An event that is not in the log yet: its kind and its body."""


class Store(ABC):
    """A place that keeps studies.

    Thread safety: every method may be called from any thread at any time, and
    several stores, also in different processes, may share one place.

    Ownership: whoever makes a store closes it; what is handed a store does not.
    A closed store is not used again. Records that come out of a store are frozen,
    with all that is in them: the table of a study may be shared between callers.

    Durability: every method that changes something is one transaction. When it
    returns, the change is on disk; when it raises, nothing was changed.

    The log: what participants do is a list of events per participant, numbered 0,
    1, 2, ... without a gap. Events are added, never changed; everything else about
    a participant can be rebuilt from them.
    """

    @property
    @abstractmethod
    def address(self) -> str:
        """How another process opens a store of the same place; keep it private."""

    # Studies

    @abstractmethod
    def create_study(
        self,
        name: str,
        items: Items,
        *,
        settings: StudySettings | None = None,
        owner: str | None = None,
        draft_id: str | None = None,
    ) -> str:
        """Keep a new study and return its identifier.

        Parameters
        ----------
        name : str
            As people read it.
        items : Items
            The alternatives.
        settings : StudySettings, optional
            How participants are asked; None: the defaults.
        owner : str, optional
            Identifier of the owner.
        draft_id : str, optional
            The draft that becomes this study. It is discarded in the same
            transaction, so a draft becomes a study at most once.

        Raises
        ------
        DraftNotFoundError
            If there is no such draft any more.
        OwnerNotFoundError
            If there is no such owner.
        """

    @abstractmethod
    def ensure_demo(
        self, name: str, items: Items, *, settings: StudySettings | None = None
    ) -> str:
        """Return the identifier of the demo study of this name, made once."""

    @abstractmethod
    def list_studies(self, *, owner: str | None = None) -> list[StudySummary]:
        """List all studies or those of one owner, demos last, the newest first."""

    @abstractmethod
    def get_study(self, study_id: str) -> StudyRecord:
        """Return one study, or raise StudyNotFoundError."""

    @abstractmethod
    def update_study(
        self,
        study_id: str,
        *,
        name: str | None = None,
        settings: StudySettings | None = None,
    ) -> None:
        """Change the name or the settings; None leaves them as they are."""

    @abstractmethod
    def delete_study(self, study_id: str) -> None:
        """Forget a study with its participants, answers and models, for good."""

    @abstractmethod
    def dump_study(self, study_id: str) -> StudyDump:
        """Return everything about a study as it is at one moment."""

    @abstractmethod
    def load_study(self, dump: StudyDump) -> None:
        """Keep everything about a study under the identifiers of the dump.

        Numbers of events are given anew, in the same order.

        Raises
        ------
        ConflictError
            If an identifier or a link is taken.
        """

    # Drafts

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

    # Participants and their log

    @abstractmethod
    def add_participant(
        self,
        study_id: str,
        *,
        label: str = "",
        simulated: bool = False,
        events: Sequence[NewEvent] = (),
    ) -> tuple[ParticipantRecord, str]:
        """Add a participant, with the first events of the log.

        Returns
        -------
        participant : ParticipantRecord
            As it is kept.
        token : str
            The secret part of the participant's link, 256 random bits. Only its
            SHA-256 is kept: it cannot be shown again.
        """

    @abstractmethod
    def find_participant(self, token: str) -> ParticipantRecord:
        """Return whom a link belongs to, or raise ParticipantNotFoundError."""

    @abstractmethod
    def get_participant(self, participant_id: str) -> ParticipantRecord:
        """Return one participant, or raise ParticipantNotFoundError."""

    @abstractmethod
    def list_participants(self, study_id: str) -> list[ParticipantRecord]:
        """List the participants of a study in the order in which they joined."""

    @abstractmethod
    def renew_link(self, participant_id: str) -> str:
        """Give a participant a new link, return its token; the old one is dead."""

    @abstractmethod
    def remove_participant(self, participant_id: str) -> None:
        """Forget a participant with all answers, for good."""

    @abstractmethod
    def append(
        self, participant_id: str, position: int, events: Sequence[NewEvent]
    ) -> list[EventRecord]:
        """Add events to the end of a participant's log, all or none.

        Parameters
        ----------
        participant_id : str
            Whose log.
        position : int
            Where the first of them goes: the length of the log as the caller
            knows it.
        events : sequence of (kind, body)
            What happened; bodies are plain values for JSON.

        Raises
        ------
        ConflictError
            If the log has another length: somebody else wrote in between. Read
            the log again and decide again.
        ParticipantNotFoundError
            If there is no such participant.
        DataError
            If a kind or a body cannot be kept.
        """

    @abstractmethod
    def events(self, participant_id: str) -> list[EventRecord]:
        """Return the log of a participant, or raise ParticipantNotFoundError."""

    @abstractmethod
    def study_events(self, study_id: str) -> list[EventRecord]:
        """Return the logs of all participants of a study, in order of `id`."""

    @abstractmethod
    def count_events(self, study_id: str) -> int:
        """Say how many events the logs of a study have together."""

    # Models and leases

    @abstractmethod
    def add_model(self, study_id: str, body: bytes, n_events: int) -> str:
        """Keep a model fitted on the first `n_events` events; return its id."""

    @abstractmethod
    def get_model(self, model_id: str) -> ModelRecord:
        """Return one model, or raise ModelNotFoundError."""

    @abstractmethod
    def latest_model(self, study_id: str) -> ModelHead | None:
        """Say which model of a study is the newest; None if there is none."""

    @abstractmethod
    def prune_models(self, study_id: str, before: datetime) -> int:
        """Forget models that were added before a moment; say how many.

        The newest stays, and so do all that a participant started from: their
        belief is rebuilt from it. Leave those of the last minutes too (that is
        what `before` is for): somebody may be about to start from one.
        """

    @abstractmethod
    def lease(self, name: str, holder: str, seconds: float) -> bool:
        """Try to be the only one, over all processes, to do something for a while.

        Parameters
        ----------
        name : str
            What is to be done, such as "refit" and the study.
        holder : str
            Who asks; the same holder may ask again to have it longer.
        seconds : float
            How long the lease holds unless it is released before.

        Returns
        -------
        bool
            False if another holder has it.
        """

    @abstractmethod
    def release(self, name: str, holder: str) -> None:
        """Give a lease back; one that somebody else has stays."""

    # Owners and their logins

    @abstractmethod
    def add_owner(self, name: str, password_hash: str, role: str = "analyst") -> str:
        """Add an owner and return the identifier; ConflictError: name is taken."""

    @abstractmethod
    def load_owner(self, owner: OwnerRecord) -> None:
        """Keep an owner under the identifier of the record."""

    @abstractmethod
    def get_owner(self, owner_id: str) -> OwnerRecord:
        """Return one owner, or raise OwnerNotFoundError."""

    @abstractmethod
    def find_owner(self, name: str) -> OwnerRecord | None:
        """Return the owner of this name, or None."""

    @abstractmethod
    def list_owners(self) -> list[OwnerRecord]:
        """List all owners by name."""

    @abstractmethod
    def set_password(self, owner_id: str, password_hash: str) -> None:
        """Change a password and end all sessions of that owner."""

    @abstractmethod
    def remove_owner(self, owner_id: str) -> None:
        """Forget an owner; the studies stay and belong to nobody."""

    @abstractmethod
    def add_session(self, owner_id: str, token_hash: str, expires: datetime) -> None:
        """Keep a login; the store never sees the token, only its SHA-256 in hex."""

    @abstractmethod
    def find_session(self, token_hash: str) -> SessionRecord | None:
        """Return a login that has not expired, or None."""

    @abstractmethod
    def end_session(self, token_hash: str) -> None:
        """Forget a login; one that is not there is forgotten already."""

    @abstractmethod
    def expire_sessions(self, before: datetime) -> int:
        """Forget logins that expire before a moment; say how many."""

    # Attempts

    @abstractmethod
    def attempt(
        self, key: str, leak: float, pause: Callable[[float], float]
    ) -> tuple[float, float]:
        """Count an attempt, unless it comes too soon after the last one.

        All processes count together. What is tried no more is forgotten, and there
        is a bound on how much is kept.

        Parameters
        ----------
        key : str
            What is tried, as a SHA-256 in hex.
        leak : float
            Seconds after which one attempt is forgotten.
        pause : callable
            Gives the seconds from the last attempt to the next, from how many are
            remembered.

        Returns
        -------
        wait : float
            0.0 if it was counted; else the seconds until the next one may be made.
        n_tried : float
            How many attempts are remembered, before this one.
        """

    @abstractmethod
    def forget_attempts(self, keys: Sequence[str]) -> None:
        """Begin again to count attempts of these keys."""

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
