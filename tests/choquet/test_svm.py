import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC, SVR
from sklearn.utils.estimator_checks import parametrize_with_checks

from penchant.exceptions import ConvergenceWarning, DataError, NotAnswerableError
from penchant.io import load, save
from penchant.kernels import choquet_kernel
from penchant.models import Capacity, ChoquetSVC, ChoquetSVR, KernelCapacity


@parametrize_with_checks([ChoquetSVC(), ChoquetSVR()])
def test_follows_scikit_learn(estimator, check):
    check(estimator)


def make_data(n=4, n_rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n))
    u = X[:, 0] + 2 * np.minimum(X[:, 1], X[:, 2]) + 0.2 * rng.normal(size=n_rows)
    return X, u


@pytest.mark.parametrize(("k", "damping"), [(None, 1.0), (2, 1.0), (None, 0.25)])
def test_two_classes_equal_scikit_learn_with_the_kernel(k, damping):
    X, u = make_data()
    y = u > np.median(u)

    def kernel(A, B):
        return choquet_kernel(A, B, k=k, damping=damping)

    scale = np.diag(kernel(X, X)).mean()
    ours = ChoquetSVC(
        k=k,
        damping=damping,
        C=10 * scale,
        domain=(0, 1),
        directions="up",
        tol=1e-8,
    ).fit(X, y)
    theirs = SVC(kernel=kernel, C=10, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), atol=1e-5
    )
    assert abs(ours.dual_gap_) < 1e-6
    np.testing.assert_allclose(ours.C_, 10)


def test_ratings_equal_scikit_learn_with_the_kernel():
    X, u = make_data()
    scaled = (u - u.min()) / np.ptp(u)
    scale = np.diag(choquet_kernel(X)).mean()
    ours = ChoquetSVR(
        damping=1.0,
        C=10 * scale,
        epsilon=0.05,
        domain=(0, 1),
        directions="up",
        tol=1e-8,
    ).fit(X, u)
    theirs = SVR(kernel=choquet_kernel, C=10, epsilon=0.05, tol=1e-8).fit(X, scaled)
    expected = u.min() + np.ptp(u) * theirs.predict(X)
    np.testing.assert_allclose(ours.predict(X), expected, atol=1e-5)
    assert abs(ours.dual_gap_) < 1e-4


@pytest.mark.parametrize("model", [ChoquetSVC(C=5), ChoquetSVR(C=5, k=2)])
def test_the_capacity_is_the_function(model):
    X, u = make_data()
    y = u > 1 if isinstance(model, ChoquetSVC) else 100 * u
    model.fit(X, y)
    unit = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    unit = np.where(model.is_down_, 1 - unit, unit)
    expected = model.capacity_.choquet(unit) + model.intercept_[0]
    np.testing.assert_allclose(model.utility(X), expected, rtol=1e-9)
    assert isinstance(model.capacity_, Capacity)
    assert model.monotonicity_ == model.capacity_.monotonicity()
    assert 0.5 < model.monotonicity_ <= 1


def test_many_attributes_are_read_off_the_dual_coefficients():
    X, u = make_data(n=40)
    model = ChoquetSVC(C=1).fit(X, u > np.median(u))
    assert model.damping_ == 1 / 40
    assert isinstance(model.capacity_, KernelCapacity)
    assert set(model.capacity_.shapley().argsort()[-3:]) == {0, 1, 2}
    assert 0.5 < model.monotonicity_ <= 1


def test_several_classes_have_one_capacity_each():
    X, y = load_iris(return_X_y=True)
    model = ChoquetSVC(C=100).fit(X, y)
    assert model.score(X, y) > 0.95
    assert len(model.capacity_) == model.monotonicity_.size == 3
    unit = model.domain_.transform(X)
    unit = np.where(model.is_down_, 1 - unit, unit)
    columns = [c.choquet(unit) for c in model.capacity_]
    np.testing.assert_allclose(
        model.decision_function(X), np.array(columns).T + model.intercept_, rtol=1e-7
    )
    with pytest.raises(NotAnswerableError, match="decision_function"):
        model.utility(X)


def test_directions_turn_criteria_round():
    X, u = make_data()
    turned = X * [1, -1, 1, 1]
    directions = ["up", "down", "up", "up"]
    straight = ChoquetSVR(C=10).fit(X, u)
    model = ChoquetSVR(C=10, directions=directions).fit(turned, u)
    np.testing.assert_allclose(model.predict(turned), straight.predict(X), atol=1e-4)
    for wrong in (["up"], ["up", "left", "up", "up"]):
        with pytest.raises(DataError, match="directions"):
            ChoquetSVR(directions=wrong).fit(X, u)


@pytest.mark.parametrize("model", [ChoquetSVC(C=5, k=3), ChoquetSVR(C=5)])
def test_saving_keeps_everything(model, tmp_path):
    X, u = make_data()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model.fit(frame, u > 1 if isinstance(model, ChoquetSVC) else u)
    assert model.capacity_.names == ("a", "b", "c", "d")
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.utility(frame), model.utility(frame))
    assert again.capacity_ == model.capacity_


def test_a_stopped_solver_warns_and_says_what_to_try():
    X, u = make_data()
    model = ChoquetSVC(C=1000, max_iter=3)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        model.fit(X, u > 1)
    assert model.solver_status_ == "stopped"
    assert model.dual_gap_ > 1e-3


def test_constant_ratings_are_a_constant():
    X, _ = make_data()
    np.testing.assert_allclose(ChoquetSVR().fit(X, np.full(120, 3.0)).predict(X), 3)


def test_readings_need_a_fit():
    for model in (ChoquetSVC(), ChoquetSVR()):
        with pytest.raises(NotFittedError):
            model.capacity_  # noqa: B018
        with pytest.raises(NotFittedError):
            model.monotonicity_  # noqa: B018
