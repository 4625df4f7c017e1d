"""Make the table of pictures, of studies and of drafts of them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.create_table(
        "pictures",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "study_id", sa.String(32), sa.ForeignKey("studies.id", ondelete="CASCADE")
        ),
        sa.Column(
            "draft_id", sa.String(32), sa.ForeignKey("drafts.id", ondelete="CASCADE")
        ),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("study_id", "name", name="one_picture_per_name"),
        sa.UniqueConstraint("draft_id", "name", name="one_draft_picture_per_name"),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("pictures")
