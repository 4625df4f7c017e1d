"""One person's belief: against closed forms, quadrature and refits."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from penchant.exceptions import DataError, FormatError
from penchant.models import Answer, LowRankCovariance, Posterior


def draw_prior(n_items, seed, rank=None):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n_items, rank or n_items))
    return rng.standard_normal(n_items), root @ root.T


def draw_answers(n_items, n_answers, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.choice(["comparison", "comparison", "tie", "below"], n_answers)
    return [
        Answer(kind, rng.choice(n_items, 1 if kind == "below" else 2, replace=False))
        for kind in kinds
    ]


@pytest.mark.parametrize("noise", [0.05, 1.0, 5.0])
def test_one_answer_has_the_exact_moments(noise):
    mean, cov = draw_prior(4, 0)
    posterior = Posterior(mean, cov, noise=noise).update(1, 3)
    # GP-8
    c = cov[:, 1] - cov[:, 3]
    t = np.sqrt(c[1] - c[3] + noise**2)
    z = (mean[1] - mean[3]) / t
    r = norm.pdf(z) / norm.cdf(z)
    np.testing.assert_allclose(posterior.mean, mean + c * r / t, rtol=1e-9)
    exact = cov - np.outer(c, c) * r * (z + r) / t**2
    np.testing.assert_allclose(posterior.cov, exact, rtol=1e-9, atol=1e-9)
    assert posterior.log_evidence == pytest.approx(norm.logcdf(z))


def test_below_moves_one_item_as_a_truncated_normal():
    posterior = Posterior([0.5, 0.0], np.eye(2), noise=0.3, threshold=0.2)
    told = posterior.update_below(0)
    t = np.sqrt(1.0 + 0.3**2)
    z = (0.2 - 0.5) / t
    r = norm.pdf(z) / norm.cdf(z)
    assert told.mean == pytest.approx([0.5 - r / t, 0.0])
    assert told.variance == pytest.approx([1.0 - r * (z + r) / t**2, 1.0])


def test_a_tie_brings_two_items_together():
    posterior = Posterior([1.0, 0.0], np.eye(2), noise=0.2, tie_width=0.1)
    told = posterior.update_tie(0, 1)
    assert abs(told.mean[0] - told.mean[1]) < 0.1
    t = np.sqrt(2.0 + 0.2**2)
    mass = norm.cdf((0.1 - 1.0) / t) - norm.cdf((-0.1 - 1.0) / t)
    assert told.log_evidence == pytest.approx(np.log(mass))


def test_expectation_propagation_agrees_with_quadrature():
    cov = np.array([[1.0, 0.3], [0.3, 0.8]])
    mean, noise = np.array([0.2, -0.1]), 0.4
    posterior = (
        Posterior(mean, cov, noise=noise)
        .update(0, 1)
        .update(0, 1)
        .update(1, 0)
        .update_below(1)
    )
    x, y = np.meshgrid(np.linspace(-6, 6, 601), np.linspace(-6, 6, 601), indexing="ij")
    z = (x - y) / noise
    density = multivariate_normal(mean, cov).pdf(np.stack([x, y], axis=-1))
    density *= norm.cdf(z) ** 2 * norm.cdf(-z) * norm.cdf(-y / noise)
    mass = density.sum() * 0.02**2
    exact = np.array([np.average(x, weights=density), np.average(y, weights=density)])
    square = np.average((x - exact[0]) ** 2, weights=density)
    np.testing.assert_allclose(posterior.mean, exact, atol=0.01)
    assert posterior.variance[0] == pytest.approx(square, abs=0.01)
    assert posterior.log_evidence == pytest.approx(np.log(mass), abs=0.01)


def test_expectation_propagation_agrees_with_samples_of_three_items():
    mean, cov = draw_prior(3, 4)
    posterior = (
        Posterior(mean, cov, noise=0.3).update(0, 1).update(1, 2).update_below(0)
    )
    rng = np.random.default_rng(0)
    f = rng.multivariate_normal(mean, cov, 400_000)
    gaps = np.stack([f[:, 0] - f[:, 1], f[:, 1] - f[:, 2], -f[:, 0]])
    weights = norm.cdf(gaps / 0.3).prod(axis=0)
    exact = np.average(f, axis=0, weights=weights)
    scatter = np.cov(f.T, aweights=weights)
    # Samples err by 0.3 %; the rest is what the approximation is known to miss.
    spread = np.sqrt(np.diagonal(scatter))
    assert (np.abs(posterior.mean - exact) < 0.03 * spread).all()
    close = 0.06 * np.outer(spread, spread)
    assert (np.abs(posterior.cov - scatter) < close).all()
    assert posterior.log_evidence == pytest.approx(np.log(weights.mean()), abs=0.02)


def test_laplace_finds_the_mode():
    mean, cov = draw_prior(3, 1)
    posterior = Posterior(mean, cov, noise=0.7, inference="laplace")
    told = posterior.update(0, 1).update(2, 1)
    gaps = np.array([told.mean[0] - told.mean[1], told.mean[2] - told.mean[1]])
    r = norm.pdf(gaps / 0.7) / norm.cdf(gaps / 0.7) / 0.7
    pull = np.array([r[0], -r.sum(), r[1]])  # the slope of the log-likelihood
    np.testing.assert_allclose(told.mean, mean + cov @ pull, atol=1e-7)


@pytest.mark.parametrize("inference", ["ep", "laplace"])
def test_answers_one_by_one_or_at_once(inference):
    mean, cov = draw_prior(6, 2)
    start = Posterior(mean, cov, noise=0.5, inference=inference)
    answers = draw_answers(6, 12, 0)
    step_by_step = start
    for answer in answers:
        step_by_step = step_by_step.with_answers([answer])
    at_once = start.with_answers(answers)
    np.testing.assert_allclose(step_by_step.mean, at_once.mean, atol=1e-7)
    np.testing.assert_allclose(step_by_step.cov, at_once.cov, atol=1e-7)
    assert step_by_step.answers == at_once.answers == tuple(answers)


@pytest.mark.parametrize("inference", ["ep", "laplace"])
@pytest.mark.parametrize("k", [0, 5, 9])
def test_without_an_answer_is_a_refit(inference, k):
    mean, cov = draw_prior(5, 3)
    start = Posterior(mean, cov, noise=0.3, inference=inference)
    answers = draw_answers(5, 10, 1)
    left_out = start.with_answers(answers).without(k)
    refitted = start.with_answers(answers[:k] + answers[k + 1 :])
    np.testing.assert_allclose(left_out.mean, refitted.mean, atol=1e-6)
    np.testing.assert_allclose(left_out.cov, refitted.cov, atol=1e-6)
    assert left_out.log_evidence == pytest.approx(refitted.log_evidence, abs=1e-6)
    assert left_out.answers == refitted.answers


def test_nothing_changes_in_place():
    mean, cov = draw_prior(3, 0)
    posterior = Posterior(mean, cov)
    before = posterior.mean.copy()
    posterior.update(0, 1)
    np.testing.assert_array_equal(posterior.mean, before)
    assert posterior.answers == ()
    cov[0, 0] = 99.0
    assert posterior.cov[0, 0] != 99.0
    with pytest.raises(ValueError, match="read-only"):
        posterior.mean[0] = 1.0


def test_parts_of_the_covariance():
    mean, cov = draw_prior(7, 5)
    posterior = Posterior(mean, cov).with_answers(draw_answers(7, 8, 2))
    items = [4, 1, 6]
    full = posterior.cov
    np.testing.assert_allclose(posterior.block(items), full[np.ix_(items, items)])
    np.testing.assert_allclose(posterior.cross(items), full[:, items])
    np.testing.assert_allclose(posterior.variance, np.diagonal(full))


def test_low_rank_is_the_same_belief():
    rng = np.random.default_rng(0)
    factor, diagonal = rng.standard_normal((9, 2)), rng.random(9)
    mean = rng.standard_normal(9)
    answers = draw_answers(9, 10, 3)
    thin = Posterior(mean, LowRankCovariance(factor, diagonal)).with_answers(answers)
    full = Posterior(mean, factor @ factor.T + np.diag(diagonal)).with_answers(answers)
    np.testing.assert_allclose(thin.mean, full.mean, atol=1e-9)
    np.testing.assert_allclose(thin.cov, full.cov, atol=1e-9)
    np.testing.assert_allclose(thin.variance, full.variance, atol=1e-9)
    np.testing.assert_allclose(thin.block([3, 5]), full.block([3, 5]), atol=1e-9)
    np.testing.assert_allclose(thin.cross([0]), full.cross([0]), atol=1e-9)
    few = thin.take([2, 8]).update(0, 1)
    np.testing.assert_allclose(few.mean, full.update(2, 8).mean[[2, 8]], atol=1e-9)


def test_very_many_items_stay_thin():
    rng = np.random.default_rng(0)
    prior = LowRankCovariance(rng.standard_normal((6000, 3)), np.full(6000, 0.1))
    posterior = Posterior(np.zeros(6000), prior).update(5, 4000)
    assert posterior.mean[5] > 0 > posterior.mean[4000]
    assert posterior.variance[5] < prior.variance[5]
    with pytest.raises(DataError, match="at most 5000"):
        _ = posterior.cov


def test_taking_items_loses_nothing():
    mean, cov = draw_prior(6, 6)
    posterior = Posterior(mean, cov, noise=0.4).with_answers(draw_answers(6, 8, 4))
    part = posterior.take([5, 0, 2])
    index = np.ix_([5, 0, 2], [5, 0, 2])
    np.testing.assert_allclose(part.mean, posterior.mean[[5, 0, 2]])
    np.testing.assert_allclose(part.cov, posterior.cov[index])
    later = part.update(0, 2).without(1)
    expected = posterior.update(5, 2).without(1)
    np.testing.assert_allclose(later.mean, expected.mean[[5, 0, 2]], atol=1e-8)
    np.testing.assert_allclose(later.cov, expected.cov[index], atol=1e-8)
    assert all(item in (-1, 0, 1, 2) for a in part.answers for item in a.items)


@pytest.mark.parametrize("low_rank", [False, True])
def test_json_round_trip_is_exact(low_rank):
    mean, cov = draw_prior(5, 7)
    prior = LowRankCovariance(cov, np.ones(5)) if low_rank else cov
    posterior = Posterior(mean, prior, noise=0.2, tie_width=0.3, threshold=-1.0)
    told = posterior.with_answers(draw_answers(5, 6, 5)).take([0, 3, 4])
    back = Posterior.from_dict(json.loads(json.dumps(told.to_dict(), allow_nan=False)))
    np.testing.assert_array_equal(back.mean, told.mean)
    np.testing.assert_array_equal(back.cov, told.cov)
    assert back.answers == told.answers
    assert back.log_evidence == told.log_evidence
    after, expected = back.update_tie(0, 1), told.update_tie(0, 1)
    np.testing.assert_array_equal(after.mean, expected.mean)
    fresh = Posterior.from_dict(posterior.to_dict())
    np.testing.assert_array_equal(fresh.cov, posterior.cov)


def test_probability_of_preferring():
    mean, cov = draw_prior(3, 8)
    posterior = Posterior(mean, cov, noise=0.5)
    spread = np.sqrt(cov[0, 0] + cov[2, 2] - 2 * cov[0, 2] + 0.25)
    exact = norm.cdf((mean[0] - mean[2]) / spread)
    assert posterior.probability(0, 2) == pytest.approx(exact)
    assert posterior.probability(0, 2) + posterior.probability(2, 0) == pytest.approx(1)
    assert posterior.probability(1, 1) == 0.5


@given(st.integers(0, 10_000))
def test_whatever_is_answered_the_belief_is_one(seed):
    rng = np.random.default_rng(seed)
    n_items = int(rng.integers(2, 7))
    mean, cov = draw_prior(n_items, seed, rank=int(rng.integers(1, n_items + 1)))
    noise = float(10.0 ** rng.uniform(-3, 2))
    posterior = Posterior(10.0 ** rng.uniform(-2, 1) * mean, cov, noise=noise)
    answers = draw_answers(n_items, int(rng.integers(1, 15)), seed)
    told = posterior.with_answers(answers * int(rng.integers(1, 4)))
    check_belief(told)


def check_belief(posterior):
    assert np.isfinite(posterior.mean).all()
    assert np.isfinite(posterior.log_evidence)
    values = np.linalg.eigvalsh(posterior.cov)
    assert values[0] >= -1e-8 * max(values[-1], 1.0)
    assert (posterior.variance >= 0).all()


@pytest.mark.slow
def test_a_thousand_people_who_answer_anything():
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        n_items = int(rng.integers(2, 9))
        mean, cov = draw_prior(n_items, seed, rank=int(rng.integers(1, n_items + 1)))
        posterior = Posterior(mean, cov, noise=float(10.0 ** rng.uniform(-3, 2)))
        pairs = [tuple(rng.choice(n_items, 2, replace=False)) for _ in range(3)]
        for i, j in pairs:  # repeated, contradictory, tied, and both bad
            posterior = posterior.update(i, j).update(i, j).update(j, i)
            posterior = posterior.update_tie(i, j).update_below(i).update_below(j)
        check_belief(posterior)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.update(0, 0), "compared with itself"),
        (lambda p: p.update(0, 3), "numbers 0 to 2"),
        (lambda p: p.update_below(-1), "numbers 0 to 2"),
        (lambda p: p.without(0), "There are 0 answers"),
        (lambda p: p.take([1, 1]), "different items"),
        (lambda p: p.with_answers([Answer("like", (0, 1))]), "'below' with one"),
        (lambda p: Posterior(np.zeros(2), np.eye(3)), "one entry per item"),
        (lambda p: Posterior(np.zeros(2), np.ones((2, 3))), "must be square"),
        (lambda p: Posterior(np.zeros(2), np.eye(2), noise=0.0), "noise must be"),
        (lambda p: Posterior([0.0], np.eye(1), tie_width=-1.0), "tie_width must be"),
        (lambda p: Posterior([0.0], np.eye(1), inference="mc"), "'ep' or 'laplace'"),
        (lambda p: LowRankCovariance(np.ones((3, 1)), np.ones(2)), "factor must be"),
    ],
    ids=lambda value: value if isinstance(value, str) else "call",
)
def test_what_is_refused(call, message):
    with pytest.raises(DataError, match=message):
        call(Posterior(np.zeros(3), np.eye(3)))


def test_a_foreign_dict_is_refused():
    with pytest.raises(FormatError, match="as to_dict gives it"):
        Posterior.from_dict({"prior_mean": [0.0]})


def test_it_says_what_it_is():
    assert repr(Posterior([0.0, 0.0], np.eye(2)).update(0, 1)) == (
        "Posterior(2 items, 1 answers, noise=1)"
    )


def test_the_last_bits_of_a_singular_covariance_decide_nothing():
    cov = np.eye(8) - 1.0 / 8.0  # exchangeable items, measured from their average
    rng = np.random.default_rng(0)

    def chances(matrix):
        draws = Posterior(np.zeros(8), matrix).draw(np.arange(8))
        return np.bincount(draws.utilities.argmax(axis=1), draws.weights, 8)

    expected = chances(cov)
    for _ in range(10):
        noise = 1e-16 * rng.standard_normal((8, 8))
        assert chances(cov + noise + noise.T) == pytest.approx(expected, abs=1e-3)


def test_what_is_certain_is_drawn_as_it_is():
    draws = Posterior([1.0, 2.0], np.zeros((2, 2))).draw([0, 1])
    assert (draws.utilities == [1.0, 2.0]).all()
