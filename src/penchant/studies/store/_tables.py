"""The tables of the database, as the newest migration leaves them."""

import sqlalchemy as sa

from penchant.studies.store._plain import Body, Key, Moment


def _belongs_to(table: str, *, gone: str = "CASCADE") -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.id", ondelete=gone)


metadata = sa.MetaData()

owners = sa.Table(
    "owners",
    metadata,
    sa.Column("id", Key(32), primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("password_hash", sa.Text, nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("created", Moment, nullable=False),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("token_hash", Key(64), primary_key=True),
    sa.Column("owner_id", Key(32), _belongs_to("owners"), nullable=False, index=True),
    sa.Column("created", Moment, nullable=False),
    sa.Column("expires", Moment, nullable=False, index=True),
)

studies = sa.Table(
    "studies",
    metadata,
    sa.Column("id", Key(32), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    # What is in use of the table, and which of its versions it is.
    sa.Column("n_items", sa.Integer, nullable=False),
    sa.Column("n_attributes", sa.Integer, nullable=False),
    sa.Column("demo", sa.Boolean, nullable=False),
    sa.Column("created", Moment, nullable=False),
    sa.Column("settings", sa.Text, nullable=False, server_default="{}"),
    sa.Column("owner", Key(32), _belongs_to("owners", gone="SET NULL"), index=True),
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
    # SHA-256 of the token of the link to the group's result; null: there is none.
    sa.Column("share", Key(64)),
)
sa.Index("one_study_per_share", studies.c.share, unique=True)

versions = sa.Table(
    "versions",
    metadata,
    sa.Column("study_id", Key(32), _belongs_to("studies"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    # The alternatives, and which of them are withdrawn.
    sa.Column("body", Body, nullable=False),
    # Of this version and of the digest before it, see `_chain`.
    sa.Column("digest", Key(64), nullable=False),
    sa.Column("seal", Key(64), nullable=False),
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
    sa.Column("id", Key(32), primary_key=True),
    sa.Column("filename", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("created", Moment, nullable=False, index=True),
)

participants = sa.Table(
    "participants",
    metadata,
    sa.Column("id", Key(32), primary_key=True),
    sa.Column("study_id", Key(32), _belongs_to("studies"), nullable=False, index=True),
    sa.Column("link", Key(64), nullable=False, unique=True),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("simulated", sa.Boolean, nullable=False),
    sa.Column("created", Moment, nullable=False),
    # The length of the log; a writer takes its place in the log by raising it.
    sa.Column("n_events", sa.Integer, nullable=False),
    sa.Column("seal", Key(64), nullable=False, server_default=""),
)

# Who takes part in a study, see `_chain`.
registers = sa.Table(
    "registers",
    metadata,
    sa.Column("study_id", Key(32), _belongs_to("studies"), primary_key=True),
    sa.Column("people", sa.Integer, nullable=False),
    sa.Column("marks", Key(64), nullable=False),
    sa.Column("seal", Key(64), nullable=False),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column(
        "id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True
    ),
    sa.Column("participant_id", Key(32), _belongs_to("participants"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", Body, nullable=False),
    sa.Column("at", Moment, nullable=False),
    # Of this event and of the digest before it, see `_chain`.
    sa.Column("digest", Key(64), nullable=False, server_default=""),
    sa.UniqueConstraint("participant_id", "position", name="one_event_per_position"),
)

models = sa.Table(
    "models",
    metadata,
    sa.Column("id", Key(32), primary_key=True),
    sa.Column("study_id", Key(32), _belongs_to("studies"), nullable=False, index=True),
    sa.Column("n_events", sa.Integer, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("created", Moment, nullable=False),
    # The version of the table that it was fitted on.
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
)

pictures = sa.Table(
    "pictures",
    metadata,
    sa.Column("id", Key(32), primary_key=True),
    # Of a study, or of a draft that may become one.
    sa.Column("study_id", Key(32), _belongs_to("studies")),
    sa.Column("draft_id", Key(32), _belongs_to("drafts")),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("digest", Key(64), nullable=False),
    sa.Column("width", sa.Integer, nullable=False),
    sa.Column("height", sa.Integer, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("study_id", "name", name="one_picture_per_name"),
    sa.UniqueConstraint("draft_id", "name", name="one_draft_picture_per_name"),
)

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("holder", sa.String(100), nullable=False),
    sa.Column("until", Moment, nullable=False),
)

attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("key", Key(64), primary_key=True),
    sa.Column("last", Moment, nullable=False),
    sa.Column("until", Moment, nullable=False, index=True),
)

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", Key(32), primary_key=True),
    sa.Column("owner", Key(32), _belongs_to("owners", gone="SET NULL"), index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False, index=True),
    sa.Column("settings", Body, nullable=False),
    sa.Column("progress", Body, nullable=False),
    # Which run may write, and until when nobody else may begin one.
    sa.Column("run", Key(32), nullable=False),
    sa.Column("until", Moment, nullable=False),
    sa.Column("n_runs", sa.Integer, nullable=False),
    sa.Column("created", Moment, nullable=False),
    sa.Column("queued", Moment, nullable=False),
)

job_parts = sa.Table(
    "job_parts",
    metadata,
    sa.Column("job_id", Key(32), _belongs_to("jobs"), primary_key=True),
    sa.Column("name", sa.String(60), primary_key=True),
    sa.Column("digest", Key(64), nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)
