"""Make the tables of jobs that learn from files, and of what they leave."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "owner",
            sa.String(32),
            sa.ForeignKey("owners.id", ondelete="SET NULL"),
            index=True,
        ),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("progress", sa.Text, nullable=False),
        sa.Column("run", sa.String(32), nullable=False),
        sa.Column("until", sa.DateTime, nullable=False),
        sa.Column("n_runs", sa.Integer, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("queued", sa.DateTime, nullable=False),
    )
    op.create_table(
        "job_parts",
        sa.Column(
            "job_id",
            sa.String(32),
            sa.ForeignKey("jobs.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("name", sa.String(60), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("job_parts")
    op.drop_table("jobs")
