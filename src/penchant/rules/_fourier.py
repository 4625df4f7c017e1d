"""Random Fourier features: a generator whose margin is that of the Gaussian kernel."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.exceptions import DataError
from penchant.rules._conditions import Vocabulary
from penchant.rules._features import (
    FeatureList,
    FeatureSet,
    SummableGenerator,
    dense_items,
)
from penchant.typing import FloatArray


@dataclass(frozen=True)
class Wave:
    """The cosine of a weighted sum of scaled attributes.

    Parameters
    ----------
    attributes : tuple of int
        Indices.
    lows, widths : tuple of float
        Where the scale of each begins, and how long it is.
    frequencies : tuple of float
        Weights of the scaled values.
    phase : float
        What is added to the sum.
    """

    attributes: tuple[int, ...]
    lows: tuple[float, ...]
    widths: tuple[float, ...]
    frequencies: tuple[float, ...]
    phase: float

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Give the cosines of the rows of X."""
        scaled = (X[:, list(self.attributes)] - self.lows) / np.array(self.widths)
        return np.cos(scaled @ np.array(self.frequencies) + self.phase)

    def text(self, vocabulary: Vocabulary) -> str:
        """Write the formula; its attributes are on their scales from 0 to 1."""
        terms = (
            f"{weight:+.2g} {vocabulary.names[i]}"
            for i, weight in zip(self.attributes, self.frequencies, strict=True)
        )
        return f"cos({self.phase:.2g} {' '.join(terms)})"


@dataclass(frozen=True)
class FourierFeatures(SummableGenerator):
    """Cosines with random frequencies, whose products average to a Gaussian kernel.

    For w from N(0, 2 gamma I) and b even on [0, 2 pi] the mean of
    2 cos(w x + b) cos(w y + b) is ``exp(-gamma |x - y|^2)``, so that the margin program
    over many of them is nearly that of a kernel machine, with few of them in the end.
    They are accurate and say little to a reader. Attributes are scaled to [0, 1] over
    the items of the fit; categories and constants are left out.

    Parameters
    ----------
    n_features : int, default=500
        How many are drawn.
    gamma : float, default=1.0
        The larger, the faster they change.
    random_state : int, default=0
        Decides which are drawn.

    References
    ----------
    Rahimi, Recht, "Random features for large-scale kernel machines", NIPS 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import AlwaysTrue, FourierFeatures, RuleClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> inside = (X**2).sum(axis=1) < 0.6
    >>> waves = FourierFeatures(200, gamma=2.0) + AlwaysTrue()
    >>> RuleClassifier(generator=waves, nu=0.05).fit(X, inside).score(X, inside) > 0.95
    True
    """

    n_features: int = 500
    gamma: float = 1.0
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.n_features < 1 or not self.gamma > 0:
            raise DataError(
                "FourierFeatures need n_features of at least 1 and gamma above 0. Got "
                f"n_features={self.n_features!r}, gamma={self.gamma!r}."
            )

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Draw the features."""
        items = dense_items(X, "FourierFeatures")
        rng = np.random.default_rng(self.random_state)
        lows, widths = items.min(axis=0), np.ptp(items, axis=0)
        varied = np.flatnonzero(widths > 0).tolist()
        kept = tuple(i for i in varied if vocabulary.kind(i) != "categorical")
        if not kept:
            raise DataError(
                "FourierFeatures need an attribute with two different numbers. Got "
                "none; use generator='rules' for categories."
            )
        shape = (self.n_features, len(kept))
        weights = np.sqrt(2.0 * self.gamma) * rng.standard_normal(shape)
        phases = rng.uniform(0.0, 2.0 * np.pi, self.n_features)
        scale = tuple(lows[list(kept)].tolist()), tuple(widths[list(kept)].tolist())
        waves = [
            Wave(kept, *scale, tuple(row), phase)
            for row, phase in zip(weights.tolist(), phases.tolist(), strict=True)
        ]
        return FeatureList(waves, items)
