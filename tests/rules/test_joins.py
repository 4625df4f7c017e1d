import numpy as np
import pytest

from penchant.models import Condition, Conjunction, FeatureList, Monomials, Vocabulary
from penchant.rules._conditions import ALWAYS
from penchant.rules._generators import Conjunctions
from penchant.rules._joins import JoinedFeatures, JoinedLists, join_features
from penchant.rules._sources import SearchedFeatures

X = np.random.default_rng(0).integers(0, 5, size=(30, 3)).astype(float)
WORDS = Vocabulary(("a", "b", "c"))


def small_lists():
    thresholds = [Conjunction((Condition(0, "<=", v),)) for v in (1.0, 2.0, 3.0)]
    return [FeatureList(thresholds, X), FeatureList([ALWAYS], X)]


def mixed_sets():
    searched = Conjunctions(4).bind(X, WORDS)
    assert isinstance(searched, SearchedFeatures)
    return [searched, FeatureList([ALWAYS], X), Monomials(1).bind(X, WORDS)]


def test_lists_stay_a_list():
    parts = small_lists()
    joined = join_features(parts)
    assert isinstance(joined, JoinedLists)
    assert joined.n_features == 4
    assert not joined.is_signed
    channels = np.random.default_rng(1).normal(size=(30, 2))
    for squared in (False, True):
        wanted = [part.sums(channels, squared=squared) for part in parts]
        np.testing.assert_array_equal(
            joined.sums(channels, squared=squared), np.vstack(wanted)
        )


def test_keys_of_a_list_are_shifted():
    parts = small_lists()
    joined = join_features(parts)
    keys = [joined.key(1, 0), joined.key(0, 2), joined.key(0, 0)]
    assert keys == [3, 2, 0]
    values = joined.values(keys)
    for key, column in zip(keys, values.T, strict=True):
        np.testing.assert_array_equal(joined.feature(key).evaluate(X), column)
    assert joined.feature(3) == ALWAYS
    assert set(joined.sample(200, np.random.default_rng(0))) == {0, 1, 2, 3}


@pytest.mark.parametrize("n_channels", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_sets_are_priced_like_their_best(seed, n_channels):
    parts = mixed_sets()
    joined = join_features(parts)
    assert isinstance(joined, JoinedFeatures)
    assert joined.is_signed
    channels = np.random.default_rng(seed).normal(size=(30, n_channels))
    priced = joined.price(channels, 12)
    apart = [part.price(channels, 12) for part in parts]
    assert priced.bound == max(each.bound for each in apart)
    every = np.sort(np.concatenate([each.payoffs for each in apart]))[::-1]
    np.testing.assert_array_equal(priced.payoffs, every[:12])
    totals = joined.values(priced.keys).T @ channels
    if n_channels == 1:
        reached = totals[:, 0] * (priced.better - priced.worse)
    else:
        rows = np.arange(len(totals))
        reached = totals[rows, priced.better] - totals[rows, priced.worse]
    np.testing.assert_allclose(reached, priced.payoffs)


def test_keys_of_sets_name_their_set():
    joined = join_features(mixed_sets())
    keys = joined.sample(60, np.random.default_rng(0))
    assert {key[0] for key in keys} == {0, 1, 2}
    values = joined.values(keys)
    for key, column in zip(keys, values.T, strict=True):
        np.testing.assert_allclose(joined.feature(key).evaluate(X), column, atol=1e-12)
    assert joined.feature(joined.key(1, 0)) == ALWAYS
