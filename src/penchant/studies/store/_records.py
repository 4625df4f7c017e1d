"""What comes out of a store: frozen records that belong to the caller."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from penchant.data import Items
from penchant.studies._settings import StudySettings


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
        Size of the table of alternatives; those that are withdrawn do not count.
    demo : bool
        Whether the alternatives are fictional.
    created : datetime
        In UTC.
    settings : StudySettings
        How participants are asked.
    owner : str or None
        Identifier of the owner.
    version : int
        Which version of the table is in use, counted from 1.
    n_participants, n_simulated : int
        Real participants, and simulated ones, which are not among them.
    """

    id: str
    name: str
    n_items: int
    n_attributes: int
    demo: bool
    created: datetime
    settings: StudySettings = field(default_factory=StudySettings)
    owner: str | None = None
    version: int = 1
    n_participants: int = 0
    n_simulated: int = 0


@dataclass(frozen=True)
class TableVersion:
    """The alternatives of a study as they were for a while.

    An alternative keeps its position in all later versions: new ones are added at the
    end, and one that is withdrawn stays where it is. So an answer means the same for
    ever.

    Parameters
    ----------
    number : int
        Counted from 1.
    items : Items
        The alternatives, with those that are withdrawn.
    at : datetime
        Since when, in UTC.
    withdrawn : tuple of int
        Positions of alternatives that are neither asked nor recommended, sorted.
    note : str
        Why the owner changed the table; may be empty.
    digest : str
        Of this version and of the digest before it.
    body : mapping or None
        The plain values that the digest is about; None: as this version writes them.
    """

    number: int
    items: Items
    at: datetime
    withdrawn: tuple[int, ...] = ()
    note: str = ""
    digest: str = field(default="", repr=False, compare=False)
    body: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    @property
    def plain(self) -> Mapping[str, Any]:
        """The items and which are withdrawn, as they are kept."""
        if self.body is not None:
            return self.body
        return {"items": self.items.to_dict(), "withdrawn": list(self.withdrawn)}


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
        The alternatives, with those that are withdrawn.
    demo : bool
        Whether the alternatives are fictional.
    created : datetime
        In UTC.
    settings : StudySettings
        How participants are asked.
    owner : str or None
        Identifier of the owner.
    version : int
        Which version of the table this is, counted from 1.
    withdrawn : tuple of int
        Positions of alternatives that are neither asked nor recommended, sorted.
    share : str
        SHA-256 of the token of the link to the group's result; empty: there is none.
    """

    id: str
    name: str
    items: Items
    demo: bool
    created: datetime
    settings: StudySettings = field(default_factory=StudySettings)
    owner: str | None = None
    version: int = 1
    withdrawn: tuple[int, ...] = ()
    share: str = field(default="", repr=False)

    @property
    def n_standing(self) -> int:
        """Number of alternatives that are not withdrawn."""
        return len(self.items) - len(self.withdrawn)


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


@dataclass(frozen=True)
class ParticipantRecord:
    """Somebody who takes part in a study.

    Parameters
    ----------
    id : str
        Unguessable identifier; it opens nothing, only the link does.
    study_id : str
        The study.
    label : str
        What the owner or the person wrote to tell people apart; may be empty.
    simulated : bool
        Whether no real person is behind it.
    created : datetime
        In UTC.
    n_events : int
        Length of the log at the moment of reading: the position of the next event.
    """

    id: str
    study_id: str
    label: str
    simulated: bool
    created: datetime
    n_events: int


Who: TypeAlias = str | ParticipantRecord
"""A participant: the identifier, or the record if it has been read a moment ago."""


NewEvent: TypeAlias = tuple[str, Mapping[str, Any]]
"""An event that is not in the log yet: its kind and its body."""


@dataclass(frozen=True)
class EventRecord:
    """One entry in the log of a participant.

    Parameters
    ----------
    id : int
        Grows over the whole store.
    participant_id : str
        Whose log.
    position : int
        0, 1, 2, ... within that log.
    kind : str
        What happened, such as "answered".
    body : dict
        Plain values that say more. What is stored but cannot be read comes back
        as ``{"unreadable": text}``.
    at : datetime
        In UTC.
    digest : str
        Of this event and of the digest before it.
    """

    id: int
    participant_id: str
    position: int
    kind: str
    body: dict[str, Any]
    at: datetime
    digest: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class ModelHead:
    """What is known of a model without reading it.

    Parameters
    ----------
    id : str
        Unguessable identifier.
    study_id : str
        The study.
    n_events : int
        How many events the study had when the model was fitted.
    created : datetime
        In UTC.
    version : int
        The version of the table that it was fitted on.
    """

    id: str
    study_id: str
    n_events: int
    created: datetime
    version: int = field(default=1, kw_only=True)


@dataclass(frozen=True)
class ModelRecord(ModelHead):
    """A model that was fitted on the answers of a study.

    Parameters
    ----------
    body : bytes
        The model as `penchant.io.save` wrote it; the rest as in `ModelHead`.
    """

    body: bytes = field(repr=False)


@dataclass(frozen=True)
class PictureHead:
    """What is known of a picture without reading it.

    Parameters
    ----------
    name : str
        By which a table names it: without folder and ending, in small letters.
    digest : str
        SHA-256 of its bytes.
    width, height : int
        In pixels.
    """

    name: str
    digest: str
    width: int
    height: int


@dataclass(frozen=True)
class PictureRecord(PictureHead):
    """A picture of an alternative.

    Parameters
    ----------
    body : bytes
        As WebP, without metadata; the rest as in `PictureHead`.
    """

    body: bytes = field(repr=False)


@dataclass(frozen=True)
class OwnerRecord:
    """Somebody who may run studies.

    Parameters
    ----------
    id : str
        Unguessable identifier.
    name : str
        As typed at the login; no two owners share one.
    password_hash : str
        Never the password.
    role : {"analyst", "admin"}
        An admin sees all studies, an analyst their own.
    created : datetime
        In UTC.
    """

    id: str
    name: str
    password_hash: str = field(repr=False)
    role: str
    created: datetime


@dataclass(frozen=True)
class SessionRecord:
    """A login that still holds.

    Parameters
    ----------
    owner : OwnerRecord
        Who logged in.
    created, expires : datetime
        In UTC.
    """

    owner: OwnerRecord
    created: datetime
    expires: datetime


@dataclass(frozen=True)
class StudyDump:
    """Everything about one study, as it was at one moment.

    Parameters
    ----------
    study : StudyRecord
        The study.
    participants : tuple of ParticipantRecord
        In the order in which they joined.
    links : tuple of str
        SHA-256 of the link of every participant, in the same order.
    events : tuple of EventRecord
        The logs of all participants, in order of `id`.
    models : tuple of ModelRecord
        The oldest first.
    pictures : tuple of PictureRecord
        By name.
    versions : tuple of TableVersion
        Of the table, the first one first; the last is that of the study.
    """

    study: StudyRecord
    participants: tuple[ParticipantRecord, ...]
    links: tuple[str, ...] = field(repr=False)
    events: tuple[EventRecord, ...]
    models: tuple[ModelRecord, ...]
    pictures: tuple[PictureRecord, ...] = ()
    versions: tuple[TableVersion, ...] = ()
