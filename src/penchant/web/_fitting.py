"""Working out what whole groups want beside the answering of requests."""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Lock
from typing import Final, Generic, TypeVar

from penchant.studies import Group, Study
from penchant.web._workers import Workers

_Made = TypeVar("_Made")

_PROMPT: Final = 2.0
"""Seconds after which a page says that people are still being counted."""


class Fitting(Generic[_Made]):
    """Work out what groups want: one after the other, for all who wait for it.

    Parameters
    ----------
    make : callable
        Gives what is wanted of a study, such as its models.
    """

    def __init__(self, make: Callable[[Study], _Made]) -> None:
        self._make = make
        self._workers = Workers(1, 20)
        self._lock = Lock()
        self._running: dict[str, Future[_Made]] = {}

    def made(self, study: Study, seconds: float | None = None) -> _Made | None:
        """Give what is wanted of a study; None if that is not ready in so long.

        Parameters
        ----------
        study : Study
            Whose answers.
        seconds : float, optional
            How long to wait; None: as long as it takes.

        Raises
        ------
        NotAnswerableError
            If there are too few answers.
        """
        try:
            return self._begin(study).result(seconds)
        except TimeoutError:
            return None

    def _begin(self, study: Study) -> "Future[_Made]":
        with self._lock:
            found = self._running.get(study.id)
            if found is None or found.done():
                found = self._workers.submit(partial(self._make, study))
                self._running[study.id] = found
                found.add_done_callback(lambda _: self._running.pop(study.id, None))
        return found


_COUNTING: Final = Fitting(lambda study: study.group())


def counted(study: Study) -> Group | None:
    """Give what the group of a study wants; None if its people are being counted."""
    return _COUNTING.made(study, _PROMPT)
