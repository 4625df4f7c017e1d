"""What is read off draws of everybody, against counting; and draws against moments."""

from itertools import combinations

import numpy as np
import pytest

from penchant.elicitation.groups import Newcomer, _draws
from penchant.elicitation.groups._draws import (
    N_DRAWS,
    _centres,
    _drawn,
    _points,
    draw_group,
)
from penchant.elicitation.groups._kinds import Kinds
from penchant.elicitation.groups._mixture import Data, Mixture, fit_mixture
from penchant.elicitation.groups._people import Rows

N_PEOPLE, N_ITEMS = 5, 6
NEWCOMER = Newcomer(np.linspace(0, 1, N_ITEMS), np.eye(N_ITEMS))


def data_of(slopes, careless=-np.inf):
    """One number per person, and answers "above 0" about its multiples."""
    H = np.array(slopes, dtype=float)[..., None]
    flat = np.zeros(H.shape[:2])
    rows = Rows(H, flat, flat, flat + np.inf, np.abs(H[..., 0]) > 0)
    return Data(rows, np.full(len(H), careless), np.ones(len(H)))


def in_points(utilities):
    low, high = min(utilities), max(utilities)
    return [100 * (u - low) / (high - low) for u in utilities]


@pytest.mark.parametrize("among", [None, np.array([0, 2, 3, 5])])
def test_every_number_is_counted_over_the_same_draws(monkeypatch, among):
    votes = np.array([2.0, 1.0, 3.0, 1.0, 1.0])
    copies = np.repeat(np.arange(N_PEOPLE), votes.astype(int))
    sets = np.array([[True] * 5, [True, False, True, True, False]])
    x = np.random.default_rng(0).normal(size=(N_DRAWS, N_PEOPLE, N_ITEMS))
    told = iter([x[:50], x[50:]])

    def drawn(_data, _fit, n_draws, _n_items, _rng):
        yield next(told)[:n_draws]
        yield next(told)[: n_draws - 50]

    monkeypatch.setattr(_draws, "_drawn", drawn)
    data = data_of(np.ones((N_PEOPLE, 1)))
    one = Mixture.begin(data, 0.3, np.zeros((1, 1)))
    kinds = Kinds((one,), np.array([-3.0]), one, 0.0)
    rng = np.random.default_rng(0)
    found = draw_group(data, NEWCOMER, kinds, sets, votes, rng, among)

    looked_at = np.arange(N_ITEMS) if among is None else among
    n = looked_at.size
    points = np.array(
        [[in_points(u) for u in NEWCOMER.mean + draw] for draw in x.tolist()]
    )[..., looked_at]
    np.testing.assert_allclose(found.points, points.mean(axis=0))
    for k, members in enumerate(sets):
        own = points[:, [p for p in copies if members[p]]]
        np.testing.assert_allclose(found.means[k], own.mean(axis=1))
        ranges = np.quantile(own, [0.0, 0.1, 0.9], axis=1).mean(axis=1)
        np.testing.assert_allclose(found.people[k], ranges)
    everybody = points[:, copies]
    np.testing.assert_allclose(found.deviations, everybody.std(axis=1))
    place = (-everybody).argsort(axis=-1).argsort(axis=-1)
    np.testing.assert_allclose(
        found.in_top, (place < 3).sum(axis=(0, 1)) / N_DRAWS, rtol=1e-12
    )
    same, weight = 0.0, 0.0
    for a, b in combinations(range(N_PEOPLE), 2):
        for i, j in combinations(range(n), 2):
            both = (points[:, a, i] > points[:, a, j]) == (
                points[:, b, i] > points[:, b, j]
            )
            same += votes[a] * votes[b] * both.mean()
            weight += votes[a] * votes[b]
    assert found.agreement == pytest.approx(same / weight)


def test_of_few_items_all_are_first_and_somebody_alone_does_not_agree():
    data = data_of([[1.0]])
    one = Mixture.begin(data, 1.0, np.zeros((1, 1)))
    newcomer = Newcomer(np.zeros(2), np.array([[1.0], [-1.0]]))
    kinds = Kinds((one,), np.zeros(1), one, 0.0)
    found = draw_group(
        data,
        newcomer,
        kinds,
        np.ones((1, 1), bool),
        np.ones(1),
        np.random.default_rng(0),
    )
    assert found.in_top.tolist() == [1.0, 1.0]
    assert np.isnan(found.agreement)
    assert found.means.shape == (1, N_DRAWS, 2)


def test_points_go_from_0_to_100_and_are_50_where_all_are_alike():
    found = _points(np.array([[1.0, 3.0, 2.0], [7.0, 7.0, 7.0]]))
    np.testing.assert_allclose(found, [[0.0, 100.0, 50.0], [50.0, 50.0, 50.0]])


