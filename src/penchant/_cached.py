"""What was worked out once and is kept: properties of an object, and recent values.

`cached_property` goes without the lock that Python 3.11 holds over all objects of a
class. With it, threads that work out the same property of different objects wait for
each other. Without it, two threads may work out the same one twice: the objects of
penchant that use it never change, so both find the same.
"""

import functools
import sys
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

__all__ = ["LRUCache", "cached_property"]

Key = TypeVar("Key")
Value = TypeVar("Value")

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property(functools.cached_property):
        """A property that is worked out once for an object."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            """Work the value out; from then on it stands in the object itself."""
            if instance is None:
                return self
            value = self.func(instance)
            instance.__dict__[self.attrname] = value
            return value


class LRUCache(Generic[Key, Value]):
    """Values by key, of which those used least recently are forgotten.

    May be used from several threads.

    Parameters
    ----------
    most : int
        So many values are kept.

    Examples
    --------
    >>> kept = LRUCache(2)
    >>> for letter in "abc":
    ...     kept.put(letter, letter.upper())
    >>> kept.get("a"), kept.get("c")
    (None, 'C')
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """Give a value, which counts as a use; None if it is not kept."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def put(self, key: Key, value: Value) -> None:
        """Keep a value in place of what was kept under its key."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
