"""How often something was tried, in a database that several processes share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from penchant.studies.store._database import Database
from penchant.studies.store._tables import attempts

MAX_ROWS: Final = 100_000
"""Beyond this those that were tried least are forgotten."""


@dataclass(frozen=True)
class Attempts:
    """The part of a store that counts attempts.

    One column holds the count: every attempt moves `until`, when all are forgotten,
    by one leak.
    """

    database: Database

    def attempt(
        self, key: str, leak: float, pause: Callable[[float], float]
    ) -> tuple[float, float]:
        """Count an attempt, unless it comes too soon after the last one.

        All processes count together. What is tried no more is forgotten, and there
        is a bound on how much is kept.

        Parameters
        ----------
        key : str
            What is tried, as a SHA-256 in hex.
        leak : float
            Seconds after which one attempt is forgotten.
        pause : callable
            Gives the seconds from the last attempt to the next, from how many are
            remembered.

        Returns
        -------
        wait : float
            0.0 if it was counted; else the seconds until the next one may be made.
        n_tried : float
            How many attempts are remembered, before this one.
        """

        def judge(last: datetime, until: datetime) -> tuple[float, float]:
            n_tried = max((until - now).total_seconds() / leak, 0.0)
            # Whoever had to wait for the row finds one that is younger than `now`.
            since = max((now - last).total_seconds(), 0.0)
            return max(pause(n_tried) - since, 0.0), n_tried

        known = sa.select(attempts.c.last, attempts.c.until).where(
            attempts.c.key == key
        )
        with self.database.writing() as connection:
            now = self.database.clock(connection)
            # A look first: one that comes too soon, as in a flood, writes nothing.
            seen = connection.execute(known).first()
            if seen is not None and judge(*seen)[0] > 0:
                return judge(*seen)
            _tidy(connection, now)
            begin = self.database.insert(attempts).values(key=key, last=now, until=now)
            locked = begin.on_conflict_do_update(
                index_elements=[attempts.c.key], set_={"key": key}
            )
            row = connection.execute(locked.returning(*known.selected_columns)).one()
            wait, n_tried = judge(*row)
            if wait == 0:
                until = max(row.until, now) + timedelta(seconds=leak)
                counted = attempts.update().where(attempts.c.key == key)
                connection.execute(counted.values(last=now, until=until))
            return wait, n_tried

    def forget_attempts(self, keys: Sequence[str]) -> None:
        """Begin again to count attempts of these keys."""
        self.database.change(attempts.delete().where(attempts.c.key.in_(keys)))


def _tidy(connection: sa.Connection, now: datetime) -> None:
    """Forget what no longer counts, and what counts least if there is too much."""
    stale = attempts.c.until < now
    count = sa.select(sa.func.count()).select_from(attempts)
    excess = connection.execute(count).scalar_one() - MAX_ROWS
    if excess > 0:
        # A tenth more, so that this is rare.
        order = sa.select(attempts.c.until).order_by(attempts.c.until)
        cut = order.offset(excess + MAX_ROWS // 10).limit(1)
        stale = attempts.c.until < cut.scalar_subquery()
    # Another process may be tidying; rows that it holds are left to it.
    old = sa.select(attempts.c.key).where(stale).with_for_update(skip_locked=True)
    connection.execute(attempts.delete().where(attempts.c.key.in_(old)))
