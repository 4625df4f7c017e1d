"""Which pairs may be asked, and which items are looked at where there are many."""

import numpy as np
import pytest

from penchant.elicitation import Dominance
from penchant.elicitation._choice import (
    Situation,
    choose_pair,
    leading_items,
    pick_largest,
)
from penchant.elicitation.policies import eubo, evoi, knowledge_gradient
from penchant.gp import Posterior

BLOCKED = np.array([[0, 3], [5, 4]])


def situation(n=6, **options):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(n, n))
    belief = Posterior(
        rng.normal(size=n), root @ root.T / n + 0.1 * np.eye(n), noise=0.3
    )
    told = {
        "contenders": np.arange(n),
        "blocked": np.zeros((0, 2), dtype=int),
        "order": np.arange(n)[::-1],
        "rng": np.random.default_rng(1),
    }
    return Situation(belief, **(told | options))


def test_pairs_are_all_but_those_blocked_or_known():
    values = np.array([[0.0], [1.0], [2.0], [2.0], [0.0], [np.nan]])
    known = Dominance(values, ("up",))
    some = situation(blocked=BLOCKED, known=known)
    items = np.array([0, 2, 3, 4, 5])
    # 2 and 3 are alike, and nothing is known of 5
    expected = [(0, 4), (0, 5), (2, 3), (2, 5), (3, 5)]
    assert [tuple(p) for p in some.pairs_of(items).tolist()] == expected
    every = situation().pairs_of(np.arange(6))
    assert len(every) == 15
    assert (every[:, 0] < every[:, 1]).all()


@pytest.mark.parametrize("policy", ["eubo", "knowledge-gradient", "evoi", "eubo-kg"])
def test_a_score_asks_the_pair_with_the_largest(policy):
    some = situation(contenders=np.array([1, 2, 4, 5]), blocked=BLOCKED)
    score = {"eubo": eubo, "evoi": evoi}.get(policy, knowledge_gradient)
    pairs = some.pairs_of(some.contenders)
    among = {} if policy == "eubo" else {"among": some.contenders}
    best = pairs[np.argmax(score(some.posterior, pairs, **among))]
    assert choose_pair(policy, some) == tuple(best)


def test_others_are_asked_about_where_contenders_have_no_pair_left():
    one = situation(contenders=np.array([2]))
    asked = choose_pair("eubo", one)
    assert asked is not None
    alone = situation(contenders=np.array([2]), contenders_only=True)
    assert choose_pair("eubo", alone) is None
    some = situation(contenders=np.array([2]), allowed=np.array([1, 2, 5]))
    assert set(choose_pair("eubo", some)) <= {1, 2, 5}


def test_information_and_chance_are_about_all_rivals():
    drawn = [
        choose_pair("random-pair", situation(contenders=np.array([0, 1]), rng=rng))
        for rng in map(np.random.default_rng, range(40))
    ]
    assert {i for pair in drawn for i in pair} == set(range(6))
    inside = situation(contenders=np.array([0, 1]), contenders_only=True)
    assert set(choose_pair("random-pair", inside)) == {0, 1}


def test_of_many_items_the_leading_ones_are_kept():
    some = situation(n=300).posterior
    pool = np.arange(0, 300, 2)
    kept = leading_items(some, pool, 50)
    assert len(kept) <= 50
    assert set(kept) <= set(pool)
    assert (np.diff(kept) > 0).all()
    mean, std = some.mean[pool], np.sqrt(some.variance[pool])
    for values in (mean, mean + 2 * std):
        assert set(pool[np.argsort(-values)[:10]]) <= set(kept)
    np.testing.assert_array_equal(leading_items(some, pool[:50], 50), pool[:50])


@pytest.mark.parametrize("policy", ["eubo", "bald", "knockout", "random-pair"])
def test_more_than_256_items_are_cut_to_those_that_matter(policy):
    some = situation(n=300)
    asked = choose_pair(policy, some)
    assert asked[0] != asked[1]
    if policy == "bald":
        loud = np.argsort(-some.posterior.variance)[:256]
        assert set(asked) <= set(loud.tolist())
    few = situation(n=256)
    assert choose_pair(policy, few) is not None


def test_equal_scores_are_drawn_between():
    scores = np.array([1.0, 2.0, 2.0 - 1e-12, 0.0])
    drawn = {pick_largest(scores, np.random.default_rng(k), 1e-9) for k in range(20)}
    assert drawn == {1, 2}
    assert pick_largest(scores, np.random.default_rng(0), 0.0) == 1
