"""Contributions in one person's utility, against the definition."""

import numpy as np
import pytest

from penchant.datasets import load_flats, make_flats_population
from penchant.explanation import contrast, explain, reasons
from penchant.models import PersonalUtility, PopulationGP


@pytest.fixture(scope="module")
def flats():
    return load_flats()


@pytest.fixture(scope="module")
def person(flats) -> PersonalUtility:
    earlier = make_flats_population(n_users=40, n_comparisons=15, random_state=1)
    population = PopulationGP().fit(flats, earlier.comparisons)
    return PersonalUtility(population, population.for_user().update(3, 8).update(5, 1))


def by_attributes(person: PersonalUtility, flats, rows):
    """Give the part of the utility that attributes explain, for hybrid flats."""
    frame = flats.frame.iloc[[0] * len(rows)].copy()
    for k, row in enumerate(rows):
        frame.iloc[k] = row
    table = type(flats).from_frame(
        frame, flats.attributes, names=[f"flat {k}" for k in range(len(rows))]
    )
    return sum(person.decompose(table).values())


def test_a_contrast_is_the_shapley_value_of_the_game(person, flats, definition):
    a, b = flats.frame.iloc[[3, 8]].to_numpy()
    d = len(a)
    members = [tuple(bool(k >> i & 1) for i in range(d)) for k in range(2**d)]
    worth = by_attributes(person, flats, [np.where(who, a, b) for who in members])
    game = dict(zip(members, worth, strict=True))
    found = contrast(person, flats.take([3]), flats.take([8]))
    expected = definition.shapley(lambda inside: game[tuple(inside.tolist())], d)
    np.testing.assert_allclose(found.values[0], expected, atol=1e-10)


def test_the_gap_is_what_attributes_do_not_explain(person, flats):
    found = contrast(person, flats.take([3]), flats.take([8]))
    u = person.utility(flats)
    assert found.predictions[0] - found.base[0] == pytest.approx(u[3] - u[8])
    explained = by_attributes(person, flats, flats.frame.iloc[[3, 8]].to_numpy())
    assert found.values.sum() == pytest.approx(explained[0] - explained[1], abs=1e-10)
    assert found.gap[0] == pytest.approx(u[3] - u[8] - found.values.sum())


def test_parts_of_one_item_add_up(person, flats):
    found = explain(person, flats)
    parts = by_attributes(person, flats, flats.frame.to_numpy())
    np.testing.assert_allclose(found.values.sum(axis=1), parts, atol=1e-10)
    np.testing.assert_allclose(found.predictions, person.utility(flats), atol=1e-12)
    assert (found.std > 0).any(axis=1).all()


def test_a_contrast_is_as_sure_as_its_parts(person, flats):
    one, other = (explain(person, flats.take([k])) for k in (3, 8))
    single = contrast(person, flats.take([3]), flats.take([8]))
    # With the same value in both, an attribute can gain through interactions only.
    same = flats.frame.iloc[3].eq(flats.frame.iloc[8]).to_numpy()
    assert abs(single.values[0, same]).max() < 1e-12
    assert single.std[0, same].max() < 1e-6
    assert np.linalg.eigvalsh(single.cov[0]).min() > -1e-9
    assert single.std[0].max() < (one.std + other.std).max()


def test_reasons_in_words(person, flats):
    text = reasons(contrast(person, flats.take([3]), flats.take([8]))).text
    assert flats.names[3] in text
    assert "EUR" in text or "m²" in text or "min" in text
