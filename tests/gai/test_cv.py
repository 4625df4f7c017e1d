import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.utils.estimator_checks import parametrize_with_checks

from penchant.data import Attribute, Comparisons, Items
from penchant.datasets import load_esl, make_gai
from penchant.exceptions import DataError
from penchant.io import load, save
from penchant.models import (
    GAIRankerCV,
    GAIRegressor,
    GAIRegressorCV,
    MixedGAI,
    TensorGAI,
)
from penchant.testing import parametrize_with_ranker_checks


@parametrize_with_checks([GAIRegressorCV(cv=2, max_order=1)])
def test_regressor_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@parametrize_with_ranker_checks([GAIRankerCV(cv=2, max_order=1, tol=1e-9)])
def test_ranker_keeps_the_contract_of_rankers(ranker, check):
    check(ranker)


@pytest.fixture(scope="module")
def sample():
    return make_gai(60, 3, n_factors=2, noise=0.02, random_state=1)


@pytest.fixture(scope="module")
def dense(sample):
    return GAIRegressorCV(cv=3, sparse=False).fit(sample.X, sample.y)


@pytest.fixture(scope="module")
def sparse(sample):
    return GAIRegressorCV(cv=3, sparse=True).fit(sample.X, sample.y)


@pytest.fixture(scope="module")
def skewed():
    rng = np.random.default_rng(5)
    X = np.column_stack([np.exp(6 * rng.uniform(size=90)), rng.uniform(size=90)])
    y = np.log(X[:, 0]) * (1 + X[:, 1]) + 0.01 * rng.normal(size=90)
    return X, y


@pytest.fixture(scope="module")
def warped(skewed):
    return GAIRegressorCV(cv=3, sparse=False).fit(*skewed)


# What is chosen


def test_errors_out_of_fold_are_those_of_refits(sample):
    """The error of the choice is what cross-validation of its recipe gives."""
    model = GAIRegressorCV(cv=KFold(3), sparse=False).fit(sample.X, sample.y)
    best = model.choice_.candidates[0]
    assert best.cv_error == min(c.cv_error for c in model.choice_.candidates)
    assert model.choice_.cv_error <= best.cv_error + 1e-12
    # Folds with their own choice know less, so they do not do better by much.
    outside = cross_val_predict(
        GAIRegressorCV(cv=3, sparse=False), sample.X, sample.y, cv=KFold(3)
    )
    assert np.abs(outside - sample.y).mean() > 0.8 * model.choice_.cv_error


def test_shares_of_the_choice_add_up(dense):
    assert sum(part.share for part in dense.choice_.chosen) == pytest.approx(1.0)
    assert not dense.choice_.sparse
    assert dense.choice_.sparse_error is None


def test_choice_tells_itself_in_words(dense, sparse):
    text = str(dense.choice_)
    assert "Preset 'fast'" in text
    assert "3 folds" in text
    assert "product (tube" in text
    assert "scale 0." in text
    assert "asked for" in str(sparse.choice_)
    change = sparse.choice_.sparse_error / sparse.choice_.dense_error - 1.0
    assert f"{change:+.1%}" in sparse.choice_.reason


def test_errors_are_in_the_units_of_the_user(sample, dense):
    larger = GAIRegressorCV(cv=3, sparse=False).fit(sample.X, 100 * sample.y + 7)
    assert larger.choice_.cv_error == pytest.approx(100 * dense.choice_.cv_error)
    np.testing.assert_allclose(
        larger.predict(sample.X), 100 * dense.predict(sample.X) + 7, rtol=1e-6
    )


def test_sparse_rule_keeps_few_factors_only_where_they_cost_little(sample):
    model = GAIRegressorCV(cv=3).fit(sample.X, sample.y)
    choice = model.choice_
    assert choice.sparse == (choice.sparse_error <= 1.05 * choice.dense_error)
    assert isinstance(model.utility_, TensorGAI) == choice.sparse


def test_few_factors_are_refused_where_they_cost_much():
    X = np.random.default_rng(0).random((80, 7))
    choice = GAIRegressorCV(cv=3).fit(X, X[:, :4].prod(axis=1)).choice_
    assert not choice.sparse
    assert choice.sparse_error > 1.05 * choice.dense_error
    assert "dense model was kept" in choice.reason


def test_order_of_rows_is_irrelevant(sample, dense):
    mixed = np.random.default_rng(0).permutation(len(sample.y))
    other = GAIRegressorCV(cv=3, sparse=False).fit(sample.X[mixed], sample.y[mixed])
    np.testing.assert_array_equal(other.predict(sample.X), dense.predict(sample.X))


def test_other_random_state_gives_other_folds(sample, dense):
    other = GAIRegressorCV(cv=3, sparse=False, random_state=1)
    other.fit(sample.X, sample.y)
    assert other.choice_.cv_error != dense.choice_.cv_error


def test_parallel_work_changes_nothing(sample, sparse):
    other = GAIRegressorCV(cv=3, sparse=True, n_jobs=2)
    with parallel_config(backend="threading"):
        other.fit(sample.X, sample.y)
    np.testing.assert_array_equal(other.predict(sample.X), sparse.predict(sample.X))


