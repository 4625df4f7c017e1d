"""Seal who takes part in each study."""

import sqlalchemy as sa
from alembic import context, op

from penchant.studies.store._chain import new_register

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    registers = op.create_table(
        "registers",
        sa.Column(
            "study_id",
            sa.String(32),
            sa.ForeignKey("studies.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("people", sa.Integer, nullable=False),
        sa.Column("marks", sa.String(64), nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
    )
    studies = sa.table("studies", sa.column("id"))
    people = sa.table("participants", *map(sa.column, ("id", "study_id")))
    key, connection = context.config.attributes.get("key", bytes)(), op.get_bind()
    for study_id in connection.execute(sa.select(studies.c.id)).scalars().all():
        own = sa.select(people.c.id).where(people.c.study_id == study_id)
        joined = connection.execute(own).scalars().all()
        row = new_register(key, study_id, joined)
        connection.execute(registers.insert().values(row))


def downgrade() -> None:
    """Go back."""
    op.drop_table("registers")
