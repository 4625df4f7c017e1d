import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.data import Attribute, Comparisons, Items
from penchant.datasets import load_flats, make_flats_population
from penchant.exceptions import DataError
from penchant.models import GAIRanker, GAIRegressor


def rises(model, column, sign, n_features, n_probes=10_000, seed=0):
    """Largest move against a direction over random pairs of items."""
    rng = np.random.default_rng(seed)
    low = rng.uniform(-0.1, 1.1, (n_probes, n_features))
    high = low.copy()
    high[:, column] += rng.exponential(0.2, n_probes) * rng.integers(2, size=n_probes)
    high[:, column] += rng.exponential(1e-3, n_probes)
    moves = sign * (model.utility(high) - model.utility(low))
    return moves.min()


def wavy(X, rng):
    """A utility that falls in places although it should rise in 0 and fall in 2."""
    noise = rng.normal(0, 0.2, len(X))
    return X[:, 0] + np.sin(9 * X[:, 0]) * X[:, 1] - X[:, 2] + 0.5 * X[:, 1] + noise


@pytest.mark.parametrize(
    "options", [{"C": 3.0, "sigma": 0.3}, {"sparse": False, "max_order": 2}]
)
def test_utility_never_moves_against_the_directions(options):
    rng = np.random.default_rng(0)
    X = rng.random((80, 3))
    y = wavy(X, rng)
    free = GAIRegressor(domain=(0, 1), **options).fit(X, y)
    model = GAIRegressor(domain=(0, 1), monotone={0: 1, 2: -1}, **options).fit(X, y)
    assert rises(free, 0, 1, 3) < -0.01
    for column, sign in ((0, 1), (2, -1)):
        assert rises(model, column, sign, 3) >= -1e-12 * np.ptp(y)
    assert rises(model, 1, 1, 3) < -0.01  # nobody asked for this one
    assert model.score(X, y) > 0.5
    assert np.isnan(model.dual_gap_)  # made monotone after learning
    parts = model.decompose(X)
    np.testing.assert_allclose(
        model.intercept_ + sum(parts.values()), model.utility(X), atol=1e-10
    )
    assert np.isclose(model.variance_shares_.sum(), 1.0)


@pytest.mark.parametrize("options", [{}, {"C": 3.0, "solver": "binned"}])
def test_bins_learn_the_best_monotone_utility_with_a_gap_of_its_own(options):
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    X[rng.random(300) < 0.1, 2] = np.nan
    y = wavy(np.nan_to_num(X, nan=0.5), rng)
    free = GAIRegressor(**options).fit(X, y)
    model = GAIRegressor(monotone={0: 1, 2: -1}, **options).fit(X, y)
    assert (model.solver_, model.solver_status_) == ("binned", "optimal")
    assert model.dual_gap_ <= 1e-3
    assert model.dual_gap_ != free.dual_gap_
    for column, sign in ((0, 1), (2, -1)):
        assert rises(model, column, sign, 3) >= -1e-12 * np.ptp(y)
    assert rises(free, 0, 1, 3) < -0.01
    assert model.score(X, y) > 0.7
    known = X[~np.isnan(X[:, 2])]
    parts = model.decompose(known)
    np.testing.assert_allclose(
        model.intercept_ + sum(parts.values()), model.utility(known), atol=1e-10
    )


def test_bins_learn_rising_pairs_that_help_or_replace_each_other():
    rng = np.random.default_rng(1)
    X = rng.random((1_000, 4))
    y = 6 * X[:, 0] * X[:, 1] + 6 * np.maximum(X[:, 2], X[:, 3])
    y += 0.1 * rng.normal(size=1_000)
    up = dict.fromkeys(range(4), 1)
    model = GAIRegressor(monotone=up).fit(X[:800], y[:800])
    additive = GAIRegressor(monotone=up, max_order=1).fit(X[:800], y[:800])
    assert model.score(X[800:], y[800:]) > 0.98
    assert model.score(X[800:], y[800:]) > additive.score(X[800:], y[800:]) + 0.03
    shares = dict(zip(model.factors_, model.variance_shares_, strict=True))
    assert min(shares[0, 1], shares[2, 3]) > 0.01


