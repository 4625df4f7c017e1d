"""Support vector machines on kernel matrices: what scikit-learn's would say."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.svm import SVC, SVR

from penchant.exceptions import ConvergenceWarning
from penchant.explanation import CompleteExplainer
from penchant.explanation.retraining._subset_models import Outputs
from penchant.explanation.retraining._support_machines import SupportMachine

TIGHT = 1e-8


@pytest.fixture(scope="module")
def wine() -> tuple[np.ndarray, np.ndarray]:
    """Four classes of 178 wines; the fourth is made of some of the first."""
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y[:20] = 3
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def gaussian(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    kernel: np.ndarray = np.exp(-0.1 * ((left[:, None] - right) ** 2).sum(axis=-1))
    return kernel


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"class_weight": "balanced", "C": 0.3},
        {"class_weight": {"b": 5.0, "d": 0.2}},
        {"decision_function_shape": "ovo", "C": 50.0},
    ],
    ids=["plain", "balanced", "weights", "ovo"],
)
def test_votes_of_pairs_are_those_of_scikit_learn(settings: Any, wine: Any) -> None:
    X, y = wine
    labels = np.array(list("abcd"))[y]
    outputs = Outputs(np.array(["a", "b", "c", "d", "never seen"]))
    K, new = gaussian(X[:120], X[:120]), gaussian(X[120:], X[:120])
    machine = SupportMachine.like(SVC(tol=TIGHT, **settings), labels[:120], outputs)
    model, own = machine.train(K)
    theirs = SVC(kernel="precomputed", tol=TIGHT, **settings).fit(K, labels[:120])
    np.testing.assert_array_equal(own, outputs(theirs, K))
    np.testing.assert_array_equal(machine.predict(model, new), outputs(theirs, new))
    assert len(np.unique(own.argmax(axis=1))) > 2


def test_two_classes_are_those_of_scikit_learn(wine: Any) -> None:
    X, y = wine
    K, outputs = gaussian(X, X), Outputs(np.array([False, True]))
    _, own = SupportMachine.like(SVC(C=0.1), y > 1, outputs).train(K)
    theirs = SVC(kernel="precomputed", C=0.1).fit(K, y > 1)
    np.testing.assert_array_equal(own, outputs(theirs, K))
    assert own.any(axis=0).all()


def test_regression_is_that_of_scikit_learn(wine: Any) -> None:
    X, _ = wine
    K, new = gaussian(X[:120, 1:], X[:120, 1:]), gaussian(X[120:, 1:], X[:120, 1:])
    machine = SupportMachine.like(
        SVR(C=3.0, epsilon=0.2, tol=TIGHT), X[:120, 0], Outputs(None)
    )
    model, own = machine.train(K)
    theirs = SVR(kernel="precomputed", C=3.0, epsilon=0.2, tol=TIGHT)
    theirs.fit(K, X[:120, 0])
    # Sums of kernels in another order.
    np.testing.assert_allclose(own[:, 0], theirs.predict(K), atol=1e-12)
    np.testing.assert_allclose(
        machine.predict(model, new)[:, 0], theirs.predict(new), atol=1e-12
    )


def test_ties_are_broken_as_asked(wine: Any) -> None:
    X, y = wine
    K, outputs = gaussian(X, X), Outputs(np.unique(y))
    _, own = SupportMachine.like(SVC(break_ties=True), y, outputs).train(K)
    theirs = SVC(kernel="precomputed", break_ties=True).fit(K, y)
    np.testing.assert_array_equal(own, outputs(theirs, K))


@pytest.mark.parametrize(
    ("y", "problem"),
    [
        (np.ones(9, dtype=int), "number of classes has to be greater than one"),
        (np.linspace(0, 1, 9), "Unknown label type"),
    ],
    ids=["one class", "numbers"],
)
def test_targets_that_are_no_classes_are_errors(y: Any, problem: str) -> None:
    machine = SupportMachine.like(SVC(), y, Outputs(np.unique(y)))
    with pytest.raises(ValueError, match=problem):
        machine.train(np.eye(9))


def test_steps_that_do_not_suffice_are_said_once(wine: Any) -> None:
    X, y = wine
    model = SVC(max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[:, :3], y)
    with pytest.warns(ConvergenceWarning, match=r"6 of 6 .* terminated early"):
        CompleteExplainer().fit(model, X[:, :3], y)


def test_machines_can_be_sent_away(wine: Any) -> None:
    X, y = wine
    K = gaussian(X, X)
    machine = SupportMachine.like(SVC(), y, Outputs(np.unique(y)))
    there = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(machine.train(K)[1], there.train(K)[1])
