"""Rankings, curves and what-if of one person agree with the belief and each other."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import Items
from penchant.datasets import load_flats, make_flats_population
from penchant.elicitation import PersonBelief, Together
from penchant.exceptions import DataError
from penchant.studies import FORMS, AnsweredQuestion, Parts, simulated_answer
from penchant.studies._results import (
    curves,
    explain,
    interactions,
    ranking,
    weigh,
    what_if,
)
from penchant.studies._start import Start
from penchant.studies._talk import Talk

FLATS = load_flats()


@pytest.fixture(scope="module")
def talk() -> Talk:
    rng = np.random.default_rng(0)
    utilities = make_flats_population(3, random_state=5).utilities[2]
    talk = Talk.from_start(Start.from_items(FLATS), 0)
    for k in range(10):
        items, _ = FORMS["pair"].choose(talk)
        answer = simulated_answer("pair", items, utilities, rng)
        talk = talk.after(AnsweredQuestion(str(k), "pair", items, answer))
    return talk


def test_ranking_tells_what_the_draws_say(talk: Talk) -> None:
    ranked = ranking(talk, FLATS.names)
    assert [each.place for each in ranked] == list(range(1, 41))
    assert sorted(each.item for each in ranked) == list(range(40))
    assert ranked[0].item == talk.favourite
    assert ranked[0].to_dict()["name"] == FLATS.names[talk.favourite]
    assert ranked[0].probability_best == pytest.approx(
        talk.recommendation.probability_best
    )
    points = talk.belief.points()
    assert {each.points for each in ranked} == set(points.mean.tolist())
    assert (points.mean.min(), points.mean.max()) == pytest.approx((0.0, 100.0))
    assert all(each.low <= each.points <= each.high for each in ranked)


def test_several_can_be_as_good_but_none_that_is_known_to_be_worse(talk: Talk) -> None:
    ranked = ranking(talk, FLATS.names)
    assert sum(each.probability_best for each in ranked) > 1.0
    contenders = set(talk.contenders.tolist())
    others = [each for each in ranked if each.item not in contenders]
    assert all(each.probability_best == 0.0 for each in others)


def test_curves_are_those_of_the_belief(talk: Talk) -> None:
    found = curves(talk)
    assert [curve.attribute for curve in found] == list(FLATS.frame.columns)
    assert sum(curve.share for curve in found) == pytest.approx(1.0)
    price = found[0]
    worth = talk.belief.curve("price", price.grid)
    assert np.array_equal(price.points, worth.mean)
    assert np.array_equal(price.high, worth.high)
    assert (price.grid[0], len(price.grid)) == (FLATS.attributes[0].domain[0], 25)
    assert found[4].grid == ("none", "balcony", "roof terrace", "garden")
    assert weigh(talk) == pytest.approx([curve.share for curve in found])
    assert all(c.share_low <= c.share <= c.share_high for c in found)
    cared = {curve.attribute for curve in found if curve.counts}
    assert cared == set(talk.belief.cared_about())


def test_pairs_are_told_beyond_the_threshold_only(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert interactions(talk) == []  # ten answers do not show any
    pair = Together("price", "size", 0.9)
    monkeypatch.setattr(PersonBelief, "together", lambda _: (pair,))
    (found,) = interactions(talk)
    assert (found.first, found.second, found.sure) == ("price", "size", 0.9)
    assert found.points.shape == (9, 9)
    ends = []
    for name in pair[:2]:
        curve = next(c for c in curves(talk) if c.attribute == name)
        best, worst = curve.points.argmax(), curve.points.argmin()
        ends.append([curve.grid[best], curve.grid[worst]])
    corners = talk.belief.surface("price", "size", *ends).mean
    together = corners[0, 0] + corners[1, 1] - corners[0, 1] - corners[1, 0]
    assert found.strength == pytest.approx(together)


def test_imagining_an_item_as_it_is_gives_that_item(talk: Talk) -> None:
    for item in (0, talk.favourite):
        own = next(r for r in ranking(talk, FLATS.names) if r.item == item)
        found = what_if(talk, FLATS, item, {})
        assert (found.points, found.low, found.high) == pytest.approx(
            (own.points, own.low, own.high)
        )
        assert found.place == own.place
        assert found.change == pytest.approx(0.0, abs=1e-9)
    assert found.chance == 0.5


def test_the_average_item_has_the_mean_of_all_points(talk: Talk) -> None:
    parts = explain(talk, 1)
    assert parts.base == pytest.approx(talk.belief.points().mean.mean())


@pytest.mark.parametrize(
    ("points", "half", "decisive"),
    [
        ([8.0, 3.0, -5.0], 0.5, ("a",)),
        ([3.0, 4.0, -5.0], 0.5, ("b", "a")),
        ([3.0, 4.0, -5.0], 3.5, ()),  # a may as well speak against it
        ([3.0, 4.0, -5.0], 3.0, ()),  # or say nothing
        ([3.0, 1.0, -5.0], 0.5, ()),
        ([3.0, 1.0, 0.0], 0.5, ()),
    ],
)
def test_decisive_is_what_surely_outweighs_the_rest(
    points: list[float], half: float, decisive: tuple[str, ...]
) -> None:
    mean = np.array(points)
    parts = Parts(("a", "b", "c"), mean, mean - half, mean + half, 50.0, 60.0, 0.7)
    assert parts.decisive == decisive
    assert parts.rest == pytest.approx(10.0 - sum(points))


def test_what_if_follows_the_curves_and_says_how_sure(talk: Talk) -> None:
    base = talk.favourite
    cheap = what_if(talk, FLATS, base, {"price": 400})
    dear = what_if(talk, FLATS, base, {"price": 1500})
    assert cheap.points > dear.points
    assert cheap.place < dear.place
    assert cheap.chance > 0.5 > dear.chance
    assert cheap.values["price"] == 400
    assert cheap.to_dict()["base"] == base


@pytest.mark.parametrize(
    "values",
    [{"colour": "red"}, {"price": "much"}, {"balcony": "moat"}, {"price": 9e9}],
)
def test_impossible_items_are_refused(talk: Talk, values: dict) -> None:
    with pytest.raises(DataError):
        what_if(talk, FLATS, 0, values)


def test_many_items_are_ranked_as_far_as_they_can_be_best() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((2100, 2)), columns=["a", "b"])
    many = Items.from_frame(frame)
    talk = Talk.from_start(Start.from_items(many), 0)
    items, _ = FORMS["pair"].choose(talk)
    talk = talk.after(AnsweredQuestion("q", "pair", items, "left"))
    ranked = ranking(talk, many.names)
    assert 0 < len(ranked) <= 600
    assert ranked[0].item == talk.favourite