def test_the_result_is_the_anova_decomposition():
    rng = np.random.default_rng(1)
    X = rng.random((60, 2))
    model = GAIRegressor(
        C=1.0, domain=(0, 1), monotone={0: 1}, categorical_features=None
    ).fit(X, X[:, 0] * X[:, 1] + np.sin(6 * X[:, 0]))
    for factor in model.factors_:
        function = model.factor_function(factor)
        knots = model.utility_.maps[factor[0]]
        rest = rng.random(len(factor) - 1)
        values = function(knots.knots, *rest)
        assert abs(knots.means() @ values) < 1e-12


def test_an_already_monotone_utility_stays():
    rng = np.random.default_rng(2)
    X = rng.random((60, 3))
    y = X[:, 0] + X[:, 1] ** 2 + X[:, 1] * X[:, 2]
    free = GAIRegressor(C=1.0, domain=(0, 1)).fit(X, y)
    assert rises(free, 1, 1, 3) >= 0
    model = GAIRegressor(C=1.0, domain=(0, 1), monotone={1: 1}).fit(X, y)
    np.testing.assert_allclose(model.predict(X), free.predict(X), atol=2e-3 * np.ptp(y))


@settings(max_examples=15)
@given(st.integers(0, 2**31), st.sampled_from([{0: 1}, {0: -1, 1: 1}, {2: -1}]))
def test_any_data_give_a_monotone_utility(seed, monotone):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random(25), rng.random(25), rng.integers(3, size=25)])
    y = rng.standard_normal(25)
    model = GAIRegressor(
        C=1.0, domain=[(0, 1), (0, 1), (0, 1, 2)], monotone=monotone, max_order=2
    ).fit(X, y)
    low = np.column_stack([rng.random((400, 2)), rng.integers(2, size=400)])
    for column, sign in monotone.items():
        high = low.copy()
        high[:, column] += 1 if column == 2 else rng.random(400)
        moves = sign * (model.utility(high) - model.utility(low))
        assert moves.min() >= -1e-12


def flats(n=60):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "rent": rng.uniform(400, 1500, n),
            "energy": rng.choice(list("ABC"), n),
            "view": rng.choice(["park", "sea", "wall"], n),
        }
    )
    attributes = [
        Attribute("rent", direction="down", domain=(400, 1500)),
        Attribute("energy", "ordinal", "down", ("A", "B", "C")),
        Attribute("view", "categorical"),
    ]
    return Items.from_frame(frame, attributes), rng.standard_normal(n)


@pytest.mark.parametrize(
    "monotone", ["directions", {"rent": -1, "energy": -1}, {0: -1, 1: -1}]
)
def test_directions_are_in_the_units_of_the_table(monotone):
    items, y = flats()
    model = GAIRegressor(C=1.0, monotone=monotone).fit(items, y)
    table = np.array(
        [
            [
                [model.utility(row(items, rent, energy, view))[0] for energy in "ABC"]
                for rent in (400, 700, 1100, 1500)
            ]
            for view in ("park", "sea", "wall")
        ]
    )
    assert np.diff(table, axis=1).max() <= 1e-12
    assert np.diff(table, axis=2).max() <= 1e-12
    with pytest.raises(DataError, match="keep the utility monotone"):
        model.select(0.5)


def row(items, rent, energy, view):
    frame = pd.DataFrame({"rent": [rent], "energy": [energy], "view": [view]})
    return Items.from_frame(frame, items.attributes)


def test_monotone_rankers():
    rng = np.random.default_rng(3)
    X = rng.random((40, 3))
    left, right = rng.permuted(np.tile(np.arange(40), (60, 1)), axis=1)[:, :2].T
    model = GAIRanker(C=1.0, domain=(0, 1), monotone={0: 1, 1: 1}, max_order=3)
    model.fit(X, Comparisons(left, right))
    for column in (0, 1):
        assert rises(model, column, 1, 3) >= -1e-12


def test_huge_factors_are_refused():
    X = np.random.default_rng(0).random((20, 14))
    with pytest.raises(DataError, match="smaller max_order"):
        GAIRegressor(sparse=False, max_order=14, monotone={0: 1}).fit(X, X[:, 0])


# The projection


def test_correlated_attributes_stand_in_for_each_other():
    flats = load_flats()
    people = make_flats_population(n_users=60)
    students = people.utilities[np.array(people.segments) == "student"].mean(axis=0)
    free = GAIRegressor(C=3.0, max_order=2).fit(flats, students)
    model = GAIRegressor(C=3.0, max_order=2, monotone="directions")
    model.fit(flats, students)
    assert free.score(flats, students) > 0.98
    assert model.score(flats, students) > 0.9
