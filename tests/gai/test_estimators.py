import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR
from sklearn.utils.estimator_checks import parametrize_with_checks

from penchant.data import Attribute, Comparisons, Items
from penchant.datasets import load_esl, make_gai, make_product_utility
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.io import load, save
from penchant.kernels import RBF, Categorical, Spline, anova_kernel
from penchant.metrics import false_discovery_rate
from penchant.models import GAIRanker, GAIRegressor
from penchant.testing import parametrize_with_ranker_checks

FOLDS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "a row that counts twice is in one fold, two equal rows may be in two"
    ),
}


@parametrize_with_checks(
    [
        GAIRegressor(),
        GAIRegressor(C=1.0),
        GAIRegressor(C=10.0, sparse=False, max_order=2),
    ],
    expected_failed_checks=lambda model: FOLDS if model.C == "auto" else {},
)
def test_regressor_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@parametrize_with_ranker_checks(
    [GAIRanker(), GAIRanker(sparse=False, max_order=2, tol=1e-12)]
)
def test_ranker_keeps_the_contract_of_rankers(ranker, check):
    check(ranker)


SETTINGS = {"C": 3.0, "sigma": 0.3, "max_order": 2, "domain": (0, 1)}


@pytest.fixture(scope="module")
def sample():
    return make_gai(100, 4, n_factors=3, noise=0.01, random_state=0)


@pytest.fixture(scope="module")
def model(sample):
    return GAIRegressor(**SETTINGS).fit(sample.X, sample.y)


def objective(model, X, y, C, epsilon):
    """The objective of GAI-3 from what a model shows."""
    width = np.ptp(y)
    loss = np.maximum(np.abs(y - model.predict(X)) / width - epsilon, 0.0).sum()
    return C * loss + model.factor_weights_.sum() / width


def answers_of(utility, n_pairs, rng):
    """Compare random pairs of different items by their utility."""
    left = rng.integers(len(utility), size=n_pairs)
    right = (left + rng.integers(1, len(utility), size=n_pairs)) % len(utility)
    wins = utility[left] > utility[right]
    return Comparisons(np.where(wins, left, right), np.where(wins, right, left))


# What is learned


def test_true_factors_are_found(sample, model):
    chosen = model.select(min_share=0.05)
    assert chosen.factors_ == sample.factors
    assert false_discovery_rate(sample.factors, chosen.factors_) == 0
    assert model.factors_ == tuple(sorted(model.factors_, key=lambda s: (len(s), s)))
    assert np.isclose(model.variance_shares_.sum(), 1.0)
    assert model.solver_status_ == "optimal"
    assert model.n_iter_ > 0
    fresh = np.random.default_rng(1).random((500, 4))
    error = model.predict(fresh) - sample.utility(fresh)
    assert np.corrcoef(model.predict(fresh), sample.utility(fresh))[0, 1] > 0.9
    assert np.abs(error).mean() < 0.1


def test_the_gap_holds_against_other_models(sample, model):
    ours = objective(model, sample.X, sample.y, 3.0, 0.01)
    assert 0 <= model.dual_gap_ <= 1e-5
    for other in (
        GAIRegressor(**SETTINGS | {"C": 2.0}).fit(sample.X, sample.y),
        GAIRegressor(**SETTINGS | {"C": 4.0}).fit(sample.X, sample.y),
        model.select(min_share=0.001),
    ):
        theirs = objective(other, sample.X, sample.y, 3.0, 0.01)
        assert theirs >= ours * (1 - model.dual_gap_)


def test_max_order_limits_the_factors():
    sample = make_product_utility(60, 3, random_state=0)
    model = GAIRegressor(C=10.0, max_order=1).fit(sample.X, sample.y)
    assert {len(factor) for factor in model.factors_} == {1}
    larger = GAIRegressor(C=10.0).fit(sample.X, sample.y)
    assert (0, 1, 2) in larger.factors_
    assert larger.score(sample.X, sample.y) > model.score(sample.X, sample.y)


def test_parts_add_up(sample, model):
    parts = model.decompose(sample.X)
    assert tuple(parts) == model.factors_
    total = sum(parts.values()) + model.intercept_
    np.testing.assert_allclose(total, model.utility(sample.X), atol=1e-10)
    np.testing.assert_array_equal(model.predict(sample.X), model.utility(sample.X))


