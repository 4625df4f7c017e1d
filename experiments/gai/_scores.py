"""The error of a method on a split, kept on disk because a full table takes long."""

import time
import warnings
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Memory
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split

import penchant
from experiments.gai._methods import METHODS

__all__ = ["Score", "cached_score", "score", "state_of", "state_of_package"]

TEST_SHARE = 0.2
_CACHE = Path(__file__).parent / "results" / "cache"
_SOURCES = ("choquet", "encoding", "gai", "kernels", "utility")


class Score(NamedTuple):
    """Mean absolute error on the test rows, and the CPU seconds of the fit."""

    error: float
    seconds: float


def score(
    method: str, state: str, X: np.ndarray, y: np.ndarray, seed: int
) -> tuple[float, float]:
    """Fit on a random 80 % of the rows and return a `Score` for the others.

    `state` is that of the method's code: what is kept on disk is found by it.
    """
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=TEST_SHARE, random_state=seed
    )
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers warn of flat likelihoods and names
        model = METHODS[method].fit(X_train, y_train)
        seconds = time.process_time() - start
        predicted = model.predict(X_test)
    return Score(float(mean_absolute_error(y_test, predicted)), seconds)


cached_score = Memory(_CACHE, verbose=0).cache(score)


def state_of(method: str) -> str:
    """Return what scores of a method depend on: a version, or a hash of our code."""
    return state_of_package(METHODS[method].package)


def state_of_package(package: str) -> str:
    """Return the version of a package, or a hash of ours where methods live."""
    if package != "penchant":
        return version(package)
    digest = sha256()
    for folder in _SOURCES:
        for path in sorted((Path(penchant.__file__).parent / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
