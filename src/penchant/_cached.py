"""cached_property without the lock that Python 3.11 holds over all objects of a class.

With it, threads that work out the same property of different objects wait for each
other. Without it, two threads may work out the same one twice: the objects of penchant
that use it never change, so both find the same.
"""

import functools
import sys
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

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
