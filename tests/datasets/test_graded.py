"""Tables from packages and files."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from penchant.datasets import (
    load_era,
    load_esl,
    load_lev,
    load_swd,
)
from penchant.exceptions import MissingExtraError

LOADERS = {"esl": load_esl, "lev": load_lev, "era": load_era, "swd": load_swd}
GRADES = {
    "esl": [2, 12, 38, 100, 116, 135, 62, 19, 4],
    "lev": [93, 280, 403, 197, 27],
    "era": [92, 142, 181, 172, 158, 118, 88, 31, 18],
    "swd": [32, 352, 399, 217],
}


@pytest.mark.parametrize("name", LOADERS)
def test_grades_are_counted_from_one(name: str) -> None:
    table = LOADERS[name]()
    assert np.bincount(table.target).tolist() == [0, *GRADES[name]]
    assert table.target_names == [str(g) for g in range(1, len(GRADES[name]) + 1)]
    assert table.feature_names == list(table.data.columns)
    pd.testing.assert_frame_equal(table.frame, table.data.assign(out=table.target))


@pytest.mark.parametrize("name", LOADERS)
def test_loaded_tables_equal_the_shared_files(name: str, shared_data: Path) -> None:
    stored = pd.read_csv(shared_data / "ordinal" / f"{name}.csv")
    np.testing.assert_array_equal(LOADERS[name]().frame, stored)


@pytest.mark.parametrize("load", LOADERS.values())
def test_loaders_name_the_missing_extra(
    load: Callable[[], Bunch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "skordinal.datasets", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'penchant\[data\]'"):
        load()
