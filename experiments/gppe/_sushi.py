"""The Sushi preference data, for people who have obtained them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray

_SOURCE = "https://www.kamishima.net/sushi/"
_RANKS = tuple(f"rank{place}" for place in range(1, 11))
_ITEM_COLUMNS = (
    "item_id",
    "name_en",
    "style",
    "major_group",
    "minor_group",
    "oiliness",
    "eat_frequency",
    "price",
    "sold_frequency",
)


@dataclass(frozen=True, eq=False)
class Sushi:
    """What 5000 people in Japan think of sushi.

    Parameters
    ----------
    items : DataFrame of shape (n_items, n_columns)
        The kinds of sushi of set B, row = item id; names and features. Note that
        ``oiliness`` 0 is the oiliest.
    items_a : DataFrame of shape (10, n_columns)
        The ten kinds of set A, row = set-A id: a part of `items` in another order.
    users : DataFrame of shape (n_users, n_columns)
        The people: gender, age group, where they lived and live.
    rankings_a : ndarray of int of shape (n_users, 10)
        Rows of `items_a`, best first.
    rankings_b : ndarray of int of shape (n_users, 10)
        Rows of `items`, best first: the ten that this person was shown.
    scores_b : ndarray of shape (n_users, n_items)
        Scores 0 to 4, 4 is best; NaN where the person did not rate the item.
    """

    items: pd.DataFrame
    items_a: pd.DataFrame
    users: pd.DataFrame
    rankings_a: IntArray
    rankings_b: IntArray
    scores_b: FloatArray


def read_sushi(folder: str | Path) -> Sushi:
    """Read the Sushi preference data from a folder of the user's.

    The author allows research and forbids redistribution, so penchant does not
    bring the data. The folder holds CSV files with header rows:

    - ``items.csv``: item_id (0, 1, ...), name_en, style, major_group, minor_group,
      oiliness, eat_frequency, price, sold_frequency
    - ``users.csv``: row (0, 1, ...), and what is known of the person
    - ``rankings_a.csv``: row, rank1 (best) to rank10, ids of set A
    - ``rankings_b.csv``: row, rank1 (best) to rank10, item ids
    - ``scores_b_long.csv``: row, item_id, score (4 is best)
    - ``set_a_items.csv``: set_a_id (0, 1, ...), item_id

    Parameters
    ----------
    folder : str or Path
        Where the files are.

    Returns
    -------
    Sushi

    Raises
    ------
    DataError
        If a file or a column is missing, or ids do not fit together.

    References
    ----------
    Kamishima, "Nantonac collaborative filtering: recommendation based on order
    responses", KDD 2003, pp. 583-588.
    """
    place = Path(folder)
    items = _read(place, "items.csv", _ITEM_COLUMNS, index="item_id")
    users = _read(place, "users.csv", ("row",), index="row")
    set_a = _read(place, "set_a_items.csv", ("set_a_id", "item_id"), index="set_a_id")
    known = set_a["item_id"].isin(items.index)
    if not known.all():
        raise DataError(
            f"set_a_items.csv must name items of items.csv. Item "
            f"{set_a['item_id'][~known].iloc[0]} is not there."
        )
    items_a = items.loc[set_a["item_id"]].reset_index(names="item_id")
    return Sushi(
        items=items,
        items_a=items_a,
        users=users,
        rankings_a=_read_rankings(place, "rankings_a.csv", len(users), len(items_a)),
        rankings_b=_read_rankings(place, "rankings_b.csv", len(users), len(items)),
        scores_b=_read_scores(place, len(users), len(items)),
    )


def _read(
    folder: Path, name: str, columns: tuple[str, ...], *, index: str | None = None
) -> pd.DataFrame:
    """Read a file; rows must be numbered 0, 1, ... by the column `index`."""
    path = folder / name
    if not path.is_file():
        raise DataError(
            f"The Sushi data must be in {folder}; there is no {name}. Get them from "
            f"{_SOURCE} and lay them out as the documentation of read_sushi says."
        )
    frame = pd.read_csv(path)
    missing = [column for column in columns if column not in frame]
    if missing:
        raise DataError(
            f"{path} must have the columns {', '.join(columns)}. "
            f"It lacks {', '.join(missing)}."
        )
    if index is None:
        return frame
    if not np.array_equal(frame[index], np.arange(len(frame))):
        raise DataError(f"Column {index} of {path} must be 0, 1, 2, ... in order.")
    return frame.set_index(index)


def _read_rankings(folder: Path, name: str, n_users: int, n_items: int) -> IntArray:
    frame = _read(folder, name, ("row", *_RANKS), index="row")
    orders = frame[list(_RANKS)].to_numpy()
    if len(orders) != n_users:
        raise DataError(
            f"{name} must have one row per person of users.csv ({n_users}). "
            f"Got {len(orders)}."
        )
    inside = np.isin(orders, np.arange(n_items)).all(axis=1)
    repeated = (np.diff(np.sort(orders, axis=1), axis=1) == 0).any(axis=1)
    bad = np.flatnonzero(~inside | repeated)
    if bad.size:
        raise DataError(
            f"A ranking of {name} must hold different ids from 0 to {n_items - 1}. "
            f"Row {bad[0]} is {orders[bad[0]].tolist()}."
        )
    return orders.astype(np.int64)


def _read_scores(folder: Path, n_users: int, n_items: int) -> FloatArray:
    frame = _read(folder, "scores_b_long.csv", ("row", "item_id", "score"))
    users, items = frame["row"].to_numpy(), frame["item_id"].to_numpy()
    known = np.isin(users, np.arange(n_users)) & np.isin(items, np.arange(n_items))
    if not known.all():
        line = int(np.argmin(known))
        raise DataError(
            "scores_b_long.csv must refer to users.csv and items.csv. Line "
            f"{line + 2} has person {users[line]} and item {items[line]}."
        )
    scores = np.full((n_users, n_items), np.nan)
    scores[users.astype(np.int64), items.astype(np.int64)] = frame["score"]
    return scores
