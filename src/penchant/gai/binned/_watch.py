"""A clock for long fits, and somebody who looks on."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from penchant._parallel import progress

__all__ = ["FitProgress", "Watch", "watched"]


@dataclass(frozen=True)
class FitProgress:
    """Where a fit is.

    Parameters
    ----------
    stage : {"path", "fit"}
        Penalties are compared, or the chosen one is solved.
    step : int
        Of the path; iterations of the fit.
    error : float
        Mean loss of held-out rows; NaN at a given penalty.
    gap : float
        Largest relative duality gap so far in this step.
    seconds : float
        Since the fit began.
    """

    stage: str
    step: int
    error: float
    gap: float
    seconds: float


class Watch:
    """Tells when time is up, and others how far the fit is.

    Parameters
    ----------
    max_time : float or None
        Seconds from now.
    callbacks : callable
        Each is called with a FitProgress after each step.
    """

    def __init__(
        self,
        max_time: float | None = None,
        *callbacks: Callable[[FitProgress], object],
    ) -> None:
        self._begin = time.monotonic()
        self._limit = float("inf") if max_time is None else max_time
        self._callbacks = callbacks

    @property
    def is_over(self) -> bool:
        """Whether time is up."""
        return time.monotonic() - self._begin >= self._limit

    def tell(self, stage: str, step: int, error: float, gap: float) -> None:
        """Let others know."""
        seconds = time.monotonic() - self._begin
        for callback in self._callbacks:
            callback(FitProgress(stage, step, error, gap, seconds))


@contextmanager
def watched(estimator: Any) -> Iterator[Watch]:
    """Start the clock of a fit with `max_time`, `verbose` and `callback`."""
    name, bar = type(estimator).__name__, bool(estimator.verbose)
    with progress(None, f"{name}: steps of the path", enabled=bar) as advance:
        callbacks = [lambda _: advance(1), *filter(None, [estimator.callback])]
        yield Watch(estimator.max_time, *callbacks)
