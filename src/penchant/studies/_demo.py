"""The study that is there at the first start: forty fictional flats."""

from penchant.datasets import load_flats
from penchant.studies._store import Store

__all__ = ["add_demo"]


def add_demo(store: Store) -> str:
    """Add the demo study to a store, once, and return its identifier."""
    return store.ensure_demo("Flats in town", load_flats())