def test_results_are_in_the_units_of_y(sample, model):
    scaled = GAIRegressor(**SETTINGS).fit(sample.X, 50 - 200 * sample.y)
    assert scaled.factors_ == model.factors_
    np.testing.assert_allclose(
        scaled.predict(sample.X), 50 - 200 * model.predict(sample.X), atol=0.5
    )
    np.testing.assert_allclose(
        scaled.factor_weights_, 200 * model.factor_weights_, rtol=0.01, atol=0.5
    )


def test_a_wide_tube_needs_no_factor(sample):
    model = GAIRegressor(C=10.0, epsilon=0.5).fit(sample.X, sample.y)
    assert model.factors_ == ()
    assert model.variance_shares_.shape == (0,)
    middle = (sample.y.min() + sample.y.max()) / 2
    np.testing.assert_allclose(model.predict(sample.X), middle)
    assert model.decompose(sample.X) == {}


def test_constant_columns_take_no_part(sample, model):
    X = np.insert(sample.X, 1, 0.5, axis=1)
    for options in ({"C": 1.0}, {"sparse": False, "max_order": 2}):
        wide = GAIRegressor(domain=(0, 1), **options).fit(X, sample.y)
        narrow = GAIRegressor(domain=(0, 1), **options).fit(sample.X, sample.y)
        assert all(1 not in factor for factor in wide.factors_)
        np.testing.assert_allclose(wide.predict(X), narrow.predict(sample.X), atol=1e-6)
    nothing = GAIRegressor(sparse=False).fit(np.ones((4, 2)), [1, 2, 2, 4])
    np.testing.assert_allclose(nothing.predict(np.zeros((1, 2))), 2, atol=0.05)
    assert nothing.factors_ == ()
    nothing = GAIRegressor(C=10.0).fit(np.ones((4, 2)), [1, 2, 2, 4])
    np.testing.assert_allclose(nothing.predict(np.zeros((1, 2))), 2, atol=0.05)


def test_constant_ratings_give_a_constant_utility():
    X = np.random.default_rng(0).random((20, 3))
    model = GAIRegressor().fit(X, np.full(20, 7.0))
    np.testing.assert_array_equal(model.predict(X), 7.0)


def test_values_outside_the_domain_are_clamped(sample, model):
    outside = np.array([[-1.0, 0.5, 2.0, 0.5]])
    inside = np.array([[0.0, 0.5, 1.0, 0.5]])
    assert model.predict(outside) == model.predict(inside)


def test_weights_count(sample):
    X, y = sample.X[:60], sample.y[:60].copy()
    y[30:] = -y[30:]
    first = np.where(np.arange(60) < 30, 1.0, 1e-3)
    model = GAIRegressor().fit(X, y, sample_weight=first)
    error = np.abs(model.predict(X) - y)
    assert error[:30].mean() < 0.2 * error[30:].mean()


# Kernels and attributes


@pytest.mark.parametrize("kernel", ["spline", "bspline", [Spline()] * 4])
def test_other_kernels(sample, kernel):
    model = GAIRegressor(kernel=kernel, C=1.0, max_order=2).fit(sample.X, sample.y)
    assert model.dual_gap_ <= 1e-5
    total = sum(model.decompose(sample.X).values()) + model.intercept_
    np.testing.assert_allclose(total, model.predict(sample.X), atol=1e-10)
    assert model.score(sample.X, sample.y) > 0.4


def test_a_scale_per_attribute_is_a_kernel_per_attribute(sample):
    scales = [0.5, 1.0, 2.0, 1.0]
    one = GAIRegressor(sigma=scales, max_order=1).fit(sample.X, sample.y)
    two = GAIRegressor(kernel=[RBF(s) for s in scales], max_order=1)
    np.testing.assert_array_equal(
        one.predict(sample.X), two.fit(sample.X, sample.y).predict(sample.X)
    )


