"""How many kinds there are, and where fits with more kinds begin."""

from itertools import product

import numpy as np
import pytest

from penchant.elicitation.groups import Newcomer, _kinds
from penchant.elicitation.groups._kinds import (
    SPREADS,
    Kinds,
    _all_have_members,
    _from_labels,
    _k_means,
    _look_further,
    _starts,
    _tastes,
    _Tried,
    find_kinds,
)
from penchant.elicitation.groups._mixture import (
    Data,
    Mixture,
    matched_log_likelihood,
)
from penchant.elicitation.groups._people import Rows

NEWCOMER = Newcomer(np.array([0.0, 0.5, 0.2]), np.array([[1.0], [-1.0], [0.3]]))


def data_of(slopes, weights=None):
    """One number per person, and answers "above 0" about its multiples."""
    H = np.array(slopes, dtype=float)[..., None]
    flat = np.zeros(H.shape[:2])
    rows = Rows(H, flat, flat, flat + np.inf, np.ones(H.shape[:2], dtype=bool))
    n = len(H)
    return Data(
        rows, np.full(n, -np.inf), np.ones(n) if weights is None else np.array(weights)
    )


def world(n_up, n_down, size=8.0):
    return data_of([[size] * 6] * n_up + [[-size] * 6] * n_down)


def find(data):
    return find_kinds(data, NEWCOMER, np.random.default_rng(0))


