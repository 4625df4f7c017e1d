"""The methods that train models of part of the attributes: the paper's and ours."""

from collections.abc import Iterator

import numpy as np

from experiments.coalitional._data_sets import Sample
from experiments.coalitional._games import Answer, Played, play
from penchant.explanation import (
    CoalitionalExplainer,
    CompleteExplainer,
    DepthExplainer,
    LeastSquaresExplainer,
)

__all__ = [
    "COMPLETE",
    "DEPTHS",
    "OURS",
    "SEED",
    "SHARES",
    "STRATEGIES",
    "ZERO",
    "answers",
    "distances",
    "play_all",
    "smallest_budget",
]

SEED = 1000
COMPLETE, OURS, ZERO = "complete", "ours", "all zeros"
STRATEGIES = {
    "Spearman": "spearman",
    "PCA": "pca",
    "VIF": "vif",
    "Reverse-Spearman": "reverse-spearman",
    "Reverse-VIF": "reverse-vif",
}
SHARES = (0.1, 0.25, 0.5)
DEPTHS = (1, 2, 3, 4)


def play_all(model: str, sample: Sample, *, cached: bool = True) -> Played:
    """Train the models of all sets of attributes."""
    masks = range(1, 2 ** sample.X.shape[1])
    return play(model, sample, masks, cached=cached)


def answers(played: Played) -> Iterator[tuple[str, Answer]]:
    """Give what each method says, by its name; the complete method comes first."""
    yield COMPLETE, played.answer(CompleteExplainer(), SEED)
    for label, strategy in STRATEGIES.items():
        for share in SHARES:
            explainer = CoalitionalExplainer(strategy, complexity=share)
            found = played.answer(explainer, SEED)
            yield f"{label} {share:.0%}", found
            if label == "Spearman":
                least = smallest_budget(played.n_attributes)
                ours = LeastSquaresExplainer(max(least, len(found.masks)))
                yield f"{OURS} {share:.0%}", played.answer(ours, SEED)
    for k in DEPTHS:
        if k < played.n_attributes:
            yield f"{k}-depth", played.answer(DepthExplainer(k), SEED)
    nothing = np.zeros((len(played.sample.X), played.n_attributes))
    yield ZERO, Answer(nothing, [], 0.0, 0.0)


def smallest_budget(n_attributes: int) -> int:
    """Give the smallest number of models that our explainer takes."""
    return min(2 * n_attributes + 1, 2**n_attributes - 1)


def distances(values: np.ndarray, exact: np.ndarray) -> tuple[float, float]:
    """Give the mean per row of L1 / (2 sqrt d) and of L2 / (2 sqrt d) (EX-8)."""
    gaps = values - exact
    scale = 2.0 * np.sqrt(gaps.shape[1])
    ones = np.abs(gaps).sum(axis=1) / scale
    twos = np.linalg.norm(gaps, axis=1) / scale
    return float(ones.mean()), float(twos.mean())
