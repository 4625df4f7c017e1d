"""Modules and their names, imported when somebody asks for them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def offer(
    facade: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Give a module its ``__getattr__`` and ``__dir__`` (PEP 562).

    Parameters
    ----------
    facade : str
        Name of the module that offers the names.
    homes : mapping from str to str
        For each module the names that live there, with spaces between them.

    Returns
    -------
    tuple of callable
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {facade!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[facade], name, value)  # found at once the next time
        return value

    def names() -> list[str]:
        return sorted(home)

    return find, names


def offer_rooms(
    package: str, rooms: Sequence[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Give a package its ``__getattr__`` and ``__dir__``: its rooms, on demand."""

    def find(name: str) -> Any:
        if name not in rooms:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *rooms})

    return find, names
