import numpy as np
import pytest
from scipy.stats import norm

from penchant.elicitation import PersonBelief, PersonSpace
from penchant.elicitation.person._components import Components
from penchant.elicitation.person._rows import Rows, read
from penchant.elicitation.person._utilities import (
    N_DRAWS,
    calibrated,
    systematic,
    ties_at_the_top,
)
from penchant.gp import Answer

MEAN = -np.arange(40.0)  # the first eight are the best fifth


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


def test_utilities_have_standard_deviation_1(belief):
    utilities = belief.draws.utilities
    np.testing.assert_allclose(utilities.mean(axis=1), 0.0, atol=1e-9)
    np.testing.assert_allclose(utilities.std(axis=1), 1.0)
    assert belief.draws.weights.sum() == pytest.approx(1.0)


def test_best_or_as_good(belief):
    drawn, item = belief.draws, belief.favourite
    best = drawn.weights @ (drawn.utilities.argmax(axis=1) == item)
    assert best <= belief.certainty <= 1.0
    alone = belief.as_good(item, np.array([item]))
    assert alone == pytest.approx(1.0)
    gap = drawn.utilities.max(axis=1) - drawn.utilities[:, item]
    assert belief.expected_regret == pytest.approx(drawn.weights @ gap)


def test_questions_are_about_what_may_be_best(belief):
    pairs = np.array([[0, 1], [2, 3], [int(belief.mean.argmin()), 5]])
    utilities, weights = belief.draws.utilities, belief.draws.weights
    expected = [
        weights @ np.maximum(utilities[:, i], utilities[:, j]) for i, j in pairs
    ]
    np.testing.assert_allclose(belief.better_of(pairs), expected, atol=1e-5)


def test_ties_among_the_best_are_counted_four_at_most():
    best = [Answer("tie", (0, k)) for k in range(1, 8)]
    other = [Answer("tie", (0, 9)), Answer("comparison", (0, 1))]
    other += [Answer("tie", (0, 1), 0.3)]  # a common grade
    assert ties_at_the_top(other, MEAN) == 0.0
    assert ties_at_the_top(best[:1] + other, MEAN) == pytest.approx(np.log(2))
    assert ties_at_the_top(best, MEAN) == pytest.approx(np.log(5))


def test_of_few_items_two_are_the_best():
    tie = [Answer("tie", (0, 2))]
    assert ties_at_the_top(tie, -np.arange(5.0)) == 0.0
    assert ties_at_the_top(tie, -np.arange(15.0)) > 0.0


@pytest.mark.parametrize("ties", [0.0, np.log(5)])
def test_it_grows_with_the_share_of_the_draws_from_0_to_1(ties):
    told = calibrated(np.linspace(0.0, 1.0, 101), ties)
    assert (np.diff(told) > 0).all()
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert calibrated(1.0 + 1e-15, ties) == 1.0  # weights that sum to above 1


def test_ties_make_it_surer():
    plain = calibrated(0.6, 0.0)
    assert abs(plain - 0.6) < 0.05
    assert calibrated(0.6, np.log(2)) > plain + 0.05


def test_what_is_noticed_and_how_answers_come_draw_by_draw(belief):
    drawn, w = belief.draws, belief.draws.weights
    some = np.array([3, 8, 1])
    u = drawn.utilities[:, some]
    near = np.maximum(0.1, drawn.width)
    gaps = u.max(axis=1, keepdims=True) - u
    np.testing.assert_allclose(belief.gaps(8, some), gaps[:, 1])
    shares = [w @ (gaps[:, k] <= near) for k in range(3)]
    np.testing.assert_allclose(belief.all_as_good(some), shares)
    assert belief.as_good(8, some) == pytest.approx(shares[1])
    assert belief.regret(8, some) == pytest.approx(w @ gaps[:, 1])
    outside = belief.gaps(5, some)  # one that is better than all of them loses nothing
    expected = np.maximum(u.max(axis=1) - drawn.utilities[:, 5], 0.0)
    np.testing.assert_allclose(outside, expected)
    d = drawn.utilities[:, 3] - drawn.utilities[:, 8]
    above = norm.cdf((d - drawn.width) / drawn.noise)
    below = norm.cdf((-d - drawn.width) / drawn.noise)
    chance = (1 - 2 * drawn.lapse) * (above + 0.5 * (1 - above - below)) + drawn.lapse
    np.testing.assert_allclose(belief.prefers(d), chance)
    both = belief.prefers(np.column_stack([d, -d]))
    np.testing.assert_allclose(both.sum(axis=1), 1.0)
    assert belief.probability(3, 8) == pytest.approx(w @ chance)


def test_moments_are_those_of_the_draws(belief):
    u = belief.draws.utilities
    cov = np.cov(u.T, bias=True)
    np.testing.assert_allclose(belief.cov, cov, atol=1e-12)
    np.testing.assert_allclose(belief.variance, np.diag(cov))
    np.testing.assert_allclose(belief.cross(np.array([2, 4])), cov[:, [2, 4]])
    drawn = belief.draw(np.array([7, 0]))
    np.testing.assert_array_equal(drawn.utilities, u[:, [7, 0]])
    people = list(belief.sample(3, np.random.default_rng(0)))
    assert len(people) == 3
    assert all((u == one).all(axis=1).any() for one in people)


def test_rejected_items_are_no_favourite_unless_they_were_chosen(belief):
    fresh = PersonBelief.begin(belief.space, 1)
    no = fresh.with_answers([Answer("below", (k,)) for k in (3, 1)])
    assert no.rejected == {1, 3}
    assert no.favourite not in {1, 3}
    assert no.contradicts == ()
    both = no.update(3, 2)
    assert (both.rejected, both.contradicts) == ({1}, (3,))
    few = PersonSpace.from_items(belief.space.items.take(range(3)))
    all_out = PersonBelief.begin(few).with_answers(
        [Answer("below", (k,)) for k in range(3)]
    )
    assert all_out.favourite == np.argmax(all_out.mean)
