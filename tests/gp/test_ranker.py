"""GaussianProcessRanker: contract, posterior, parts, kinds of answers, robustness."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import norm, spearmanr

from penchant.data import Attribute, Choices, Comparisons, Items, Rankings, Ratings
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.io import load, save
from penchant.models import GaussianProcessRanker
from penchant.testing import parametrize_with_ranker_checks
from penchant.typing import PosteriorModel, UtilityModel


@parametrize_with_ranker_checks(
    [
        GaussianProcessRanker(),
        GaussianProcessRanker(kernel="rbf"),
        GaussianProcessRanker(inference="ep"),
        GaussianProcessRanker(kernel="rbf", inference="ep", learn=False),
    ]
)
def test_keeps_the_contract_of_rankers(ranker, check):
    check(ranker)


def truth(X):
    return np.sin(3 * X[:, 0]) + 2 * X[:, 1] * X[:, 2]


def answers_about(X, n_answers, *, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    u = truth(X)
    left = rng.integers(0, len(X), n_answers)
    right = (left + rng.integers(1, len(X), n_answers)) % len(X)
    wins = u[left] - u[right] + noise * rng.standard_normal(n_answers) > 0
    return Comparisons(np.where(wins, left, right), np.where(wins, right, left))


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(7).random((40, 4))


@pytest.mark.parametrize("kernel", ["rbf", "anova"])
@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_finds_the_order_of_items_never_compared(X, kernel, inference):
    model = GaussianProcessRanker(kernel=kernel, inference=inference, domain=(0, 1))
    model.fit(X, answers_about(X, 300))
    others = np.random.default_rng(8).random((200, 4))
    assert spearmanr(model.utility(others), truth(others))[0] > 0.97
    assert model.solver_status_ == "optimal"
    assert isinstance(model, UtilityModel)
    assert isinstance(model, PosteriorModel)


def test_learning_raises_the_evidence(X):
    answers = answers_about(X, 150)
    for kernel in ("rbf", "anova"):
        fixed = GaussianProcessRanker(kernel=kernel, domain=(0, 1), learn=False)
        learned = GaussianProcessRanker(kernel=kernel, domain=(0, 1))
        assert fixed.fit(X, answers).n_iter_ == 0
        assert learned.fit(X, answers).log_evidence_ > fixed.log_evidence_ + 1.0


def test_an_attribute_that_does_not_matter_is_found_out(X):
    answers = answers_about(X, 300)
    rbf = GaussianProcessRanker(kernel="rbf", domain=(0, 1)).fit(X, answers)
    assert rbf.process_.kernel.scales.argmax() == 3
    anova = GaussianProcessRanker(domain=(0, 1)).fit(X, answers)
    shares = dict(zip(anova.factors_, anova.variance_shares_, strict=True))
    assert shares[0,] > 0.2
    assert shares[1, 2] > 10 * max(s for f, s in shares.items() if 3 in f)


def test_parameters_stay_put_where_answers_do_not_speak():
    pairs = [[[0.0, 0.2], [1.0, 0.4]]]
    for kernel in ("rbf", "anova"):
        model = GaussianProcessRanker(kernel=kernel, domain=(0, 1)).fit(pairs, [1])
        assert model.solver_status_ == "optimal"
        parameters = model.hyper_parameters_.parameters
        assert np.abs(parameters).max() < 5.0


# the posterior


def independent_refit(X, answers, sigma):
    """Maximise psi of GP-4 with a general optimiser."""
    n = len(X)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    inverse = np.linalg.inv(K)

    def minus_psi(f):
        z = (f[answers.winners] - f[answers.losers]) / sigma
        ratio = np.exp(norm.logpdf(z) - norm.logcdf(z)) / sigma
        slope = np.bincount(answers.winners, ratio, n)
        slope = slope - np.bincount(answers.losers, ratio, n)
        value = norm.logcdf(z).sum() - 0.5 * f @ inverse @ f
        return -value, inverse @ f - slope

    found = minimize(minus_psi, np.zeros(n), jac=True, options={"gtol": 1e-11})
    z = (found.x[answers.winners] - found.x[answers.losers]) / sigma
    r = np.exp(norm.logpdf(z) - norm.logcdf(z))
    A = np.zeros((len(z), n))
    A[np.arange(len(z)), answers.winners] = 1.0
    A[np.arange(len(z)), answers.losers] = -1.0
    W = A.T @ np.diag(r * (z + r)) @ A / sigma**2
    return found.x, np.linalg.inv(inverse + W)


def test_the_papers_setting_equals_an_independent_refit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 3))
    X[0], X[1] = X.min(0), X.max(0)
    unit = (X - X.min(0)) / np.ptp(X, axis=0) * 3.0
    winners = rng.integers(0, 7, 20)
    losers = (winners + rng.integers(1, 7, 20)) % 7
    answers = Comparisons(
        np.append(winners, range(7)), np.append(losers, [1, 2, 3, 4, 5, 6, 0])
    )
    model = GaussianProcessRanker(
        kernel="rbf", length_scale=1 / 3, variance=1.0, noise=0.1, learn=False
    ).fit(X, answers)
    mean, cov = independent_refit(unit, answers, 0.1)
    assert model.posterior(X)[0] == pytest.approx(mean, abs=1e-6)
    assert model.posterior(X)[1] == pytest.approx(cov, abs=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "anova"])
def test_all_views_of_the_posterior_agree(X, kernel):
    model = GaussianProcessRanker(kernel=kernel).fit(X, answers_about(X, 60))
    others = np.random.default_rng(3).random((300, 4))
    mean, cov = model.posterior(others)
    again, deviation = model.utility(others, return_std=True)
    assert again == pytest.approx(mean, abs=1e-12)
    assert deviation == pytest.approx(np.sqrt(np.diag(cov)), rel=1e-6)
    assert np.linalg.eigvalsh(cov)[0] > -1e-9
    prior = model.process_.kernel.paired(*[model.encoding_.transform(others)] * 2)
    assert (deviation <= np.sqrt(prior) + 1e-12).all()


def test_answers_make_sure(X):
    few, many = (
        GaussianProcessRanker(learn=False, domain=(0, 1)).fit(X, answers_about(X, n))
        for n in (10, 400)
    )
    _, before = few.utility(X, return_std=True)
    _, after = many.utility(X, return_std=True)
    assert after.mean() < 0.7 * before.mean()


def test_probabilities_follow_from_the_posterior(X):
    model = GaussianProcessRanker(noise=0.5).fit(X, answers_about(X, 60))
    pairs = np.stack([X[:6], X[6:12]], axis=1)
    mean, cov = model.posterior(X[:12])
    A = np.hstack([np.eye(6), -np.eye(6)])
    spread = np.sqrt(np.diag(A @ cov @ A.T) + 0.25)
    chances = model.predict_proba(pairs)
    assert chances[:, 1] == pytest.approx(norm.cdf(A @ mean / spread), rel=1e-9)
    assert chances.sum(axis=1) == pytest.approx(1.0)
    assert model.predict_proba(pairs[:, ::-1]) == pytest.approx(chances[:, ::-1])
    assert np.array_equal(model.predict(pairs), chances[:, 1] > 0.5)


def test_probabilities_are_calibrated():
    rng = np.random.default_rng(5)
    X = rng.random((60, 3))
    u = 6 * X[:, 0] - 4 * X[:, 1] ** 2
    left, right = rng.integers(0, 60, (2, 1200))
    keep = left != right
    left, right = left[keep], right[keep]
    wins = u[left] - u[right] + rng.standard_normal(len(left)) > 0
    pairs = np.stack([X[left], X[right]], axis=1)
    model = GaussianProcessRanker(domain=(0, 1)).fit(pairs[:200], wins[:200])
    chance = model.predict_proba(pairs[200:])[:, 1]
    bins = np.digitize(chance, [0.2, 0.4, 0.6, 0.8])
    for k in range(5):
        inside = bins == k
        error = 3 * 0.5 / np.sqrt(inside.sum())
        assert abs(chance[inside].mean() - wins[200:][inside].mean()) < 0.06 + error


def test_the_noise_is_the_unit(X):
    answers = answers_about(X, 80)
    one, ten = (
        GaussianProcessRanker(noise=noise).fit(X, answers) for noise in (1.0, 10.0)
    )
    for a, b in zip(one.posterior(X), ten.posterior(X), strict=True):
        assert b == pytest.approx(a * (10 if a.ndim == 1 else 100), rel=1e-9)
    assert ten.log_evidence_ == pytest.approx(one.log_evidence_)


def test_expectation_propagation_is_closer_where_noise_is_small():
    # One pair, answered once: the chance of the answer is 1/2 whatever the noise.
    pairs = [[[0.0], [1.0]]]
    errors = {}
    for inference in ("laplace", "ep"):
        model = GaussianProcessRanker(
            kernel="rbf", inference=inference, noise=0.05, variance=1.0, learn=False
        ).fit(pairs, [1])
        errors[inference] = abs(model.log_evidence_ - np.log(0.5))
    assert errors["ep"] < 1e-9
    assert errors["laplace"] > 0.05


# the parts of the utility


def test_parts_add_up_and_have_zero_mean(X):
    model = GaussianProcessRanker(max_order=3, domain=(0, 1))
    model.fit(X, answers_about(X, 120))
    parts = model.decompose(X)
    assert len(parts) == 4 + 6 + 4
    assert sum(parts.values()) == pytest.approx(model.utility(X), abs=1e-9)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    line = np.full((40, 4), 0.3)
    line[:, 1] = 0.5 + 0.5 * nodes
    for factor, values in model.decompose(line).items():
        if 1 in factor:
            assert abs(weights @ values) < 1e-10


def test_bands_of_parts_are_those_of_a_joint_process(X):
    model = GaussianProcessRanker(domain=(0, 1)).fit(X[:8], answers_about(X[:8], 30))
    process, kernel = model.process_, model.process_.kernel
    others = np.random.default_rng(1).random((5, 4))
    means, deviations = model.decompose(others, return_std=True)
    gain = process.root.T @ process.root
    for factor, gram in kernel.factor_grams(others, process.items):
        own = dict(kernel.factor_grams(others, others))[factor]
        cov = own - gram @ gain @ gram.T
        assert means[factor] == pytest.approx(gram @ process.coef)
        assert deviations[factor] == pytest.approx(np.sqrt(np.diag(cov)), rel=1e-8)


def test_the_gain_is_that_of_the_text(X):
    answers = answers_about(X[:8], 30)
    model = GaussianProcessRanker(kernel="rbf", domain=(0, 1)).fit(X[:8], answers)
    process = model.process_
    K = process.kernel.gram(process.items, process.items)
    gain = process.root.T @ process.root  # (K + W^-1)^-1, so I - gain K = (I + WK)^-1
    _, cov = model.posterior(process.items)  # items lie in [0, 1] already
    assert cov == pytest.approx(K - K @ gain @ K, abs=1e-12)
    assert np.linalg.eigvalsh(gain)[0] > -1e-12


def test_curves_can_be_read_like_those_of_other_gai_models(X):
    model = GaussianProcessRanker(domain=(0, 1)).fit(X, answers_about(X, 120))
    values = np.linspace(0, 1, 5)
    line = np.full((5, 4), 0.4)
    line[:, 0] = values
    curve = model.factor_function(0)(values)
    assert curve == pytest.approx(model.decompose(line)[0,], abs=1e-9)
    assert model.intercept_ == 0.0
    grid = [np.linspace(0, 1, 4)] * 4
    best = model.best(grid)[0]
    assert best.utility == pytest.approx(model.utility([best.values])[0])


def test_the_posterior_of_rbf_has_no_parts(X):
    model = GaussianProcessRanker(kernel="rbf").fit(X, answers_about(X, 30))
    for read in (lambda: model.decompose(X), lambda: model.factors_):
        with pytest.raises(DataError, match="kernel='anova'"):
            read()
    assert not hasattr(model, "factors_")
    assert "GaussianProcessRanker" in model._repr_html_()


def test_a_posterior_keeps_its_factors(X):
    model = GaussianProcessRanker().fit(X, answers_about(X, 30))
    with pytest.raises(DataError, match="GAIRanker"):
        model.select()


def test_too_many_parts_are_not_listed():
    X = np.random.default_rng(0).random((6, 14))
    model = GaussianProcessRanker(max_order=14, learn=False)
    model.fit(X, Comparisons([0, 1, 2], [3, 4, 5]))
    assert np.isfinite(model.utility(X)).all()
    with pytest.raises(DataError, match="max_order"):
        model.decompose(X)


# kinds of items and of answers


def flats(n=30, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "rent": rng.uniform(400, 1200, n),
            "energy": rng.choice(["A", "B", "C"], n),
            "district": rng.choice(["north", "south", "east", "west"], n),
        }
    )
    attributes = [
        Attribute("rent", "numeric", "down", (400.0, 1200.0)),
        Attribute("energy", "ordinal", "down", ("A", "B", "C")),
        Attribute("district", "categorical", domain=("east", "north", "south", "west")),
    ]
    worth = (
        -frame["rent"].to_numpy() / 300
        + frame["energy"].map({"A": 1.0, "B": 0.5, "C": 0.0}).to_numpy(float)
        + frame["district"].eq("south").to_numpy(float)
    )
    return Items.from_frame(frame, attributes), worth


@pytest.mark.parametrize("kernel", ["rbf", "anova"])
def test_numbers_levels_and_names_together(kernel):
    items, worth = flats()
    rng = np.random.default_rng(1)
    left = rng.integers(0, 30, 200)
    right = (left + rng.integers(1, 30, 200)) % 30
    wins = worth[left] > worth[right]
    answers = Comparisons(np.where(wins, left, right), np.where(wins, right, left))
    model = GaussianProcessRanker(kernel=kernel).fit(items, answers)
    others, their_worth = flats(200, seed=5)
    assert spearmanr(model.utility(others), their_worth)[0] > 0.95
    if kernel == "anova":
        district = model.factor_function("district")
        values = district(["east", "north", "south", "west"])
        assert values.argmax() == 2
        assert abs(values.sum()) < 1e-9


@pytest.mark.parametrize("kernel", ["rbf", "anova"])
def test_a_category_never_seen_is_less_sure(kernel):
    X = np.array([[0.0, 0.1], [1.0, 0.6], [0.0, 0.9], [1.0, 0.3]])
    model = GaussianProcessRanker(
        kernel=kernel, categorical_features=[0], learn=False, max_order=1
    ).fit(X, Comparisons([1, 3, 1], [0, 2, 2]))
    known, unknown = (model.posterior([[c, 0.5]]) for c in (1.0, 7.0))
    assert np.isfinite([*known[0], *unknown[0]]).all()
    assert known[0][0] > unknown[0][0]


def test_every_kind_of_answer_at_once(X):
    u = truth(X)
    order = np.argsort(-u)
    evidence = [
        answers_about(X, 20),
        Comparisons([order[0]], [order[1]], ties=[True]),
        Rankings([order[::8]]),
        Choices([order[[2, 10, 20]], order[[5, 30]]], [order[2], order[5]]),
        Ratings(order[::3], np.digitize(u[order[::3]], np.quantile(u, [0.3, 0.7]))),
    ]
    model = GaussianProcessRanker(domain=(0, 1)).fit(X, evidence)
    alone = GaussianProcessRanker(domain=(0, 1)).fit(X, evidence[0])
    scores = [spearmanr(m.utility(X), u)[0] for m in (model, alone)]
    assert scores[0] > max(scores[1] + 0.1, 0.85)
    assert len(model.hyper_parameters_.thresholds) == 2
    again = GaussianProcessRanker(domain=(0, 1)).fit(X, tuple(reversed(evidence)))
    assert again.utility(X) == pytest.approx(model.utility(X), abs=1e-9)


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_ratings_alone(X, inference):
    u = truth(X)
    grades = np.digitize(u, np.quantile(u, [0.2, 0.4, 0.6, 0.8]))
    model = GaussianProcessRanker(inference=inference, domain=(0, 1))
    model.fit(X, Ratings(np.arange(40), grades))
    assert spearmanr(model.utility(X), u)[0] > 0.9
    thresholds = model.hyper_parameters_.thresholds
    assert (np.diff(thresholds) > 0).all()
    # the middle of each grade lies between the thresholds around it
    middle = [np.median(model.utility(X)[grades == g]) for g in range(5)]
    assert (np.searchsorted(thresholds, middle) == np.arange(5)).all()


def test_a_ranking_is_its_neighbours_and_a_choice_its_losers(X):
    by_ranking = GaussianProcessRanker().fit(X, Rankings([[4, 2, 9]]))
    by_pairs = GaussianProcessRanker().fit(X, Comparisons([4, 2], [2, 9]))
    assert np.array_equal(by_ranking.utility(X), by_pairs.utility(X))
    by_choice = GaussianProcessRanker().fit(X, Choices([[4, 2, 9]], [4]))
    by_pairs = GaussianProcessRanker().fit(X, Comparisons([4, 4], [2, 9]))
    assert np.array_equal(by_choice.utility(X), by_pairs.utility(X))


def test_ties_pull_together(X):
    ties = Comparisons([0, 0], [1, 1], ties=[True, True])
    wins = Comparisons([0, 2], [3, 3])
    model = GaussianProcessRanker(learn=False, domain=(0, 1))
    mean, cov = model.fit(X, [wins, ties]).posterior(X[:2])
    _, alone = model.fit(X, wins).posterior(X[:2])
    spread = [c[0, 0] + c[1, 1] - 2 * c[0, 1] for c in (cov, alone)]
    assert spread[0] < 0.5 * spread[1]
    assert abs(mean[0] - mean[1]) < 0.5


def test_the_width_of_ties_is_learned():
    X = np.linspace(0, 1, 12)[:, None]
    left, right = np.triu_indices(12, 1)
    far = right - left >= 4  # closer items are tied
    answers = Comparisons(right, left, ties=~far)
    model = GaussianProcessRanker(domain=(0, 1)).fit(X, answers)
    u = model.utility(X)
    width = model.hyper_parameters_.tie_width
    right_side = np.abs(u[right] - u[left]) > width
    assert (right_side == far).mean() > 0.9


def test_repeated_answers_weigh_as_their_number(X):
    repeated = Comparisons([0, 0, 0, 2], [1, 1, 1, 3])
    weighted = Comparisons([0, 2], [1, 3], weights=[3.0, 1.0])
    for inference in ("laplace", "ep"):
        one, two = (
            GaussianProcessRanker(inference=inference).fit(X, answers).utility(X)
            for answers in (repeated, weighted)
        )
        assert np.array_equal(one, two)


# storage, warnings and errors


@pytest.mark.parametrize("kernel", ["rbf", "anova"])
def test_a_saved_model_says_the_same(tmp_path, kernel):
    items, worth = flats()
    evidence = [
        Comparisons.from_ratings(worth[:10]),
        Ratings(np.arange(10, 20), np.digitize(worth[10:20], [-2.0, -1.0])),
    ]
    model = GaussianProcessRanker(kernel=kernel).fit(items, evidence)
    save(model, tmp_path / "model.penchant")
    copy = load(tmp_path / "model.penchant")
    others, _ = flats(seed=9)
    for a, b in zip(model.posterior(others), copy.posterior(others), strict=True):
        assert np.array_equal(a, b)
    assert copy.log_evidence_ == model.log_evidence_
    old, new = (m.hyper_parameters_ for m in (model, copy))
    assert np.array_equal(old.thresholds, new.thresholds)
    if kernel == "anova":
        parts, stds = copy.decompose(others, return_std=True)
        for factor, values in model.decompose(others).items():
            assert np.array_equal(parts[factor], values)
            assert (stds[factor] >= 0).all()


def test_an_unfinished_search_warns(X):
    model = GaussianProcessRanker(max_iter=1, tol=1e-9)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model.fit(X, answers_about(X, 100))
    assert model.solver_status_ == "stalled"


def test_an_unfinished_inference_warns(X, monkeypatch):
    from penchant.gp import _fit as _gp_fit
    from penchant.solvers import laplace

    def hasty(*args, **options):
        return laplace(*args, **{**options, "max_iter": 1, "start": None})

    monkeypatch.setattr(_gp_fit, "laplace", hasty)
    with pytest.warns(ConvergenceWarning, match="gap"):
        GaussianProcessRanker(learn=False).fit(X, answers_about(X, 100))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (Ratings(range(30), np.linspace(0, 1, 30)), "at most 20 levels"),
        (Ratings([0, 1, 2], [3, 3, 3]), "tell items apart"),
        (Ratings([0, 99], [3, 4]), "item 99"),
        ([Comparisons([0], [1]), Rankings([[50, 1]])], "item 50"),
        (Rankings([[0, 1], [1, 2]]), "by 2 people"),
        (Comparisons([0, 1], [1, 2], users=[0, 1]), "2 people"),
    ],
)
def test_answers_that_cannot_be_used(X, y, message):
    with pytest.raises(DataError, match=message):
        GaussianProcessRanker().fit(X, y)


def test_weights_belong_to_the_evidence(X):
    with pytest.raises(DataError, match="sample_weight"):
        GaussianProcessRanker().fit(X, Ratings([0, 1], [1, 2]), sample_weight=[1, 2])


@pytest.mark.parametrize("scale", [[1.0, 2.0], [1.0, 1.0, 1.0, -1.0]])
@pytest.mark.parametrize("kernel", ["rbf", "anova"])
def test_length_scales_must_fit(X, scale, kernel):
    model = GaussianProcessRanker(kernel=kernel, length_scale=scale)
    with pytest.raises(DataError, match="length_scale"):
        model.fit(X, Comparisons([0], [1]))


def test_equal_items_are_one(X):
    twice = np.vstack([X[:5], X[:5]])
    answers = Comparisons([0, 6, 2], [6, 7, 8])
    one = GaussianProcessRanker(domain=(0, 1)).fit(twice, answers)
    two = GaussianProcessRanker(domain=(0, 1)).fit(
        X[:5], Comparisons([0, 1, 2], [1, 2, 3])
    )
    assert np.array_equal(one.utility(X), two.utility(X))


@pytest.mark.parametrize("kernel", ["rbf", "anova"])
def test_one_rated_item_is_enough(kernel):
    model = GaussianProcessRanker(kernel=kernel)
    model.fit([[1.0, 2.0]], Ratings([0, 0, 0], [1, 2, 2]))
    mean, deviation = model.utility([[1.0, 2.0], [3.0, 4.0]], return_std=True)
    assert np.isfinite([*mean, *deviation]).all()


def fuzzed_fit(rng):
    """A small fit with odd items, odd answers and extreme parameters."""
    n, d = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    X = rng.random((n, d)) if rng.random() < 0.7 else rng.integers(0, 2, (n, d)) * 1.0
    X[0, 0], X[1, 0] = 0.0, 1.0  # two items differ, or there is nothing to answer
    if n > 2 and rng.random() < 0.3:
        X[-1] = X[0]
    q = int(rng.integers(0, 9))
    left = np.append(0, rng.integers(0, n, q))
    right = np.append(1, (left[1:] + rng.integers(1, n, q)) % n)
    ties = rng.random(q + 1) < rng.choice([0.0, 0.4, 1.0])
    evidence = [Comparisons(left, right, ties=ties)]
    if rng.random() < 0.4:
        rated = rng.integers(0, n, 5)
        evidence.append(Ratings(rated, rng.integers(0, 4, 5)))
    model = GaussianProcessRanker(
        kernel=str(rng.choice(["rbf", "anova"])),
        inference=str(rng.choice(["laplace", "ep"])),
        noise=10 ** rng.uniform(-6, 6),
        variance=None if rng.random() < 0.5 else 10 ** rng.uniform(-3, 3),
        learn=bool(rng.random() < 0.5),
        categorical_features=[0] if rng.random() < 0.3 else None,
        max_iter=20,
    )
    return model, X, evidence


@pytest.mark.slow
def test_no_fuzzed_fit_fails():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        model, X, evidence = fuzzed_fit(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, evidence)
        mean, deviation = model.utility(X, return_std=True)
        assert np.isfinite(mean).all()
        assert np.isfinite(deviation).all()
        assert np.isfinite(model.log_evidence_)
        assert np.isfinite(model.posterior(X)[1]).all()
