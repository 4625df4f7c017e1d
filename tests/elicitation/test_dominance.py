import numpy as np
import pytest

from penchant.datasets import load_flats
from penchant.elicitation import Dominance
from penchant.exceptions import DataError, FormatError

WAYS = ("up", "down", "unknown")


def table(n=40, seed=0):
    X = np.random.default_rng(seed).integers(0, 3, size=(n, 3)).astype(float)
    X[0, 0] = X[1, 2] = np.nan
    return X


def dominates(a, b):
    """At least as good where that is known, better once, equal elsewhere."""
    if np.isnan([a, b]).any() or a[2] != b[2]:
        return False
    return a[0] >= b[0] and a[1] <= b[1] and (a[0] > b[0] or a[1] < b[1])


def by_hand(X):
    return np.array([[dominates(a, b) for b in X] for a in X])


@pytest.mark.parametrize("seed", [0, 1])
def test_who_dominates_whom(seed):
    X = table(seed=seed)
    known, expected = Dominance(X, WAYS), by_hand(X)
    assert 10 < expected.sum() < 1_000
    np.testing.assert_array_equal(known.relation, expected)
    some, others = np.array([3, 5, 7]), np.array([2, 9])
    np.testing.assert_array_equal(
        known.between(some, others), expected[np.ix_(some, others)]
    )
    free = np.flatnonzero(~expected.any(axis=0))
    np.testing.assert_array_equal(known.undominated, free)
    for item in (0, 4, 11):
        np.testing.assert_array_equal(
            known.dominators(item), np.flatnonzero(expected[:, item])
        )
    for _ in range(2):  # the second time from memory
        np.testing.assert_array_equal(
            known.is_dominated(np.arange(40)), expected.any(axis=0)
        )
    assert not known.relation.flags.writeable


def test_what_cannot_be_had_dominates_nothing():
    X = table()
    allowed = np.arange(0, 40, 3)
    whole, expected = Dominance(X, WAYS), by_hand(X)
    some = whole.among(allowed)
    expected[np.setdiff1d(np.arange(40), allowed)] = False
    np.testing.assert_array_equal(some.relation, expected)
    free = allowed[~expected[:, allowed].any(axis=0)]
    np.testing.assert_array_equal(some.undominated, free)
    np.testing.assert_array_equal(
        some.is_dominated(np.arange(40)), expected.any(axis=0)
    )
    found = some.dominators(4)
    np.testing.assert_array_equal(found, np.flatnonzero(expected[:, 4]))
    assert some.among(None) is whole
    np.testing.assert_array_equal(some.among(np.arange(40)).relation, by_hand(X))
    np.testing.assert_array_equal(whole.relation, by_hand(X))  # as it was


def test_items_know_their_directions():
    flats = load_flats()
    known = Dominance.from_table(len(flats), flats, None, None)
    np.testing.assert_array_equal(known.X, flats.encode(missing="keep"))
    assert set(known.directions) <= {"up", "unknown"}  # encoded values rise
    for k, attribute in enumerate(flats.attributes):
        is_known = attribute.direction != "unknown"
        assert (known.directions[k] == "up") == is_known
    again = Dominance.from_table(40, None, table(), WAYS)
    np.testing.assert_array_equal(again.relation, by_hand(table()))
    assert Dominance.from_table(3, None, None, None) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((40, load_flats(), None, WAYS), "Give either items"),
        ((40, load_flats(), table(), None), "Give either items"),
        ((40, None, table(), None), "must be given together"),
        ((40, None, None, WAYS), "must be given together"),
        ((39, None, table(), WAYS), "about 39 items.*about 40"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        Dominance.from_table(*arguments)


def test_wrong_directions_are_refused():
    with pytest.raises(DataError, match="one column per direction"):
        Dominance(table(), WAYS[:2])
    with pytest.raises(DataError, match="one column per direction"):
        Dominance(table()[0], WAYS)
    with pytest.raises(DataError, match="'sideways'"):
        Dominance(table(), ("up", "down", "sideways"))


def test_it_survives_json():
    known = Dominance(table(), WAYS)
    values = known.to_dict()
    assert values["X"][0][0] is None
    again = Dominance.from_dict(values)
    np.testing.assert_array_equal(again.X, known.X)
    assert again.directions == WAYS
    with pytest.raises(FormatError, match="damaged"):
        Dominance.from_dict({"X": [[1.0]]})
