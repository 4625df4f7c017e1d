"""Many answers: features of few items against the exact posterior, and the limits."""

import numpy as np
import pytest

from penchant.data import Choices, Comparisons, Rankings, Ratings
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.explanation import explain
from penchant.io import load, save
from penchant.models import GaussianProcessRanker
from penchant.solvers import Rows, Sites, laplace


def truth(X):
    return 2.0 * np.sin(3.0 * X[:, 0]) + 2.0 * X[:, 1] * X[:, 2]


def pairs(n, seed=0):
    """Draw comparisons of items that occur once each, with noise 0.3."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2, 4))
    gain = truth(X[:, 0]) - truth(X[:, 1]) + 0.3 * rng.standard_normal(n)
    return X, (gain > 0).astype(int)


def all_kinds(seed=0):
    """Items, and answers of every kind about them."""
    rng = np.random.default_rng(seed)
    X = rng.random((30, 4))
    u = truth(X)
    left = rng.integers(0, 30, 60)
    right = (left + rng.integers(1, 30, 60)) % 30
    gain = u[left] - u[right]
    best, worst = np.where(gain > 0, [left, right], [right, left])
    sets = [rng.choice(30, 3, replace=False) for _ in range(10)]
    users = np.zeros(10, dtype=int)
    return X, [
        Comparisons(best, worst, ties=np.abs(gain) < 0.3),
        Ratings(np.arange(20), np.digitize(u[:20], [0.5, 1.5, 2.5])),
        Choices(sets, [some[u[some].argmax()] for some in sets], users=users),
        Rankings([some[np.argsort(-u[some])] for some in sets], users=users),
    ]


@pytest.mark.parametrize("kernel", ["anova", "rbf"])
def test_with_all_items_it_is_the_exact_posterior(kernel):
    X, evidence = all_kinds()
    fixed = {"kernel": kernel, "learn": False, "domain": (0, 1)}
    exact = GaussianProcessRanker(approximation="none", **fixed).fit(X, evidence)
    nearly = GaussianProcessRanker(approximation="nystrom", **fixed).fit(X, evidence)
    others = np.random.default_rng(1).random((10, 4))
    for ours, theirs in zip(
        nearly.posterior(others), exact.posterior(others), strict=True
    ):
        assert ours == pytest.approx(theirs, abs=1e-4)
    assert nearly.log_evidence_ == pytest.approx(exact.log_evidence_, abs=1e-3)
    assert nearly.residual_ < 1e-6
    assert (exact.approximation_, exact.residual_, exact.n_inducing_) == (
        "none",
        None,
        None,
    )


def test_fewer_items_than_answers_or_not_is_the_same_inference():
    X, y = pairs(40)
    model = GaussianProcessRanker(learn=False, domain=(0, 1)).fit(X, y)
    items = model.process_.items  # 80 of them: inference is about the 40 answers
    winners = np.where(y[:, None] == 1, X[:, 0], X[:, 1])
    losers = np.where(y[:, None] == 1, X[:, 1], X[:, 0])
    place = {row.tobytes(): k for k, row in enumerate(items)}
    rows = Rows(*([place[row.tobytes()] for row in side] for side in (winners, losers)))
    K = model.process_.kernel.gram(items, items)
    sites = Sites(np.zeros(40), np.full(40, np.inf))
    expected = laplace(np.zeros(80), K, sites, rows=rows)
    mean, cov = model.posterior(items)
    assert mean == pytest.approx(expected.mean, abs=1e-6)
    assert cov == pytest.approx(expected.cov, abs=1e-6)
    assert model.log_evidence_ == pytest.approx(expected.log_evidence, abs=1e-8)


def test_many_answers_are_approximated_and_the_order_is_found():
    X, y = pairs(1500)
    model = GaussianProcessRanker(max_iter=30, tol=0.5).fit(X, y)
    assert (model.approximation_, model.n_inducing_) == ("nystrom", 200)
    assert model.solver_status_ == "optimal"
    assert model.gap_ < 1e-6
    assert 0.0 < model.residual_ < 0.01
    others, labels = pairs(500, seed=1)
    assert model.score(others, labels) > 0.9
    again = GaussianProcessRanker(max_iter=30, tol=0.5).fit(X, y)
    assert np.array_equal(again.utility(others[:, 0]), model.utility(others[:, 0]))


def test_few_items_with_many_answers_stay_exact():
    rng = np.random.default_rng(0)
    X = rng.random((30, 4))
    left = rng.integers(0, 30, 3000)
    right = (left + rng.integers(1, 30, 3000)) % 30
    model = GaussianProcessRanker(learn=False).fit(X, Comparisons(left, right))
    assert model.approximation_ == "none"


def test_what_few_items_do_not_tell_stays_open():
    X, y = pairs(600)
    X[..., 3] *= 0.2  # nobody was asked about large values of the last attribute
    model = GaussianProcessRanker(
        kernel="rbf", learn=False, domain=(0, 1), length_scale=0.2, n_inducing=20
    ).fit(X, y)
    near, far = X[0, :1], np.append(X[0, 0, :3], 1.0)[None]
    prior = model.process_.kernel.paired(far, far)
    assert model.residual_ > 0.1
    assert model.utility(far, return_std=True)[1] == pytest.approx(np.sqrt(prior), 0.01)
    assert model.utility(near, return_std=True)[1] < np.sqrt(prior)


def test_parts_reasons_and_files_are_those_of_any_process(tmp_path):
    X, y = pairs(600)
    model = GaussianProcessRanker(learn=False).fit(X, y)
    items = X[:5, 0]
    means, deviations = model.decompose(items, return_std=True)
    assert sum(means.values()) == pytest.approx(model.utility(items))
    assert all((each > 0).all() for each in deviations.values())
    reasons = explain(model, items)
    told = reasons.base + reasons.values.sum(axis=1)
    assert told == pytest.approx(model.utility(items))
    save(model, tmp_path / "model.penchant")
    copy = load(tmp_path / "model.penchant")
    assert np.array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert copy.residual_ == model.residual_


def test_expectation_propagation_has_no_features():
    X, y = pairs(10)
    with pytest.raises(DataError, match="inference='laplace'"):
        GaussianProcessRanker(inference="ep", approximation="nystrom").fit(X, y)


@pytest.mark.parametrize("approximation", ["none", "nystrom"])
def test_time_that_is_over_ends_the_fit_with_the_best_so_far(approximation):
    X, y = pairs(60)
    told = []
    model = GaussianProcessRanker(
        approximation=approximation, max_time=1e-9, callback=told.append
    )
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model.fit(X, y)
    assert model.solver_status_ == "time_limit"
    assert model.n_iter_ == 1
    assert told[0]["step"] == 1
    assert np.isfinite(told[0]["gap"])
    assert np.isfinite(model.predict_proba(X)).all()