def table_of_flats(n=80):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "rent": rng.uniform(400, 1500, n).round(),
            "energy": rng.choice(list("ABC"), n),
            "view": rng.choice(["park", "sea", "wall"], n),
        }
    )
    worth = (
        -frame["rent"] / 500
        - frame["energy"].map({"A": 0, "B": 0.5, "C": 2})
        + frame["view"].map({"park": 1, "sea": 2, "wall": 0}) * (frame["rent"] > 900)
    )
    attributes = [
        Attribute("rent", direction="down", domain=(400, 1500), unit="EUR"),
        Attribute("energy", "ordinal", "down", ("A", "B", "C")),
        Attribute("view", "categorical", domain=("park", "sea", "wall", "yard")),
    ]
    return Items.from_frame(frame, attributes), worth.to_numpy()


def test_items_bring_their_kinds_and_units():
    items, worth = table_of_flats()
    model = GAIRegressor(sigma=0.5).fit(items, worth)
    assert list(model.feature_names_in_) == ["rent", "energy", "view"]
    assert (0, 2) in model.factors_
    assert model.score(items, worth) > 0.9
    parts = model.decompose(items)
    rent, energy, view = (items.frame[name].to_numpy() for name in items.frame)
    np.testing.assert_allclose(model.factor_function("rent")(rent), parts[(0,)])
    np.testing.assert_allclose(model.factor_function(["energy"])(energy), parts[(1,)])
    pair = model.factor_function(("view", "rent"))
    assert pair.names == ("rent", "view")
    np.testing.assert_allclose(pair(rent, view), parts[(0, 2)])
    table = pair(rent[:5, None], np.array([["park", "sea"]]))
    assert table.shape == (5, 2)
    np.testing.assert_allclose(table[:, 1], pair(rent[:5], ["sea"] * 5))
    # Each factor has mean 0 over the categories, seen in training or not.
    every = pair(rent[:5, None], np.array([["park", "sea", "wall", "yard"]]))
    np.testing.assert_allclose(every.mean(axis=1), 0.0, atol=1e-12)


def test_the_best_flat_of_a_product_of_levels():
    items, worth = table_of_flats()
    model = GAIRegressor(sigma=0.5).fit(items, worth)
    found = model.best({"rent": [1000, 1400]}, n=2)
    grid = pd.MultiIndex.from_product(
        [[1000, 1400], list("ABC"), ["park", "sea", "wall", "yard"]],
        names=["rent", "energy", "view"],
    ).to_frame(index=False)
    utility = model.utility(Items.from_frame(grid, items.attributes))
    order = np.argsort(-utility)[:2]
    assert [c.values for c in found] == [tuple(grid.iloc[k]) for k in order]
    np.testing.assert_allclose([c.utility for c in found], utility[order], atol=1e-12)


def test_categories_by_mask_index_or_name(sample):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.random(90), "colour": rng.integers(3, size=90)})
    y = frame["size"] + np.array([0.0, 5.0, 1.0])[frame["colour"]]
    models = [
        GAIRegressor(C=10.0, categorical_features=given).fit(frame, y)
        for given in ([False, True], [1], ["colour"])
    ]
    predictions = [model.predict(frame) for model in models]
    np.testing.assert_array_equal(predictions[0], predictions[1])
    np.testing.assert_array_equal(predictions[0], predictions[2])
    assert models[0].score(frame, y) > 0.99
    colours = models[0].factor_function("colour")
    assert abs(colours([0, 1, 2]).sum()) < 1e-12
    unknown = pd.DataFrame({"size": [0.5], "colour": [9]})
    each = pd.DataFrame({"size": [0.5] * 3, "colour": [0, 1, 2]})
    np.testing.assert_allclose(
        models[0].predict(unknown), models[0].predict(each).mean()
    )
    kernels = (RBF(1.0), Categorical(3))
    own = GAIRegressor(categorical_features=[1], kernel=kernels).fit(frame, y)
    np.testing.assert_array_equal(own.predict(frame), predictions[0])


