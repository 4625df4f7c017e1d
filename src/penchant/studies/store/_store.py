"""Store: a place that keeps studies, of one part for each kind of thing."""

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
from penchant.studies.store.jobs._jobs import Jobs


class Store(Log, Pictures, Models, Owners, Attempts, Jobs, Dumps, Chain):
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

    Parts: each kind of thing is kept by one part; a store is all of them.

    Parameters
    ----------
    database : Database
        Where everything is kept.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.close = database.close
        self.faults = database.faults
        self.why_not_ready = database.why_not_ready

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
    ...         store.append(person.id, 0, [("consented", {})])[0].position
    ...         store.find_participant(token).n_events
    0
    1
    >>> study.name, study.items == items
    ('Two flats', True)
    """

    def __init__(self, url: str) -> None:
        super().__init__(Database(url))
