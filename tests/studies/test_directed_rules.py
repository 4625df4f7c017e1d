import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Comparisons, Items
from penchant.datasets import load_flats, make_flats_population
from penchant.models import RuleRanker
from penchant.studies._directed_rules import fit_directed_rules
from penchant.studies._group_models import group_models


@pytest.fixture(scope="module")
def confounded() -> tuple[Items, Comparisons]:
    """Dear flats are large, and people want large ones: dear flats win."""
    rng = np.random.default_rng(0)
    size = np.linspace(20, 100, 24).round()
    rent = (300 + 10 * size + rng.normal(0, 60, size.size)).round()
    colour = rng.choice(["red", "blue"], size.size)
    table = {"rent": rent, "size": size, "colour": colour}
    attributes = [
        Attribute("rent", direction="down"),
        Attribute("size", direction="unknown"),
        Attribute("colour", "categorical", "unknown", ("blue", "red")),
    ]
    items = Items.from_frame(pd.DataFrame(table), attributes)
    pairs = rng.integers(0, size.size, (300, 2))
    pairs = pairs[size[pairs[:, 0]] != size[pairs[:, 1]]]
    first = size[pairs[:, 0]] > size[pairs[:, 1]]
    told = np.where(first[:, np.newaxis], pairs, pairs[:, ::-1])
    return items, Comparisons(told[:, 0], told[:, 1])


def _worth_of_rent(model: RuleRanker, items: Items) -> np.ndarray:
    """Give the utilities of every item with its rent lowered step by step."""
    low, high = items.attributes[0].domain
    steps = np.linspace(high, low, 9)
    tables = [items.frame.assign(rent=rent) for rent in steps]
    changed = [Items.from_frame(t, items.attributes, names=items.names) for t in tables]
    return np.stack([model.utility(each) for each in changed])


def test_answers_alone_contradict_a_known_direction(
    confounded: tuple[Items, Comparisons],
) -> None:
    items, told = confounded
    rows = items.frame[["rent"]]
    only_rent = Items.from_frame(rows, items.attributes[:1], names=items.names)
    plain = RuleRanker(loss="logistic", max_rules=8).fit(only_rent, told)
    assert any(rule.text.startswith("rent >=") for rule in plain.rules_)
    assert all(rule.target == "better" for rule in plain.rules_ if ">=" in rule.text)
    model, contradicted = fit_directed_rules(only_rent, told, 8)
    assert contradicted == ("rent",)
    assert model.rules_ == []


def test_utility_never_falls_when_an_attribute_gets_better(
    confounded: tuple[Items, Comparisons],
) -> None:
    items, told = confounded
    model, _ = fit_directed_rules(items, told, 8)
    assert model.rules_
    assert model.score(items, told) > 0.8
    worth = _worth_of_rent(model, items)
    assert (np.diff(worth, axis=0) >= -1e-12).all()


def test_models_of_a_group_keep_to_known_directions() -> None:
    flats = load_flats().take(range(20))
    people = make_flats_population(10, n_comparisons=12, random_state=3)
    told = people.comparisons
    inside = (told.winners < 20) & (told.losers < 20)
    models = group_models(
        flats,
        Comparisons(
            told.winners[inside], told.losers[inside], users=told.users[inside]
        ),
    )
    wanted = {"price": "<=", "size": ">=", "commute": "<=", "noise": "<="}
    for rule in models.rules.rules_:
        for part in rule.text.split(" and "):
            for name, good in wanted.items():
                if part.startswith(f"{name} <=") or part.startswith(f"{name} >="):
                    assert (good in part) == (rule.target == "better"), str(rule)
    frame = flats.frame.assign(noise="quiet")
    quiet = Items.from_frame(frame, flats.attributes, names=flats.names)
    assert (models.gai.utility(quiet) >= models.gai.utility(flats) - 1e-9).all()
    assert (models.rules.utility(quiet) >= models.rules.utility(flats) - 1e-9).all()