def test_draws_follow_the_evidence_of_the_fits(monkeypatch):
    counted = {}

    def drawn(_data, fit, n_draws, _n_items, _rng):
        counted[fit.spread] = n_draws
        yield np.zeros((n_draws, 2, 1))

    monkeypatch.setattr(_draws, "_drawn", drawn)
    data = data_of(np.ones((2, 1)))
    fits = [Mixture.begin(data, s, np.zeros((1, 1))) for s in (1.0, 0.3, 0.1)]
    evidence = np.log([0.75, 0.25, 1e-9]) - 1000.0
    kinds = Kinds(tuple(fits), evidence, fits[0], 0.0)
    newcomer = Newcomer(np.zeros(3), np.ones((3, 1)))
    everybody = np.ones((1, 2), bool)
    rng = np.random.default_rng(0)
    draw_group(data, newcomer, kinds, everybody, np.ones(2), rng)
    assert counted[1.0] + counted[0.3] == N_DRAWS
    assert counted[1.0] == pytest.approx(150, abs=25)  # four standard deviations


def moments_of(fit, data, person):
    """Mean and variance of a person of a cloud whose centre is not quite known."""
    H, spread = data.rows.H[person], fit.spread
    M, w = fit.state.curvature[0, person], fit.state.weights[0, person]
    mean = fit.centres[0] + spread * w @ H
    left = np.eye(1) - spread * H.T @ M @ H
    doubt = np.linalg.inv(fit.precision(data)[0])
    return mean[0], (spread * left + left @ doubt @ left.T)[0, 0]


@pytest.mark.parametrize("portion", [4_000_000, 3000])
def test_draws_have_the_moments_of_expectation_propagation(monkeypatch, portion):
    monkeypatch.setattr(_draws, "_MOST_NUMBERS", portion)
    data = data_of([[1.0, 2.0], [1.5, 0.0], [-1.0, 0.0]])  # the last two: one answer
    fit = fit_mixture(data, 0.3, np.zeros((1, 1)))
    rng = np.random.default_rng(0)
    parts = list(_drawn(data, fit, 20_000, 10, rng))
    per_draw = 3 * 10  # people times items, which are more than answers squared
    assert [len(p) for p in parts[:-1]] == [portion // per_draw] * (len(parts) - 1)
    x = np.concatenate(parts)
    assert x.shape == (20_000, 3, 1)
    for person in range(3):
        mean, variance = moments_of(fit, data, person)
        assert x[:, person].mean() == pytest.approx(mean, abs=0.02)
        assert x[:, person].var() == pytest.approx(variance, rel=0.05)


def test_no_draws_are_none_and_many_answers_make_portions_small(monkeypatch):
    data = data_of(np.ones((2, 3)))
    fit = Mixture.begin(data, 0.3, np.zeros((1, 1)))
    rng = np.random.default_rng(0)
    assert list(_drawn(data, fit, 0, 1, rng)) == []
    monkeypatch.setattr(_draws, "_MOST_NUMBERS", 2 * 9 * 4)  # people, answers squared
    assert [len(x) for x in _drawn(data, fit, 10, 1, rng)] == [4, 4, 2]
    monkeypatch.setattr(_draws, "_MOST_NUMBERS", 1)
    assert [len(x) for x in _drawn(data, fit, 2, 1, rng)] == [1, 1]


def test_careless_people_are_drawn_as_one_of_the_group_and_kinds_by_membership():
    data = data_of([[3.0, 3.0], [-3.0, -3.0]], careless=50.0)  # surely careless
    fit = Mixture.begin(data, 0.01, np.array([[2.0], [-2.0]]))
    x = np.concatenate(list(_drawn(data, fit, 4000, 1, np.random.default_rng(0))))
    for person in range(2):  # half of the draws near either centre, answers or not
        assert (x[:, person] > 0).mean() == pytest.approx(0.5, abs=0.05)
        assert np.abs(x[:, person]).mean() == pytest.approx(2.0, abs=0.1)
    read = data._replace(log_careless=np.full(2, -np.inf))
    kinds = fit.membership(read)[0]
    x = np.concatenate(list(_drawn(read, fit, 4000, 1, np.random.default_rng(0))))
    assert (x[:, :, 0] > 0).mean(axis=0) == pytest.approx(kinds, abs=0.05)


def test_centres_vary_as_their_precision_says():
    data = data_of([[1.0]])
    fit = Mixture.begin(data, 1.0, np.array([[1.0, -1.0], [0.0, 5.0]]) @ np.eye(2, 1))
    fit = Mixture(1.0, np.array([[1.0, -1.0], [0.0, 5.0]]), fit.shares, 0.05, fit.state)
    precision = np.array([[[2.0, 0.6], [0.6, 1.0]], [[4.0, 0.0], [0.0, 0.25]]])
    roots = np.linalg.cholesky(precision)
    x = _centres(fit, roots, 40_000, np.random.default_rng(0))
    assert x.shape == (40_000, 2, 2)
    np.testing.assert_allclose(x.mean(axis=0), fit.centres, atol=0.05)
    for k in range(2):
        expected = np.linalg.inv(precision[k])
        np.testing.assert_allclose(np.cov(x[:, k].T), expected, atol=0.1)
