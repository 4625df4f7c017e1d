"""The demo table and its people."""

import hashlib
import re
from importlib.resources import files

import numpy as np
import pytest

from penchant.datasets import load_flats, make_flats_population
from penchant.exceptions import DataError
from penchant.metrics import pairwise_accuracy

FOLDER = files("penchant.datasets") / "data"


def test_flats_are_a_complete_table_with_meanings() -> None:
    flats = load_flats()
    assert len(flats) == len(set(flats.names)) == 40
    assert not flats.frame.isna().any(axis=None)
    meanings = [(a.name, a.kind, a.direction, a.unit) for a in flats.attributes]
    assert meanings == [
        ("price", "numeric", "down", "EUR/month"),
        ("size", "numeric", "up", "m²"),
        ("commute", "numeric", "down", "min"),
        ("floor", "numeric", "unknown", ""),
        ("balcony", "categorical", "unknown", ""),
        ("energy class", "ordinal", "down", ""),
        ("noise", "ordinal", "down", ""),
        ("furnished", "categorical", "unknown", ""),
    ]


def test_better_encodes_higher() -> None:
    flats = load_flats()
    encoded = dict(zip(flats.frame.columns, flats.encode().T, strict=True))
    energy, noise = flats.frame["energy class"], flats.frame["noise"]
    assert encoded["price"].argmax() == flats.frame["price"].argmin()
    assert (encoded["energy class"][energy == "A"] == 1).all()
    assert (encoded["energy class"][energy == "G"] == 0).all()
    assert (encoded["noise"][noise == "busy street"] == 0).all()


def test_rents_are_plausible() -> None:
    table = load_flats().frame
    assert table["price"].between(480, 1450).all()
    assert (table["price"] / table["size"]).between(9, 22).all()
    assert (table["price"] % 5 == 0).all()
    assert np.corrcoef(table["price"], table["size"])[0, 1] > 0.8
    assert (table["floor"][table["balcony"] == "garden"] == 0).all()
    assert (table["floor"][table["balcony"] == "roof terrace"] >= 4).all()
    assert set(table["balcony"]) == {"none", "balcony", "roof terrace", "garden"}


def test_no_flat_is_beaten_in_everything_that_all_people_like() -> None:
    flats = load_flats()
    liked = [a.direction != "unknown" for a in flats.attributes]
    values = flats.encode()[:, liked]
    better = (values[:, None] >= values[None]).all(axis=2)
    np.testing.assert_array_equal(better, np.eye(40, dtype=bool))


def test_readme_names_licence_columns_and_checksum() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    content = (FOLDER / "flats.csv").read_bytes()
    stated = re.search(r"SHA-256: `([0-9a-f]{64})`", readme)
    assert stated is not None
    assert stated[1] == hashlib.sha256(content).hexdigest()
    assert "Fictional" in readme
    assert "BSD-3-Clause" in readme
    for column in content.decode().splitlines()[0].split(","):
        assert f"| {column} |" in readme


def test_people_differ_by_kind() -> None:
    people = make_flats_population(100)
    kinds = np.array(people.segments)
    alike = kinds[:, None] == kinds
    correlation = np.corrcoef(people.utilities)
    inside = correlation[alike & ~np.eye(100, dtype=bool)].mean()
    assert inside > correlation[~alike].mean() + 0.3
    prices = load_flats().frame["price"].to_numpy()
    best = prices[people.utilities.argmax(axis=1)]
    assert best[kinds == "student"].mean() < best[kinds == "family"].mean()
    assert len(set(people.utilities.argmax(axis=1))) >= 8


def test_people_answer_by_their_utilities_with_some_noise() -> None:
    people = make_flats_population(50, n_comparisons=20)
    np.testing.assert_allclose(people.utilities.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(people.utilities.std(axis=1), 1)
    assert 0.9 < pairwise_accuracy(people.utilities, people.comparisons) < 1.0
    exact = make_flats_population(50, noise=0.0)
    assert pairwise_accuracy(exact.utilities, exact.comparisons) == 1.0


def test_people_fit_the_flats_and_are_always_the_same() -> None:
    first, second = make_flats_population(), make_flats_population()
    assert first.comparisons == second.comparisons
    np.testing.assert_array_equal(first.X_items, load_flats().encode())
    assert first.X_users.shape == (60, 3)
    assert first.X_users.min() >= 0
    assert first.X_users.max() <= 1
    other = make_flats_population(random_state=1)
    assert other.comparisons != first.comparisons


def test_a_population_needs_people() -> None:
    with pytest.raises(DataError, match="n_users must be a whole number >= 1"):
        make_flats_population(0)
