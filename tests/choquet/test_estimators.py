import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from penchant.data import Attribute, Comparisons, Items
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.io import load, save
from penchant.models import ChoquetRanker, ChoquetRegressor
from penchant.testing import parametrize_with_ranker_checks


@parametrize_with_checks([ChoquetRegressor(), ChoquetRegressor(k=3, monotone=False)])
def test_follows_scikit_learn(estimator, check):
    check(estimator)


@parametrize_with_ranker_checks([ChoquetRanker()])
def test_follows_the_contract_of_rankers(ranker, check):
    check(ranker)


def make_data(n=4, n_rows=150, noise=0.3, seed=0):
    """Ratings with a criterion that is bad, so that monotonicity must bind."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n))
    u = 2 * np.minimum(X[:, 0], X[:, 1]) + np.maximum(X[:, 1], X[:, 2]) - X[:, 3]
    return X, u + noise * rng.normal(size=n_rows)


def never_falls(model, n, n_probes, seed=0):
    """Improve one criterion of random items, within and beyond the training range."""
    rng = np.random.default_rng(seed)
    low = rng.uniform(-0.3, 1.2, size=(n_probes, n))
    high = low.copy()
    raised = rng.integers(n, size=n_probes)
    better = np.where(model.is_down_, -1, 1)[raised]
    high[np.arange(n_probes), raised] += better * rng.exponential(0.3, size=n_probes)
    change = model.utility(high) - model.utility(low)
    return change.min() >= -1e-12 * np.abs(model.utility(low)).max()


MODELS = [
    ChoquetRegressor(),
    ChoquetRegressor(k=1),
    ChoquetRegressor(k=3),
    ChoquetRegressor(k=None),
    ChoquetRegressor(k=3, representation="inner"),
    ChoquetRegressor(loss="epsilon_insensitive"),
    ChoquetRegressor(marginals="spline"),
    ChoquetRegressor(normalized=True, fit_intercept=False),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_improving_a_criterion_never_lowers_the_rating(model):
    X, y = make_data()
    model.fit(X, y)
    assert never_falls(model, 4, 10_000)
    assert model.capacity_.monotonicity() == 1


def test_without_monotonicity_ratings_fall():
    X, y = make_data()
    model = ChoquetRegressor(monotone=False).fit(X, y)
    assert not never_falls(model, 4, 1000)
    assert model.capacity_.monotonicity() < 1
    assert model.representation_ == "free"


@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 4),
    alpha=st.sampled_from([1e-6, 1e-3, 1.0]),
    loss=st.sampled_from(["squared", "epsilon_insensitive"]),
)
@settings(max_examples=25, deadline=None)
def test_no_data_makes_a_rating_fall(seed, k, alpha, loss):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(12, 4)).astype(float)
    model = ChoquetRegressor(k=k, alpha=alpha, loss=loss).fit(X, rng.normal(size=12))
    assert never_falls(model, 4, 300, seed)


def test_identifies_a_capacity_from_exact_ratings():
    X = np.random.default_rng(0).random((200, 8))
    y = 0.3 * X[:, 0] + 0.4 * np.minimum(X[:, 2], X[:, 3]) + 0.3 * X[:, 5:7].max(axis=1)
    model = ChoquetRegressor(
        alpha=1e-9, domain=(0, 1), normalized=True, fit_intercept=False
    ).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-4)
    mobius = {t: m for t, m in model.capacity_.mobius.items() if abs(m) > 1e-2}
    expected = {(0,): 0.3, (2, 3): 0.4, (5,): 0.3, (6,): 0.3, (5, 6): -0.3}
    assert mobius.keys() == {frozenset(t) for t in expected}
    for subset, m in expected.items():
        assert mobius[frozenset(subset)] == pytest.approx(m, abs=1e-3)
    assert model.capacity_.total == pytest.approx(1)
    assert model.intercept_ == 0


def test_one_criterion_without_constraint_is_ridge_regression():
    X, y = make_data()
    model = ChoquetRegressor(k=1, monotone=False, alpha=0.01, domain=(0, 1)).fit(X, y)
    ridge = Ridge(alpha=0.01 * len(y)).fit(X, y)
    np.testing.assert_allclose(model.predict(X), ridge.predict(X), rtol=1e-5)


def test_units_of_the_ratings_do_not_matter():
    X, y = make_data()
    for loss in ("squared", "epsilon_insensitive"):
        model = ChoquetRegressor(loss=loss).fit(X, y)
        other = ChoquetRegressor(loss=loss).fit(X, 1000 * y + 5)
        np.testing.assert_allclose(
            other.predict(X), 1000 * model.predict(X) + 5, rtol=1e-4
        )


def test_directions_and_domain_come_from_the_user():
    X, y = make_data()
    raw = X * [10, -10, 10, 10]
    domain = [(0, 10), (-10, 0), (0, 10), (0, 10)]
    directions = ["up", "down", "up", "down"]
    straight = ChoquetRegressor(domain=(0, 1)).fit(X, y)
    model = ChoquetRegressor(domain=domain, directions=directions).fit(raw, y)
    np.testing.assert_allclose(model.predict(raw), straight.predict(X), rtol=1e-6)
    assert model.is_down_.tolist() == [False, True, False, True]


def test_items_bring_names_domains_and_directions():
    frame = pd.DataFrame(
        {"price": [900.0, 700.0, 500.0, 1100.0], "size": [40.0, 35.0, 20.0, 80.0]}
    )
    attributes = [
        Attribute("price", direction="down", domain=(400, 1200)),
        Attribute("size", domain=(0, 100)),
    ]
    items = Items.from_frame(frame, attributes=attributes)
    model = ChoquetRanker().fit(items, Comparisons([1, 2, 1], [0, 0, 3]))
    assert model.capacity_.names == ("price", "size")
    assert model.utility(items).argmax() in (1, 2)
    with pytest.raises(DataError, match="Items bring"):
        ChoquetRegressor(directions=["down", "up"]).fit(items, [1, 2, 3, 4])


def test_the_order_is_chosen_by_cross_validation():
    rng = np.random.default_rng(0)
    X = rng.random((200, 4))
    additive = X @ [1, 2, 1, 1] + 0.2 * rng.normal(size=200)
    triple = 3 * X[:, :3].min(axis=1) + 0.02 * rng.normal(size=200)
    for y, k in ((additive, 1), (triple, 3)):
        model = ChoquetRegressor(k="auto", random_state=0).fit(X, y)
        assert model.k_ == k == model.capacity_.k
        assert list(model.order_losses_) == [1, 2, 3, 4]
        assert model.order_losses_[k] < 1.1 * min(model.order_losses_.values())
        again = ChoquetRegressor(k="auto", random_state=0).fit(X, y)
        assert again.order_losses_ == model.order_losses_


def test_one_answer_is_too_few_to_choose_the_order():
    answers = Comparisons([0], [1])
    with pytest.raises(DataError, match="choose k yourself"):
        ChoquetRanker(k="auto").fit(np.eye(2), answers)


def test_two_answers_are_enough_to_choose_the_order():
    model = ChoquetRanker(k="auto").fit(np.eye(3), Comparisons([0, 1], [1, 2]))
    assert model.k_ in (1, 2, 3)


def test_marginal_utilities_make_criteria_commensurate():
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    bent = np.column_stack([X[:, 0] ** 3, np.sqrt(X[:, 1]), X[:, 2]])
    y = bent.min(axis=1)
    plain = ChoquetRegressor(k=3, alpha=1e-6, domain=(0, 1)).fit(X, y)
    model = ChoquetRegressor(
        k=3, alpha=1e-6, domain=(0, 1), marginals="spline", n_knots=9
    ).fit(X, y)
    assert plain.score(X, y) < 0.96 < 0.985 < model.score(X, y)
    knots = np.linspace(0, 1, 9)
    assert model.marginals_[0, 4] < 0.35 < 0.55 < model.marginals_[1, 4]
    assert np.all(np.diff(model.marginals_, axis=1) >= 0)
    np.testing.assert_allclose(model.marginals_[:, [0, -1]], [[0, 1]] * 3, atol=1e-12)
    np.testing.assert_allclose(model.marginals_[2], knots, atol=0.25)


def test_the_inner_approximation_is_labelled_and_used_when_many():
    X, y = make_data(n=4)
    for representation in ("exact", "inner"):
        model = ChoquetRegressor(k=3, representation=representation).fit(X, y)
        assert model.representation_ == representation
    rng = np.random.default_rng(0)
    many = rng.random((30, 18))
    model = ChoquetRegressor(k=3, tol=1e-4).fit(many, many.sum(axis=1))
    assert model.representation_ == "inner"
    assert never_falls(model, 18, 500)


def test_a_stopped_solver_warns_and_says_what_to_try():
    X, y = make_data()
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        model = ChoquetRegressor(max_iter=1).fit(X, y)
    assert model.solver_status_ == "stopped"
    assert model.dual_gap_ > 1e-7


@pytest.mark.parametrize("loss", ["squared", "epsilon_insensitive"])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.filterwarnings("ignore::penchant.exceptions.DirectionWarning")
def test_degenerate_ratings_reach_the_tolerance(loss, k, normalized):
    X, _ = make_data(n_rows=30)
    falling = -X.sum(axis=1)
    constant = np.full(30, 2.0)
    for y, alpha in ((constant, 1e-4), (falling, 1e-4), (-falling, 1e-10)):
        model = ChoquetRegressor(
            loss=loss, k=k, normalized=normalized, alpha=alpha, directions="up"
        )
        assert model.fit(X, y).solver_status_ == "optimal"
        if normalized:
            assert model.capacity_.total == pytest.approx(1, abs=1e-6)
    one = ChoquetRegressor(loss=loss, k=k).fit(X[:1], [3.0])
    np.testing.assert_allclose(one.predict(X[:1]), 3, atol=1e-6)


def test_refuses_weights_that_are_all_zero():
    X, y = make_data()
    with pytest.raises(DataError, match="positive sample_weight"):
        ChoquetRegressor().fit(X, y, sample_weight=np.zeros(150))


@pytest.mark.parametrize(
    "model",
    [
        ChoquetRegressor(marginals="spline"),
        ChoquetRegressor(k="auto", random_state=0),
        ChoquetRanker(k=3),
    ],
    ids=str,
)
def test_saving_keeps_everything(model, tmp_path):
    X, y = make_data(n_rows=40)
    answers = Comparisons.from_ratings(y[:12])
    model.fit(X[:12], answers) if isinstance(model, ChoquetRanker) else model.fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.utility(X), model.utility(X))
    assert again.capacity_ == model.capacity_
    assert again.dual_gap_ == model.dual_gap_


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("k", [2, 3])
def test_comparisons_give_a_rising_utility_that_explains_them(loss, k):
    X, u = make_data(n_rows=40, noise=0)
    u = u + X[:, 3]
    answers = Comparisons.from_ratings(u)
    model = ChoquetRanker(loss=loss, k=k, alpha=1e-5).fit(X, answers)
    assert model.score(X, answers) > 0.99
    assert never_falls(model, 4, 10_000)
    assert model.capacity_.monotonicity() == 1
    pairs, y = answers.stack(X)
    by_pairs = ChoquetRanker(loss=loss, k=k, alpha=1e-5).fit(pairs, y)
    np.testing.assert_allclose(by_pairs.utility(X), model.utility(X), rtol=1e-3)


def test_contradictory_comparisons_keep_the_utility_rising():
    X, u = make_data(n_rows=30, noise=2.0)
    answers = Comparisons.from_ratings(-u)
    model = ChoquetRanker().fit(X, answers)
    assert never_falls(model, 4, 10_000)


@pytest.mark.parametrize("alpha", [1e-6, 1e-4, 1e-2])
def test_answers_against_the_directions_reach_the_tolerance(alpha):
    items = np.column_stack([np.arange(9) / 8, np.arange(9) * 3 % 7 / 6])
    winners = [7, 7, 7, 7, 0, 8, 6, 6, 6, 4, 7, 6, 4, 4, 2, 8, 8, 6]
    winners += [6, 3, 8, 8, 8, 5, 5, 7, 6, 6, 0, 7, 7, 7, 7, 4, 4]
    losers = [8, 6, 5, 4, 7, 7, 8, 2, 0, 6, 8, 7, 6, 7, 4, 7, 2, 8]
    losers += [5, 6, 7, 6, 2, 8, 7, 8, 7, 4, 6, 0, 8, 6, 5, 7, 8]
    pairs, first = Comparisons(winners, losers).stack(items)
    ranker = ChoquetRanker(k=2, alpha=alpha, directions="up").fit(pairs, first)
    assert ranker.solver_status_ == "optimal"
    assert ranker.n_iter_ < 20


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_ties_pull_utilities_together(loss):
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.2]])
    strict = Comparisons([0, 0], [1, 2])
    tied = Comparisons([0, 0, 0, 0], [1, 2, 1, 1], ties=[False, False, True, True])
    gap = [
        np.subtract(*ChoquetRanker(loss=loss, alpha=0.01).fit(X, c).utility(X)[:2])
        for c in (strict, tied)
    ]
    assert gap[0] > gap[1] + 0.1
    only_ties = Comparisons([0, 1], [1, 2], ties=[True, True])
    model = ChoquetRanker(loss=loss).fit(X, only_ties)
    np.testing.assert_allclose(model.utility(X), model.utility(X)[0], atol=0.02)


def test_weights_of_comparisons_count():
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    answers = Comparisons([0, 1], [1, 0], weights=[3.0, 1.0])
    model = ChoquetRanker(alpha=1e-6).fit(X, answers)
    # three to one: the logarithm of the odds
    assert np.subtract(*model.utility(X)) == pytest.approx(np.log(3), abs=1e-3)
    swapped = ChoquetRanker(alpha=1e-6).fit(X, answers, sample_weight=[1.0, 9.0])
    assert np.subtract(*swapped.utility(X)) == pytest.approx(-np.log(3), abs=1e-3)


def test_parameters_can_be_searched():
    X, y = make_data(n_rows=60)
    search = GridSearchCV(
        ChoquetRegressor(), {"k": [1, 2], "alpha": [1e-3, 1e-1]}, cv=3
    )
    assert search.fit(X, y).best_params_["alpha"] == 1e-3


@pytest.mark.parametrize(
    "parameters", [{"k": 0}, {"k": "all"}, {"alpha": 0.0}, {"marginals": "step"}]
)
def test_refuses_unknown_parameters(parameters):
    X, y = make_data()
    with pytest.raises(ValueError, match=next(iter(parameters))):
        ChoquetRegressor(**parameters).fit(X, y)
