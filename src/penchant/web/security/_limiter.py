"""Limiter: how often something may be tried."""

import hashlib
from dataclasses import dataclass

from penchant.studies import Store


@dataclass
class Limiter:
    """Let something be tried a number of times, and after that slower and slower.

    The counts are in the store, so all processes share them.

    Parameters
    ----------
    most : int
        Attempts per key that need not wait.
    window : float
        Seconds after which that many are forgotten again, one after the other.
    longest : float
        Seconds to which the pause grows: it doubles with every attempt.
    """

    most: int
    window: float
    longest: float = 300.0

    def pause(self, n_tried: float) -> float:
        """Give the seconds between two attempts, from how many are remembered.

        Examples
        --------
        >>> limiter = Limiter(3, 900.0)
        >>> [limiter.pause(n_tried) for n_tried in (0, 2, 3, 4, 5, 99)]
        [0.0, 0.0, 2.0, 4.0, 8.0, 300.0]
        """
        over = n_tried - (self.most - 1)
        return min(2.0 ** min(over, 30.0), self.longest) if over > 0 else 0.0

    def wait(self, store: Store, *key: str) -> float:
        """Count an attempt; 0 if it may go on, else the seconds until one may.

        An attempt that may not go on is not counted.
        """
        wait, _ = store.attempt(self._hash(key), self.window / self.most, self.pause)
        return wait

    def delay(self, store: Store, *key: str) -> float:
        """Count an attempt that may go on in any case, after so many seconds."""
        leak = self.window / self.most
        _, n_tried = store.attempt(self._hash(key), leak, lambda _: 0.0)
        return self.pause(n_tried)

    def forget(self, store: Store, *key: str) -> None:
        """Begin again for a key."""
        store.forget_attempts([self._hash(key)])

    @staticmethod
    def _hash(key: tuple[str, ...]) -> str:
        text = "\0".join(key).encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()
