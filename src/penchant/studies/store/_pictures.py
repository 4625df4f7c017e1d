"""Pictures of alternatives in a database."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from penchant.exceptions import (
    DataError,
    DraftNotFoundError,
    PictureNotFoundError,
    StudyNotFoundError,
)
from penchant.studies.store._database import Database, hold, new_id
from penchant.studies.store._plain import check_text
from penchant.studies.store._records import PictureHead, PictureRecord
from penchant.studies.store._tables import drafts, pictures, studies

MOST_BYTES = 100_000_000
"""What the pictures of one study may take; its export is made in memory."""

_HEAD = (pictures.c.name, pictures.c.digest, pictures.c.width, pictures.c.height)
PICTURE = (*_HEAD, pictures.c.body)


@dataclass(frozen=True)
class Pictures:
    """The part of a store that keeps pictures, of a study or of a draft of one."""

    database: Database

    def add_pictures(
        self,
        added: Sequence[PictureRecord],
        *,
        draft_id: str | None = None,
        study_id: str | None = None,
    ) -> None:
        """Keep pictures with a draft or a study; those of the same names are replaced.

        Raises
        ------
        DataError
            If there would be too many; nothing is kept then.
        """
        with self.database.writing() as connection:
            if study_id is not None and not hold(connection, studies, study_id):
                raise StudyNotFoundError("There is no such study to add pictures to.")
            if draft_id is not None and not hold(connection, drafts, draft_id):
                raise DraftNotFoundError("This upload is no longer there.")
            insert_pictures(connection, added, study_id=study_id, draft_id=draft_id)

    def list_pictures(self, holder: str) -> dict[str, PictureHead]:
        """Give the pictures of a study or a draft by name, without their bytes."""
        query = sa.select(*_HEAD).where(_of(holder))
        found = self.database.records(PictureHead, query)
        return {picture.name: picture for picture in found}

    def get_picture(self, holder: str, digest: str) -> PictureRecord:
        """Return a picture of a study or a draft, or raise PictureNotFoundError."""
        query = sa.select(*PICTURE).where(_of(holder), pictures.c.digest == digest)
        found = self.database.find(PictureRecord, query.limit(1))
        if found is None:
            raise PictureNotFoundError("There is no such picture.")
        return found


def insert_pictures(
    connection: sa.Connection,
    added: Sequence[PictureRecord],
    *,
    study_id: str | None = None,
    draft_id: str | None = None,
) -> None:
    """Insert pictures of a study or a draft that exists."""
    whose = _of(study_id or draft_id or "")
    names = [picture.name for picture in added]
    for name in names:
        check_text("The name of a picture", name, longest=500)
    connection.execute(pictures.delete().where(whose, pictures.c.name.in_(names)))
    owner = {"study_id": study_id, "draft_id": draft_id}
    rows = [{"id": new_id(), **owner, **vars(picture)} for picture in added]
    if rows:
        connection.execute(pictures.insert(), rows)
    size = sa.select(sa.func.coalesce(sa.func.sum(sa.func.length(pictures.c.body)), 0))
    if connection.execute(size.where(whose)).scalar_one() > MOST_BYTES:
        raise DataError(
            f"The pictures of a study may have {MOST_BYTES / 1e6:g} MB in all. "
            "Leave some out."
        )


def take_over_pictures(
    connection: sa.Connection, draft_id: str, study_id: str, names: Collection[str]
) -> None:
    """Give the pictures of a draft that have one of the names to its study."""
    mine = sa.select(pictures.c.id, pictures.c.name)
    mine = mine.where(pictures.c.draft_id == draft_id)
    wanted = [row.id for row in connection.execute(mine) if row.name in names]
    for start in range(0, len(wanted), 500):  # statements have few parameters
        some = pictures.c.id.in_(wanted[start : start + 500])
        owner = {"study_id": study_id, "draft_id": None}
        connection.execute(pictures.update().where(some).values(owner))


def _of(holder: str) -> sa.ColumnElement[bool]:
    return sa.or_(pictures.c.study_id == holder, pictures.c.draft_id == holder)
