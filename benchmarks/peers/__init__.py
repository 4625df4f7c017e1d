"""Peers that do the same work; what each needs stands in ``<name>.txt``."""

from importlib.util import find_spec


def is_here(module: str) -> bool:
    """Tell whether a peer's module is installed."""
    return find_spec(module) is not None
