"""Fitting the models of whole groups beside the answering of requests."""

from concurrent.futures import Future
from threading import Lock

from penchant.studies import GroupModels, Study
from penchant.web._workers import Workers


class Fitting:
    """Fit the models of groups: one after the other, for all who wait for them."""

    def __init__(self) -> None:
        self._workers = Workers(1, 20)
        self._lock = Lock()
        self._running: dict[str, Future[GroupModels]] = {}

    def models(self, study: Study, seconds: float | None = None) -> GroupModels | None:
        """Give the models of a study; None if they are not ready in so many seconds.

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

    def _begin(self, study: Study) -> "Future[GroupModels]":
        with self._lock:
            found = self._running.get(study.id)
            if found is None or found.done():
                found = self._workers.submit(study.group_models)
                self._running[study.id] = found
                found.add_done_callback(lambda _: self._running.pop(study.id, None))
        return found
