"""What components suppose: shares of their prior, moves that keep it, variances."""

from math import comb

import numpy as np
import pytest

from penchant.elicitation import PersonSpace
from penchant.elicitation.person._components import GRIDS, Components
from penchant.gp import Posterior


@pytest.fixture(scope="module")
def space(table):
    return PersonSpace.from_items(table(30))


def prior_of(matters):
    """P(m matter) ~ min(m, 3), each set of a size alike."""
    d, m = len(matters), sum(matters)
    weights = [min(k, 3) for k in range(1, d + 1)]
    return weights[m - 1] / sum(weights) / comb(d, m) if m else 0.0


def test_draws_have_the_shares_of_their_prior(space):
    drawn = Components.draw(space, 1_800, 0.5, np.random.default_rng(0))
    sizes = np.bincount(drawn.matters.sum(axis=1), minlength=5)
    np.testing.assert_allclose(sizes, [0, 200, 400, 600, 600], atol=1)
    for name, (values, prior) in GRIDS.items():
        assert sum(prior) == pytest.approx(1.0)
        counts = [(drawn.value(name) == value).sum() for value in values]
        np.testing.assert_allclose(counts, np.array(prior) * 1_800, atol=1)
    assert not drawn.like.any()  # there are no earlier people
    each = drawn.matters.mean(axis=0)
    assert np.ptp(each) < 0.1


def test_draws_are_like_earlier_people_as_often_as_told(table):
    factor = np.random.default_rng(0).normal(size=(30, 2))
    earlier = Posterior(np.zeros(30), factor @ factor.T + 0.1 * np.eye(30), noise=0.5)
    alike = PersonSpace.from_items(table(30), earlier)
    drawn = Components.draw(alike, 1_000, 0.3, np.random.default_rng(0))
    assert drawn.like.sum() == 300
    moved, _ = drawn.moved(alike, 0.3, np.random.default_rng(1))
    changed = (moved.like != drawn.like).mean()
    assert changed == pytest.approx(0.1 * 2 * 0.3 * 0.7, abs=0.02)
    noise = drawn.moments(alike).noise
    assert np.isfinite(noise).all()
    for value in GRIDS["noise"][0]:
        own = drawn.value("noise") == value
        assert set(np.round(noise[own & ~drawn.like] / value, 9)) == {1.0}
        expected = alike.population_noise * np.sqrt(value / 0.2)
        np.testing.assert_allclose(noise[own & drawn.like], expected)


def test_moves_keep_the_prior(space):
    rng = np.random.default_rng(0)
    drawn = Components.draw(space, 4_000, 0.0, rng)
    moved, ratio = drawn.moved(space, 0.0, rng)
    flips = (moved.matters != drawn.matters).sum(axis=1)
    redrawn = (moved.grid != drawn.grid).sum(axis=1)
    assert flips.max() == 2
    assert redrawn.max() == 1
    assert ((flips > 0) & (redrawn > 0)).sum() == 0
    for k in range(4_000):
        if np.isneginf(ratio[k]):  # the only one that matters would go
            assert drawn.matters[k].sum() == 1
            assert flips[k] == 0
        else:
            change = prior_of(moved.matters[k]) / prior_of(drawn.matters[k])
            assert ratio[k] == pytest.approx(np.log(change), abs=1e-12)
    # half of all moves are about attributes, half of these swap one for another
    swaps = (flips == 2).mean()
    full = drawn.matters.all(axis=1).mean()
    assert swaps == pytest.approx(0.25 * (1 - full), abs=0.02)
    same_size = moved.matters[flips == 2].sum(axis=1)
    np.testing.assert_array_equal(same_size, drawn.matters[flips == 2].sum(axis=1))
    for place, (_, prior) in enumerate(GRIDS.values()):
        changed = (moved.grid[:, place] != drawn.grid[:, place]).mean()
        share = 0.5 / len(GRIDS) * (1 - np.sum(np.square(prior)))
        assert changed == pytest.approx(share, abs=0.015)
        # what comes anew comes by its prior
        counts = np.bincount(moved.grid[:, place], minlength=len(prior)) / 4_000
        np.testing.assert_allclose(counts, prior, atol=0.02)


def test_variances_are_shared_as_told_and_add_up_to_one(space):
    drawn = Components.draw(space, 400, 0.0, np.random.default_rng(0))
    prior = drawn.moments(space)
    kinds = np.array([block.kind for block in space.blocks])
    starts = [block.columns.start for block in space.blocks]
    second = prior.block + prior.mean[:, starts] ** 2
    is_level = kinds == "level"
    assert (prior.block[:, is_level] == 1.0).all()
    assert (prior.mean[:, starts][:, is_level] == -0.5).all()
    total = second[:, ~is_level].sum(axis=1) + prior.rest[:, 0]
    np.testing.assert_allclose(total, 1.0)
    np.testing.assert_allclose(prior.rest[:, 0], drawn.value("rest"))
    for k in range(0, 400, 7):
        matters = drawn.matters[k]
        curve, pairs, rest = (drawn.value(n)[k] for n in ("curve", "pairs", "rest"))
        if matters.sum() < 2:
            pairs = 0.0
        n_pairs = comb(int(matters.sum()), 2)
        each = (1 - pairs) * (1 - rest) / matters.sum()
        for b, block in enumerate(space.blocks):
            if block.kind not in ("line", "curve", "pair"):
                continue
            inside = all(matters[i] for i in block.owners)
            bends = block.owners[0] != 3  # kinds of heating have no curve
            expected = {
                "line": each * (1 - curve * bends),
                "curve": each * curve,
                "pair": pairs * (1 - rest) / max(n_pairs, 1),
            }[block.kind]
            assert second[k, b] == pytest.approx(expected * inside)
            directed = block.kind == "line" and block.owners[0] in (0, 1)
            mean = np.sqrt(expected * inside / 2) if directed else 0.0
            assert prior.mean[k, starts[b]] == pytest.approx(mean)


def test_components_can_be_taken_and_joined(space):
    drawn = Components.draw(space, 6, 0.0, np.random.default_rng(0))
    again = drawn.take(np.array([4, 4])).join(drawn.take(np.array([0])))
    assert len(again) == 3
    np.testing.assert_array_equal(again.matters, drawn.matters[[4, 4, 0]])
    one, other = drawn.moments(space), again.moments(space)
    np.testing.assert_allclose(other.block, one.block[[4, 4, 0]])
    both = one.take(np.array([1])).join(one.take(np.array([2])))
    np.testing.assert_allclose(both.lapse, one.lapse[[1, 2]])
