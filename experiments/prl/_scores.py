"""Accuracy on the outer folds, kept on disk because peers take their time."""

import time
import warnings
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Memory, Parallel, delayed
from sklearn.model_selection import RepeatedStratifiedKFold

import penchant
from experiments.prl._choice import N_FOLDS as N_INNER_FOLDS
from experiments.prl._choice import choose
from experiments.prl._peers import CAPS, MAIN_CAPS, PEERS
from penchant.exceptions import ConvergenceWarning
from penchant.models import RuleClassifier

__all__ = [
    "N_FOLDS",
    "N_REPEATS",
    "OURS",
    "SEED",
    "Score",
    "our_scores",
    "outer_folds",
    "peer_scores",
    "score_folds",
    "state_of",
]

OURS = "RuleClassifier"
N_FOLDS, N_REPEATS = 10, 5
SEED = 1000
_CACHE = Path(__file__).parent / "results" / "cache"
_SOURCES = ("rules/*.py", "rules/margin/*.py")


class Score(NamedTuple):
    """What one model did on the test rows of one fold.

    `cap` is the largest number of rules that it was allowed (None: any), `accuracy` is
    in %; `seconds` is the CPU time of the fit with all that was tried for it, of a peer
    for all caps together.
    """

    cap: int | None
    accuracy: float
    n_rules: int
    seconds: float


def outer_folds(
    X: np.ndarray, y: np.ndarray, seed: int = SEED
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield training and test rows."""
    division = RepeatedStratifiedKFold(
        n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=seed
    )
    yield from division.split(X, y)


def peer_scores(
    name: str,
    state: str,
    X: np.ndarray,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
) -> list[tuple[int | None, float, int, float]]:
    """Choose and fit a peer on the training rows; return a `Score` per cap.

    `state` is that of the peer's code: what is kept on disk is found by it.
    """
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers warn of deprecated calls
        choices = list(choose(PEERS[name], X[train], y[train]))
        seconds = time.process_time() - start
        return [
            Score(
                choice.cap,
                100.0 * float(np.mean(choice.model.predict(X[test]) == y[test])),
                choice.model.n_rules,
                seconds,
            )
            for choice in choices
        ]


def our_scores(
    name: str,
    state: str,
    X: np.ndarray,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    caps: Sequence[int | None],
) -> list[tuple[int | None, float, int, float]]:
    """Let our estimator choose all but the number of rules, as in `peer_scores`."""
    scores = []
    for cap in caps:
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = RuleClassifier(max_rules=cap, cv=N_INNER_FOLDS)
            model.fit(X[train], y[train])
        seconds = time.process_time() - start
        accuracy = 100.0 * float(model.score(X[test], y[test]))
        scores.append(Score(cap, accuracy, len(model.rules_), seconds))
    return scores


_memory = Memory(_CACHE, verbose=0)
_cached_peer_scores = _memory.cache(peer_scores)
_cached_our_scores = _memory.cache(our_scores)


def score_folds(
    name: str,
    X: np.ndarray,
    y: np.ndarray,
    folds: Sequence[tuple[np.ndarray, np.ndarray]],
    *,
    cached: bool,
) -> dict[int | None, list[Score]]:
    """Score a method on some folds, by the largest number of rules.

    Ours is scored with other numbers of rules than 5 and 10 on the first repetition
    only (and not if the result is not to be kept), since each is a search of its own.
    """
    state = state_of(name)
    if name == OURS:
        function = _cached_our_scores if cached else our_scores
        others = tuple(cap for cap in CAPS if cap not in MAIN_CAPS)
        calls = [(*fold, MAIN_CAPS) for fold in folds]
        calls += [(*fold, others) for fold in folds[: N_FOLDS if cached else 0]]
    else:
        function = _cached_peer_scores if cached else peer_scores
        calls = list(folds)
    by_fold = Parallel()(delayed(function)(name, state, X, y, *call) for call in calls)
    by_cap: dict[int | None, list[Score]] = {}
    for score in (Score(*each) for scores in by_fold for each in scores):
        by_cap.setdefault(score.cap, []).append(score)
    return dict(sorted(by_cap.items(), key=lambda entry: entry[0] or 0))


def state_of(name: str) -> str:
    """Return what scores depend on: a version and settings, or a hash of our code."""
    if name != OURS:
        peer = PEERS[name]
        return f"{peer.package} {version(peer.package)}: {peer.grid}, {peer.caps}"
    digest = sha256()
    root = Path(penchant.__file__).parent
    for pattern in _SOURCES:
        for path in sorted(root.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()
