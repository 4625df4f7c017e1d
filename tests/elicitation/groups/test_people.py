import numpy as np
import pytest

from penchant.elicitation.groups._people import Newcomer, PersonAnswers, Rows
from penchant.elicitation.groups._votes import deviation, quantiles
from penchant.gp import Answer


def newcomer(n=5, rank=5):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(n, rank))
    return Newcomer.from_moments(rng.normal(size=n), root @ root.T), root @ root.T


@pytest.mark.parametrize(("n", "rank"), [(5, 5), (6, 2), (210, 210)])
def test_a_root_gives_the_covariance_back(n, rank):
    made, cov = newcomer(n, rank)
    assert made.factor.shape == (n, min(rank, 200))
    left = cov - made.factor @ made.factor.T
    if n <= 200:
        np.testing.assert_allclose(left, 0.0, atol=1e-8 * cov.max())
    else:  # what is left out is what the columns explain least
        assert 0 < np.trace(left) < 0.02 * np.trace(cov)
    some = made.take(np.array([3, 1]))
    np.testing.assert_array_equal(some.factor, made.factor[[3, 1]])
    assert (some.n_items, made.n_items) == (2, n)


def test_the_unit_is_the_usual_deviation_over_the_items():
    made, cov = newcomer()
    expected = np.trace(cov) / 5 + made.mean.var()
    assert made.unit**2 == pytest.approx(expected)
    assert Newcomer.from_moments(np.zeros(2), np.zeros((2, 2))).unit == 1e-9


def test_answers_become_rows_in_units_of_the_noise():
    made, _ = newcomer()
    noise, width = 0.3 * made.unit, 0.1 * made.unit
    told = PersonAnswers(
        (
            Answer("comparison", (2, 0)),
            Answer("tie", (1, 4)),
            Answer("below", (3,)),
        )
    )
    rows = Rows.stack([told, PersonAnswers(())], made)
    f, m = made.factor / noise, made.mean / noise
    np.testing.assert_allclose(rows.H[0], [f[2] - f[0], f[1] - f[4], f[3]])
    np.testing.assert_allclose(rows.mean[0], [m[2] - m[0], m[1] - m[4], m[3]])
    np.testing.assert_allclose(rows.lower[0], [0.0, -width / noise, -np.inf])
    np.testing.assert_allclose(rows.upper[0], [np.inf, width / noise, 0.0])
    assert rows.used.tolist() == [[True] * 3, [False] * 3]
    assert not rows.H[1].any()
    some = rows.only(np.array([[True, False, True], [True] * 3]))
    assert some.used.tolist() == [[True, False, True], [False] * 3]
    assert not some.H[0, 1].any()
    np.testing.assert_array_equal(some.mean[0, [0, 2]], rows.mean[0, [0, 2]])


def test_clicks_are_the_answers_with_sides():
    told = PersonAnswers((), (True, None, False, True))
    assert told.clicks == (True, False, True)


def test_statistics_of_votes_are_those_of_copies():
    values = np.random.default_rng(0).normal(size=(3, 4, 2))
    votes = np.array([1.0, 3.0, 1.0, 2.0])
    copies = np.repeat(values, votes.astype(int), axis=1)
    shares = [0.0, 0.1, 0.37, 0.5, 0.9, 1.0]
    for scale in (1.0, 0.5):  # the smallest vote is one person
        np.testing.assert_allclose(
            quantiles(values, scale * votes, shares),
            np.quantile(copies, shares, axis=1),
        )
        np.testing.assert_allclose(deviation(values, scale * votes), copies.std(axis=1))
    np.testing.assert_allclose(deviation(values, np.ones(4)), values.std(axis=1))
