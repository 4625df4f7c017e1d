"""Data sets that experiments use and the repository does not carry."""

from collections.abc import Sequence

from sklearn.utils import Bunch

from penchant.datasets import data_folder, read_csv
from penchant.exceptions import DataError

__all__ = ["read_shared"]


def read_shared(name: str, *, target: str, drop: Sequence[str] = ()) -> Bunch | None:
    """Read a table of the data folder; None when this machine does not have it."""
    try:
        path = data_folder() / f"{name}.csv"
    except DataError:
        return None
    return read_csv(path, target=target, drop=drop) if path.is_file() else None
