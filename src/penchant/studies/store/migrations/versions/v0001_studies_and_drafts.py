"""Make the tables of studies and of drafts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.create_table(
        "studies",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("alternatives", sa.JSON, nullable=False),
        sa.Column("n_items", sa.Integer, nullable=False),
        sa.Column("n_attributes", sa.Integer, nullable=False),
        sa.Column("demo", sa.Boolean, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.create_index(
        "one_demo_per_name",
        "studies",
        ["name"],
        unique=True,
        sqlite_where=sa.column("demo"),
        postgresql_where=sa.column("demo"),
    )
    op.create_table(
        "drafts",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("filename", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.create_index("ix_drafts_created", "drafts", ["created"])


def downgrade() -> None:
    """Go back."""
    op.drop_table("drafts")
    op.drop_table("studies")
