"""Methods that estimate Shapley values from some of a game's worths.

Each is a function of a game, a budget and a seed, and gives values of shape (n_rows,
d). The budget counts all sets but the empty one, whose worth is 0 by definition.
"""

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
from scipy.optimize import brentq

from experiments.coalitional._data_sets import Sample
from experiments.coalitional._games import attributes_of, plan
from experiments.strong._games import Game, members
from penchant.explanation import LeastSquaresExplainer
from penchant.explanation._least_squares import (
    draw_sets,
    least_squares_weights,
)

__all__ = ["METHODS", "OURS", "Asked", "leverage_sets"]

OURS = "LeastSquaresExplainer"


class Asked:
    """A game that remembers which sets it was asked for."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.n_players = game.n_players
        self.masks: set[int] = set()

    @property
    def n_evaluations(self) -> int:
        """How many different sets were asked for, the empty one not counted."""
        return len(self.masks - {0})

    def worths(self, is_in: np.ndarray) -> np.ndarray:
        """Give the worths of sets, of shape (n_sets, n_rows)."""
        masks = np.atleast_2d(is_in).astype(bool) @ (1 << np.arange(self.n_players))
        self.masks.update(masks.tolist())
        return self.game.worths[masks]


def ours(asked: Asked, budget: int, seed: int) -> np.ndarray:
    """Let `LeastSquaresExplainer` choose and weigh its sets."""
    X = asked.game.X
    table = attributes_of(Sample(X, np.arange(len(X)) % 2))
    masks, solve = plan(LeastSquaresExplainer(budget), table, seed)
    return solve(asked.worths(members(np.array(masks), asked.n_players)).T)[0]


def ours_squares(asked: Asked, budget: int, seed: int) -> np.ndarray:
    """Weigh our sets by weighted squares, as ours does from 4,097 models on."""
    d = asked.n_players
    masks, shares = draw_sets(d, budget, np.random.default_rng(seed))
    weights = least_squares_weights(masks, shares, d)
    return asked.worths(members(np.array(masks), d)).T @ weights


def kernel_shap(asked: Asked, budget: int, seed: int) -> np.ndarray:
    """Let shap's KernelExplainer play: a row of ones against a row of zeros."""
    import shap

    explainer = shap.KernelExplainer(asked.worths, np.zeros((1, asked.n_players)))
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002 - shap draws from the global generator only
    row = np.ones((1, asked.n_players))
    found = explainer.shap_values(row, nsamples=budget - 1, silent=True, l1_reg=False)
    np.random.set_state(state)  # noqa: NPY002
    return np.asarray(found)[0].T


def leverage(asked: Asked, budget: int, seed: int) -> np.ndarray:
    """Draw pairs of sets by leverage scores, and solve the weighted squares.

    Musco and Witter, "Provably accurate Shapley value estimation via leverage score
    sampling" (ICLR 2025): the leverage of a set is 1/C(d, s), so that all sizes are
    drawn equally often; sets come with their complements and never twice.
    """
    d = asked.n_players
    is_in, weights = leverage_sets(d, budget - 1, np.random.default_rng(seed))
    total = asked.worths(np.ones((1, d)))
    # Values that add up to the total are total/d plus P b, where P centres.
    centred = is_in - is_in.mean(axis=1, keepdims=True)
    rest = asked.worths(is_in) - is_in.sum(axis=1, keepdims=True) / d * total
    root = np.sqrt(weights)[:, None]
    free = np.linalg.lstsq(root * centred, root * rest, rcond=None)[0]
    return (free - free.mean(axis=0) + total / d).T


def leverage_sets(
    n_players: int, n_sets: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw sets with their complements: about `n_sets`, all if they are fewer.

    Returns
    -------
    is_in : ndarray of shape (n, d)
    weights : ndarray of shape (n,)
        Shapley kernel over the chance to be drawn.
    """
    d = n_players
    counts = np.array([comb(d, size) for size in range(1, d)])
    if n_sets >= counts.sum():
        scale = float(counts.max())
    else:
        scale = brentq(
            lambda c: np.minimum(counts, c).sum() - n_sets, 0, counts.max(), xtol=1e-9
        )
    masks = np.arange(1, (1 << d) - 1)
    masks = masks[masks < ((1 << d) - 1 ^ masks)]  # one of each pair
    sizes = members(masks, d).sum(axis=1)
    chances = np.minimum(1.0, scale / counts[sizes - 1])
    drawn = rng.random(len(masks)) < chances
    kernel = 1.0 / (counts[sizes - 1] * sizes * (d - sizes))
    one, weights = members(masks[drawn], d), (kernel / chances)[drawn]
    return np.vstack([one, ~one]).astype(float), np.tile(weights, 2)


def from_shapiq(name: str, **options: Any) -> Callable[[Asked, int, int], np.ndarray]:
    """Let an approximator of shapiq play, row by row with the same seed."""

    def values(asked: Asked, budget: int, seed: int) -> np.ndarray:
        from shapiq import approximator

        found = []
        for row in range(asked.game.worths.shape[1]):
            method = getattr(approximator, name)(
                asked.n_players, random_state=seed, **options
            )
            answer = method.approximate(
                budget + 1, lambda sets, k=row: asked.worths(sets)[:, k]
            )
            found.append(answer.get_n_order_values(1))
        return np.array(found)

    return values


METHODS: dict[str, tuple[Callable[[Asked, int, int], np.ndarray], str]] = {
    OURS: (ours, ""),
    "our sets, weighted squares": (ours_squares, ""),
    "leverage scores": (leverage, ""),
    "KernelSHAP (shap)": (kernel_shap, "shap"),
    "KernelSHAP (shapiq)": (from_shapiq("KernelSHAP", pairing_trick=True), "shapiq"),
    "SVARM (shapiq)": (from_shapiq("SVARM"), "shapiq"),
    "permutations (shapiq)": (from_shapiq("PermutationSamplingSV"), "shapiq"),
}
"""Each method and the peer it needs."""
