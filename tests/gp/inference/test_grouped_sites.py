"""Packing of many people's answers."""

import numpy as np

from penchant.data import Comparisons
from penchant.gp.inference._grouped_sites import GroupedSites


def pack(winners, losers, ties, users, weights=None, *, n_users=3, n_items=5):
    comparisons = Comparisons(
        winners, losers, np.array(ties, dtype=bool), np.array(users, int), weights
    )
    people = np.empty((n_users, 0))
    return GroupedSites.from_comparisons(
        comparisons, people, n_items=n_items, tie_width=0.2
    )


def unpack(sites):
    """Give (user, first item, second item, is a tie): weight."""
    found = {}
    for u in range(sites.n_users):
        items = sites.nodes[sites.node_start[u] : sites.node_start[u + 1]]
        for k in range(sites.site_start[u], sites.site_start[u + 1]):
            pair = items[sites.first[k]], items[sites.second[k]]
            found[(u, *pair, bool(np.isfinite(sites.upper[k])))] = sites.weights[k]
    return found


def test_equal_answers_are_counted_and_nothing_is_lost():
    sites = pack(
        winners=[4, 4, 0, 4, 2, 3, 1],
        losers=[1, 1, 1, 1, 3, 2, 4],
        ties=[0, 0, 0, 0, 1, 1, 0],
        users=[2, 2, 2, 0, 2, 2, 0],
        weights=[1.0, 2.0, 1.0, 1.0, 1.0, 0.5, 0.0],
    )
    assert unpack(sites) == {
        (0, 4, 1, False): 1.0,
        (2, 4, 1, False): 3.0,
        (2, 0, 1, False): 1.0,
        (2, 2, 3, True): 1.5,
    }
    assert np.diff(sites.node_start).tolist() == [2, 0, 5]
    np.testing.assert_array_equal(sites.node_users, [0, 0, 2, 2, 2, 2, 2])
    assert set(zip(sites.lower, sites.upper, strict=True)) == {
        (0.0, np.inf),
        (-0.2, 0.2),
    }


def test_some_people_are_those_people():
    rng = np.random.default_rng(0)
    users = rng.integers(0, 6, 40)
    first = rng.integers(0, 5, 40)
    second = (first + rng.integers(1, 5, 40)) % 5
    sites = pack(first, second, rng.random(40) < 0.3, users, n_users=6)
    chosen = [4, 0, 5]
    expected = {
        (chosen.index(u), *rest): weight
        for (u, *rest), weight in unpack(sites).items()
        if u in chosen
    }
    assert unpack(sites.take(np.array(chosen))) == expected


def test_no_answers():
    sites = pack([], [], [], [])
    assert sites.n_users == 3
    assert unpack(sites) == {}