# Sparse models


def test_sparse_model_is_certified(sample, sparse):
    assert sparse.choice_.sparse
    assert sparse.dual_gap_ <= 1e-5
    assert sparse.solver_status_ == "optimal"
    chosen = sparse.choice_.chosen[0]
    assert chosen.family == "sparse"
    assert len(sparse.factors_) < 2**3


def test_monotone_is_kept(sample):
    model = GAIRegressorCV(cv=2, monotone={0: 1}).fit(sample.X, sample.y)
    probes = np.random.default_rng(0).uniform(size=(200, 3))
    raised = probes.copy()
    raised[:, 0] = np.minimum(1.0, probes[:, 0] + 0.2)
    assert (model.utility(raised) >= model.utility(probes) - 1e-9).all()


def test_paper_preset_is_the_published_model(sample):
    model = GAIRegressorCV(preset="paper").fit(sample.X, sample.y)
    choice = model.choice_
    assert choice.n_folds == 3
    assert len(choice.candidates) == 20
    published = GAIRegressor(C=choice.chosen[0].C, epsilon=0.01)
    published.fit(sample.X, sample.y)
    np.testing.assert_allclose(
        model.predict(sample.X), published.predict(sample.X), atol=2e-3
    )
    assert choice.sparse


# Blends


def test_parts_of_a_blend_add_up(sample, dense):
    assert isinstance(dense.utility_, MixedGAI)
    parts = dense.decompose(sample.X)
    total = dense.intercept_ + sum(parts.values())
    np.testing.assert_allclose(total, dense.utility(sample.X), atol=1e-10)
    first = dense.factors_[0]
    column = dense.factor_function(first)(sample.X[:, first[0]])
    np.testing.assert_allclose(column, parts[first], atol=1e-10)


