"""Explainers that keep the model and replace values: shap and shapiq.

They play another game than the complete method, so that their distance to it is not an
error (EX-8). All are optional: ``pip install shap shapiq``.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from experiments.coalitional._data_sets import Sample
from experiments.coalitional._games import memory, quietly
from experiments.coalitional._models import MODELS

__all__ = ["N_ROWS", "PEERS", "Peer", "PeerAnswer", "ask"]

N_BACKGROUND = 50
N_ROWS = 12

Explain = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Takes rows and the class of each; gives one influence per row and attribute."""


@dataclass(frozen=True)
class Peer:
    """A way to explain a model as it is.

    Parameters
    ----------
    build : callable (model, background) -> Explain
    package : str
        What must be installed; it is imported by the same name.
    models : tuple of str
        The models that it can explain.
    """

    build: Callable[[Any, np.ndarray], Explain]
    package: str
    models: tuple[str, ...] = ("forest", "SVC")

    @property
    def is_here(self) -> bool:
        """Whether its package is installed."""
        return find_spec(self.package) is not None


@dataclass(frozen=True, eq=False)
class PeerAnswer:
    """What a peer says at the first rows, and what it cost.

    Parameters
    ----------
    values : ndarray of shape (n_rows, d)
    seconds : float
        CPU time per row, when all training rows are explained.
    seconds_one : float
        CPU time for a single row.
    """

    values: np.ndarray
    seconds: float
    seconds_one: float


def kernel_shap(model: Any, background: np.ndarray) -> Explain:
    """Explain by shap's KernelExplainer; exact for its game up to 11 attributes."""
    import shap

    explainer = shap.KernelExplainer(model.predict_proba, background)

    def explain(rows: np.ndarray, classes: np.ndarray) -> np.ndarray:
        found = explainer.shap_values(rows, silent=True, l1_reg=False)
        return _of_class(found, classes)

    return explain


def tree_shap(model: Any, background: np.ndarray) -> Explain:
    """Explain by shap's TreeExplainer, which needs no background."""
    import shap

    explainer = shap.TreeExplainer(model)

    def explain(rows: np.ndarray, classes: np.ndarray) -> np.ndarray:
        return _of_class(explainer.shap_values(rows), classes)

    return explain


def shapiq(model: Any, background: np.ndarray) -> Explain:
    """Explain by shapiq's TabularExplainer with a budget of all coalitions."""
    from shapiq import TabularExplainer

    budget = 2 ** background.shape[1]
    explainers: dict[int, Any] = {}

    def explain_row(row: np.ndarray, label: int) -> np.ndarray:
        if label not in explainers:
            explainers[label] = TabularExplainer(
                partial(_probability, model, label),
                background,
                index="SV",
                max_order=1,
                sample_size=len(background),
                random_state=0,
            )
        found = explainers[label].explain(row, budget=budget)
        return np.array([found[(k,)] for k in range(len(row))])

    def explain(rows: np.ndarray, classes: np.ndarray) -> np.ndarray:
        pairs = zip(rows, classes.tolist(), strict=True)
        return np.array([explain_row(row, label) for row, label in pairs])

    return explain


def _probability(model: Any, label: int, rows: np.ndarray) -> np.ndarray:
    return model.predict_proba(rows)[:, label]


def _of_class(values: Any, classes: np.ndarray) -> np.ndarray:
    """Take the influences on the class of each row, from shape (n, d, n_classes)."""
    return np.asarray(values)[np.arange(len(classes)), :, classes]


PEERS = {
    "KernelSHAP": Peer(kernel_shap, "shap"),
    "TreeSHAP": Peer(tree_shap, "shap", ("forest",)),
    "shapiq": Peer(shapiq, "shapiq"),
}


def ask(name: str, model: str, sample: Sample, *, cached: bool = True) -> PeerAnswer:
    """Let a peer explain the first rows; what it said before is found on disk."""
    function = memory.cache(measure) if cached else measure
    package = PEERS[name].package
    state = f"{version(package)}, scikit-learn {version('scikit-learn')}"
    return PeerAnswer(*function(name, model, state, *sample))


def measure(
    name: str, model: str, state: str, X: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, float, float]:
    """Explain the first rows and measure; the answer as the fields of `PeerAnswer`.

    `state` is that of the peer: what is kept on disk is found by it.
    """
    with quietly():
        fitted = MODELS[model]().fit(X, y)
        classes = np.searchsorted(fitted.classes_, fitted.predict(X[:N_ROWS]))
        build = partial(PEERS[name].build, fitted, X[:N_BACKGROUND])
        build()(X[:1], classes[:1])  # imports and compiles
        start = time.process_time()
        explain = build()
        built = time.process_time() - start
        explain(X[:1], classes[:1])
        one = time.process_time() - start
        start = time.process_time()
        values = explain(X[:N_ROWS], classes)
        each = (time.process_time() - start) / len(values)
    return values, built / len(X) + each, one
