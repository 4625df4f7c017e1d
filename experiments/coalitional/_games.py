"""The worths of sets of attributes, and what it took to learn them.

All methods that train models of part of the attributes would train the same ones. So
each model is trained once, and its time counts for every method that asks for it.
"""

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numpy as np
from joblib import Memory
from sklearn.dummy import DummyClassifier

import penchant
from experiments.coalitional._data_sets import Sample
from experiments.coalitional._models import MODELS
from penchant.explanation.retraining._game import RetrainingGame
from penchant.explanation.retraining._retraining import RetrainingExplainer, Solve

__all__ = ["CACHE", "Answer", "Played", "play", "quietly", "state_of_code"]

CACHE = Path(__file__).parent / "results" / "cache"
_CHUNK = 256
_SOURCES = ("_game.py", "_kernel*.py", "_players.py", "_subset*.py")

memory = Memory(CACHE, verbose=0)


@dataclass(frozen=True, eq=False)
class Answer:
    """What a method says, and what it cost.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Influences at the training rows.
    masks : list of int
        The sets that it trained models of.
    seconds : float
        CPU time for all rows: planning, training, adding up.
    seconds_one : float
        CPU time for one row that no model has seen.
    """

    values: np.ndarray
    masks: list[int]
    seconds: float
    seconds_one: float


@dataclass(frozen=True, eq=False)
class Played:
    """A game whose worths are known for some sets of attributes.

    Parameters
    ----------
    sample : Sample
        What the models were trained on.
    worths : dict from int to ndarray of shape (n,)
        Delta_S at the training rows (EX-1), by set.
    seconds : dict from int to float
        CPU time of training, by set; 0 for all attributes, whose model is given.
    seconds_row : float
        CPU time of one model's prediction at one new row.
    """

    sample: Sample
    worths: dict[int, np.ndarray]
    seconds: dict[int, float]
    seconds_row: float

    @property
    def n_attributes(self) -> int:
        """The number of players."""
        return self.sample.X.shape[1]

    @cached_property
    def attributes(self) -> RetrainingGame:
        """The game as the explainers plan with it; its model does not matter."""
        return attributes_of(self.sample)

    def answer(self, explainer: RetrainingExplainer, seed: int) -> Answer:
        """Let an explainer choose its sets, and add up their worths."""
        attributes = self.attributes
        start = time.process_time()
        masks, solve = plan(explainer, attributes, seed)
        planned = time.process_time() - start
        worths = np.stack([self.worths[mask] for mask in masks], axis=1)
        start = time.process_time()
        values = solve(worths)[0]
        added = time.process_time() - start
        trained = planned + sum(self.seconds[mask] for mask in masks)
        one = trained + self.seconds_row * len(masks)
        return Answer(values, masks, trained + added, one)


def attributes_of(sample: Sample) -> RetrainingGame:
    """Give a game to plan with: what is known before any model is trained."""
    return RetrainingGame(DummyClassifier(), *sample)


def plan(
    explainer: RetrainingExplainer, game: RetrainingGame, seed: int
) -> tuple[list[int], Solve]:
    """Let an explainer choose its sets and what it solves, without training."""
    with quietly():
        return explainer._plan(game, np.random.default_rng(seed))


def play(
    model: str, sample: Sample, masks: Sequence[int], *, cached: bool = True
) -> Played:
    """Train the models of some sets; what was trained before is found on disk."""
    function = memory.cache(train_sets) if cached else train_sets
    state = state_of_code()
    worths: dict[int, np.ndarray] = {}
    seconds: dict[int, float] = {}
    row_seconds = []
    for start in range(0, len(masks), _CHUNK):
        chunk = list(masks[start : start + _CHUNK])
        table, times, for_row = function(model, state, *sample, chunk)
        worths.update(zip(chunk, table, strict=True))
        seconds.update(zip(chunk, times, strict=True))
        row_seconds.append(for_row)
    return Played(sample, worths, seconds, float(np.mean(row_seconds)))


def train_sets(
    model: str, state: str, X: np.ndarray, y: np.ndarray, masks: list[int]
) -> tuple[np.ndarray, list[float], float]:
    """Train the models of some sets.

    `state` is that of the code: what is kept on disk is found by it.

    Returns
    -------
    worths : ndarray of shape (n_masks, n)
        At the training rows, of the class that the model of all attributes predicts.
    seconds : list of float
        CPU time of each model.
    seconds_row : float
        CPU time of one prediction of one model at one row.
    """
    with quietly():
        game = RetrainingGame(MODELS[model](), X, y)
        game.train(masks[:1])  # what is computed once for all sets is not counted
        seconds = []
        for mask in masks:
            start = time.process_time()
            game.train([mask])
            seconds.append(time.process_time() - start)
        seconds[0] = float(np.mean(seconds[1:])) if len(masks) > 1 else 0.0
        target = game.target_of(game.table)
        worths = game.worths(masks, game.table, target).T
        row = X[:1].copy()
        start = time.process_time()
        game.worths(masks, row, target[:1])
        return worths, seconds, (time.process_time() - start) / len(masks)


@contextmanager
def quietly() -> Iterator[None]:
    """Ignore warnings: of groups of one, and that SVC will lose its probabilities."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def state_of_code() -> str:
    """Return what worths depend on: a version and a hash of our code."""
    digest = sha256(version("scikit-learn").encode())
    folder = Path(penchant.__file__).parent / "explanation"
    for pattern in _SOURCES:
        paths = sorted(folder.rglob(pattern))
        if not paths:
            raise FileNotFoundError(f"No module of explanations is called {pattern}.")
        for path in paths:
            digest.update(path.read_bytes())
    return digest.hexdigest()
