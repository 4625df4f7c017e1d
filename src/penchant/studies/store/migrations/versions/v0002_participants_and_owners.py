"""Make the tables of participants, their log, models, owners and leases."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    _make_owners()
    with op.batch_alter_table("studies") as table:
        table.add_column(
            sa.Column("settings", sa.Text, nullable=False, server_default="{}")
        )
        table.add_column(sa.Column("owner", sa.String(32)))
        table.create_foreign_key(
            "studies_owner_fkey", "owners", ["owner"], ["id"], ondelete="SET NULL"
        )
        table.create_index("ix_studies_owner", ["owner"])
    _make_participants()
    _make_models()


def downgrade() -> None:
    """Go back."""
    for name in ("leases", "models", "events", "participants", "sessions"):
        op.drop_table(name)
    with op.batch_alter_table("studies") as table:
        table.drop_index("ix_studies_owner")
        table.drop_constraint("studies_owner_fkey", type_="foreignkey")
        table.drop_column("owner")
        table.drop_column("settings")
    op.drop_table("owners")


def _make_owners() -> None:
    op.create_table(
        "owners",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("owner_id", sa.String(32), _belongs_to("owners"), nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("expires", sa.DateTime, nullable=False),
    )
    op.create_index("ix_sessions_owner_id", "sessions", ["owner_id"])
    op.create_index("ix_sessions_expires", "sessions", ["expires"])


def _make_participants() -> None:
    op.create_table(
        "participants",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("study_id", sa.String(32), _belongs_to("studies"), nullable=False),
        sa.Column("link", sa.String(64), nullable=False, unique=True),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("n_events", sa.Integer, nullable=False),
    )
    op.create_index("ix_participants_study_id", "participants", ["study_id"])
    op.create_table(
        "events",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True
        ),
        sa.Column(
            "participant_id",
            sa.String(32),
            _belongs_to("participants"),
            nullable=False,
        ),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.UniqueConstraint(
            "participant_id", "position", name="one_event_per_position"
        ),
    )


def _make_models() -> None:
    op.create_table(
        "models",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("study_id", sa.String(32), _belongs_to("studies"), nullable=False),
        sa.Column("n_events", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.create_index("ix_models_study_id", "models", ["study_id"])
    op.create_table(
        "leases",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("holder", sa.String(100), nullable=False),
        sa.Column("until", sa.DateTime, nullable=False),
    )


def _belongs_to(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
