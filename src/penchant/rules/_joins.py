"""Several sets of features as one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from penchant.rules._sources import Feature, FeatureSet, ListedFeatures, PricedFeatures
from penchant.typing import FloatArray

__all__ = ["join_features"]


class JoinedLists(ListedFeatures):
    """The features of several lists, one after the other.

    Parameters
    ----------
    parts : sequence of ListedFeatures
    """

    def __init__(self, parts: Sequence[ListedFeatures]) -> None:
        self.parts = tuple(parts)
        self.n_items = self.parts[0].n_items
        self.is_signed = any(part.is_signed for part in self.parts)
        self._starts = np.cumsum([0, *(part.n_features for part in self.parts)])
        self.n_features = int(self._starts[-1])

    def key(self, part: int, own_key: Any) -> Any:
        """Give the key of a feature of one of the lists."""
        return int(self._starts[part]) + own_key

    def sums(self, channels: FloatArray, *, squared: bool = False) -> FloatArray:
        """Stack the totals of the lists."""
        return np.vstack([part.sums(channels, squared=squared) for part in self.parts])

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Let each list evaluate its own."""
        numbers = np.asarray(keys, dtype=np.int64)
        owners = np.searchsorted(self._starts, numbers, side="right") - 1
        columns = np.empty((self.n_items, numbers.size), order="F")
        for i in np.unique(owners):
            own = owners == i
            columns[:, own] = self.parts[i].values(numbers[own] - self._starts[i])
        return columns

    def feature(self, key: Any) -> Feature:
        """Let its list make the feature."""
        i = int(np.searchsorted(self._starts, key, side="right")) - 1
        return self.parts[i].feature(key - int(self._starts[i]))


class JoinedFeatures(FeatureSet):
    """The features of several sets; keys are pairs of a set's number and its key.

    Parameters
    ----------
    parts : sequence of FeatureSet
    """

    def __init__(self, parts: Sequence[FeatureSet]) -> None:
        self.parts = tuple(parts)
        self.n_items = self.parts[0].n_items
        self.is_signed = any(part.is_signed for part in self.parts)

    def key(self, part: int, own_key: Any) -> Any:
        """Give the key of a feature of one of the sets."""
        return part, own_key

    def price(self, channels: FloatArray, n_best: int) -> PricedFeatures:
        """Price each set and keep the best of all."""
        priced = [part.price(channels, n_best) for part in self.parts]
        keys = [(i, key) for i, each in enumerate(priced) for key in each.keys]
        payoffs = np.concatenate([each.payoffs for each in priced])
        order = np.argsort(-payoffs, kind="stable")[:n_best]
        return PricedFeatures(
            max(each.bound for each in priced),
            [keys[k] for k in order],
            np.concatenate([each.better for each in priced])[order],
            np.concatenate([each.worse for each in priced])[order],
            payoffs[order],
        )

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Let each set evaluate its own."""
        columns = np.empty((self.n_items, len(keys)), order="F")
        for i, part in enumerate(self.parts):
            places = [j for j, key in enumerate(keys) if key[0] == i]
            if places:
                columns[:, places] = part.values([keys[j][1] for j in places])
        return columns

    def feature(self, key: Any) -> Feature:
        """Let its set make the feature."""
        i, own_key = key
        part: FeatureSet = self.parts[i]
        return part.feature(own_key)

    def sample(self, n_features: int, rng: np.random.Generator) -> list[Any]:
        """Draw a set, each with equal probability, then one of its features."""
        drawn = rng.integers(0, len(self.parts), n_features)
        keys: list[Any] = [None] * n_features
        for i, part in enumerate(self.parts):
            places = np.flatnonzero(drawn == i)
            for place, key in zip(places, part.sample(places.size, rng), strict=True):
                keys[place] = (i, key)
        return keys


def join_features(parts: Sequence[FeatureSet]) -> JoinedLists | JoinedFeatures:
    """Join sets of features on the same items."""
    listed = [part for part in parts if isinstance(part, ListedFeatures)]
    if len(listed) == len(parts):
        return JoinedLists(listed)
    return JoinedFeatures(parts)
