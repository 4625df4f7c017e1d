"""Forgetting what was kept for long enough."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from penchant.exceptions import DataError, NotFoundError
from penchant.studies.store._store import Store

_DRAFTS_LAST = timedelta(days=1)
_EVERY = 3600.0


@dataclass(frozen=True)
class Tidied:
    """How much was forgotten.

    Parameters
    ----------
    drafts : int
        Uploads of which nobody made a study or a model.
    sessions : int
        Logins, API tokens and one-time links that were over.
    participants : int
        People whose last answer was too long ago, with all their answers.
    """

    drafts: int
    sessions: int
    participants: int


def tidy(store: Store, days: float | None = None) -> Tidied:
    """Forget old uploads and logins, and people after a number of days.

    Parameters
    ----------
    store : Store
        Where to tidy; it may be in use.
    days : float, optional
        Real participants whose log has not grown for so many days are forgotten, with
        their answers. None: nobody is.

    Examples
    --------
    >>> import tempfile
    >>> from penchant.studies import SqlStore, store_url, tidy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SqlStore(store_url(folder)) as store:
    ...         tidy(store, days=30)
    Tidied(drafts=0, sessions=0, participants=0)
    """
    if days is not None and not days > 0:
        raise DataError(f"People can be kept for more than 0 days. Got {days:g}.")
    now = datetime.now(UTC)
    drafts = store.expire_drafts(now - _DRAFTS_LAST)
    drafts += store.expire_jobs(now - _DRAFTS_LAST)
    sessions = store.expire_sessions(now)
    if days is None:
        return Tidied(drafts, sessions, 0)
    idle = store.idle_participants(now - timedelta(days=days))
    return Tidied(drafts, sessions, sum(_forget(store, who) for who in idle))


def _forget(store: Store, participant_id: str) -> bool:
    try:
        store.remove_participant(participant_id)
    except NotFoundError:
        return False  # they withdrew a moment ago
    return True


@contextmanager
def tidying(store: Store, days: float | None) -> Iterator[None]:
    """Tidy at once and every hour, for as long as the block takes."""
    done = threading.Event()

    def go_on() -> None:
        while True:
            tidy(store, days)
            if done.wait(_EVERY):
                return

    working = threading.Thread(target=go_on, name="tidy", daemon=True)
    working.start()
    try:
        yield
    finally:
        done.set()
        working.join(1.0)
