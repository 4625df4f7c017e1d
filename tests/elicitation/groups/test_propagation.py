"""Answers of many people: against integrals, differences and the other system."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from penchant.elicitation.groups._people import LAPSE, Rows
from penchant.elicitation.groups._propagation import Sites, propagate

ENDS = [(0.3, np.inf), (-0.4, 0.2), (-np.inf, -0.1)]


def rows_of(H, mean, ends, used=None):
    lower, upper = np.moveaxis(np.array(ends, dtype=float), -1, 0)
    shape = mean.shape
    used = np.ones(shape, dtype=bool) if used is None else used
    lower, upper = (np.broadcast_to(each, shape) for each in (lower, upper))
    return Rows(H, mean, lower, upper, used)


def run(rows, mean, root, n_sweeps=60):
    flat = np.zeros(mean.shape)
    return propagate(rows, mean, root, Sites(flat, flat), n_sweeps)


def chance(s, low, high):
    return LAPSE + (1 - 2 * LAPSE) * (norm.cdf(high - s) - norm.cdf(low - s))


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("n_columns", [1, 3])
def test_one_answer_is_exact(ends, n_columns):
    root = np.full((1, 1, n_columns), np.sqrt(1.7 / n_columns))
    mean = np.array([[0.4]])
    state = run(rows_of(root, mean, [[ends]]), mean, root)
    prior = norm(0.4, np.sqrt(1.7)).pdf
    total = quad(lambda s: prior(s) * chance(s, *ends), -10, 10, limit=200)[0]
    middle = quad(lambda s: s * prior(s) * chance(s, *ends), -10, 10, limit=200)[0]
    assert state.log_z[0] == pytest.approx(np.log(total), abs=1e-6)
    assert 0.4 + 1.7 * state.weights[0, 0] == pytest.approx(middle / total, abs=1e-6)
    precision = state.sites.precision[0, 0]
    assert state.curvature[0, 0, 0] == pytest.approx(1 / (1.7 + 1 / precision))
    second = quad(lambda s: s**2 * prior(s) * chance(s, *ends), -10, 10, limit=200)[0]
    variance = second / total - (middle / total) ** 2
    # a site is as precise as the variance of the posterior asks, if that is narrower
    expected = max(1 / variance - 1 / 1.7, 1e-8)
    assert precision == pytest.approx(expected, rel=1e-4, abs=1e-6)


@pytest.fixture(scope="module")
def several():
    rng = np.random.default_rng(0)
    root, mean = 0.8 * rng.normal(size=(2, 3, 3)), rng.normal(size=(2, 3))
    return root, mean, [ENDS, ENDS[::-1]]


def test_rows_and_columns_are_two_ways_to_the_same(several):
    root, mean, ends = several
    wide = np.concatenate([root, np.zeros((2, 3, 2))], axis=-1)
    narrow = root[..., :2]
    for one, other in [
        (run(rows_of(root, mean, ends), mean, root), wide),
        (run(rows_of(narrow, mean, ends), mean, narrow), None),
    ]:
        if other is None:  # fewer columns than rows: the same as with columns of 0
            other = np.concatenate([narrow, np.zeros((2, 3, 1))], axis=-1)
        again = run(rows_of(other, mean, ends), mean, other)
        np.testing.assert_allclose(one.log_z, again.log_z, atol=1e-8)
        np.testing.assert_allclose(one.weights, again.weights, atol=1e-8)
        np.testing.assert_allclose(one.curvature, again.curvature, atol=1e-8)


def test_weights_are_the_gradient_of_the_evidence(several):
    root, mean, ends = several
    state, h = run(rows_of(root, mean, ends), mean, root, 100), 1e-4
    for r in range(3):
        up, down = (mean + sign * h * np.eye(3)[r] for sign in (1, -1))
        rise = [run(rows_of(root, m, ends), m, root, 100).log_z for m in (up, down)]
        slope = (rise[0] - rise[1]) / (2 * h)
        # of the other person a site is held at its least precision
        assert state.weights[0, r] == pytest.approx(slope[0], abs=1e-5)
    assert (np.linalg.eigvalsh(state.curvature) > -1e-9).all()


def test_the_evidence_is_near_that_of_many_draws(several):
    root, mean, ends = several
    state = run(rows_of(root, mean, ends), mean, root)
    draws = np.random.default_rng(1).normal(size=(200_000, 3))
    for p in range(2):
        s = mean[p] + draws @ root[p].T
        each = [chance(s[:, r], *ends[p][r]) for r in range(3)]
        found = np.mean(np.multiply.reduce(each))
        assert state.log_z[p] == pytest.approx(np.log(found), abs=0.03)


def test_answers_that_are_not_there_say_nothing(several):
    root, mean, ends = several
    used = np.array([[True, True, False], [True, False, False]])
    some = run(rows_of(root, mean, ends, used), mean, root)
    for p, n in enumerate([2, 1]):
        m, r = mean[p : p + 1, :n], root[p : p + 1, :n]
        alone = run(rows_of(r, m, [ends[p][:n]]), m, r)
        assert some.log_z[p] == pytest.approx(alone.log_z[0], abs=1e-8)
        np.testing.assert_allclose(some.weights[p, :n], alone.weights[0], atol=1e-8)
    assert not some.weights[~used].any()


def test_more_sweeps_change_little(several):
    root, mean, ends = several
    rows = rows_of(root, mean, ends)
    few, many = run(rows, mean, root, 8), run(rows, mean, root, 200)
    np.testing.assert_allclose(few.log_z, many.log_z, atol=1e-4)
    np.testing.assert_allclose(few.sites.shift, many.sites.shift, atol=1e-2)
