"""When a study takes new people: until it is closed by hand, by its date, or full."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from penchant.exceptions import DataError

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_WRITTEN = "%Y-%m-%dT%H:%MZ"


def check_moment(text: object) -> str:
    """Return a moment in UTC as it is kept, or raise a DataError.

    Parameters
    ----------
    text : str
        Empty: never. Without a time zone it is UTC; a day alone means its last
        minute.

    Examples
    --------
    >>> check_moment("2026-12-01"), check_moment("2026-12-01T18:00+01:00")
    ('2026-12-01T23:59Z', '2026-12-01T17:00Z')
    """
    if text == "":
        return ""
    try:
        typed = text.strip() if isinstance(text, str) else "?"
        typed = f"{typed}T23:59" if _DAY.match(typed) else typed
        moment = datetime.fromisoformat(typed)
        known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return known.astimezone(UTC).strftime(_WRITTEN)
    except (OverflowError, ValueError):
        raise DataError(
            "The moment at which a study closes must be a day or a day and a time, as "
            "2026-12-01 or 2026-12-01T18:00, in UTC unless it names another zone. "
            f"Got {text!r}.",
            "errors.closes",
        ) from None


def read_moment(text: str) -> datetime | None:
    """Give a moment that `check_moment` wrote; None: never."""
    return datetime.strptime(text, _WRITTEN).replace(tzinfo=UTC) if text else None


@dataclass(frozen=True)
class Taking:
    """Whether a study takes new people.

    Parameters
    ----------
    state : {"open", "closed", "over", "full"}
        It does; the owner closed it; its date has passed; enough people have
        finished.
    closes : datetime or None
        When it closes, or closed; None: it has no date.
    quota : int
        How many people are to finish; 0: as many as come.
    n_finished : int
        Real people who count and have finished; 0 where there is no quota.
    """

    state: str
    closes: datetime | None = None
    quota: int = 0
    n_finished: int = 0

    @property
    def open(self) -> bool:
        """Whether new people may join."""
        return self.state == "open"

    @property
    def is_over(self) -> bool:
        """Whether also those may not begin who have a link already."""
        return self.state in ("over", "full")

    @property
    def reason(self) -> str:
        """Why nobody may join, in a sentence; empty: they may."""
        closed = f"{self.closes:%Y-%m-%d %H:%M} UTC" if self.closes else "its date"
        return {
            "open": "",
            "closed": "The study takes no new participants at the moment.",
            "over": f"The study takes no new participants since {closed}.",
            "full": f"The study is full: {self.n_finished} people have finished.",
        }[self.state]