def test_factors_of_a_blend_are_an_anova_decomposition(dense):
    """Zero means and variances by brute force over the domain."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    nodes, weights = (nodes + 1) / 2, weights / 2
    grid = np.stack([a.ravel() for a in np.meshgrid(*[nodes] * 3)], axis=1)
    shares = np.prod(np.stack([a.ravel() for a in np.meshgrid(*[weights] * 3)]), axis=0)
    parts = dense.utility_.decompose(grid)
    variances = [shares @ parts[s] ** 2 for s in dense.factors_]
    for values in parts.values():
        assert abs(shares @ values) < 1e-6
    np.testing.assert_allclose(dense.utility_.variances, variances, rtol=1e-3)
    assert dense.variance_shares_.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(dense.factor_weights_, np.sqrt(dense.utility_.variances))


def test_selection_from_a_blend_leaves_out_small_factors(sample, dense):
    chosen = dense.select(min_share=0.02)
    assert 0 < len(chosen.factors_) < len(dense.factors_)
    kept = dense.decompose(sample.X)
    total = dense.intercept_ + sum(kept[s] for s in chosen.factors_)
    np.testing.assert_allclose(chosen.utility(sample.X), total, atol=1e-10)
    assert set(chosen.decompose(sample.X)) == set(chosen.factors_)


def test_compact_form_has_the_same_utility(sample, dense):
    np.testing.assert_allclose(
        dense.compact().utility(sample.X), dense.utility(sample.X), atol=1e-9
    )


@pytest.mark.parametrize("name", ["dense", "sparse", "warped"])
def test_saved_models_come_back(name, request, tmp_path, sample, skewed):
    model = request.getfixturevalue(name)
    X = skewed[0] if name == "warped" else sample.X
    save(model, tmp_path / "model")
    other = load(tmp_path / "model")
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    assert other.choice_ == model.choice_


# Warps


def test_a_warp_wins_on_skewed_data(skewed, warped):
    X, y = skewed
    best = warped.choice_.candidates[0]
    assert best.warp
    plain = [c.cv_error for c in warped.choice_.candidates if not c.warp]
    assert best.cv_error < 0.5 * min(plain)
    assert warped.score(X, y) > 0.999


def test_blends_of_different_warps_decompose(skewed, warped):
    X, _ = skewed
    total = warped.intercept_ + sum(warped.decompose(X).values())
    np.testing.assert_allclose(total, warped.utility(X), atol=1e-8)
    assert warped.variance_shares_.sum() == pytest.approx(1.0)


# Grades


def test_grades_are_predicted_where_ratings_are_grades():
    esl = load_esl()
    X, y = np.asarray(esl.data)[::3], np.asarray(esl.target)[::3]
    model = GAIRegressorCV(cv=3, sparse=False).fit(X, y)
    assert model.choice_.grades is not None
    np.testing.assert_allclose(model.choice_.grades, np.unique(y))
    assert np.isin(model.predict(X).round(9), np.unique(y)).all()
    assert "rounded" in str(model.choice_)
    distance = np.abs(model.predict(X) - model.utility(X))
    inside = (model.utility(X) > y.min()) & (model.utility(X) < y.max())
    assert distance[inside].max() <= 0.5 + 1e-9
    assert not np.array_equal(model.predict(X), model.utility(X))


def test_measurements_are_not_rounded(dense):
    assert dense.choice_.grades is None


# Kinds of attributes, weights, small data


def test_categories_and_items():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], 60),
            "size": rng.uniform(size=60),
        }
    )
    items = Items.from_frame(
        frame,
        attributes=[
            Attribute("colour", kind="categorical", domain=("red", "green", "blue")),
            Attribute("size", domain=(0.0, 1.0)),
        ],
    )
    y = (frame["colour"] == "red") * 1.0 + np.sin(3 * frame["size"])
    model = GAIRegressorCV(cv=3).fit(items, y)
    assert model.score(items, y) > 0.99
    colours = model.factor_function("colour")(["red", "green", "blue"])
    assert colours[0] > colours[1] + 0.8
    assert colours[1] == pytest.approx(colours[2], abs=0.1)


def test_weights_count_in_fit_and_error(sample):
    weights = np.ones(len(sample.y))
    weights[:20] = 0.0
    folds = KFold(3)
    model = GAIRegressorCV(cv=folds, sparse=False)
    model.fit(sample.X, sample.y, sample_weight=weights)
    kept = np.arange(20, 60)
    splits = [(a[a >= 20] - 20, b[b >= 20] - 20) for a, b in folds.split(sample.X)]
    splits = [(a, b) for a, b in splits if len(b)]
    other = GAIRegressorCV(cv=splits, sparse=False)
    other.fit(sample.X[kept], sample.y[kept])
    np.testing.assert_array_equal(model.predict(sample.X), other.predict(sample.X))


@pytest.mark.parametrize("preset", ["fast", "paper"])
def test_nothing_to_learn_gives_a_constant(preset):
    X = np.arange(8.0)[:, None]
    model = GAIRegressorCV(preset=preset)
    assert model.fit(X, np.full(8, 3.0)).predict(X) == pytest.approx(3.0)
    assert model.factors_ == ()
    assert model.fit(np.ones((8, 2)), np.arange(8.0)).predict(np.ones((1, 2))) == 3.5
    assert model.fit(X[:2], np.array([1.0, 2.0])).predict(X[:1]) == 1.5
    assert "constant" in model.choice_.reason


def test_the_preset_that_goes_says_so():
    X = np.arange(8.0)[:, None]
    with pytest.warns(FutureWarning, match="This fit is 'fast'"):
        GAIRegressorCV(preset="accurate", cv=2).fit(X, X[:, 0])


@pytest.mark.parametrize("preset", ["fast", "paper"])
def test_few_rows_and_duplicates(preset):
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y = np.array([0.0, 0.1, 1.0, 0.9])
    model = GAIRegressorCV(preset=preset).fit(X, y)
    assert model.choice_.n_folds <= 4
    assert np.isfinite(model.predict(X)).all()


# Comparisons


@pytest.fixture(scope="module")
def items():
    X = np.random.default_rng(0).uniform(size=(50, 3))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]


@pytest.fixture(scope="module")
def answers(items):
    _, truth = items
    left, right = np.random.default_rng(1).integers(50, size=(2, 100))
    left, right = left[left != right], right[left != right]
    wins = truth[left] > truth[right]
    return Comparisons(np.where(wins, left, right), np.where(wins, right, left))


def accuracy(model, items):
    X, truth = items
    values = model.utility(X)
    rows, columns = np.triu_indices(len(truth), 1)
    right = (values[rows] > values[columns]) == (truth[rows] > truth[columns])
    return right.mean()


@pytest.mark.parametrize("preset", ["fast", "paper"])
def test_ranker_orders_the_items(preset, items, answers):
    ranker = GAIRankerCV(preset=preset, cv=3).fit(items[0], answers)
    assert accuracy(ranker, items) > 0.85
    best = ranker.choice_.candidates[0]
    assert ranker.choice_.cv_error <= 1.06 * best.cv_error
    assert 0.0 <= ranker.choice_.cv_error < 0.3
    assert ranker.dual_gap_ <= 1e-5


@pytest.mark.parametrize("sparse", [True, False])
def test_ranker_may_be_told_to_be_sparse_or_dense(sparse, items, answers):
    ranker = GAIRankerCV(sparse=sparse, cv=3).fit(items[0], answers)
    assert ranker.choice_.sparse is sparse
    assert accuracy(ranker, items) > 0.85
    assert isinstance(ranker.utility_, TensorGAI) is sparse


def test_ranker_takes_ties(items, answers):
    ties = np.zeros(len(answers.winners), dtype=bool)
    ties[:10] = True
    tied = Comparisons(answers.winners, answers.losers, ties=ties)
    ranker = GAIRankerCV(cv=3).fit(items[0], tied)
    assert accuracy(ranker, items) > 0.8


def test_ranker_needs_some_comparisons(items):
    with pytest.raises(DataError, match="3 comparisons or more"):
        GAIRankerCV().fit(items[0], Comparisons([0, 1], [2, 3]))
