import numpy as np
import pytest
from sklearn.metrics import r2_score

from penchant.datasets import make_gai
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.gai.binned import Rows, Squared, fit_binned
from penchant.gai.binned._path import hold_out
from penchant.io import load, save
from penchant.models import GAIRanker, GAIRegressor
from penchant.plotting import plot_gai


def wave(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 5))
    signal = np.sin(6 * X[:, 0]) + 4 * (X[:, 1] - 0.5) * (X[:, 2] - 0.5) + X[:, 3]
    return X, signal + 0.2 * rng.normal(size=n_rows)


@pytest.fixture(scope="module")
def model():
    return GAIRegressor().fit(*wave(400))


def test_default_finds_curves_and_pairs_and_says_how(model):
    X, y = wave(400, seed=1)
    assert model.score(X, y) > 0.9  # the noise leaves .94
    shares = dict(zip(model.factors_, model.variance_shares_, strict=True))
    assert all(shares[factor] > 0.02 for factor in [(0,), (1, 2), (3,)])
    assert (model.solver_, model.max_order_) == ("binned", 2)
    assert model.dual_gap_ <= 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_what_grows_with_the_logarithm_is_learned_from_few_rows(seed):
    rng = np.random.default_rng(seed)
    X = np.exp(1.5 * rng.normal(size=(1_150, 4)))  # as incomes or populations
    truth = np.log(X) @ [1.0, 0.7, 0.4, 0.0]
    y = truth[:150] + rng.normal(size=150)
    model = GAIRegressor().fit(X[:150], y)
    assert (
        r2_score(truth[150:], model.predict(X[150:])) > 0.92
    )  # lines in X: .70 to .89
    assert model.dual_gap_ <= 1e-3


def test_parts_add_up_and_have_zero_mean(model):
    X, _ = wave(400)
    parts = model.decompose(X)
    np.testing.assert_allclose(
        model.intercept_ + sum(parts.values()), model.predict(X), atol=1e-12
    )
    assert max(abs(parts[(i,)].mean()) for i in (0, 3)) < 1e-6


def test_model_can_be_saved_selected_compacted_and_drawn(model, tmp_path):
    X, _ = wave(50)
    save(model, tmp_path / "model.zip")
    again = load(tmp_path / "model.zip")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert (again.solver_, again.dual_gap_) == (model.solver_, model.dual_gap_)
    np.testing.assert_allclose(model.compact().predict(X), model.predict(X))
    assert len(model.select(0.02).factors_) < len(model.factors_) + 1
    assert plot_gai(model) is not None
    assert model.best([[0.1, 0.9]] * 5)[0].utility <= model.predict(X).max() + 1.0


def test_linear_data_get_a_linear_utility_that_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    model = GAIRegressor().fit(X, X @ np.arange(6.0) + rng.normal(size=60))
    assert (model.solver_, model.max_order_) == ("linear", 1)
    assert model.dual_gap_ <= 1e-3
    assert model.score(X, X @ np.arange(6.0)) > 0.98


def test_blanks_are_a_value_of_their_own():
    X, y = wave(400)
    blank = np.random.default_rng(2).uniform(size=400) < 0.2
    X[blank, 4] = np.nan
    model = GAIRegressor().fit(X, y + 3.0 * blank)
    moved = X.copy()
    moved[:, 4] = np.where(blank, 0.5, X[:, 4])
    np.testing.assert_allclose(
        (model.predict(X) - model.predict(moved))[blank].mean(), 3.0, atol=0.3
    )


@pytest.mark.parametrize("n_rows", [1, 2, 3, 10])
def test_few_rows_give_a_finite_utility(n_rows):
    X, y = wave(n_rows)
    model = GAIRegressor().fit(X, y)
    assert np.isfinite(model.predict(wave(5)[0])).all()


def test_columns_without_news_take_no_part():
    X, y = wave(200)
    X[:, 4] = np.nan
    X[:, 3] = 7.0
    model = GAIRegressor().fit(X, y)
    assert not {3, 4} & {i for factor in model.factors_ for i in factor}


