import numpy as np
import pytest
from scipy.stats import norm

from penchant.elicitation import Elicitor
from penchant.elicitation._belief import best_item
from penchant.models import Posterior


def as_posterior(moments):
    return Posterior(moments.mean, moments.cov, moments.noise)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_items", [3, 10, 40])
def test_probabilities_and_regret_agree_with_many_draws(make_moments, n_items, seed):
    belief = make_moments(n_items, seed, scale=0.7)
    rng = np.random.default_rng(seed)
    f = rng.multivariate_normal(belief.mean, belief.cov, size=300_000)
    expected = np.bincount(f.argmax(axis=1), minlength=n_items) / len(f)
    best = best_item(as_posterior(belief))
    found = np.zeros(n_items)
    found[best.items] = best.probability
    # the draws themselves are right to .001 and .002
    np.testing.assert_allclose(found, expected, atol=0.008)
    regret = f.max(axis=1).mean() - belief.mean.max()
    assert best.expected_regret == pytest.approx(regret, abs=0.006)
    assert best.left_out < 1e-6
    assert best.items[0] == np.argmax(belief.mean)


def test_two_items_are_exact(make_moments):
    belief = make_moments(2, 3)
    best = best_item(as_posterior(belief))
    leader, other = best.items
    d = belief.mean[leader] - belief.mean[other]
    s = np.sqrt(belief.cov[0, 0] + belief.cov[1, 1] - 2 * belief.cov[0, 1])
    assert best.chance(leader) == pytest.approx(norm.cdf(d / s), abs=1e-12)
    gain = s * norm.pdf(d / s) - d * norm.sf(d / s)
    assert best.expected_regret == pytest.approx(gain, abs=1e-12)


@pytest.mark.parametrize("noise", [0.1, 0.6])
def test_answers_count_by_their_likelihood_not_by_their_gaussian(make_moments, noise):
    belief = make_moments(5, 0, noise=noise, scale=0.5)
    posterior = (
        Posterior(belief.mean, belief.cov, noise, tie_width=0.5, threshold=-0.2)
        .update(0, 3)
        .update(3, 1)
        .update(2, 4)
        .update_tie(0, 2)
        .update_below(1)
    )
    rng = np.random.default_rng(0)
    f = rng.multivariate_normal(belief.mean, belief.cov, size=600_000)
    tie = norm.cdf((0.5 - f[:, 0] + f[:, 2]) / noise)
    tie -= norm.cdf((-0.5 - f[:, 0] + f[:, 2]) / noise)
    weights = tie * norm.cdf((-0.2 - f[:, 1]) / noise)
    for winner, loser in [(0, 3), (3, 1), (2, 4)]:
        weights *= norm.cdf((f[:, winner] - f[:, loser]) / noise)
    weights /= weights.sum()
    expected = np.bincount(f.argmax(axis=1), weights=weights, minlength=5)
    best = best_item(posterior)
    found = np.zeros(5)
    found[best.items] = best.probability
    np.testing.assert_allclose(found, expected, atol=0.02)
    lost = f.max(axis=1) - f[:, best.items[0]]
    assert best.expected_regret == pytest.approx(weights @ lost, abs=0.01)


def test_too_few_draws_that_count_leave_the_gaussian(make_moments):
    belief = make_moments(4, 0)
    posterior = Posterior(belief.mean, belief.cov, 1e-3)
    for _ in range(30):  # as certain as can be that answers contradict each other
        posterior = posterior.update(0, 1).update(1, 2).update(2, 0)
    best = best_item(posterior)
    assert best.probability.sum() == pytest.approx(1)
    assert np.isfinite(best.expected_regret)


def test_what_is_left_out_is_bounded():
    n_items = 300
    belief = Posterior(np.zeros(n_items), np.eye(n_items), noise=0.5)
    best = best_item(belief)
    assert best.items.size == 64
    draws = np.random.default_rng(0).standard_normal((20_000, n_items))
    regret = draws.max(axis=1).mean()
    assert best.expected_regret < regret < best.expected_regret + best.left_out


def test_equal_items_share_the_chance():
    posterior = Posterior(np.zeros(4), np.eye(4), noise=0.5)
    chances = Elicitor(posterior, random_state=0).probability_best()
    np.testing.assert_allclose(chances, 0.25, atol=0.01)


def test_copies_of_the_leader_cannot_be_better():
    cov = np.ones((3, 3))
    best = best_item(Posterior(np.zeros(3), cov, noise=0.5))
    assert best.expected_regret == pytest.approx(0, abs=1e-7)
    assert best.probability.sum() == pytest.approx(1)


def test_only_contenders_count(make_moments):
    belief = make_moments(6, 1)
    best = best_item(as_posterior(belief), np.array([1, 4]))
    assert sorted(best.items) == [1, 4]
    assert best.chance(0) == 0.0
