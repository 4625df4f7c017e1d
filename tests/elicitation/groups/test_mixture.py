"""Clouds of tastes: where they are best, how sure that is, and their evidence."""

from dataclasses import replace

import numpy as np
import pytest

from penchant.elicitation.groups._mixture import (
    Data,
    Mixture,
    fit_mixture,
    matched_log_likelihood,
)
from penchant.elicitation.groups._people import Rows

SPREAD = 0.3


def data_of(slopes, *, careless=None, weights=None):
    """One number per person, with so many answers each about its multiples."""
    H = np.array(slopes, dtype=float)[..., None]
    shape = H.shape[:2]
    rows = Rows(
        H,
        np.zeros(shape),
        np.zeros(shape),
        np.full(shape, np.inf),
        np.ones(shape, bool),
    )
    n = len(H)
    nothing = np.full(n, -np.inf)
    return Data(
        rows,
        nothing if careless is None else np.array(careless, dtype=float),
        np.ones(n) if weights is None else np.array(weights, dtype=float),
    )


ALIKE = data_of([[1.0, 2.0], [1.5, 0.5], [2.0, -0.3], [1.0, 1.0]])
TWO = data_of([[3.0, 3.0], [3.0, 2.0], [2.0, 3.0], [-3.0, -3.0], [-2.0, -3.0]])


def log_z(data, centre, spread=SPREAD):
    """Give the log probability of each person's answers around a centre."""
    return Mixture.begin(data, spread, np.array([[centre]])).state.log_z[0]


def test_the_centre_is_where_the_posterior_is_highest():
    found = fit_mixture(ALIKE, SPREAD, np.zeros((1, 1)))
    for _ in range(15):
        found = found.step(ALIKE)
    centre = found.centres[0, 0]
    grid = centre + np.array([-0.1, -0.05, 0.0, 0.05, 0.1])
    heights = [log_z(ALIKE, c).sum() - c**2 / 2 for c in grid]
    assert np.argmax(heights) == 2
    bend = -(heights[1] - 2 * heights[2] + heights[3]) / 0.05**2
    assert found.precision(ALIKE)[0, 0, 0] == pytest.approx(bend, rel=0.15)
    # with nobody careless the likelihood is that of one cloud
    expected = log_z(ALIKE, centre).sum() + 4 * np.log1p(-found.careless)
    assert found.log_likelihood(ALIKE) == pytest.approx(expected, abs=1e-3)


def test_the_evidence_of_one_kind_is_an_integral():
    found = fit_mixture(ALIKE, SPREAD, np.zeros((1, 1)))
    grid = np.linspace(-3, 5, 81)
    heights = [log_z(ALIKE, c).sum() - c**2 / 2 for c in grid]
    whole = np.exp(heights).sum() * (grid[1] - grid[0]) / np.sqrt(2 * np.pi)
    expected = np.log(whole) + 4 * np.log1p(-found.careless)
    assert found.log_evidence(ALIKE) == pytest.approx(expected, abs=0.1)


def test_the_evidence_of_two_kinds_is_their_height_and_how_wide_it_is():
    found = fit_mixture(TWO, SPREAD, np.array([[1.0], [-1.0]]))
    member, height, h = found.membership(TWO), found.log_likelihood(TWO), 0.05
    for k, centre in enumerate(found.centres[:, 0]):
        height -= centre**2 / 2
        # how it bends for who belongs where, by differences
        near = [member[k] @ log_z(TWO, centre + step) for step in (-h, 0.0, h)]
        bend = 1.0 - (near[0] - 2 * near[1] + near[2]) / h**2
        assert found.precision(TWO)[k, 0, 0] == pytest.approx(bend, rel=0.2)
        height -= np.log(bend) / 2
    one, other = found.shares
    width = np.sqrt(2 * np.pi * one * other / 5)  # of a share that is uniform before
    expected = height + np.log(width) + np.log(2)  # two ways to number them
    assert found.log_evidence(TWO) == pytest.approx(expected, abs=0.25)


