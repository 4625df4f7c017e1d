"""Give a study a link to the result of its group, which is withdrawn by emptying it."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.add_column("studies", sa.Column("share", sa.String(64)))
    op.create_index("one_study_per_share", "studies", ["share"], unique=True)


def downgrade() -> None:
    """Go back."""
    op.drop_index("one_study_per_share", "studies")
    op.drop_column("studies", "share")
