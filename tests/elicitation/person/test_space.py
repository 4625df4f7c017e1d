import numpy as np
import pytest

from penchant.elicitation import PersonSpace
from penchant.exceptions import DataError
from penchant.gp import LowRankCovariance, Posterior


def earlier(n_items, rank=3, seed=0):
    rng = np.random.default_rng(seed)
    factor = rng.standard_normal((n_items, rank))
    cov = factor @ factor.T + 0.1 * np.eye(n_items)
    return Posterior(rng.standard_normal(n_items), cov, noise=0.5)


def test_every_block_is_centred_and_of_size_1(table):
    space = PersonSpace.from_items(table(30), earlier(30))
    kinds = {block.kind for block in space.blocks}
    assert kinds == {"line", "curve", "pair", "population", "level"}
    np.testing.assert_allclose(space.table.mean(axis=0), 0.0, atol=1e-12)
    of_mean = (space.population_mean**2).mean()
    for block in space.blocks:
        size = (space.table[:, block.columns] ** 2).sum(axis=1).mean()
        if block.kind == "level":
            assert size == 0
        elif block.kind == "population":
            assert size + of_mean == pytest.approx(1.0)
        else:
            assert size == pytest.approx(1.0)


@pytest.mark.parametrize("n_items", [2, 3, 10])
def test_what_items_have_of_their_own_is_of_size_1_too(plain_list, n_items):
    centred = np.eye(n_items) - 1.0 / n_items
    own = PersonSpace.from_items(plain_list(n_items)).own_scale * centred
    assert (own**2).sum(axis=1).mean() == pytest.approx(1.0)


def test_curves_and_pairs_say_nothing_that_lines_say(table):
    space = PersonSpace.from_items(table(30))
    lines = space.table[:, [b.columns.start for b in space.blocks if b.kind == "line"]]
    for block in space.blocks:
        if block.kind == "curve":
            line = lines[:, block.owners[0]]
            overlap = line @ space.table[:, block.columns]
            np.testing.assert_allclose(overlap, 0.0, atol=1e-9)
        if block.kind == "pair":
            own = space.columns_of(block.owners[:1])
            overlap = space.table[:, own].T @ space.table[:, block.columns]
            np.testing.assert_allclose(overlap, 0.0, atol=1e-9)


def test_a_blank_is_an_average_value(table):
    items = table(30, blanks=True)
    space = PersonSpace.from_items(items)
    rent = space.features(space.encoded)[1, space.columns_of((0,))]
    heating = space.features(space.encoded)[2, space.columns_of((3,))]
    np.testing.assert_allclose([*rent, *heating], 0.0)


def test_imagined_items_have_the_features_of_the_same_item(table):
    space = PersonSpace.from_items(table(30))
    encoded = space.encode(space.items.take([4]))
    width = space.features(encoded).shape[1]
    np.testing.assert_allclose(
        space.features(encoded)[0], space.table[4, :width], atol=1e-9
    )


def test_values_are_encoded_like_the_table(table):
    items = table(12)
    space = PersonSpace.from_items(items)
    for owner, name in enumerate(space.names):
        found = space.codes(owner, items.frame[name].tolist())
        np.testing.assert_allclose(found, items.encode()[:, owner])


def test_a_plain_list_has_no_attributes(plain_list):
    space = PersonSpace.from_items(plain_list(6))
    assert space.names == ()
    assert space.table.shape == (6, 1)


def test_a_population_may_be_of_low_rank(table):
    rng = np.random.default_rng(0)
    cov = LowRankCovariance(rng.standard_normal((30, 3)), np.full(30, 0.01))
    space = PersonSpace.from_items(table(30), Posterior(np.zeros(30), cov))
    assert space.population.shape == (30, 3)


@pytest.mark.parametrize("is_dense", [True, False])
def test_a_population_keeps_its_mean_and_covariance_in_proportion(table, is_dense):
    rng = np.random.default_rng(0)
    factor, mean = rng.standard_normal((30, 3)), rng.standard_normal(30)
    dense, low = factor @ factor.T, LowRankCovariance(factor, np.zeros(30))
    people = Posterior(mean, dense if is_dense else low)
    space = PersonSpace.from_items(table(30), people)
    centred = factor - factor.mean(axis=0)
    away = mean - mean.mean()
    scale = np.linalg.norm(space.population_mean) / np.linalg.norm(away)
    np.testing.assert_allclose(
        space.population @ space.population.T,
        scale**2 * (centred @ centred.T),
        atol=1e-9,
    )


def test_a_population_of_other_items_is_refused(table):
    with pytest.raises(DataError, match=r"same items\. Got 5 for 30"):
        PersonSpace.from_items(table(30), earlier(5))


def test_an_unknown_attribute_is_refused(table):
    with pytest.raises(DataError, match=r"rent, size, floor, heating. Got 'colour'"):
        PersonSpace.from_items(table(30)).owner("colour")


def test_an_unknown_value_is_nothing_known_in_every_column_of_its_attribute(table):
    space = PersonSpace.from_items(table(30, blanks=True))
    rent, heating = space.owner("rent"), space.owner("heating")
    for item, owner in ((1, rent), (2, heating)):
        for block in space.blocks:
            columns = space.table[item, block.columns]
            assert (columns == 0).all() == (owner in block.owners or not block.owners)
    assert space.incomplete.tolist() == [rent, heating]
    assert space.unknown.sum(axis=1).tolist() == [30, 1, 1]