def test_levels_in_the_domain_make_an_attribute_ordinal():
    X = np.random.default_rng(0).choice([1.0, 2.0, 9.0], size=(60, 1))
    y = np.searchsorted([1, 2, 9], X[:, 0]) * 1.0
    model = GAIRegressor(C=10.0, domain=[[1, 2, 9]]).fit(X, y)
    np.testing.assert_allclose(model.predict([[1], [2], [9]]), [0, 1, 2], atol=0.05)
    np.testing.assert_allclose(
        model.factor_function(0)([1, 2, 9]).sum(), 0.0, atol=1e-12
    )
    with pytest.raises(DataError, match="3 is not one of its levels"):
        model.predict([[3]])
    values = [c.values for c in model.best({}, n=3)]
    assert values == [(9.0,), (2.0,), (1.0,)]


def test_bad_parameters_are_refused(sample):
    X, y = sample.X, sample.y
    for options, message in (
        ({"categorical_features": [True]}, r"one entry per attribute \(4\). Got 1"),
        ({"categorical_features": ["colour"]}, "no attribute 'colour'"),
        ({"categorical_features": [7]}, "indices 0 to 3. Got 7"),
        ({"kernel": [RBF(1.0)]}, "4 kernels"),
        ({"monotone": {0: 2}}, r"monotone\[0\] must be \+1 or -1"),
        ({"monotone": "directions"}, "directions of Items"),
        ({"monotone": {0: 1}, "categorical_features": [0]}, "'x0' is categorical"),
        ({"domain": "unit"}, "domain"),
        ({"C": 0}, "C"),
    ):
        with pytest.raises(ValueError, match=message):
            GAIRegressor(**options).fit(X, y)
    with pytest.raises(DataError, match="must not be zero for all"):
        GAIRegressor().fit(X, y, sample_weight=np.zeros(len(y)))


def test_the_exact_solver_refuses_missing_values():
    items, worth = table_of_flats(10)
    gaps = Items(
        items.frame.assign(
            energy=items.frame["energy"].mask(lambda level: level == "A")
        ),
        items.attributes,
        items.names,
    )
    with pytest.raises(DataError, match=r"missing .*impute"):
        GAIRegressor(C=10.0).fit(gaps, worth)
    with pytest.raises(ValueError, match="NaN"):
        GAIRegressor(C=10.0).fit([[np.nan], [1.0]], [0, 1])


def test_what_is_asked_of_a_model_must_exist(sample, model):
    with pytest.raises(DataError, match=r"\(0, 1, 2, 3\) is not a factor"):
        model.factor_function((0, 1, 2, 3))
    with pytest.raises(DataError, match=r"takes 1 arrays, one per attribute\. Got 2"):
        model.factor_function(0)([0.1], [0.2])
    with pytest.raises(DataError, match="n must be at least 1"):
        model.best([[0, 1]] * 4, n=0)
    with pytest.raises(DataError, match=r"one entry per attribute \(4\). Got 3"):
        model.best([[0, 1]] * 3)
    with pytest.raises(DataError, match="values for attribute 'x1'"):
        model.best({0: [1], 2: [0], 3: [1]})


def test_an_unreached_gap_is_said(sample):
    model = GAIRegressor(C=10.0, tol=1e-16, max_order=1)
    with pytest.warns(ConvergenceWarning, match=r"gap of .*1e-16 was asked for.*tol"):
        model.fit(sample.X[:30], sample.y[:30])
    assert model.solver_status_ == "stalled"
    assert model.dual_gap_ < 1e-5


def test_the_default_learns_graded_ratings():
    data = load_esl()
    model = GAIRegressor(C=1.0).fit(data.data, data.target)
    assert model.dual_gap_ <= 1e-5
    assert model.score(data.data, data.target) > 0.85


# Dense models


def test_dense_regressor_is_an_svr_on_the_anova_kernel(sample):
    X, y = sample.X, sample.y
    targets = (y - y.min()) / np.ptp(y)
    fresh = np.random.default_rng(2).random((50, 4))
    for max_order in (1, 2, None):
        model = GAIRegressor(sparse=False, max_order=max_order, domain=(0, 1))
        model.fit(X, y)
        machine = SVR(kernel="precomputed", C=10.0, epsilon=0.01, tol=1e-6)
        machine.fit(anova_kernel(X, max_order=max_order), targets)
        expected = machine.predict(anova_kernel(fresh, X, max_order=max_order))
        np.testing.assert_allclose(
            model.predict(fresh), y.min() + np.ptp(y) * expected, atol=2e-3
        )
        assert model.dual_gap_ <= 1e-5
        assert len(model.factors_) == {1: 4, 2: 10, None: 15}[max_order]
        total = sum(model.decompose(fresh).values()) + model.intercept_
        np.testing.assert_allclose(total, model.predict(fresh), atol=1e-10)


