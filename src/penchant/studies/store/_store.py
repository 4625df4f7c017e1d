"""Store: a place that keeps studies, made of one part for each kind of thing."""

from types import TracebackType
from typing import Self

from penchant.studies.store._attempts import Attempts
from penchant.studies.store._chain import Chain
from penchant.studies.store._database import Database
from penchant.studies.store._dumps import Dumps
from penchant.studies.store._log import Log
from penchant.studies.store._models import Models
from penchant.studies.store._owners import Owners
from penchant.studies.store._pictures import Pictures
from penchant.studies.store._studies import Studies
from penchant.studies.store.jobs._jobs import Jobs


class Store:
    """A place that keeps studies.

    Thread safety: every method may be called from any thread at any time, and
    several stores, also in different processes, may share one place.

    Ownership: whoever makes a store closes it; what is handed a store does not.
    A closed store is not used again. Records that come out of a store are frozen,
    with all that is in them: the table of a study may be shared between callers.

    Durability: every method that changes something is one transaction. When it
    returns, the change is on disk; when it raises, nothing was changed.

    The log: what participants do is a list of events per participant, numbered 0,
    1, 2, ... without a gap. Events are added, never changed; everything else about
    a participant can be rebuilt from them.

    Parts: each kind of thing is kept by one part, which says what its methods do; a
    store offers the methods of all parts.

    Parameters
    ----------
    database : Database
        Where everything is kept.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.close = database.close
        self.faults = database.faults
        self.why_not_ready = database.why_not_ready
        self.broken_logs = Chain(database).broken_logs
        self.broken_tables = Chain(database).broken_tables

        studies = Studies(database)
        self.create_study = studies.create_study
        self.ensure_demo = studies.ensure_demo
        self.list_studies = studies.list_studies
        self.get_study = studies.get_study
        self.update_study = studies.update_study
        self.add_version = studies.add_version
        self.get_version = studies.get_version
        self.delete_study = studies.delete_study
        self.share_study = studies.share_study
        self.unshare_study = studies.unshare_study
        self.find_shared = studies.find_shared
        self.add_draft = studies.add_draft
        self.get_draft = studies.get_draft
        self.discard_draft = studies.discard_draft
        self.expire_drafts = studies.expire_drafts

        pictures = Pictures(database)
        self.add_pictures = pictures.add_pictures
        self.list_pictures = pictures.list_pictures
        self.get_picture = pictures.get_picture

        log = Log(database, studies)
        self.add_participant = log.add_participant
        self.find_participant = log.find_participant
        self.find_visit = log.find_visit
        self.get_participant = log.get_participant
        self.list_participants = log.list_participants
        self.renew_link = log.renew_link
        self.remove_participant = log.remove_participant
        self.idle_participants = log.idle_participants
        self.append = log.append
        self.events = log.events
        self.study_events = log.study_events
        self.count_events = log.count_events

        models = Models(database)
        self.add_model = models.add_model
        self.get_model = models.get_model
        self.latest_model = models.latest_model
        self.prune_models = models.prune_models
        self.lease = models.lease
        self.release = models.release

        owners = Owners(database)
        self.add_owner = owners.add_owner
        self.load_owner = owners.load_owner
        self.get_owner = owners.get_owner
        self.find_owner = owners.find_owner
        self.list_owners = owners.list_owners
        self.set_password = owners.set_password
        self.remove_owner = owners.remove_owner
        self.add_session = owners.add_session
        self.find_session = owners.find_session
        self.end_session = owners.end_session
        self.end_sessions = owners.end_sessions
        self.expire_sessions = owners.expire_sessions

        attempts = Attempts(database)
        self.attempt = attempts.attempt
        self.forget_attempts = attempts.forget_attempts

        jobs = Jobs(database)
        self.add_job = jobs.add_job
        self.load_job = jobs.load_job
        self.dump_job = jobs.dump_job
        self.get_job = jobs.get_job
        self.list_jobs = jobs.list_jobs
        self.jobs_before = jobs.jobs_before
        self.queue_job = jobs.queue_job
        self.cancel_job = jobs.cancel_job
        self.delete_job = jobs.delete_job
        self.expire_jobs = jobs.expire_jobs
        self.claim_job = jobs.claim_job
        self.hold_job = jobs.hold_job
        self.tell_job = jobs.tell_job
        self.end_job = jobs.end_job
        self.job_part = jobs.job_part
        self.job_parts = jobs.job_parts
        self.broken_parts = jobs.broken_parts

        dumps = Dumps(database)
        self.dump_study = dumps.dump_study
        self.load_study = dumps.load_study
        self.copy_to = dumps.copy_to

    @property
    def address(self) -> str:
        """How another process opens a store of the same place; keep it private."""
        return self.database.engine.url.render_as_string(hide_password=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class SqlStore(Store):
    """Studies in a database.

    The tables are made or migrated when the store is opened. SQLite runs in WAL
    mode with ``synchronous = FULL`` and foreign keys on. Use PostgreSQL when
    several machines serve the same studies.

    Parameters
    ----------
    url : str
        SQLAlchemy address, such as ``sqlite:///studies.sqlite`` or
        ``postgresql://user@host/database``.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> from penchant.data import Items
    >>> from penchant.studies import SqlStore, store_url
    >>> items = Items.from_frame(pd.DataFrame({"rent": [500, 900]}, ["a", "b"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SqlStore(store_url(folder)) as store:
    ...         study_id = store.create_study("Two flats", items)
    ...         study = store.get_study(study_id)
    ...         person, token = store.add_participant(study_id, label="Ann")
    ...         store.append(person.id, 0, [("consented", {})])
    ...         store.events(person.id)[0].position
    ...         store.find_participant(token).n_events
    0
    1
    >>> study.name, study.items == items
    ('Two flats', True)
    """

    def __init__(self, url: str) -> None:
        super().__init__(Database(url))
