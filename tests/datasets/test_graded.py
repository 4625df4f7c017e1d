"""Tables from packages and files."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from penchant.datasets import (
    data_folder,
    load_era,
    load_esl,
    load_lev,
    load_swd,
    read_csv,
)
from penchant.exceptions import DataError, MissingExtraError

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
    stored = read_csv(shared_data / "ordinal" / f"{name}.csv", target="out")
    loaded = LOADERS[name]()
    np.testing.assert_array_equal(loaded.frame, stored.frame)


@pytest.mark.parametrize("load", LOADERS.values())
def test_loaders_name_the_missing_extra(
    load: Callable[[], Bunch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "skordinal.datasets", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'penchant\[data\]'"):
        load()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with one small table, plain and gzipped."""
    frame = pd.DataFrame({"id": ["a", "b"], "size": [1, 2], "price": [0.5, 1.5]})
    (tmp_path / "toys").mkdir()
    frame.to_csv(tmp_path / "toys" / "plain.csv", index=False)
    frame.to_csv(tmp_path / "toys" / "packed.csv.gz", index=False)
    monkeypatch.setenv("PENCHANT_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    "name", ["toys/plain", "toys/plain.csv", "toys/packed", "toys/packed.csv.gz"]
)
def test_tables_are_found_by_name(folder: Path, name: str) -> None:
    table = read_csv(name, target="price", drop=["id"])
    assert table.feature_names == ["size"]
    assert table.data["size"].tolist() == [1, 2]
    assert table.target.tolist() == [0.5, 1.5]
    assert list(table.frame.columns) == ["size", "price"]


def test_a_path_needs_no_data_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENCHANT_DATA", str(folder / "nowhere"))
    table = read_csv(folder / "toys" / "plain.csv", target="price")
    assert table.feature_names == ["id", "size"]


def test_a_missing_file_says_where_it_was_looked_for(folder: Path) -> None:
    with pytest.raises(DataError, match=r"'toys/none'.*toys/none\.csv\.gz.*PENCHANT"):
        read_csv("toys/none", target="price")


def test_a_missing_folder_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENCHANT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="Set the environment variable PENCHANT_DATA"):
        data_folder()


@pytest.mark.parametrize(
    "arguments", [{"target": "rent"}, {"target": "price", "drop": ["rent"]}]
)
def test_a_missing_column_is_named(folder: Path, arguments: dict[str, str]) -> None:
    with pytest.raises(DataError, match=r"plain.csv has no column 'rent'.*id, size"):
        read_csv("toys/plain", **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b'a,b\n"1,2\n'])
def test_a_file_that_is_no_table_is_refused(folder: Path, content: bytes) -> None:
    (folder / "bad.csv").write_bytes(content)
    with pytest.raises(DataError, match=r"bad.csv is not a CSV table"):
        read_csv("bad", target="a")
