"""Studies and drafts in a database."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from penchant.data import Items
from penchant.exceptions import (
    DraftNotFoundError,
    OwnerNotFoundError,
    StudyNotFoundError,
)
from penchant.studies._pictures import picture_names
from penchant.studies._settings import StudySettings
from penchant.studies.store._database import (
    Database,
    hold,
    link_digest,
    new_id,
    new_link,
)
from penchant.studies.store._pictures import insert_pictures, take_over_pictures
from penchant.studies.store._plain import check_numbers, check_text
from penchant.studies.store._records import (
    Draft,
    PictureRecord,
    StudyRecord,
    StudySummary,
)
from penchant.studies.store._tables import drafts, owners, participants, studies

_BUT_TABLE = [column for column in studies.c if column is not studies.c.alternatives]
_IN_LIST = [column for column in _BUT_TABLE if column is not studies.c.share]
_BY_ID = sa.select(*_BUT_TABLE).where(studies.c.id == sa.bindparam("key"))
_N_TABLES = 64


class Studies:
    """The part of a store that keeps studies and drafts."""

    def __init__(self, database: Database) -> None:
        self.database = database
        # Reading a table takes milliseconds, and it never changes.
        self._items = lru_cache(_N_TABLES)(self._read_items)

    def create_study(
        self,
        name: str,
        items: Items,
        *,
        settings: StudySettings | None = None,
        owner: str | None = None,
        draft_id: str | None = None,
        pictures: Sequence[PictureRecord] = (),
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
            transaction, so a draft becomes a study at most once; pictures of it
            that the items name become those of the study.
        pictures : sequence of PictureRecord
            More pictures of the items.

        Raises
        ------
        DraftNotFoundError
            If there is no such draft any more.
        OwnerNotFoundError
            If there is no such owner.
        """
        study = _new_study(name, items, settings, owner=owner)
        with self.database.writing() as connection:
            insert_study(connection, study)
            insert_pictures(connection, pictures, study_id=study.id)
            if draft_id is not None:
                names = picture_names(items)
                take_over_pictures(connection, draft_id, study.id, names)
                gone = drafts.delete().where(drafts.c.id == draft_id)
                if connection.execute(gone).rowcount != 1:
                    raise _no_draft()
        return study.id

    def ensure_demo(
        self, name: str, items: Items, *, settings: StudySettings | None = None
    ) -> str:
        """Return the identifier of the demo study of this name, made once."""
        study = _new_study(name, items, settings, demo=True)
        found = sa.select(studies.c.id).where(studies.c.demo, studies.c.name == name)
        with self.database.writing() as connection:
            make = self.database.insert(studies).values(_study_row(study))
            connection.execute(make.on_conflict_do_nothing())
            return str(connection.execute(found).scalar_one())

    def list_studies(self, *, owner: str | None = None) -> list[StudySummary]:
        """List all studies or those of one owner, demos last, the newest first."""
        query = sa.select(
            *_IN_LIST,
            _count_people(~participants.c.simulated).label("n_participants"),
            _count_people(participants.c.simulated).label("n_simulated"),
        ).order_by(studies.c.demo, studies.c.created.desc(), studies.c.id)
        if owner is not None:
            query = query.where(studies.c.owner == owner)
        return [_summary(row) for row in self.database.read(query)]

    def get_study(self, study_id: str) -> StudyRecord:
        """Return one study, or raise StudyNotFoundError."""
        found = self.database.read(_BY_ID, key=study_id)
        if not found:
            raise no_study()
        return study_record(found[0], self._items(study_id))

    def update_study(
        self,
        study_id: str,
        *,
        name: str | None = None,
        settings: StudySettings | None = None,
    ) -> None:
        """Change the name or the settings; None leaves them as they are."""
        changes: dict[str, Any] = {"name": studies.c.name}
        if name is not None:
            check_text("The name of a study", name)
            changes["name"] = name
        if settings is not None:
            changes["settings"] = settings.to_dict()
        change = studies.update().where(studies.c.id == study_id).values(changes)
        if self.database.change(change) != 1:
            raise no_study()

    def share_study(self, study_id: str) -> str:
        """Make a link to the result of the group; the one before stops working.

        Returns
        -------
        str
            The secret part of the link, 256 random bits. Only its SHA-256 is kept: it
            cannot be shown again.
        """
        token, share = new_link()
        self._set_share(study_id, share)
        return token

    def unshare_study(self, study_id: str) -> None:
        """Withdraw the link to the result of the group; no error if there is none."""
        self._set_share(study_id, None)

    def _set_share(self, study_id: str, share: str | None) -> None:
        change = studies.update().where(studies.c.id == study_id).values(share=share)
        if self.database.change(change) != 1:
            raise no_study()

    def find_shared(self, token: str) -> StudyRecord:
        """Return the study whose group's result a link shows, or StudyNotFoundError."""
        query = sa.select(studies.c.id).where(studies.c.share == link_digest(token))
        found = self.database.read(query)
        if not found:
            raise no_study()
        return self.get_study(found[0].id)

    def delete_study(self, study_id: str) -> None:
        """Forget a study with its people, answers, models and pictures, for good."""
        gone = studies.delete().where(studies.c.id == study_id)
        if self.database.change(gone) != 1:
            raise no_study()

    def add_draft(self, filename: str, content: bytes) -> str:
        """Keep an uploaded table for now and return its identifier."""
        check_text("The name of a file", filename)
        draft = Draft(new_id(), filename, content, datetime.now(UTC))
        self.database.change(drafts.insert().values(vars(draft)))
        return draft.id

    def get_draft(self, draft_id: str) -> Draft:
        """Return one draft, or raise DraftNotFoundError."""
        query = sa.select(drafts).where(drafts.c.id == draft_id)
        if (draft := self.database.find(Draft, query)) is None:
            raise _no_draft()
        return draft

    def discard_draft(self, draft_id: str) -> None:
        """Forget a draft; one that is not there is forgotten already."""
        self.database.change(drafts.delete().where(drafts.c.id == draft_id))

    def expire_drafts(self, before: datetime) -> int:
        """Forget the drafts that were added before a moment; say how many."""
        return self.database.change(drafts.delete().where(drafts.c.created < before))

    def _read_items(self, study_id: str) -> Items:
        query = sa.select(studies.c.alternatives).where(studies.c.id == study_id)
        found = self.database.read(query)
        if not found:
            raise no_study()
        return Items.from_dict(found[0].alternatives)


