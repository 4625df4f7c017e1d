"""Kernel machines from cached terms: the same numbers as refitting."""

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes, load_wine
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, SVR

from penchant.exceptions import ConvergenceWarning, DataError
from penchant.explanation import CompleteExplainer, LeastSquaresExplainer
from penchant.explanation._players import check_players
from penchant.explanation.retraining import _game, _kernel_models
from penchant.explanation.retraining._kernel_models import KernelRefits, kernel_refits
from penchant.explanation.retraining._subset_models import Outputs, Refits

TIGHT = 1e-8  # so that libsvm, which rounds kernels to 6e-8, does what it can
FAST = {
    "svr": SVR(tol=TIGHT),
    "svr auto": SVR(gamma="auto", C=2.0, tol=TIGHT),
    "svr poly": SVR(kernel="poly", degree=2, coef0=1.0, gamma=0.3, tol=TIGHT),
    "svr linear": SVR(kernel="linear", tol=TIGHT),
    "svc": SVC(gamma=0.2, tol=TIGHT),
    "svc scale": SVC(class_weight="balanced", tol=TIGHT),
    "ridge": KernelRidge(kernel="rbf", alpha=0.3),
    "ridge laplacian": KernelRidge(kernel="laplacian", gamma=0.2),
    "ridge polynomial": KernelRidge(kernel="polynomial", degree=2),
    "process": GaussianProcessRegressor(alpha=0.1, optimizer=None),
    "process normal": GaussianProcessRegressor(
        ConstantKernel(2.0) * RBF(1.5) + WhiteKernel(0.2),
        optimizer=None,
        normalize_y=True,
    ),
    "process scales": GaussianProcessRegressor(
        WhiteKernel(0.2) + RBF([1.0, 2.0, 0.5, 3.0, 1.0]), optimizer=None
    ),
    "scaled": make_pipeline(StandardScaler(), RobustScaler(), SVR(tol=TIGHT)),
    "scaled process": make_pipeline(
        MinMaxScaler(),
        "passthrough",
        GaussianProcessRegressor(alpha=0.1, optimizer=None),
    ),
}
SLOW = {
    "other kernel": SVR(kernel="sigmoid"),
    "own kernel": KernelRidge(kernel=lambda x, y: float(np.exp(-((x - y) ** 2).sum()))),
    "learns": GaussianProcessRegressor(RBF() + WhiteKernel(0.1)),
    "matern": GaussianProcessRegressor(Matern(), optimizer=None, alpha=0.1),
    "sum": GaussianProcessRegressor(
        RBF() + RationalQuadratic(), optimizer=None, alpha=0.1
    ),
    "noise per row": GaussianProcessRegressor(alpha=np.full(60, 0.1), optimizer=None),
    "other scaler": make_pipeline(QuantileTransformer(n_quantiles=9), SVR()),
}


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_diabetes(return_X_y=True)
    X = X[:60, 2:7] / X[:, 2:7].std(axis=0)
    X[:, 3] = np.round(X[:, 3])
    return X, y[:60] / 100


def target(model: Any, y: np.ndarray) -> np.ndarray:
    return np.digitize(y, [1.0, 1.8]) if is_classifier(model) else y


