"""Long fits: told of, ended in time, or refused before they start."""

import numpy as np
import pytest
from sklearn.base import clone

from penchant.data import Comparisons
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.io import load, save
from penchant.models import (
    ChoquetClassifier,
    ChoquetRanker,
    ChoquetRegressor,
    ChoquetSVC,
    ChoquetSVR,
)

X = np.random.default_rng(0).random((300, 4))
U = np.minimum(X[:, 0], X[:, 1]) + X[:, 2] + np.random.default_rng(1).normal(size=300)
ESTIMATORS = {
    "regressor": (ChoquetRegressor(), U),
    "curves": (ChoquetRegressor(marginals="spline"), U),
    "three interact": (ChoquetRegressor(k=3), U),
    "orders": (ChoquetRegressor(k="auto"), U),
    "grades": (ChoquetClassifier(), np.digitize(U, [1, 2])),
    "classes": (ChoquetClassifier(ordered=False), np.digitize(U, [1, 2])),
    "ranker": (ChoquetRanker(), Comparisons.from_ratings(U[:25])),
    "svr": (ChoquetSVR(), U),
    "svc": (ChoquetSVC(), np.digitize(U, [1, 2])),
}


@pytest.mark.parametrize("case", ESTIMATORS)
def test_a_fit_that_takes_too_long_ends_with_the_best_so_far(case):
    estimator, y = ESTIMATORS[case]
    model = clone(estimator).set_params(max_time=1e-6)

    with pytest.warns(ConvergenceWarning, match=r"max_time = 1e-06 s with the best"):
        model.fit(X, y)
    assert model.solver_status_ == "stopped"
    assert model.dual_gap_ > 0
    values = getattr(model, "decision_function", model.predict)
    if case != "ranker":
        assert np.isfinite(values(X)).all()


@pytest.mark.parametrize("case", ["regressor", "svr", "ranker"])
def test_each_step_is_told_with_its_gap(case, capsys, tmp_path):
    estimator, y = ESTIMATORS[case]
    told = []
    model = clone(estimator).set_params(callback=told.append, verbose=1, max_time=60)
    model.fit(X, y)

    assert model.solver_status_ == "optimal"
    gaps = [step["gap"] for step in told]
    assert gaps[-1] == min(gaps)
    assert capsys.readouterr().err.count(f"{type(model).__name__}: step") == len(told)
    plain = clone(estimator).fit(X, y)
    np.testing.assert_allclose(model.utility(X), plain.utility(X), rtol=1e-12)
    save(model, tmp_path / "model.npz")
    assert load(tmp_path / "model.npz").callback is None


def test_a_design_that_does_not_fit_into_memory_is_refused():
    wide = np.random.default_rng(0).random((20, 40))

    with pytest.raises(DataError, match=r"k=40 on 20 rows needs about .* smaller k"):
        ChoquetRegressor(k=None).fit(wide, wide[:, 0])


def test_a_kernel_matrix_that_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr("os.sysconf", lambda name: 1000)

    with pytest.raises(DataError, match=r"300 distinct items .* ChoquetRegressor"):
        ChoquetSVR().fit(X, U)