def test_dense_ranker_is_a_machine_on_differences():
    rng = np.random.default_rng(0)
    X = rng.random((40, 3))
    answers = answers_of(X @ [1, 2, 3] + X.prod(axis=1), 120, rng)
    model = GAIRanker(sparse=False, C=2.0, domain=(0, 1)).fit(X, answers)
    assert model.dual_gap_ <= 1e-5
    K = anova_kernel(X)
    D = np.eye(40)[answers.winners] - np.eye(40)[answers.losers]
    both = np.vstack([D, -D])  # mirrored pairs make the intercept vanish
    machine = SVC(kernel="precomputed", C=1.0, tol=1e-6)
    machine.fit(both @ K @ both.T, np.repeat([1, -1], len(D)))
    coef = machine.dual_coef_[0] @ both[machine.support_]
    expected = K @ coef
    found = model.utility(X)
    np.testing.assert_allclose(
        found - found.mean(), expected - expected.mean(), atol=2e-3 * np.ptp(expected)
    )


def test_selecting_factors_of_a_dense_model(sample):
    model = GAIRegressor(sparse=False, max_order=2).fit(sample.X, sample.y)
    assert np.isclose(model.variance_shares_.sum(), 1.0)
    chosen = model.select(min_share=0.05)
    assert 0 < len(chosen.factors_) < 10
    full, few = model.decompose(sample.X), chosen.decompose(sample.X)
    for factor in chosen.factors_:
        np.testing.assert_allclose(few[factor], full[factor], atol=1e-9)


def test_too_many_factors_are_not_listed():
    X = np.random.default_rng(0).random((30, 14))
    model = GAIRegressor(sparse=False).fit(X, X.sum(axis=1))
    assert model.variance_shares_.sum() < 1
    assert np.isfinite(model.predict(X)).all()
    with pytest.raises(DataError, match=r"16383 factors.*max_order"):
        model.decompose(X)
    with pytest.raises(DataError, match=r"best needs all factors.*max_order"):
        model.best([[0, 1]] * 14)
    with pytest.raises(DataError, match=r"compact form needs all.*max_order"):
        model.compact().to_dict()


# Comparisons


def test_ranker_learns_an_interaction():
    rng = np.random.default_rng(5)
    X = rng.random((60, 4))
    utility = X[:, 0] + 4 * (X[:, 1] - 0.5) * (X[:, 2] - 0.5)
    model = GAIRanker(C=1.0, domain=(0, 1), max_order=2)
    model.fit(X, answers_of(utility, 300, rng))
    assert model.dual_gap_ <= 1e-5
    assert model.intercept_ == 0
    top = [model.factors_[k] for k in np.argsort(-model.variance_shares_)[:2]]
    assert set(top) == {(0,), (1, 2)}
    fresh = rng.random((200, 4))
    truth = fresh[:, 0] + 4 * (fresh[:, 1] - 0.5) * (fresh[:, 2] - 0.5)
    assert model.score(fresh, answers_of(truth, 500, rng)) > 0.9


@pytest.mark.parametrize("sparse", [True, False])
def test_ties_pull_items_together(sparse):
    X = np.linspace(0, 1, 6)[:, None]
    strict = Comparisons([5, 3], [0, 2])
    tied = Comparisons(
        [5, 3, 5], [0, 2, 0], ties=[False, False, True], weights=[1, 1, 9]
    )
    gaps = [
        np.subtract(*GAIRanker(sparse=sparse, C=5.0).fit(X, y).utility(X)[[5, 0]])
        for y in (strict, tied)
    ]
    assert gaps[0] >= 0.99
    assert abs(gaps[1]) <= 0.02


def test_comparisons_that_say_nothing_are_refused():
    with pytest.raises(DataError, match="two different items"):
        GAIRanker().fit(np.ones((2, 3)), Comparisons([0], [1]))