def test_people_belong_where_their_answers_are_likely():
    found = fit_mixture(TWO, SPREAD, np.array([[1.0], [-1.0]]))
    member = found.membership(TWO)
    np.testing.assert_allclose(member.sum(axis=0), 1.0)
    np.testing.assert_array_equal(member[:-1].argmax(axis=0), [0, 0, 0, 1, 1])
    assert not member[-1].any()
    by_hand = found.shares[:, None] * np.exp(found.state.log_z)
    np.testing.assert_allclose(member[:-1], by_hand / by_hand.sum(axis=0))
    after = found.step(TWO)
    counts = member[:-1].sum(axis=1)
    np.testing.assert_allclose(after.shares, (counts + 1) / (5 + 2))
    assert after.careless == pytest.approx(1 / 25)


def test_careless_people_are_told_by_their_odds():
    log_careless = [-0.1, -50.0, -50.0, -np.inf, -50.0]
    data = TWO._replace(log_careless=np.array(log_careless))
    found = fit_mixture(data, SPREAD, np.array([[1.0], [-1.0]]))
    honest = np.log(found.shares @ np.exp(found.state.log_z))
    np.testing.assert_allclose(found.log_odds_careless(data), log_careless - honest)
    member, c = found.membership(data), found.careless
    odds = c * np.exp(log_careless) / ((1 - c) * np.exp(honest))
    np.testing.assert_allclose(member[-1], odds / (1 + odds))
    after = found.step(data)
    assert after.careless == pytest.approx((member[-1].sum() + 1) / (5 + 20))
    likelihood = np.log((1 - c) * np.exp(honest) + c * np.exp(log_careless)).sum()
    assert found.log_likelihood(data) == pytest.approx(likelihood)


def test_two_votes_are_two_people():
    heavy = ALIKE._replace(weights=np.array([2.0, 1.0, 1.0, 1.0]))
    places = [0, 0, 1, 2, 3]
    rows = Rows(*(part[places] for part in ALIKE.rows))
    copies = Data(rows, np.full(5, -np.inf), np.ones(5))
    one, other = (fit_mixture(d, SPREAD, np.zeros((1, 1))) for d in (heavy, copies))
    np.testing.assert_allclose(one.centres, other.centres, atol=1e-6)
    assert one.log_evidence(heavy) == pytest.approx(other.log_evidence(copies))
    assert (heavy.size, heavy.n_people, copies.size) == (5.0, 4, 5.0)


def test_climbing_never_goes_down_and_spreads_can_change():
    start = Mixture.begin(TWO, 1.0, np.array([[0.5], [-0.2]]))
    heights, now = [], start
    for _ in range(8):
        heights.append(now.log_likelihood(TWO) - (now.centres**2).sum() / 2)
        now = now.step(TWO)
    assert (np.diff(heights) > -0.05).all()
    assert heights[-1] > heights[0] + 0.1
    narrow = now.with_spread(TWO, 0.01)
    assert (narrow.spread, narrow.shares.tolist()) == (0.01, now.shares.tolist())
    expected = log_z(TWO, now.centres[0, 0], 0.01)
    np.testing.assert_allclose(narrow.state.log_z[0], expected, atol=1e-3)


def test_one_cloud_with_the_moments_of_two():
    two = fit_mixture(TWO, SPREAD, np.array([[1.0], [-1.0]]))
    middle = float(two.shares @ two.centres[:, 0])
    variance = SPREAD + float(two.shares @ (two.centres[:, 0] - middle) ** 2)
    one = Mixture.begin(TWO, variance, np.array([[middle]]))
    one = replace(one, careless=two.careless)
    expected = one.log_likelihood(TWO)
    assert matched_log_likelihood(TWO, two) == pytest.approx(expected, abs=1e-3)
    assert two.log_likelihood(TWO) > expected
