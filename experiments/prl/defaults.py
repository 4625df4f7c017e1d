"""Defaults: RuleClassifier, RuleFit and FIGS, none of them with any setting.

Not in the paper. Ten small tables of numbers, ten divisions of each: 70 % for
learning, the same shares of the classes. RuleFit and FIGS are those of imodels; with
three classes one model per class. A split of FIGS counts as a rule, as does a linear
term of RuleFit. The note of a peer is the mean difference of ours to it over the
divisions, and its standard error.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier

from experiments._data import read_shared
from experiments._outcome import Measurement, Outcome
from penchant._parallel import track
from penchant.models import RuleClassifier

PACKAGES = ("imodels",)
SEEDS = tuple(range(9000, 9010))
TEST_SHARE = 0.3
OURS = "RuleClassifier"
INSTALLED = {
    "breast cancer": load_breast_cancer,
    "wine": load_wine,
    "iris": load_iris,
}
SHARED = {
    "diabetes": ("small_classification/diabetes", "class"),
    "banknote": ("small_classification/banknote-authentication", "Class"),
    "breast-w": ("small_classification/breast-w", "Class"),
    "blood": ("small_classification/blood-transfusion-service-center", "Class"),
    "haberman": ("small_classification/haberman", "Survival_status"),
    "liver": ("small_classification/liver-disorders", "selector"),
    "mammographic": ("monotone/mammographic_mass", "malignant"),
}
Table = tuple[np.ndarray, np.ndarray]


class Score(NamedTuple):
    """Accuracy in %, rules and CPU seconds of one fit."""

    accuracy: float
    n_rules: float
    seconds: float


def run(*, quick: bool) -> Outcome:
    """Score all methods on all tables (if quick, on one division of two tables)."""
    seeds = SEEDS[:1] if quick else SEEDS
    cells: list[Measurement] = []
    for name, table in track(list(tables(quick=quick)), "defaults"):
        scores = {
            method: [score(method, *table, seed) for seed in seeds]
            for method in methods()
        }
        cells += cells_of(name, scores)
    return Outcome("defaults", tuple(cells), seeds)


def tables(*, quick: bool) -> Iterator[tuple[str, Table]]:
    """Yield the tables that are here, without incomplete rows."""
    for name, load in INSTALLED.items():
        if not quick or name != "breast cancer":
            yield name, load(return_X_y=True)
    for name, (path, target) in SHARED.items():
        data = None if quick else read_shared(path, target=target)
        if data is not None:
            whole = data.frame.dropna()
            labels = np.unique(whole[target].astype(str), return_inverse=True)[1]
            yield name, (whole.drop(columns=target).to_numpy(float), labels)


def methods() -> tuple[str, ...]:
    """Name ours, and the peers if they are installed."""
    return (OURS, "RuleFit", "FIGS") if find_spec("imodels") else (OURS,)


def score(method: str, X: np.ndarray, y: np.ndarray, seed: int) -> Score:
    """Fit on one division."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=TEST_SHARE, random_state=seed, stratify=y
    )
    start = time.process_time()
    with warnings.catch_warnings():
        if method != OURS:
            warnings.simplefilter("ignore")  # peers warn of deprecated calls
        predict, n_rules = FITS[method](X_train, y_train)
        seconds = time.process_time() - start
        accuracy = 100.0 * float(np.mean(predict(X_test) == y_test))
    return Score(accuracy, n_rules, seconds)


def _ours(X: np.ndarray, y: np.ndarray) -> tuple[Callable, float]:
    model = RuleClassifier().fit(X, y)
    return model.predict, len(model.rules_)


def _rulefit(X: np.ndarray, y: np.ndarray) -> tuple[Callable, float]:
    from imodels import RuleFitClassifier

    model, parts = _fit(RuleFitClassifier(random_state=0), X, y)
    return model.predict, sum(np.count_nonzero(part.coef) for part in parts)


def _figs(X: np.ndarray, y: np.ndarray) -> tuple[Callable, float]:
    from imodels import FIGSClassifier

    model, parts = _fit(FIGSClassifier(), X, y)
    return model.predict, sum(part.complexity_ for part in parts)


def _fit(model: Any, X: np.ndarray, y: np.ndarray) -> tuple[Any, list]:
    """Fit a peer, with three classes one for each; give it and its parts."""
    if np.unique(y).size == 2:
        return model.fit(X, y), [model]
    several = OneVsRestClassifier(model).fit(X, y)
    return several, several.estimators_


FITS = {OURS: _ours, "RuleFit": _rulefit, "FIGS": _figs}


def cells_of(name: str, scores: dict[str, Sequence[Score]]) -> Iterator[Measurement]:
    """Tell means, and how much ours differs from a peer on the same divisions."""
    ours = np.array([each.accuracy for each in scores[OURS]])
    for method, each in scores.items():
        accuracies, rules, seconds = np.array(each).T
        note = f"{rules.mean():.1f} rules, {seconds.mean():.2g} CPU s"
        if method != OURS:
            gaps = ours - accuracies
            error = gaps.std(ddof=1) / gaps.size**0.5 if gaps.size > 1 else np.nan
            note += f"; ours {gaps.mean():+.2f} ± {error:.2f}"
        yield Measurement.from_scores(
            name, method, accuracies.tolist(), note=note, in_paper=False
        )
