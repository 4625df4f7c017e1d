from itertools import pairwise

import numpy as np
import pytest
from scipy.special import beta

from penchant.elicitation.groups import careless_kind, log_careless, own_checks


def test_a_side_is_named_by_where_most_clicks_are():
    for share, side in ((0.35, "right"), (0.65, "left")):
        clicks = np.random.default_rng(0).permutation(np.arange(300) < 300 * share)
        assert careless_kind(clicks.tolist()) == side


@pytest.mark.parametrize("sides", ["", "L", "LR", "LLRLLLRR", "LRLRLRLR", "RRRRRRRRR"])
def test_probability_of_sides_is_the_mixture_of_its_definition(sides):
    clicks = [side == "L" for side in sides]
    q, lefts = len(clicks), sum(clicks)
    changes = sum(a != b for a, b in pairwise(clicks))
    same = max(q - 1 - changes, 0)
    alternating = beta(changes + 1, same + 0.1) / (2 * beta(1, 0.1))
    expected = (
        0.5 * 0.5**q
        + 0.4 * beta(lefts + 0.15, q - lefts + 0.15) / beta(0.15, 0.15)
        + 0.1 * alternating
    )
    assert log_careless(clicks) == pytest.approx(np.log(expected))


def test_of_fewer_than_eight_sides_nothing_is_said():
    assert [careless_kind([True] * n) for n in (7, 8)] == ["random", "left"]


def surest(draws, weights, candidates, asked=()):
    """Name all pairs of candidates by how sure it is who wins, the surest first."""
    mean = weights @ draws
    found = {}
    among = np.var(mean[candidates])
    for a in candidates:
        for b in candidates:
            gap = draws[:, a] - draws[:, b]
            m = weights @ gap
            if m > 0 and (a, b) not in asked and (b, a) not in asked:
                v = weights @ (gap - m) ** 2
                found[a, b] = m / np.sqrt(v + 1e-3 * among + 1e-12)
    return sorted(found, key=lambda pair: -found[pair])


@pytest.mark.parametrize("n_items", [8, 70])
def test_checks_are_the_surest_pairs_of_the_ends_without_an_item_twice(n_items):
    rng = np.random.default_rng(n_items)
    draws = rng.normal(size=n_items) + rng.normal(size=(300, n_items)) * rng.uniform(
        0.05, 1.0, n_items
    )
    weights = rng.uniform(0.5, 1.5, 300)
    share = weights / weights.sum()
    order = np.argsort(-(share @ draws))
    ends = sorted({*order[:30].tolist(), *order[-30:].tolist()})
    first = surest(draws, share, ends)[0]
    asked = [(first[1], first[0]), (0, 10_000)]
    expected, used = [], set()
    for pair in surest(draws, share, ends, asked):
        if not used & {*pair} and len(expected) < 3:
            expected.append(pair)
            used |= {*pair}
    assert own_checks(draws, weights, asked, n=3) == expected


def test_checks_of_many_items_are_of_the_thirty_at_either_end():
    draws = np.zeros((2, 61))
    draws[0], draws[1] = np.arange(61.0), np.arange(61.0)
    draws[1, 30] += 1e-3  # the item in the middle is at neither end
    pairs = own_checks(draws, n=100)
    assert len(pairs) == 30
    assert 30 not in {item for pair in pairs for item in pair}


def test_items_that_are_alike_make_no_check():
    assert own_checks(np.ones((5, 4))) == []
