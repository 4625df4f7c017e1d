"""Answers of many people as the population models take them."""

from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Comparisons
from penchant.exceptions import DataError
from penchant.gp.inference._grouped_sites import GroupedSites
from penchant.typing import IntArray

__all__ = ["pack_answers"]


def pack_answers(
    comparisons: Comparisons, X_users: Any, *, n_items: int, tie_width: float
) -> GroupedSites:
    """Give comparisons person by person; people are rows of X_users, if it is given."""
    owners, n_users = _owners(comparisons, X_users)
    return GroupedSites.from_comparisons(
        comparisons.winners,
        comparisons.losers,
        comparisons.ties,
        owners,
        comparisons.weights,
        n_users=n_users,
        n_items=n_items,
        tie_width=tie_width,
    )


def _owners(comparisons: Comparisons, X_users: Any) -> tuple[IntArray, int]:
    """Give the row of the person of each comparison, and the number of people."""
    size = len(comparisons)
    if X_users is None:
        if comparisons.users is None:
            return np.zeros(size, dtype=np.int64), 1
        labels, owners = np.unique(comparisons.users, return_inverse=True)
        return owners.astype(np.int64), max(len(labels), 1)
    n_users = len(X_users)
    users = comparisons.users
    if users is None or not size:
        users = np.zeros(size, dtype=np.int64)
    if users.dtype.kind in "iu":
        rows = users.astype(np.int64)
    elif isinstance(X_users, pd.DataFrame):
        rows = X_users.index.astype(str).get_indexer(users.astype(str))
    else:
        raise DataError(
            "With X_users as an array, users must be numbers of its rows. "
            f"Got labels such as {users[0]!r}."
        )
    bad = np.flatnonzero((rows < 0) | (rows >= n_users))
    if bad.size:
        raise DataError(
            f"Each user must be a row of X_users (0 to {n_users - 1}) or a label of "
            f"its index. Got {users[bad[0]]!r} in comparison {bad[0]}."
        )
    return rows, n_users
