"""SqlStore: studies in a database, by default one SQLite file."""

import secrets
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from penchant.data import Items
from penchant.exceptions import DraftNotFoundError, StudyNotFoundError
from penchant.studies._engine import make_engine, wrap_errors, writing
from penchant.studies._migrate import migrate
from penchant.studies._store import (
    Draft,
    Store,
    StudyRecord,
    StudySummary,
)
from penchant.studies._tables import drafts, studies

__all__ = ["SqlStore"]


class SqlStore(Store):
    """Studies in a database.

    The tables are made or migrated when the store is opened. SQLite runs in WAL
    mode with ``synchronous = FULL`` and foreign keys on.

    Parameters
    ----------
    url : str
        SQLAlchemy address, such as ``sqlite:///studies.sqlite``.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> from penchant.data import Items
    >>> from penchant.studies import SqlStore, store_url
    >>> items = Items.from_frame(pd.DataFrame({"rent": [500, 900]}, ["a", "b"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SqlStore(store_url(folder)) as store:
    ...         study = store.get_study(store.create_study("Two flats", items))
    >>> study.name, study.items == items
    ('Two flats', True)
    """

    def __init__(self, url: str) -> None:
        self._engine = make_engine(url)
        self._place = self._engine.url.render_as_string(hide_password=True)
        try:
            with wrap_errors(self._place):
                migrate(self._engine)
        except BaseException:
            self._engine.dispose()
            raise

    def create_study(
        self, name: str, items: Items, *, draft_id: str | None = None
    ) -> str:
        """Keep a new study and return its identifier."""
        row = _study_row(name, items, demo=False)
        with wrap_errors(self._place), writing(self._engine) as connection:
            if draft_id is not None:
                gone = drafts.delete().where(drafts.c.id == draft_id)
                if connection.execute(gone).rowcount != 1:
                    raise _no_draft()
            connection.execute(studies.insert().values(row))
        return str(row["id"])

    def ensure_demo(self, name: str, items: Items) -> str:
        """Return the identifier of the demo study of this name, made once."""
        found = sa.select(studies.c.id).where(studies.c.demo, studies.c.name == name)
        with wrap_errors(self._place), writing(self._engine) as connection:
            known = connection.execute(found).scalar()
            if known is not None:
                return str(known)
            row = _study_row(name, items, demo=True)
            connection.execute(studies.insert().values(row))
        return str(row["id"])

    def list_studies(self) -> list[StudySummary]:
        """List all studies, demos last, the newest first."""
        columns = [c for c in studies.c if c is not studies.c.alternatives]
        query = sa.select(*columns).order_by(
            studies.c.demo, studies.c.created.desc(), studies.c.id
        )
        return [StudySummary(**row._mapping) for row in self._read(query)]

    def get_study(self, study_id: str) -> StudyRecord:
        """Return one study, or raise StudyNotFoundError."""
        found = self._read(sa.select(studies).where(studies.c.id == study_id))
        if not found:
            raise StudyNotFoundError(
                "There is no such study. It may have been removed."
            )
        row = found[0]
        items = Items.from_dict(row.alternatives)
        return StudyRecord(row.id, row.name, items, row.demo, row.created)

    def add_draft(self, filename: str, content: bytes) -> str:
        """Keep an uploaded table for now and return its identifier."""
        row = {
            "id": secrets.token_hex(16),
            "filename": filename,
            "content": content,
            "created": datetime.now(UTC),
        }
        with wrap_errors(self._place), writing(self._engine) as connection:
            connection.execute(drafts.insert().values(row))
        return str(row["id"])

    def get_draft(self, draft_id: str) -> Draft:
        """Return one draft, or raise DraftNotFoundError."""
        found = self._read(sa.select(drafts).where(drafts.c.id == draft_id))
        if not found:
            raise _no_draft()
        return Draft(**found[0]._mapping)

    def discard_draft(self, draft_id: str) -> None:
        """Forget a draft; one that is not there is forgotten already."""
        with wrap_errors(self._place), writing(self._engine) as connection:
            connection.execute(drafts.delete().where(drafts.c.id == draft_id))

    def expire_drafts(self, before: datetime) -> int:
        """Forget the drafts that were added before a moment; say how many."""
        old = drafts.delete().where(drafts.c.created < before)
        with wrap_errors(self._place), writing(self._engine) as connection:
            return int(connection.execute(old).rowcount)

    def close(self) -> None:
        """Let go of files and connections."""
        self._engine.dispose()

    def _read(self, query: sa.Select[Any]) -> list[sa.Row[Any]]:
        with wrap_errors(self._place), self._engine.connect() as connection:
            return list(connection.execute(query))


def _study_row(name: str, items: Items, *, demo: bool) -> dict[str, Any]:
    return {
        "id": secrets.token_hex(16),
        "name": name,
        "alternatives": items.to_dict(),
        "n_items": len(items),
        "n_attributes": len(items.attributes),
        "demo": demo,
        "created": datetime.now(UTC),
    }


def _no_draft() -> DraftNotFoundError:
    return DraftNotFoundError(
        "This upload is no longer there: it was saved, discarded or is too old. "
        "Upload the file again."
    )
