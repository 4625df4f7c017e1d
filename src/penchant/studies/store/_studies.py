"""Studies and drafts in a database."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any

import sqlalchemy as sa

from penchant.data import Items
from penchant.exceptions import (
    ConflictError,
    DataError,
    DraftNotFoundError,
    FormatError,
    OwnerNotFoundError,
    StudyNotFoundError,
)
from penchant.studies._pictures import picture_names
from penchant.studies._settings import StudySettings
from penchant.studies.store._chain import VERSION, add_digests, new_register, table_seal
from penchant.studies.store._database import (
    Database,
    hold,
    link_digest,
    new_id,
    new_link,
)
from penchant.studies.store._pictures import insert_pictures, take_over_pictures
from penchant.studies.store._plain import (
    as_json,
    bound_numbers,
    check_numbers,
    check_text,
    unpack,
)
from penchant.studies.store._records import (
    Draft,
    PictureRecord,
    StudyRecord,
    StudySummary,
    TableVersion,
)
from penchant.studies.store._tables import (
    drafts,
    owners,
    participants,
    registers,
    studies,
    versions,
)

_log = logging.getLogger(__name__)

_IN_LIST = [column for column in studies.c if column is not studies.c.share]
_BY_ID = sa.select(studies).where(studies.c.id == sa.bindparam("key"))
_N_TABLES = 64
_LONGEST_NOTE = 1000


class Studies:
    """The part of a store that keeps studies and drafts."""

    def __init__(self, database: Database) -> None:
        self.database = database
        # Reading a table takes milliseconds, and a version of it never changes.
        self.get_version = lru_cache(_N_TABLES)(self._read_version)
        # Every answer needs the study again, which seldom changes.
        self.record = lru_cache(_N_TABLES)(partial(study_record, self.get_version))

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
            insert_study(connection, study, self.database.key)
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
            known = connection.execute(found).scalar()
            if known is not None:
                return str(known)
            make = self.database.insert(studies).values(_study_row(study))
            connection.execute(make.on_conflict_do_nothing())
            made = str(connection.execute(found).scalar_one())
            if made == study.id:  # and not by another process at the same moment
                _insert_parts(connection, study, self.database.key)
            return made

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
        return self.record(tuple(found[0]))

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
            changes["settings"] = as_json(settings.to_dict())
        change = studies.update().where(studies.c.id == study_id).values(changes)
        if self.database.change(change) != 1:
            raise no_study()

    def add_version(self, study_id: str, version: TableVersion) -> TableVersion:
        """Keep a changed table, which is that of the study from now on.

        Parameters
        ----------
        study_id : str
            Which study.
        version : TableVersion
            Its number is one more than that of the version it was made from; when it
            begins is set here.

        Raises
        ------
        ConflictError
            If the table was changed since.
        """
        check_numbers(version.items)
        check_text("The note on a table", version.note, longest=_LONGEST_NOTE)
        kept = replace(version, at=datetime.now(UTC), digest="", body=None)
        last = sa.select(versions.c.digest).where(
            versions.c.study_id == study_id, versions.c.number == kept.number - 1
        )
        take = studies.update().where(
            studies.c.id == study_id, studies.c.version == kept.number - 1
        )
        with self.database.writing() as connection:
            if connection.execute(take.values(_sizes(kept))).rowcount != 1:
                hold_study(connection, study_id)
                raise ConflictError(
                    "The table of this study was changed meanwhile. Look at it as it "
                    "is now, and change it again."
                )
            before = connection.execute(last).scalar_one()
            rows = _version_rows(study_id, [kept], self.database.key, before)
            connection.execute(versions.insert(), rows)
        return self.get_version(study_id, kept.number)

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

    def _read_version(self, study_id: str, number: int) -> TableVersion:
        """Return a version of the table of a study."""
        query = sa.select(versions).where(
            versions.c.study_id == study_id, versions.c.number == number
        )
        found = self.database.read(query)
        if found:
            return _within_bounds(study_id, read_version(found[0]))
        if not self.database.read(_BY_ID, key=study_id):
            raise no_study()
        raise FormatError(f"The table of this study has no version {number}.")


def hold_study(connection: sa.Connection, study_id: str) -> None:
    """Keep a study from being deleted until this transaction ends."""
    if not hold(connection, studies, study_id):
        raise no_study()


def insert_study(
    connection: sa.Connection,
    study: StudyRecord,
    key: bytes,
    history: Sequence[TableVersion] = (),
    people: Sequence[str] = (),
) -> None:
    """Insert a study whose owner exists: versions of its table, and who takes part."""
    if study.owner is not None and not hold(connection, owners, study.owner):
        raise OwnerNotFoundError("There is no such owner to give a study to.")
    connection.execute(studies.insert().values(_study_row(study)))
    _insert_parts(connection, study, key, history, people)


def _insert_parts(
    connection: sa.Connection,
    study: StudyRecord,
    key: bytes,
    history: Sequence[TableVersion] = (),
    people: Sequence[str] = (),
) -> None:
    first = TableVersion(1, study.items, study.created, study.withdrawn)
    rows = _version_rows(study.id, history or [first], key)
    connection.execute(versions.insert(), rows)
    register = new_register(key, study.id, people)
    connection.execute(registers.insert().values(register))


def _within_bounds(study_id: str, version: TableVersion) -> TableVersion:
    """Take the nearest numbers that can be worked with; what is kept stays."""
    try:
        check_numbers(version.items)
    except DataError as error:  # an old study
        _log.warning("Study %s: %s The nearest is used.", study_id, error)
        return replace(version, items=bound_numbers(version.items))
    return version


def _version_rows(
    study_id: str, history: Sequence[TableVersion], key: bytes, head: str = ""
) -> list[dict[str, Any]]:
    """Give versions as they are kept; digests that are there stay as they are."""
    rows = []
    for each in history:
        row = {
            "study_id": study_id,
            "number": each.number,
            "at": each.at,
            "note": each.note,
            "body": as_json(each.plain),
            "digest": each.digest,
        }
        head = each.digest or add_digests([row], head, VERSION)
        rows.append({**row, "seal": table_seal(key, row, head)})
    return rows


def read_version(row: sa.Row[Any]) -> TableVersion:
    """Make a record of a version of a table."""
    items, withdrawn = row.body.get("items"), row.body.get("withdrawn", ())
    told = Items.from_dict(items), row.at, tuple(withdrawn), row.note
    return TableVersion(row.number, *told, row.digest, row.body)


def study_record(
    version: Callable[[str, int], TableVersion], row: tuple[Any, ...]
) -> StudyRecord:
    """Make a record of the columns of a study, with what gives its table."""
    key, name, _, _, demo, created, settings, owner, number, share = row
    table = version(key, number)
    told = key, name, table.items, demo, created, _read_settings(settings), owner
    return StudyRecord(*told, table.number, table.withdrawn, share or "")


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
        **_sizes(study),
        "demo": study.demo,
        "created": study.created,
        "settings": as_json(study.settings.to_dict()),
        "owner": study.owner,
        "share": study.share or None,
    }


def _sizes(table: StudyRecord | TableVersion) -> dict[str, int]:
    number = table.number if isinstance(table, TableVersion) else table.version
    return {
        "n_items": len(table.items) - len(table.withdrawn),
        "n_attributes": len(table.items.attributes),
        "version": number,
    }


def _summary(row: sa.Row[Any]) -> StudySummary:
    settings = _read_settings(row.settings)
    return StudySummary(**{**row._mapping, "settings": settings})


@lru_cache(maxsize=256)
def _read_settings(text: str) -> StudySettings:
    """Read settings; they are needed with every answer, and seldom change."""
    return StudySettings.from_dict(unpack(text))


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
