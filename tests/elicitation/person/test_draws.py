import numpy as np
import pytest

from penchant.elicitation import PersonBelief, PersonSpace
from penchant.elicitation.person._components import Components
from penchant.elicitation.person._draws import N_DRAWS, systematic
from penchant.elicitation.person._rows import Rows, read
from penchant.gp import Answer


@pytest.mark.parametrize("start", [0.01, 0.5, 0.99])
def test_places_come_as_often_as_their_weights_say(start):
    weights = np.array([0.5, 0.0, 1.25, 0.25])
    places = systematic(weights, 8, start)
    np.testing.assert_array_equal(np.bincount(places, minlength=4), [2, 0, 5, 1])
    assert (np.diff(places) >= 0).all()
    np.testing.assert_array_equal(systematic(np.array([1.0, 2.0]), 3, start), [0, 1, 1])


@pytest.fixture(scope="module")
def told(table):
    space = PersonSpace.from_items(table(12, blanks=True))
    some = Components.draw(space, 4, 0.0, np.random.default_rng(0))
    one = some.take(np.zeros(1, dtype=int))
    answers = [Answer("comparison", (0, 5)), Answer("comparison", (3, 7))]
    return (
        space,
        one.moments(space),
        Rows.begin(space).plus(space, read(space, answers)),
    )


def belief_of(space, prior, rows, state):
    some = Components.draw(space, 1, 0.0, np.random.default_rng(0))
    return PersonBelief(space, 0, 0.0, some, prior, rows, state, np.zeros(1))


def test_draws_have_the_moments_of_the_posterior(told):
    space, prior, rows = told
    state = rows.infer(prior)
    believed = belief_of(space, prior, rows, state)
    drawn = believed.draws
    assert len(drawn.utilities) == N_DRAWS
    np.testing.assert_allclose(drawn.weights, 1 / N_DRAWS)
    np.testing.assert_allclose(drawn.utilities.mean(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(drawn.utilities.std(axis=1), 1.0)
    scale = drawn.width[:, None] / prior.width  # one over each draw's own size
    np.testing.assert_allclose(drawn.noise[:, None] / prior.noise, scale)
    np.testing.assert_allclose(drawn.lapse, prior.lapse[0])
    theta = drawn.theta / scale
    # plus and minus a deviation: their mean is exact
    mean, utilities = believed._means
    half = N_DRAWS // 2
    pairs = (theta[:half] + theta[half:]) / 2
    np.testing.assert_allclose(pairs, np.repeat(mean, half, axis=0), atol=1e-9)
    values = drawn.utilities / scale
    centred = utilities - utilities.mean()
    np.testing.assert_allclose(
        (values[:half] + values[half:]) / 2, np.repeat(centred, half, axis=0), atol=1e-9
    )
    # the covariance of a Gaussian with these sites: (D^-1 + F' T F)^-1, own parts out
    F, T = rows.features, state.sites.tau[0]
    D = prior.block[0, space.block_of]
    spread = (prior.rest @ space.unknown)[0]
    noise = np.diag(1 / T) + rows.items @ (spread[:, None] * rows.items.T)
    gain = D[:, None] * F.T @ np.linalg.inv(F @ (D[:, None] * F.T) + noise)
    cov = np.diag(D) - gain @ F @ np.diag(D)
    found = (theta - mean).T @ (theta - mean) / N_DRAWS
    np.testing.assert_allclose(found, cov, atol=0.2 * D.max())
    np.testing.assert_allclose(np.trace(found), np.trace(cov), rtol=0.1)


def test_means_are_those_of_a_gaussian_with_the_sites(told):
    space, prior, rows = told
    state = rows.infer(prior)
    theta, utilities = belief_of(space, prior, rows, state)._means
    D = prior.block[0, space.block_of]
    spread = (prior.rest @ space.unknown)[0]
    pull = state.weights[0]
    np.testing.assert_allclose(theta[0], prior.mean[0] + D * (rows.features.T @ pull))
    own = space.own_scale * spread * (rows.items.T @ pull)
    np.testing.assert_allclose(utilities[0], space.table @ theta[0] + own)
    better = utilities[0, 0] - utilities[0, 5]
    before = prior.mean[0] @ (space.table[0] - space.table[5])
    assert better > before


def test_products_of_rows_are_those_block_by_block(told):
    space, prior, rows = told
    for k, block in enumerate(space.blocks):
        own = rows.features[:, block.columns]
        np.testing.assert_allclose(rows.gram[k], own @ own.T, atol=1e-12)
    for k, here in enumerate(space.unknown, start=len(space.blocks)):
        expected = (rows.items * here) @ rows.items.T
        np.testing.assert_allclose(rows.gram[k], expected, atol=1e-12)
    np.testing.assert_allclose(rows.items.sum(axis=1), 0.0, atol=1e-12)
    assert len(rows) == 4  # two directions, two answers
    variance = rows.features**2 @ prior.block[0, space.block_of]
    variance += rows.items**2 @ (prior.rest @ space.unknown)[0]
    gram = np.tensordot(np.append(prior.block, prior.rest), rows.gram, axes=1)
    np.testing.assert_allclose(gram.diagonal(), variance)
