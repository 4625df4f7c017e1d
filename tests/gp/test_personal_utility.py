"""Curves, surfaces and imagined items of one person, against conditioning by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.datasets import load_flats, make_flats_population, make_population
from penchant.exceptions import DataError
from penchant.models import FactorTerm, PersonalUtility, PopulationGP


def learned_from(items: Items) -> PopulationGP:
    earlier = make_flats_population(n_users=60, n_comparisons=15, random_state=1)
    return PopulationGP().fit(items, earlier.comparisons)


@pytest.fixture(scope="module")
def flats() -> Items:
    """The flats, as if nobody knew which end of an attribute is better."""
    attributes = [replace(a, direction="unknown") for a in load_flats().attributes]
    return Items.from_frame(load_flats().frame, attributes)


@pytest.fixture(scope="module")
def population(flats: Items) -> PopulationGP:
    return learned_from(flats)


@pytest.fixture(scope="module")
def belief(population):
    return population.for_user().update(3, 8).update(5, 1).update_tie(2, 9)


@pytest.fixture(scope="module")
def person(population, belief) -> PersonalUtility:
    return PersonalUtility(population, belief)


@pytest.fixture(scope="module")
def directed() -> PersonalUtility:
    population = learned_from(load_flats())
    return PersonalUtility(population, population.for_user().update(3, 8))


def imagined(flats: Items) -> Items:
    """Give flats of which each differs from a known one in its rent and floor."""
    frame = flats.frame.iloc[:6].assign(price=[450, 600, 777, 900, 1100, 1499], floor=3)
    return Items.from_frame(frame, flats.attributes)


def condition(person, factor_values, items_cov, belief):
    """Give mean and covariance of factor values by the joint normal distribution."""
    own, cross = factor_values
    gain = cross @ np.linalg.inv(items_cov)
    rest = own - gain @ cross.T
    return gain @ belief.mean, gain @ belief.cov @ gain.T + rest


def factor_gram(population, factor, U, V):
    prior = population.model_.items
    product = np.ones((len(U), len(V)))
    for i in factor:
        at = prior.kernel.attributes.index(i)
        product *= prior.kernel.kernels[at].k0(U[:, i], V[:, i])
    return prior.scale * prior.kernel.order_weights[len(factor) - 1] * product


def test_known_items_are_worth_what_the_posterior_says(person, belief, flats):
    mean, cov = person.posterior(flats)
    np.testing.assert_allclose(mean, belief.mean, atol=1e-12)
    np.testing.assert_allclose(cov, belief.cov, atol=1e-12)
    mean, deviation = person.utility(flats, return_std=True)
    np.testing.assert_allclose(deviation**2, belief.variance, atol=1e-10)
    np.testing.assert_array_equal(mean, person.utility(flats))


def test_imagined_items_before_any_answer_are_those_of_the_population(
    population, flats
):
    person = PersonalUtility(population, population.for_user())
    prior = population.for_user(X_items=imagined(flats))
    mean, cov = person.posterior(imagined(flats))
    np.testing.assert_allclose(mean, prior.mean, atol=1e-12)
    np.testing.assert_allclose(cov, prior.cov, atol=1e-12)


def test_an_answer_moves_imagined_items_like_it(population, flats):
    before = population.for_user()
    dear, cheap = np.argmax(flats.frame["price"]), np.argmin(flats.frame["price"])
    told = PersonalUtility(population, before.update(int(dear), int(cheap)))
    start = PersonalUtility(population, before)
    frame = flats.frame.iloc[[0, 0]].assign(price=[1500, 400])
    pair = Items.from_frame(frame, flats.attributes, names=["dear", "cheap"])
    assert np.subtract(*told.utility(pair)) > np.subtract(*start.utility(pair))


@pytest.mark.parametrize(
    ("attribute", "values"),
    [("price", [450, 800, 1400]), ("balcony", ["none", "garden"]), (5, ["A", "G"])],
    ids=["numeric", "categorical", "ordinal"],
)
def test_curves_by_conditioning(person, population, belief, attribute, values):
    mean, deviation = person.curve(attribute, values)
    i = person.encoding.position(attribute)
    points = np.zeros((len(values), len(person.names)))
    points[:, i] = person.encoding.column(i, values)
    joint = (
        factor_gram(population, (i,), points, points),
        factor_gram(population, (i,), points, person.items),
    )
    items_cov = population.model_.items.covariance()
    expected, cov = condition(person, joint, items_cov, belief)
    np.testing.assert_allclose(mean, expected, atol=1e-9)
    np.testing.assert_allclose(deviation**2, np.diagonal(cov), atol=1e-9)
    assert (deviation > 0).all()


def test_surfaces_by_conditioning(person, population, belief):
    sizes, prices = [30.0, 90.0], [500.0, 900.0, 1300.0]
    mean, deviation = person.surface("size", "price", sizes, prices)
    assert mean.shape == deviation.shape == (2, 3)
    points = np.zeros((6, len(person.names)))
    points[:, 1] = np.repeat(person.encoding.column(1, sizes), 3)
    points[:, 0] = np.tile(person.encoding.column(0, prices), 2)
    joint = (
        factor_gram(population, (0, 1), points, points),
        factor_gram(population, (0, 1), points, person.items),
    )
    items_cov = population.model_.items.covariance()
    expected, cov = condition(person, joint, items_cov, belief)
    np.testing.assert_allclose(mean.ravel(), expected, atol=1e-9)
    np.testing.assert_allclose(deviation.ravel() ** 2, np.diagonal(cov), atol=1e-9)
    turned, _ = person.surface("price", "size", prices, sizes)
    np.testing.assert_allclose(turned.T, mean, atol=1e-12)


def test_curves_are_zero_on_average(person):
    for name in ("price", "size", "commute"):
        mean, _ = person.curve(
            name, person.encoding.grid(person.names.index(name), 2001)
        )
        weights = np.ones(len(mean))
        weights[[0, -1]] = 0.5
        assert abs(weights @ mean / weights.sum()) < 1e-6


def test_parts_and_the_rest_make_the_utility(person, flats, belief):
    parts = person.decompose(flats)
    assert tuple(parts) == person.factors
    for factor, part in parts.items():
        np.testing.assert_allclose(
            person.expect(factor, person.encode(flats)), part, atol=1e-10
        )
    one = np.eye(len(flats))[7][None]
    terms = [
        FactorTerm(factor, person.encode(flats)[7:8], -np.ones((1, 1)))
        for factor in person.factors
    ]
    rest, variance = person.combine(terms, one)
    total = sum(part[7] for part in parts.values())
    assert total + rest[0] == pytest.approx(belief.mean[7], abs=1e-9)
    assert variance[0, 0] > 0


def test_sums_of_parts_are_as_sure_as_sampling_says(person, population, belief):
    rng = np.random.default_rng(0)
    points = rng.random((3, len(person.names)))
    points[:, [4, 7]] = 1.0
    coef = rng.standard_normal((2, 3))
    terms = [FactorTerm((0,), points, coef), FactorTerm((0, 1), points, 2 * coef)]
    direct = np.zeros((2, len(person.items)))
    direct[0, 3], direct[1, 5] = 1.0, -1.0
    mean, cov = person.combine(terms, direct)
    K = population.model_.items.covariance()
    gram = sum(
        size * size * factor_gram(population, s, points, points)
        for s, size in (((0,), 1.0), ((0, 1), 2.0))
    )
    cross = sum(
        size * factor_gram(population, s, points, person.items)
        for s, size in (((0,), 1.0), ((0, 1), 2.0))
    )
    gain = coef @ cross @ np.linalg.inv(K)
    u = rng.multivariate_normal(belief.mean, belief.cov, 200_000, method="svd")
    rest = coef @ gram @ coef.T - gain @ (coef @ cross).T
    drawn = u @ (gain + direct).T
    drawn += rng.multivariate_normal(np.zeros(2), rest, len(u), method="svd")
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.02)
    np.testing.assert_allclose(np.cov(drawn.T), cov, rtol=0.03, atol=0.02)


def test_shares_add_up_to_one(person):
    shares = person.shares()
    assert sum(shares.values()) == pytest.approx(1.0)
    assert min(shares.values()) >= 0.0
    assert tuple(shares) == person.factors


class TestKnownDirections:
    """Dear flats are large, so answers alone do not tell what a low rent is worth."""

    @pytest.mark.parametrize("name", ["price", "size", "commute", "energy class"])
    def test_curves_go_the_known_way(self, directed, name):
        i = directed.encoding.position(name)
        mean, _ = directed.curve(name, directed.encoding.grid(i, 5))
        steps = np.diff(mean)
        better_last = load_flats().attributes[i].direction == "up"
        assert (steps > 0 if better_last else steps < 0).all()

    def test_without_them_the_rent_seems_to_matter_little(self, person, directed):
        drops = [
            -np.subtract(*each.curve("price", [1500, 400])[0])
            for each in (person, directed)
        ]
        assert drops[1] > 3 * abs(drops[0])

    def test_real_items_keep_their_utilities(self, directed):
        population = learned_from(load_flats())
        belief = population.for_user().update(3, 8)
        mean, cov = directed.posterior(load_flats())
        np.testing.assert_allclose(mean, belief.mean, atol=1e-12)
        np.testing.assert_allclose(cov, belief.cov, atol=1e-12)

    def test_imagined_items_follow_them(self, directed):
        flats = load_flats()
        frame = flats.frame.iloc[[20] * 3].assign(price=[500, 900, 1300])
        variants = Items.from_frame(frame, flats.attributes, names=["a", "b", "c"])
        mean, deviation = directed.utility(variants, return_std=True)
        assert mean[0] > mean[1] > mean[2]
        assert (deviation > 0).all()

    def test_only_real_items_have_a_position(self, directed):
        assert len(directed.items) > 40
        assert directed.position(directed.items[39]) == 39
        assert directed.position(directed.items[-1]) is None

    def test_very_many_attributes_are_left_alone(self):
        rng = np.random.default_rng(0)
        people = make_population(n_users=20, n_items=12, random_state=0)
        frame = pd.DataFrame(rng.random((12, 40)))
        frame.columns = [f"a{i}" for i in range(40)]
        attributes = [Attribute(name, "numeric", "up", (0, 1)) for name in frame]
        items = Items.from_frame(frame, attributes)
        population = PopulationGP(max_order=1).fit(items, people.comparisons)
        person = PersonalUtility(population, population.for_user())
        assert len(person.items) == 12


def test_without_answers_nothing_is_known_of_curves(flats):
    nobody = make_flats_population(n_users=2, random_state=0).comparisons
    empty = PopulationGP().fit(flats, nobody.take(np.zeros(0, dtype=int)))
    person = PersonalUtility(empty, empty.for_user())
    mean, deviation = person.curve("price", [400, 1500])
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    assert deviation.min() > 0.1
    assert set(person.shares().values()) == {0.0}


def test_positions_of_items(person, flats):
    rows = person.encode(flats)
    assert person.position(rows[11]) == 11
    assert person.position(np.full(len(person.names), 0.5)) is None


def test_of_very_many_items_some_carry_the_curves():
    people = make_population(n_users=30, n_items=700, n_comparisons=10, random_state=0)
    model = PopulationGP(rank=20).fit(people.X_items, people.comparisons)
    person = PersonalUtility(model, model.for_user())
    assert len(person.items) == 350
    mean, deviation = person.curve(0, [0.2, 0.8])
    assert np.isfinite(mean).all()
    assert (deviation > 0).all()


def test_what_is_refused(population, flats, person):
    with pytest.raises(DataError, match="about the 40 items"):
        PersonalUtility(population, population.for_user().take([0, 1]))
    people = make_population(n_users=20, n_items=6, random_state=0)
    bare = PopulationGP().fit(None, people.comparisons)
    with pytest.raises(DataError, match="Curves need features"):
        PersonalUtility(bare, bare.for_user())
    smooth = PopulationGP(item_kernel="rbf").fit(people.X_items, people.comparisons)
    with pytest.raises(DataError, match="item_kernel='anova'"):
        PersonalUtility(smooth, smooth.for_user())
    with pytest.raises(DataError, match="no part for price"):
        person.surface("price", "price", [500], [600])
    with pytest.raises(DataError, match="no attribute 'colour'"):
        person.curve("colour", [1])
