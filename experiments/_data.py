"""Data sets that experiments use and the repository does not carry."""

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from sklearn.utils import Bunch

from penchant.exceptions import DataError

__all__ = ["data_folder", "read_shared"]

_VARIABLE = "PENCHANT_DATA"
_REPOSITORY = Path(__file__).resolve().parents[1]


def data_folder() -> Path:
    """Give the folder that PENCHANT_DATA names, else ../shared/data."""
    named = os.environ.get(_VARIABLE)
    folder = Path(named) if named else _REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        raise DataError(
            f"The data for experiments must be in a folder; {folder} is none. "
            f"Set the environment variable {_VARIABLE} to the folder that has them."
        )
    return folder


def read_shared(name: str, *, target: str, drop: Sequence[str] = ()) -> Bunch | None:
    """Read a table of the data folder; None when this machine does not have it."""
    try:
        path = data_folder() / f"{name}.csv"
    except DataError:
        return None
    if not path.is_file():
        return None
    frame = pd.read_csv(path).drop(columns=list(drop))
    data = frame.drop(columns=target)
    names = [str(column) for column in data.columns]
    return Bunch(data=data, target=frame[target], feature_names=names, frame=frame)
