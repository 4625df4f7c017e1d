"""Games of 8 to 12 attributes whose worths are all known, and so their exact values.

A game of a fixed model: the worth of a set is the mean prediction over 40 background
rows whose values in that set are replaced by those of the explained row. A game of
retraining: the worth is the prediction of a model trained on that set alone (EX-1).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, make_friedman1
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeClassifier

from experiments.coalitional._games import quietly
from penchant.explanation.retraining._game import RetrainingGame

__all__ = ["GAMES", "Game", "games", "members"]

N_ROWS = 5
N_BACKGROUND = 40
_CHUNK = 256


@dataclass(frozen=True, eq=False)
class Game:
    """Worths of all sets, by the number whose bits are its members.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        A table with these attributes, which some methods plan with.
    worths : ndarray of shape (2^d, n_rows)
        That of the empty set is 0: of each row explained, one game.
    """

    X: np.ndarray
    worths: np.ndarray

    @property
    def n_players(self) -> int:
        """The number of attributes."""
        return self.X.shape[1]

    @cached_property
    def values(self) -> np.ndarray:
        """Exact Shapley values of shape (n_rows, d), by the definition."""
        d = self.n_players
        masks = np.arange(1 << d)
        is_in = members(masks, d)
        sizes = is_in.sum(axis=1)
        chances = np.ones(d)  # s! (d - s - 1)! / d!
        chances[0] = 1 / d
        for s in range(1, d):
            chances[s] = chances[s - 1] * s / (d - s)
        values = np.empty((self.worths.shape[1], d))
        for player in range(d):
            without = masks[~is_in[:, player]]
            gains = self.worths[without | 1 << player] - self.worths[without]
            values[:, player] = chances[sizes[without]] @ gains
        return values


def members(masks: np.ndarray, n_players: int) -> np.ndarray:
    """Give who is in each set, as booleans of shape (n_masks, n_players)."""
    return (np.asarray(masks)[:, None] >> np.arange(n_players) & 1).astype(bool)


def fixed(predict: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> Game:
    """Play the game of a model as it is; rows and background are drawn with seed 0."""
    d = X.shape[1]
    chosen = np.random.default_rng(0).permutation(len(X))
    rows, background = np.split(chosen[: N_ROWS + N_BACKGROUND], [N_ROWS])
    worths = np.empty((1 << d, N_ROWS))
    for start in range(0, 1 << d, _CHUNK):
        masks = np.arange(start, min(start + _CHUNK, 1 << d))
        is_in = members(masks, d)[:, None]
        for k, row in enumerate(X[rows]):
            mixed = np.where(is_in, row, X[background][None])
            means = predict(mixed.reshape(-1, d)).reshape(len(masks), -1).mean(axis=1)
            worths[masks, k] = means
    return Game(X, worths - worths[0])


def retrained(model: Any, X: np.ndarray, y: np.ndarray) -> Game:
    """Play the game of models of sets of attributes, at the first rows."""
    d = X.shape[1]
    with quietly():
        game = RetrainingGame(model, X, y)
        masks = list(range(1, 1 << d))
        game.train(masks)
        rows = game.table[:N_ROWS]
        found = game.worths(masks, rows, game.target_of(rows))
    return Game(X, np.vstack([np.zeros(N_ROWS), found.T]))


def boosted_diabetes() -> Game:
    """Explain boosted trees on diabetes, 10 attributes."""
    X, y = load_diabetes(return_X_y=True)
    return fixed(GradientBoostingRegressor(random_state=0).fit(X, y).predict, X)


def forest_cancer() -> Game:
    """Explain a forest's chance of the second class on breast cancer, 12 attributes."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :12]
    model = RandomForestClassifier(50, max_depth=6, random_state=0).fit(X, y)
    return fixed(lambda rows: model.predict_proba(rows)[:, 1], X)


def network_friedman() -> Game:
    """Explain a small neural network on friedman1, 10 attributes of which 5 matter."""
    X, y = make_friedman1(500, 10, noise=0.5, random_state=0)
    network = MLPRegressor(hidden_layer_sizes=(30,), max_iter=300, random_state=0)
    with quietly():
        return fixed(make_pipeline(StandardScaler(), network).fit(X, y).predict, X)


def retrained_machine() -> Game:
    """Explain support vector machines trained anew on 8 attributes of diabetes."""
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150, :8], (y[:150] - y.mean()) / y.std()
    model = make_pipeline(StandardScaler(), SVR(C=1.0))
    return retrained(model.fit(X, y), X, y)


def retrained_tree() -> Game:
    """Explain trees trained anew on 9 attributes of breast cancer: it jumps."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:300, :9], y[:300]
    model = DecisionTreeClassifier(max_depth=5, min_samples_leaf=5, random_state=0)
    return retrained(model.fit(X, y), X, y)


def sparse_interactions() -> Game:
    """Add up few products of 1 to 4 of 12 attributes: no model behind it."""
    rng = np.random.default_rng(0)
    is_in = members(np.arange(1 << 12), 12)
    worths = np.zeros((1 << 12, N_ROWS))
    for row in range(N_ROWS):
        for _ in range(20):
            group = rng.choice(12, rng.integers(1, 5), replace=False)
            worths[:, row] += rng.normal() * is_in[:, group].all(axis=1)
    return Game(rng.random((50, 12)), worths)


GAMES: dict[str, Callable[[], Game]] = {
    "boosted trees, diabetes, d = 10": boosted_diabetes,
    "forest, breast cancer, d = 12": forest_cancer,
    "network, friedman1, d = 10": network_friedman,
    "retrained SVR, diabetes, d = 8": retrained_machine,
    "retrained tree, breast cancer, d = 9": retrained_tree,
    "products of 1 to 4, d = 12": sparse_interactions,
}
QUICK = ("products of 1 to 4, d = 12",)


def games(*, quick: bool) -> Iterator[tuple[str, Game]]:
    """Yield the games (if quick, the one that needs no model)."""
    for name, make in GAMES.items():
        if not quick or name in QUICK:
            yield name, make()
