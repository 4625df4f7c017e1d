"""The reader of the Sushi folder, on a made-up folder and on the real one."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.gppe._sushi import read_sushi
from penchant.exceptions import DataError

RANKS = [f"rank{place}" for place in range(1, 11)]
FILES = (
    "items.csv",
    "users.csv",
    "set_a_items.csv",
    "rankings_a.csv",
    "rankings_b.csv",
    "scores_b_long.csv",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the right form with 12 made-up items and 3 people."""
    rng = np.random.default_rng(0)
    features = (
        "style",
        "major_group",
        "minor_group",
        "oiliness",
        "eat_frequency",
        "price",
        "sold_frequency",
    )
    items = pd.DataFrame(rng.random((12, 7)), columns=features)
    items.insert(0, "name_en", [f"kind {i}" for i in range(12)])
    items.to_csv(tmp_path / "items.csv", index_label="item_id")
    people = pd.DataFrame({"gender": [0, 1, 0]})
    people.to_csv(tmp_path / "users.csv", index_label="row")
    set_a = pd.DataFrame({"item_id": [0, 1, 2, 3, 4, 6, 7, 8, 10, 11]})
    set_a.to_csv(tmp_path / "set_a_items.csv", index_label="set_a_id")
    for name, n_items in (("rankings_a", 10), ("rankings_b", 12)):
        orders = [rng.permutation(n_items)[:10] for _ in range(3)]
        table = pd.DataFrame(orders, columns=RANKS)
        table.to_csv(tmp_path / f"{name}.csv", index_label="row")
    scores = pd.DataFrame({"row": [0, 2], "item_id": [5, 11], "score": [4, 1]})
    scores.to_csv(tmp_path / "scores_b_long.csv", index=False)
    return tmp_path


def _change(path: Path, row: int, column: str, value: int) -> None:
    table = pd.read_csv(path)
    table.loc[row, column] = value
    table.to_csv(path, index=False)


def test_rankings_and_scores_point_to_the_tables(folder: Path) -> None:
    sushi = read_sushi(folder)
    stored = pd.read_csv(folder / "rankings_b.csv")[RANKS]
    np.testing.assert_array_equal(sushi.rankings_b, stored)
    assert sushi.rankings_a.shape == (3, 10)
    assert sushi.items_a["item_id"].tolist() == [0, 1, 2, 3, 4, 6, 7, 8, 10, 11]
    assert sushi.items_a["name_en"][5] == sushi.items["name_en"][6]
    assert (sushi.scores_b[0, 5], sushi.scores_b[2, 11]) == (4, 1)
    assert np.isnan(sushi.scores_b).sum() == 34
    assert sushi.users["gender"].tolist() == [0, 1, 0]


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_says_what_to_get_and_where(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(DataError, match=rf"no {name}\. Get them from https://\S+"):
        read_sushi(folder)


@pytest.mark.parametrize(
    ("name", "row", "column", "value", "message"),
    [
        ("items.csv", 3, "item_id", 30, "Column item_id of .* must be 0, 1, 2"),
        ("set_a_items.csv", 3, "item_id", 30, "Item 30 is not there"),
        ("rankings_a.csv", 1, "rank4", 10, "0 to 9. Row 1"),
        ("rankings_b.csv", 2, "rank1", -1, "0 to 11. Row 2"),
        ("scores_b_long.csv", 1, "item_id", 12, "Line 3 has person 2 and item 12"),
        ("scores_b_long.csv", 0, "row", 3, "Line 2 has person 3 and item 5"),
    ],
)
def test_ids_that_do_not_fit_are_refused(
    folder: Path, name: str, row: int, column: str, value: int, message: str
) -> None:
    _change(folder / name, row, column, value)
    with pytest.raises(DataError, match=message):
        read_sushi(folder)


def test_an_item_ranked_twice_is_refused(folder: Path) -> None:
    table = pd.read_csv(folder / "rankings_a.csv")
    _change(folder / "rankings_a.csv", 0, "rank1", int(table["rank2"][0]))
    with pytest.raises(DataError, match="different ids"):
        read_sushi(folder)


def test_missing_rows_and_columns_are_refused(folder: Path) -> None:
    rankings = pd.read_csv(folder / "rankings_b.csv")
    rankings.iloc[:2].to_csv(folder / "rankings_b.csv", index=False)
    with pytest.raises(
        DataError, match=r"one row per person of users.csv \(3\). Got 2"
    ):
        read_sushi(folder)
    rankings.drop(columns="rank7").to_csv(folder / "rankings_b.csv", index=False)
    with pytest.raises(DataError, match="It lacks rank7"):
        read_sushi(folder)


def test_the_real_folder_has_the_known_counts(shared_data: Path) -> None:
    folder = shared_data / "restricted" / "sushi"
    if not folder.is_dir():
        pytest.skip(f"the Sushi data are not in {folder}")
    sushi = read_sushi(folder)
    assert sushi.items.shape[0] == 100
    assert sushi.rankings_a.shape == sushi.rankings_b.shape == (5000, 10)
    assert (sushi.rankings_a[:, 0] == 7).sum() == 1713
    assert (sushi.rankings_a[:, 9] == 9).sum() == 1480
    assert "toro" in sushi.items_a["name_en"][7]
    assert np.isfinite(sushi.scores_b).sum() == 50_000
    people = np.arange(5000)
    assert sushi.scores_b[people, sushi.rankings_b[:, 0]].mean() == pytest.approx(
        3.90, abs=0.005
    )
    assert sushi.scores_b[people, sushi.rankings_b[:, 9]].mean() == pytest.approx(
        1.19, abs=0.005
    )
