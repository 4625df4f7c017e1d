"""Limiter: how often something may be tried."""

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

from penchant._cached import LRUCache

__all__ = ["Limiter"]


class Limiter:
    """Count attempts by key over a sliding window.

    The counts live in this process: with n server processes, n times as many
    attempts get through. At most `max_keys` keys are kept; beyond that the one that
    was tried least recently is forgotten.

    Parameters
    ----------
    most : int
        Attempts per key and window.
    window : float
        In seconds.
    max_keys : int
        Bound on the memory.
    clock : callable
        Gives the time in seconds.

    Examples
    --------
    >>> limiter = Limiter(2, 60.0, clock=lambda: 0.0)
    >>> [limiter.wait("ada") for _ in range(3)]
    [0.0, 0.0, 60.0]
    """

    def __init__(
        self,
        most: int,
        window: float,
        *,
        max_keys: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most = most
        self.window = window
        self._clock = clock
        self._tried: LRUCache[str, deque[float]] = LRUCache(max_keys)
        self._lock = Lock()

    def wait(self, key: str) -> float:
        """Count an attempt; 0 if it may go on, else the seconds until one may.

        An attempt that may not go on is not counted.
        """
        now = self._clock()
        with self._lock:
            times = self._tried.get(key) or deque()
            while times and times[0] <= now - self.window:
                times.popleft()
            if len(times) >= self.most:
                return times[0] + self.window - now
            times.append(now)
            self._tried.put(key, times)
        return 0.0

    def forget(self, key: str) -> None:
        """Begin again for a key."""
        self._tried.forget(key)
