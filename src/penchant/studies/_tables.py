"""The tables of the database, as the newest migration leaves them."""

from datetime import UTC, datetime
from typing import Any

from penchant.exceptions import MissingExtraError

try:
    import sqlalchemy as sa
except ImportError:
    raise MissingExtraError("sqlalchemy", "app") from None

__all__ = ["drafts", "metadata", "studies"]


class Moment(sa.types.TypeDecorator[datetime]):
    """A moment in UTC; SQLite has no time zones, so they are set on the way."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> Any:
        """Drop the zone after moving to UTC."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
        """Put the zone back."""
        return None if value is None else value.replace(tzinfo=UTC)


metadata = sa.MetaData()

studies = sa.Table(
    "studies",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("alternatives", sa.JSON, nullable=False),
    sa.Column("n_items", sa.Integer, nullable=False),
    sa.Column("n_attributes", sa.Integer, nullable=False),
    sa.Column("demo", sa.Boolean, nullable=False),
    sa.Column("created", Moment, nullable=False),
)
sa.Index(
    "one_demo_per_name",
    studies.c.name,
    unique=True,
    sqlite_where=studies.c.demo,
    postgresql_where=studies.c.demo,
)

drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("filename", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("created", Moment, nullable=False, index=True),
)
