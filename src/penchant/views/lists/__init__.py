"""Long lists in parts."""

from penchant.views.lists._parts import Wanted, part_of

__all__ = ["Part", "Wanted", "part_of"]
