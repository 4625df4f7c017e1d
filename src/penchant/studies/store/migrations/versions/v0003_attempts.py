"""Make the table of attempts, such as those to log in."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.create_table(
        "attempts",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("last", sa.DateTime, nullable=False),
        sa.Column("until", sa.DateTime, nullable=False),
    )
    op.create_index("ix_attempts_until", "attempts", ["until"])


def downgrade() -> None:
    """Go back."""
    op.drop_table("attempts")