def test_columns_of_two_values_are_lines():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(200, 3)).astype(float)
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=200)
    model = GAIRegressor().fit(X, y)
    assert model.score(X, X[:, 0] + X[:, 1] * X[:, 2]) > 0.98
    assert (1, 2) in model.factors_


def test_held_out_rows_do_not_touch_the_fit_of_their_fold():
    X, y = wave(100)
    first = hold_out(y, np.random.RandomState(0))[0].astype(bool)
    lam = 0.02
    fits = []
    for shift in (0.0, 5.0):
        moved = np.where(first, y + shift, y)
        rows = Rows([X], moved, (~first).astype(float), [False] * 5)
        fits.append(fit_binned(rows, Squared(), lam=lam, tol=1e-8).utility)
    np.testing.assert_allclose(fits[0].utility(X), fits[1].utility(X), atol=1e-6)


def test_a_number_for_C_means_the_tube_with_either_solver():
    sample = make_gai(100, 3, n_factors=2, noise=0.01, random_state=0)
    exact = GAIRegressor(C=1.0).fit(sample.X, sample.y)
    binned = GAIRegressor(C=1.0, solver="binned").fit(sample.X, sample.y)
    assert (exact.solver_, binned.solver_) == ("exact", "binned")
    assert binned.dual_gap_ <= 1e-3
    assert np.corrcoef(exact.predict(sample.X), binned.predict(sample.X))[0, 1] > 0.9


def test_what_a_solver_cannot_do_is_said():
    X, y = wave(30)
    with pytest.raises(DataError, match="does not know sigma"):
        GAIRegressor(solver="binned", sigma=0.5).fit(X, y)
    with pytest.raises(DataError, match="tube loss only"):
        GAIRegressor(solver="exact", loss="squared").fit(X, y)


def test_the_exact_solver_refuses_what_does_not_fit_into_memory():
    X, y = wave(60_000)
    with pytest.raises(DataError, match=r"needs about .* GB.*solver='binned'"):
        GAIRegressor(C=1.0, solver="exact").fit(X, y)


@pytest.mark.parametrize("C", ["auto", 0.1])
def test_many_comparisons_are_learned_over_bins(C):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(2_400, 4))
    worth = 6 * (X[:, 0] + np.sin(5 * X[:, 1]) + 2 * X[:, 2] * X[:, 3])
    pairs = X.reshape(-1, 2, 4)
    gain = worth[::2] - worth[1::2] + rng.logistic(size=1_200)
    model = GAIRanker(C=C, max_order=2).fit(pairs, (gain > 0).astype(int))
    loss = "logistic" if C == "auto" else "hinge"
    assert (model.solver_, model.tol_, model.loss_) == ("binned", 1e-3, loss)
    assert model.dual_gap_ <= 1e-3
    assert np.corrcoef(model.utility(X), worth)[0, 1] > 0.95


def test_blank_cells_of_compared_items_are_a_value_of_their_own():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(600, 3))
    blank = rng.uniform(size=600) < 0.3
    worth = 6 * X[:, 0] + np.where(blank, 4.0, 0.0)
    X[blank, 2] = np.nan
    pairs, gain = X.reshape(-1, 2, 3), worth[::2] - worth[1::2]
    for n_pairs in (300, 60):  # few comparisons alone would ask for the exact solver
        model = GAIRanker().fit(pairs[:n_pairs], (gain > 0).astype(int)[:n_pairs])
        assert model.solver_ in ("binned", "linear")
        known = np.tile([0.5, 0.5, 0.5], (2, 1))
        known[1, 2] = np.nan
        low, high = model.utility(known)
        assert high > low + 1.0
        assert model.score(pairs, (gain > 0).astype(int)) > 0.9
    with pytest.raises(ValueError, match="NaN"):
        GAIRanker(C=1.0).fit(pairs, (gain > 0).astype(int))
    whole = np.nan_to_num(pairs[:20], nan=0.5)
    exact = GAIRanker().fit(whole, (gain > 0).astype(int)[:20])
    assert exact.solver_ == "exact"
    with pytest.raises(ValueError, match="NaN"):
        exact.utility(known)


