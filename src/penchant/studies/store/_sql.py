"""SqlStore: studies in a database, by default one SQLite file."""

from penchant.studies.store._database import Database
from penchant.studies.store._store import Store


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
