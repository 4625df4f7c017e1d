"""Give every event a digest, and every log a seal on its end."""

import sqlalchemy as sa
from alembic import context, op

from penchant.studies.store._chain import AT, digest_of, seal_of
from penchant.studies.store._plain import Moment

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_EVENTS = sa.table(
    "events",
    *map(sa.column, ("id", "participant_id", "position", "kind", "body", "digest")),
    sa.column("at", Moment),
)
_PEOPLE = sa.table(
    "participants",
    *map(sa.column, ("id", "study_id", "label", "n_events", "seal")),
    sa.column("simulated", sa.Boolean),
    sa.column("created", Moment),
)


def upgrade() -> None:
    """Go to this version."""
    for table, name in (("events", "digest"), ("participants", "seal")):
        added = sa.Column(name, sa.String(64), nullable=False, server_default="")
        op.add_column(table, added)
    find_key, connection = context.config.attributes.get("key", bytes), op.get_bind()
    key = find_key()
    for row in connection.execute(sa.select(_PEOPLE)).mappings().all():
        person = dict(row)
        seal = seal_of(key, person, _chain(connection, person["id"]))
        change = _PEOPLE.update().where(_PEOPLE.c.id == person["id"])
        connection.execute(change.values(seal=seal))


def _chain(connection: sa.Connection, participant_id: str) -> str:
    own = sa.select(_EVENTS).where(_EVENTS.c.participant_id == participant_id)
    head, digests = "", []
    for event in connection.execute(own.order_by(_EVENTS.c.position)).mappings():
        head = digest_of(head, {**event, "at": event["at"].strftime(AT)})
        digests.append({"key": event["id"], "found": head})
    change = _EVENTS.update().where(_EVENTS.c.id == sa.bindparam("key"))
    if digests:
        connection.execute(change.values(digest=sa.bindparam("found")), digests)
    return head


def downgrade() -> None:
    """Go back."""
    op.drop_column("participants", "seal")
    op.drop_column("events", "digest")
