"""How far a long fit has come: whom to tell, and when to stop."""

import sys
import time
from collections.abc import Callable
from numbers import Real
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from penchant._validation import warn_user

PROGRESS: dict[str, list[Any]] = {
    "max_time": [Interval(Real, 0, None, closed="neither"), None],
    "verbose": ["verbose"],
    "callback": [callable, None],
}
"""Constraints of the parameters that estimators with long fits share."""


class Deadline:
    """The moment `max_time` seconds from now; None: never."""

    def __init__(self, max_time: float | None = None) -> None:
        self.limit = float("inf") if max_time is None else float(max_time)
        self.start = time.monotonic()
        self.end = self.start + self.limit

    @property
    def left(self) -> float:
        """Seconds until then, 0 afterwards."""
        return max(self.end - time.monotonic(), 0.0)

    @property
    def is_over(self) -> bool:
        """Whether it has passed."""
        return time.monotonic() >= self.end


class Progress(Deadline):
    """A deadline that also tells of each step: to a callback, and on standard error."""

    def __init__(
        self,
        name: str,
        max_time: float | None = None,
        verbose: int = 0,
        callback: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        super().__init__(max_time)
        self.name, self.verbose, self.callback, self.n_steps = (
            name,
            verbose,
            callback,
            0,
        )

    def step(self, **said: float) -> bool:
        """Tell of one more step, such as its ``gap``, and whether time is left."""
        self.n_steps += 1
        seconds = time.monotonic() - self.start
        if self.callback is not None:
            self.callback({"step": self.n_steps, "seconds": seconds, **said})
        if self.verbose:
            words = ", ".join(f"{key} {value:.4g}" for key, value in said.items())
            sys.stderr.write(
                f"{self.name}: step {self.n_steps}, {seconds:.1f} s, {words}\n"
            )
        return not self.is_over

    def warn(self, reached: str, advice: str = "Allow more time.") -> None:
        """Warn that the fit stopped early, with the best so far."""
        warn_user(
            f"{self.name} stopped after max_time = {self.limit:g} s with "
            f"the best so far: {reached}. {advice}",
            ConvergenceWarning,
        )