def test_two_sides_are_found_with_all_that_was_tried():
    data = world(6, 4)
    found = find(data)
    assert [fit.spread for fit in found.fits] == [*SPREADS] * (len(found.fits) // 5)
    sizes = [fit.n_kinds for fit in found.fits]
    assert sizes[:10] == [1] * 5 + [2] * 5
    evidence = [fit.log_evidence(data) for fit in found.fits]
    np.testing.assert_allclose(found.log_evidence, evidence)
    assert found.n_kinds == 2
    own = [value for value, n in zip(evidence, sizes, strict=True) if n == 2]
    assert found.best is found.fits[5 + int(np.argmax(own))]
    likely = found.best.log_likelihood(data)
    gain = (likely - matched_log_likelihood(data, found.best)) / 10
    assert found.separateness == pytest.approx(gain)
    assert found.statement == "two"
    kind = found.best.membership(data)[:-1].argmax(axis=0)
    assert kind.tolist() == [kind[0]] * 6 + [1 - kind[0]] * 4


def test_one_side_is_one_kind_that_is_not_separate():
    data = world(8, 0)
    found = find(data)
    assert (found.n_kinds, found.separateness, found.statement) == (1, 0.0, "none")
    assert found.best is found.fits[int(np.argmax(found.log_evidence[:5]))]


def test_kinds_are_not_looked_for_among_fewer_than_six():
    assert [len(find(world(n, 2)).fits) >= 10 for n in (3, 4)] == [False, True]


@pytest.mark.parametrize(
    ("separateness", "statement"),
    [(0.02, "none"), (0.05, "lean"), (0.0999, "lean"), (0.1, "two")],
)
def test_what_is_said_depends_on_how_far_kinds_are_apart(
    monkeypatch, separateness, statement
):
    monkeypatch.setattr(_kinds, "_separateness", lambda _data, _best: separateness)
    found = find(world(5, 4))
    assert found.statement == statement
    assert found.separateness == (0.0 if statement == "none" else separateness)
    assert found.n_kinds == (1 if statement == "none" else 2)


def test_three_kinds_are_said_to_be_three():
    data = world(2, 2)
    fits = [Mixture.begin(data, 0.1, np.zeros((k, 1))) for k in (1, 3)]
    said = [Kinds((f,), np.zeros(1), f, 0.06).statement for f in fits]
    assert said == ["none", "three"]


def test_three_kinds_are_looked_for_among_twenty_or_where_two_are_better():
    def tried(*totals):
        return [_Tried([], np.array([total])) for total in totals]

    assert [_look_further(world(n, 0), tried(0.0)) for n in (5, 6)] == [False, True]
    for n, totals, expected in (
        (19, (0.0, -1.0), False),
        (19, (0.0, 0.0), False),
        (19, (0.0, 1.0), True),
        (20, (0.0, -1.0), True),
    ):
        assert _look_further(world(n, 0), tried(*totals)) == expected


def test_the_total_of_tries_is_the_sum_of_their_evidence():
    fits = ["a", "b", "c"]
    tried = _Tried(fits, np.log([0.2, 0.5, 0.1]))
    assert tried.total == pytest.approx(np.log(0.8))
    assert tried.best == "b"


def test_a_kind_that_is_nobodys_most_probable_one_has_no_members():
    data = world(3, 2)
    for centres, expected in (
        ([[2.0], [-2.0]], True),
        ([[2.0], [1.0]], True),  # the second is nearer to those below
        ([[2.0], [0.0], [-2.0]], False),
    ):
        mixture = Mixture.begin(data, 0.01, np.array(centres))
        assert _all_have_members(data, mixture) == expected


def test_starts_keep_people_where_the_labels_put_them():
    data = world(3, 2)
    base = Mixture.begin(data, 0.3, np.zeros((1, 1)))
    found = _from_labels(data, base, np.array([0, 0, 0, 1, 1]), 2)
    assert found.spread == 0.3
    assert found.centres[0, 0] > 0 > found.centres[1, 0]
    member = found.membership(data)
    assert (member[0, :3] > 0.5).all()
    assert (member[1, 3:] > 0.5).all()
    assert found.shares[0] == pytest.approx(0.6, abs=0.05)
    turned = _from_labels(data, base, np.array([1, 1, 1, 0, 0]), 2)
    np.testing.assert_allclose(turned.centres[::-1], found.centres, atol=1e-6)


def test_people_are_proposed_together_by_taste_and_by_splits_of_each_kind():
    data = world(4, 2)
    widest = Mixture.begin(data, 1.0, np.zeros((1, 1)))
    before = Mixture.begin(data, 0.01, np.array([[2.0], [-2.0]]))
    rng = np.random.default_rng(0)
    by_taste, alone, first, second = _starts(data, NEWCOMER, widest, before, rng)
    for labels in (by_taste, alone):
        assert labels.shape == (6,)
        assert not {*labels[:4]} & {*labels[4:]}
    assert set(first[:4]) <= {0, 2}
    assert first[4:].tolist() == [1, 1]
    assert second[:4].tolist() == [0] * 4
    assert set(second[4:]) <= {1, 2}
    single = Mixture.begin(data, 1.0, np.zeros((1, 1)))
    *_, split = _starts(data, NEWCOMER, widest, single, rng)
    assert split[0] != split[-1]
    assert {*split} == {0, 1}
    one_each = Mixture.begin(world(1, 1), 0.01, np.array([[2.0], [-2.0]]))
    few = world(1, 1)
    widest = Mixture.begin(few, 1.0, np.zeros((1, 1)))
    # nobody's kind can be split; of two people three groups are two
    assert len(list(_starts(few, NEWCOMER, widest, one_each, rng))) == 2


def test_tastes_are_expected_utilities_standardised():
    data = data_of([[3.0, 3.0], [-3.0, 0.0]])
    mixture = Mixture.begin(data, 0.5, np.array([[0.4]]))
    found = _tastes(data, NEWCOMER, mixture)
    for person in range(2):
        pull = mixture.state.weights[0, person] @ data.rows.H[person]
        u = NEWCOMER.mean + NEWCOMER.factor @ (mixture.centres[0] + 0.5 * pull)
        np.testing.assert_allclose(found[person], (u - u.mean()) / u.std())
    flat = Newcomer(np.ones(3), np.zeros((3, 1)))
    assert not _tastes(data, flat, mixture).any()


def cost(points, weights, labels):
    total = 0.0
    for j in set(labels):
        own = [p for p, label in enumerate(labels) if label == j]
        middle = np.average(points[own], axis=0, weights=weights[own])
        total += weights[own] @ ((points[own] - middle) ** 2).sum(axis=1)
    return total


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_k_means_finds_the_cheapest_of_all_groupings(k, seed):
    rng = np.random.default_rng(seed)
    middles = 4.0 * np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])[np.arange(6) % k]
    points, weights = middles + rng.normal(size=(6, 2)), rng.uniform(0.2, 4.0, 6)
    least = min(cost(points, weights, each) for each in product(range(k), repeat=6))
    found = _k_means(points, weights, k, rng).tolist()
    assert cost(points, weights, found) == pytest.approx(least)


def test_groups_are_those_of_the_nearest_weighted_middle():
    rng = np.random.default_rng(0)
    points, weights = rng.normal(size=(60, 2)), rng.uniform(0.2, 4.0, 60)
    labels = _k_means(points, weights, 3, rng)
    middles = [
        np.average(points[labels == j], axis=0, weights=weights[labels == j])
        for j in range(3)
    ]
    away = [((points - middle) ** 2).sum(axis=1) for middle in middles]
    np.testing.assert_array_equal(labels, np.argmin(away, axis=0))


def test_k_means_of_fewer_points_than_groups():
    rng = np.random.default_rng(0)
    assert sorted(_k_means(np.array([[0.0], [9.0]]), np.ones(2), 3, rng)) == [0, 1]
