"""Fitting the models of whole groups beside the answering of requests."""

from concurrent.futures import Future
from threading import Lock, Thread

from penchant.studies import GroupModels, Study

__all__ = ["Fitting"]


class Fitting:
    """Fit the models of groups: per study one at a time, for all who wait for it."""

    def __init__(self) -> None:
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
            if found is not None:
                return found
            future: Future[GroupModels] = Future()
            self._running[study.id] = future
        # A daemon: a server that is told to stop does not wait for it.
        Thread(target=self._fit, args=(study, future), daemon=True).start()
        return future

    def _fit(self, study: Study, future: "Future[GroupModels]") -> None:
        try:
            found = study.group_models()
        except Exception as error:
            self._end(study)
            future.set_exception(error)
        else:
            self._end(study)
            future.set_result(found)

    def _end(self, study: Study) -> None:
        with self._lock:
            del self._running[study.id]