def distance(model: Any) -> float:
    """Give the largest difference that rounding explains."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    return 5e-6 if isinstance(last, SVR) else 1e-10


def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_game, "kernel_refits", lambda *_: None)


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("blocks", [None, {"pair": [1, 3]}], ids=["columns", "blocks"])
def test_same_numbers_as_refitting(
    name: str, blocks: Any, data: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    labels = target(FAST[name], y)
    rows = X[:9] + 0.1

    def explained() -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
        explainer = CompleteExplainer(players=blocks)
        game = explainer.fit(FAST[name], X, labels).game_
        own, other = explainer.explain().values, explainer.explain(rows).values
        # What all models add alike cancels in values, but not in worths.
        worths = game.worths(range(1, game.full), rows, np.zeros(len(rows), int))
        return game._learner, own, other, worths

    learner, own, other, worths = explained()
    assert isinstance(learner, KernelRefits)
    slowly(monkeypatch)
    learner, own_slow, other_slow, worths_slow = explained()
    assert isinstance(learner, Refits)
    atol = distance(FAST[name])
    np.testing.assert_allclose(own, own_slow, atol=atol, rtol=0)
    np.testing.assert_allclose(other, other_slow, atol=atol, rtol=0)
    np.testing.assert_allclose(worths, worths_slow, atol=atol, rtol=0)


@pytest.mark.filterwarnings("ignore:The `probability` parameter")
@pytest.mark.skipif(
    sklearn.__version__ < "1.9", reason="it warns of probability=True since 1.9"
)
def test_platt_probabilities_are_the_same(
    data: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    labels = np.array(["low", "mid", "high"])[np.digitize(y, [1.0, 1.8])]
    model = SVC(probability=True, random_state=0)
    with pytest.warns(FutureWarning, match="30 of 30 models"):
        fast = CompleteExplainer().fit(model, X, labels).explain()
    slowly(monkeypatch)
    with pytest.warns(FutureWarning, match="30 of 30 models"):
        slow = CompleteExplainer().fit(model, X, labels).explain()
    np.testing.assert_allclose(fast.values, slow.values, atol=1e-10)
    assert ((fast.predictions > 0) & (fast.predictions < 1)).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", SLOW)
def test_other_models_are_refitted(name: str, data: Any) -> None:
    X, y = data
    explainer = CompleteExplainer().fit(SLOW[name], X[:, :2], y)
    assert isinstance(explainer.game_._learner, Refits)


def test_words_and_missing_values_are_left_to_the_estimator(data: Any) -> None:
    X, _y = data
    frame = pd.DataFrame(X).assign(word="a")
    assert _kernel_models.numbers_of(frame) is None
    holes = X.copy()
    holes[0, 0] = np.nan
    assert _kernel_models.numbers_of(holes) is None


def test_rows_come_in_blocks(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data
    model = KernelRidge(kernel="rbf").fit(X, y)
    explainer = LeastSquaresExplainer(random_state=0).fit(model, X, y)
    whole = explainer.explain(X + 0.1).values
    monkeypatch.setattr(_kernel_models, "_MAX_CACHE", 60 * 5 * 7)
    monkeypatch.setattr(_kernel_models, "_BATCH", 1000)
    np.testing.assert_allclose(explainer.explain(X + 0.1).values, whole, atol=1e-12)


def test_large_tables_are_refitted(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data
    monkeypatch.setattr(_kernel_models, "_MAX_CACHE", 60 * 60 * 5 - 1)
    explainer = LeastSquaresExplainer().fit(SVR(), X, y)
    assert isinstance(explainer.game_._learner, Refits)


def test_a_constant_column_alone(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data
    X = np.column_stack([X[:, :2], np.full(60, 3.0)])
    model = SVR(tol=TIGHT)
    fast = CompleteExplainer().fit(model, X, y).explain().values
    slowly(monkeypatch)
    slow = CompleteExplainer().fit(model, X, y).explain().values
    np.testing.assert_allclose(fast, slow, atol=distance(model), rtol=0)


def test_a_singular_kernel_is_an_error_that_says_what_to_do(data: Any) -> None:
    X, y = data
    fitted = GaussianProcessRegressor(alpha=0.1, optimizer=None).fit(X, y)
    fitted.set_params(alpha=1e-30)
    with pytest.raises(DataError, match="Raise alpha"):
        CompleteExplainer().fit(fitted, X, y)


def test_steps_that_do_not_suffice_are_said_once() -> None:
    X, y = load_wine(return_X_y=True)
    model = SVC(max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[:, :3], y)
    with pytest.warns(ConvergenceWarning, match=r"6 of 6 .* terminated early"):
        CompleteExplainer().fit(model, X[:, :3], y)


def test_machines_can_be_sent_away() -> None:
    X, y = load_wine(return_X_y=True)
    players = check_players(None, X)
    machine = kernel_refits(SVC(), X, y, players, Outputs(np.unique(y)))
    there = pickle.loads(pickle.dumps(machine))
    (own,), (others,) = machine.train([7]), there.train([7])
    np.testing.assert_array_equal(own.outputs, others.outputs)
    assert own.outputs.any(axis=0).all()
