"""Keep every version of a study's table, and which one a model was fitted on."""

import sqlalchemy as sa
from alembic import context, op

from penchant.studies.store._chain import AT, VERSION, digest_of, table_seal
from penchant.studies.store._plain import Moment, as_json, unpack

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_STUDIES = sa.table(
    "studies",
    sa.column("id"),
    sa.column("alternatives", sa.JSON),
    sa.column("created", Moment),
    sa.column("version"),
)
_VERSIONS = sa.table(
    "versions",
    *map(sa.column, ("study_id", "number", "note", "body", "digest", "seal")),
    sa.column("at", Moment),
)


def upgrade() -> None:
    """Go to this version."""
    for table in ("studies", "models"):
        counted = sa.Column("version", sa.Integer, nullable=False, server_default="1")
        op.add_column(table, counted)
    op.create_table(
        "versions",
        sa.Column(
            "study_id",
            sa.String(32),
            sa.ForeignKey("studies.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
    )
    find_key, connection = context.config.attributes.get("key", bytes), op.get_bind()
    key = find_key()
    # As text: a table that is damaged is no reason to fail; a check will find it.
    text = sa.cast(_STUDIES.c.alternatives, sa.Text).label("text")
    known = sa.select(_STUDIES.c.id, _STUDIES.c.created, text)
    for study in connection.execute(known).mappings().all():
        row = {
            "study_id": study["id"],
            "number": 1,
            "note": "",
            "body": as_json({"items": unpack(study["text"]), "withdrawn": []}),
        }
        at = study["created"]
        head = digest_of("", {**row, "at": at.strftime(AT)}, VERSION)
        row |= {"at": at, "digest": head, "seal": table_seal(key, row, head)}
        connection.execute(_VERSIONS.insert().values(row))
    op.drop_column("studies", "alternatives")


def downgrade() -> None:
    """Go back; of every table its newest version stays."""
    op.add_column(
        "studies",
        sa.Column("alternatives", sa.JSON, nullable=False, server_default="{}"),
    )
    connection = op.get_bind()
    newest = sa.select(_VERSIONS.c.study_id, _VERSIONS.c.body).join(
        _STUDIES,
        sa.and_(
            _STUDIES.c.id == _VERSIONS.c.study_id,
            _STUDIES.c.version == _VERSIONS.c.number,
        ),
    )
    for study_id, body in connection.execute(newest).all():
        change = _STUDIES.update().where(_STUDIES.c.id == study_id)
        connection.execute(change.values(alternatives=unpack(body).get("items")))
    op.drop_table("versions")
    op.drop_column("models", "version")
    op.drop_column("studies", "version")