def test_ranker_with_items_and_categories():
    items, worth = table_of_flats()
    answers = answers_of(worth, 300, np.random.default_rng(0))
    model = GAIRanker(sigma=0.5, monotone="directions").fit(items, answers)
    assert model.score(items, answers) > 0.9


# Heredity, saving, search


def test_hierarchical_factors_come_with_all_their_parts(sample):
    X, y = sample.X[:, :3], sample.X[:, 0] * sample.X[:, 1] + 0.2 * sample.X[:, 2]
    pure = (sample.X[:, 0] - 0.5) * (sample.X[:, 1] - 0.5)
    for target in (y, pure, sample.y):
        model = GAIRegressor(hierarchical=True, C=3.0).fit(X, target)
        assert model.dual_gap_ <= 1e-5
        known = set(model.factors_)
        for factor in known:
            for i in factor:
                part = tuple(j for j in factor if j != i)
                assert not part or part in known
    free = GAIRegressor(C=3.0).fit(X, pure)
    assert free.select(0.05).factors_ == ((0, 1),)  # a part is not needed otherwise


@pytest.mark.parametrize("seed", [18, 27])
def test_a_factor_that_pushes_out_its_part_must_go(seed):
    # The pair makes one of its own parts superfluous, and then has to leave.
    X = np.random.default_rng(seed).random((40, 3))
    y = (X[:, 0] - 0.5) * (X[:, 1] - 0.5) + 0.02 * X[:, 0]
    model = GAIRegressor(domain=(0, 1), C=1.0, hierarchical=True).fit(X, y)
    assert {len(factor) for factor in model.factors_} == {1}
    assert model.dual_gap_ <= 1e-5


def test_heredity_changes_nothing_when_it_holds_anyway():
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    y = X[:, 0] + 2 * X[:, 1] + 2 * X[:, 0] * X[:, 1]
    free = GAIRegressor(C=1.0).fit(X, y)
    bound = GAIRegressor(C=1.0, hierarchical=True).fit(X, y)
    np.testing.assert_allclose(bound.predict(X), free.predict(X), atol=1e-3)


@pytest.mark.parametrize(
    "options",
    [
        {"C": 1.0},
        {"sparse": False, "max_order": 2},
        {"monotone": {"x0": 1}, "max_order": 1},
    ],
)
def test_saved_models_are_the_same(tmp_path, sample, options):
    model = GAIRegressor(**options).fit(sample.X[:60], sample.y[:60])
    for fitted in (model, model.compact()):
        path = tmp_path / "model.npz"
        save(fitted, path)
        again = load(path)
        np.testing.assert_array_equal(again.predict(sample.X), fitted.predict(sample.X))
        assert again.factors_ == fitted.factors_
        assert again.to_dict() == fitted.to_dict()


def test_grid_search_chooses_the_order():
    sample = make_product_utility(80, 3, noise=1.0, random_state=0)
    search = GridSearchCV(GAIRegressor(C=5.0), {"max_order": [1, 3]}, cv=3)
    assert search.fit(sample.X, sample.y).best_params_ == {"max_order": 3}


@pytest.mark.parametrize("C", [0.1, 10.0, 100.0])
@pytest.mark.parametrize("max_order", [1, 2])
def test_dense_machines_reach_their_gap_at_any_cost(C, max_order):
    esl = load_esl()
    model = GAIRegressor(sparse=False, max_order=max_order, C=C)
    model.fit(esl.data, esl.target)
    assert model.solver_status_ == "optimal"
    assert -1e-9 <= model.dual_gap_ <= 1e-5


def test_the_gap_of_a_dense_ranker_is_a_bound():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(20, 2))
    pairs = X[rng.integers(0, 20, size=(80, 2))]
    sides = (pairs[:, 0].sum(axis=1) > pairs[:, 1].sum(axis=1)).astype(int)
    model = GAIRanker(C=100.0, sparse=False, max_order=2, domain=(0, 1), tol=1e-8)
    assert 0 <= model.fit(pairs, sides).dual_gap_ <= 1e-8
    assert model.score(pairs, sides) == 1.0
