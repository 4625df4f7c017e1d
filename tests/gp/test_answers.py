"""What answers say of draws, against the formulas as they stand."""

import numpy as np
import pytest
from scipy.stats import norm

from penchant.exceptions import DataError
from penchant.gp import Answer, LapsePosterior
from penchant.gp._answers import LEFT_OUT as LEFT
from penchant.models import Posterior


@pytest.mark.parametrize("lapse", [0.0, 0.05])
def test_a_draw_counts_by_the_likelihood_of_the_answers_over_their_sites(lapse):
    belief = Posterior(np.zeros(3), np.eye(3), noise=0.5, tie_width=0.3)
    evidence = belief.update(0, 1).update_tie(1, 2).update_below(2).evidence
    draws = np.random.default_rng(0).normal(size=(50, 3))

    found = evidence.log_ratios(np.arange(3), draws, 0.5, lapse)

    first, second, third = draws.T
    values = np.stack([first - second, second - third, third])
    chances = np.stack(
        [
            norm.cdf(values[0] / 0.5),
            norm.cdf((values[1] + 0.3) / 0.5) - norm.cdf((values[1] - 0.3) / 0.5),
            norm.cdf(-values[2] / 0.5),
        ]
    )
    logs = np.log(lapse + (1 - 2 * lapse) * chances)
    sites = evidence.shift[:, None] * values
    sites -= 0.5 * evidence.precision[:, None] * values**2
    np.testing.assert_allclose(found, (logs - sites).sum(axis=0), atol=1e-9)


def belief_after_three():
    root = np.random.default_rng(0).normal(size=(4, 4))
    prior = Posterior(np.array([0.5, -0.2, 0.1, 1.0]), root @ root.T, noise=0.5)
    return prior, prior.update(0, 1).update_below(2).update_tie(3, 1)


FUNCTIONALS = np.array([[1.0, -1, 0, 0], [0, 0, 1, 0], [0, -1, 0, 1]])


def test_rows_are_the_prior_of_what_the_answers_are_about():
    prior, belief = belief_after_three()
    told, A, C = belief.evidence, FUNCTIONALS, prior.cov
    assert len(told) == 3
    np.testing.assert_allclose(told.rows, A @ C)
    np.testing.assert_allclose(told.mean, A @ prior.mean)
    np.testing.assert_allclose(told.gram, A @ C @ A.T)
    width = belief.tie_width
    np.testing.assert_allclose(told.lower, [0, -np.inf, -width])
    np.testing.assert_allclose(told.upper, [np.inf, told.upper[1], width])


def test_weights_and_reduction_make_the_moments_of_the_sites():
    prior, belief = belief_after_three()
    told, A, C = belief.evidence, FUNCTIONALS, prior.cov
    cov = np.linalg.inv(np.linalg.inv(C) + A.T @ np.diag(told.precision) @ A)
    mean = cov @ (np.linalg.solve(C, prior.mean) + A.T @ told.shift)
    np.testing.assert_allclose(prior.mean + told.rows.T @ told.weights, mean)
    np.testing.assert_allclose(C - told.reduction.T @ told.reduction, cov, atol=1e-9)
    np.testing.assert_allclose(belief.mean, mean)
    np.testing.assert_allclose(belief.cov, cov, atol=1e-9)


def test_leaving_out_and_taking_keep_everything_else():
    _, belief = belief_after_three()
    told = belief.evidence
    for k in range(3):
        rest, keep = told.without(k), [i for i in range(3) if i != k]
        for name in ("rows", "mean", "lower", "upper", "precision", "shift"):
            np.testing.assert_array_equal(
                getattr(rest, name), getattr(told, name)[keep]
            )
        np.testing.assert_array_equal(rest.gram, told.gram[np.ix_(keep, keep)])
        assert rest.answers == tuple(told.answers[i] for i in keep)
    some = told.take(np.array([3, 0]))
    assert [answer.items for answer in some.answers] == [(1, LEFT), (LEFT,), (0, LEFT)]
    np.testing.assert_array_equal(some.rows, told.rows[:, [3, 0]])
    np.testing.assert_array_equal(some.gram, told.gram)
    # of an item that is not there nothing is said of draws of the others
    draws = np.random.default_rng(1).normal(size=(5, 2))
    alone = some.log_ratios(np.arange(2), draws, 0.5, 0.0)
    np.testing.assert_array_equal(alone, np.zeros(5))


@pytest.mark.parametrize(
    ("kind", "items", "said"),
    [
        ("comparison", (1,), "'comparison' with 1 items"),
        ("below", (1, 2), "'below' with 2 items"),
        ("odd", (1, 2), "'odd' with 2 items"),
        ("tie", (3, 3), "Got item 3 twice"),
    ],
)
def test_answers_are_of_one_or_two_different_items(kind, items, said):
    with pytest.raises(DataError, match=said):
        Answer(kind, items)


def test_the_number_that_an_answer_is_about_lies_between_ends():
    assert Answer("comparison", (0, 1)).interval(0.3, 0.7) == (0.0, np.inf)
    assert Answer("below", (0,)).interval(0.3, 0.7) == (-np.inf, 0.7)
    assert Answer("tie", (0, 1)).interval(0.3, 0.7) == (-0.3, 0.3)
    assert Answer("tie", (0, 1), 0.1).interval(0.3, 0.7) == (-0.1, 0.1)
    assert Answer("tie", (LEFT, LEFT)).items == (LEFT, LEFT)  # both are gone


def test_no_answers_tell_nothing():
    belief = Posterior(np.zeros(3), np.eye(3), noise=0.5)
    assert len(belief.evidence) == 0
    assert belief.evidence.infer("ep", 0.5, 0.1) is belief.evidence
    assert belief.evidence.log_evidence == 0.0


@pytest.mark.parametrize("lapse", [0.0, 0.1])
def test_one_answer_has_the_probability_of_a_normal_and_slips(lapse):
    mean, cov = np.array([0.4, 0.0]), np.array([[1.0, 0.3], [0.3, 2.0]])
    gap = np.sqrt(1.0 + 2.0 - 0.6 + 0.25)
    made = LapsePosterior(mean, cov, noise=0.5, lapse=lapse) if lapse else None
    belief = (made or Posterior(mean, cov, noise=0.5)).update(0, 1)
    expected = lapse + (1 - 2 * lapse) * norm.cdf(0.4 / gap)
    assert belief.evidence.log_evidence == pytest.approx(np.log(expected), abs=1e-6)


def test_far_tails_of_draws_keep_their_digits():
    belief = Posterior(np.zeros(2), np.eye(2), noise=0.5, tie_width=0.3)
    told = belief.update(0, 1).update_tie(0, 1).evidence
    draws = np.array([[-20.0, 20.0], [0.0, 20.0], [0.0, 6.0]])  # the loser far ahead
    found = told.log_ratios(np.arange(2), draws, 0.5, 0.0)
    values = draws[:, 0] - draws[:, 1]
    near, far = norm.logcdf((values + 0.3) / 0.5), norm.logcdf((values - 0.3) / 0.5)
    logs = norm.logcdf(values / 0.5) + near + np.log1p(-np.exp(far - near))
    sites = np.outer(values, told.shift) - 0.5 * np.outer(values**2, told.precision)
    np.testing.assert_allclose(found, logs - sites.sum(axis=1), rtol=1e-9)