def hold_study(connection: sa.Connection, study_id: str) -> None:
    """Keep a study from being deleted until this transaction ends."""
    if not hold(connection, studies, study_id):
        raise no_study()


def insert_study(connection: sa.Connection, study: StudyRecord) -> None:
    """Insert a study whose owner exists."""
    if study.owner is not None and not hold(connection, owners, study.owner):
        raise OwnerNotFoundError("There is no such owner to give a study to.")
    connection.execute(studies.insert().values(_study_row(study)))


def study_record(row: sa.Row[Any], items: Items) -> StudyRecord:
    """Make a record of a row and a table."""
    return StudyRecord(
        row.id,
        row.name,
        items,
        row.demo,
        row.created,
        StudySettings.from_dict(row.settings),
        row.owner,
        row.share or "",
    )


def no_study() -> StudyNotFoundError:
    """Say that a study is not there."""
    return StudyNotFoundError("There is no such study. It may have been removed.")


def _new_study(
    name: str,
    items: Items,
    settings: StudySettings | None,
    *,
    owner: str | None = None,
    demo: bool = False,
) -> StudyRecord:
    check_text("The name of a study", name)
    check_numbers(items)
    chosen = StudySettings() if settings is None else settings
    return StudyRecord(new_id(), name, items, demo, datetime.now(UTC), chosen, owner)


def _study_row(study: StudyRecord) -> dict[str, Any]:
    return {
        "id": study.id,
        "name": study.name,
        "alternatives": study.items.to_dict(),
        "n_items": len(study.items),
        "n_attributes": len(study.items.attributes),
        "demo": study.demo,
        "created": study.created,
        "settings": study.settings.to_dict(),
        "owner": study.owner,
        "share": study.share or None,
    }


def _summary(row: sa.Row[Any]) -> StudySummary:
    settings = StudySettings.from_dict(row.settings)
    return StudySummary(**{**row._mapping, "settings": settings})


def _count_people(which: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    return (
        sa.select(sa.func.count())
        .where(participants.c.study_id == studies.c.id, which)
        .scalar_subquery()
    )


def _no_draft() -> DraftNotFoundError:
    return DraftNotFoundError(
        "This upload is no longer there: it was saved, discarded or is too old. "
        "Upload the file again."
    )