def test_tol_is_the_gap_to_reach_with_either_solver():
    X, y = wave(200)
    assert GAIRegressor(tol=1e-6).fit(X, y).dual_gap_ <= 1e-6
    exact = GAIRegressor(C=0.1, max_order=1).fit(X, y)
    assert (exact.tol_, exact.loss_) == (1e-5, "tube")


def test_a_fit_that_may_not_take_long_says_how_far_it_came():
    X, y = wave(3_000)
    steps = []
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model = GAIRegressor(max_time=1e-3, callback=steps.append).fit(X, y)
    assert model.solver_status_ == "time_limit"
    assert 0.0 <= model.dual_gap_ < 1.0
    assert np.isfinite(model.predict(X)).all()
    assert [sorted(step) for step in steps] == [["error", "gap", "seconds", "step"]] * 4
    with pytest.raises(DataError, match="max_time needs the binned solver"):
        GAIRegressor(max_time=1.0, sigma=0.3).fit(X, y)


def test_callbacks_follow_the_path():
    steps = []
    model = GAIRegressor(callback=steps.append, verbose=1).fit(*wave(200))
    assert [step["step"] for step in steps] == list(range(1, len(steps) + 1))
    assert min(step["error"] for step in steps) < 0.5 * steps[0]["error"]
    assert steps[-1]["gap"] <= 1e-3
    assert model.solver_status_ == "optimal"


def test_the_binned_solver_refuses_what_does_not_fit_into_memory(monkeypatch):
    monkeypatch.setattr("os.sysconf", lambda name: 2**14)  # 256 MB
    with pytest.raises(DataError, match=r"binned solver with 50 rows.*Dask array"):
        GAIRegressor().fit(*wave(50))


@pytest.mark.parametrize("blank", [0, 40])
def test_a_directed_curve_never_falls(blank):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 1))
    y = np.sin(1.5 * X[:, 0]) + rng.normal(0, 0.3, 400)
    X[:blank] = np.nan
    model = GAIRegressor(monotone={0: 1}).fit(X, y)
    grid = np.linspace(np.nanmin(X), np.nanmax(X), 200)[:, None]
    assert np.diff(model.predict(grid)).min() > -1e-9


def test_a_directed_curve_fits_rare_values_beside_a_frequent_one():
    rng = np.random.default_rng(0)
    X = np.repeat([0.0, 1.0, 2.0, 3.0], [30, 240, 30, 30])[:, None]
    means = np.array([0.0, 2.0, 2.2, 4.0])
    y = means[X[:, 0].astype(int)] + rng.normal(0, 0.2, len(X))
    model = GAIRegressor(monotone={0: 1}).fit(X, y)
    np.testing.assert_allclose(model.predict(np.unique(X)[:, None]), means, atol=0.2)


def test_turning_an_attribute_round_changes_nothing():
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1.0, 2.0, 3.0], (300, 2), p=[0.1, 0.6, 0.1, 0.2])
    y = np.array([0.0, 2.0, 1.0, 3.0])[X[:, 0].astype(int)] + rng.normal(0, 0.3, 300)
    turned = 3.0 - X
    np.testing.assert_allclose(
        GAIRegressor().fit(X, y).predict(X),
        GAIRegressor().fit(turned, y).predict(turned),
        atol=1e-3,
    )


def test_of_many_levels_the_frequent_ones_are_kept():
    rng = np.random.default_rng(0)
    levels = np.append(np.repeat(np.arange(10.0), 30), np.arange(10.0, 310.0))
    y = np.where(levels < 10, levels % 2, 0.5) + rng.normal(0, 0.1, len(levels))
    model = GAIRegressor(categorical_features=[0]).fit(levels[:, None], y)
    shown = model.predict(np.arange(10.0)[:, None])
    np.testing.assert_allclose(shown, np.arange(10) % 2, atol=0.2)
