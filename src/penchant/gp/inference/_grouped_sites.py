"""Answers of many people, packed person by person for compiled loops."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from penchant.data import Comparisons
from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray


class GroupedSites(NamedTuple):
    """Comparisons of many people; equal ones of one person are counted.

    Person u has the nodes ``node_start[u]`` to ``node_start[u + 1]``, one for each
    item that occurs in an answer of u, and the sites ``site_start[u]`` to
    ``site_start[u + 1]``, one for each different answer.

    Parameters
    ----------
    n_items : int
    node_start : ndarray of int of shape (n_users + 1,)
    nodes : ndarray of int of shape (n_nodes,)
        The item of each node; rising within a person.
    site_start : ndarray of int of shape (n_users + 1,)
    first, second : ndarray of int of shape (n_sites,)
        The two nodes of a site, counted from the person's first node.
    lower, upper : ndarray of shape (n_sites,)
        The interval in which the noisy difference lies.
    weights : ndarray of shape (n_sites,)
        How often the answer was given.
    """

    n_items: int
    node_start: IntArray
    nodes: IntArray
    site_start: IntArray
    first: IntArray
    second: IntArray
    lower: FloatArray
    upper: FloatArray
    weights: FloatArray

    @classmethod
    def from_comparisons(
        cls, comparisons: Comparisons, X_users: Any, *, n_items: int, tie_width: float
    ) -> "GroupedSites":
        """Pack comparisons; people are rows of X_users, if it is given.

        The order within a tie means nothing. Comparisons of weight 0 are left out.
        """
        users, n_users = _owners(comparisons, X_users)
        winners, losers = comparisons.winners, comparisons.losers
        ties, weights = comparisons.ties, comparisons.weights
        # A tie is symmetric: both orders are the same answer.
        swap = ties & (winners > losers)
        left = np.where(swap, losers, winners)
        right = np.where(swap, winners, losers)
        keep = weights > 0
        # One number per answer, by person first: a single sort finds equal answers and
        # puts those of each person side by side. The nodes below get the same
        # treatment.
        key = ((users * n_items + left) * n_items + right) * 2 + ties
        different, place = np.unique(key[keep], return_inverse=True)
        pair, tie = np.divmod(different, 2)
        rest, right = np.divmod(pair, n_items)
        owner, left = np.divmod(rest, n_items)
        ends = np.concatenate([owner * n_items + left, owner * n_items + right])
        nodes, position = np.unique(ends, return_inverse=True)
        node_start = np.searchsorted(nodes, np.arange(n_users + 1) * n_items)
        first, second = position.reshape(2, -1) - node_start[owner]
        return cls(
            n_items=n_items,
            node_start=node_start,
            nodes=nodes % n_items,
            site_start=np.searchsorted(owner, np.arange(n_users + 1)),
            first=first,
            second=second,
            lower=np.where(tie == 1, -tie_width, 0.0),
            upper=np.where(tie == 1, tie_width, np.inf),
            weights=np.bincount(place, weights[keep], len(different)).astype(float),
        )

    @property
    def n_users(self) -> int:
        """Number of people, with or without answers."""
        return len(self.node_start) - 1

    @property
    def node_users(self) -> IntArray:
        """The person of each node, shape (n_nodes,)."""
        return np.repeat(np.arange(self.n_users), np.diff(self.node_start))

    def take(self, users: IntArray) -> "GroupedSites":
        """Keep some people, numbered anew in the given order."""
        node_index, node_start = _slices(self.node_start, users)
        site_index, site_start = _slices(self.site_start, users)
        return GroupedSites(
            n_items=self.n_items,
            node_start=node_start,
            nodes=self.nodes[node_index],
            site_start=site_start,
            first=self.first[site_index],
            second=self.second[site_index],
            lower=self.lower[site_index],
            upper=self.upper[site_index],
            weights=self.weights[site_index],
        )


def _slices(start: IntArray, groups: IntArray) -> tuple[IntArray, IntArray]:
    """Give the members of some groups, and where each of these groups starts."""
    sizes = np.diff(start)[groups]
    places = np.concatenate([[0], np.cumsum(sizes)])
    # One arange counts through all groups; each is shifted to where its members are.
    shift = np.repeat(start[groups] - places[:-1], sizes)
    return np.arange(places[-1]) + shift, places


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
        # An index and answers may come from different files: 7 and "7" are one person.
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
