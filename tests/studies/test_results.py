"""Rankings, curves and what-if of one person agree with the belief and each other."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import Items
from penchant.datasets import load_flats, make_flats_population
from penchant.exceptions import DataError
from penchant.studies import AnsweredQuestion, simulated_answer
from penchant.studies._results import curves, interactions, ranking, weigh, what_if
from penchant.studies._start import Start
from penchant.studies._talk import Talk

FLATS = load_flats()


@pytest.fixture(scope="module")
def talk() -> Talk:
    rng = np.random.default_rng(0)
    utilities = make_flats_population(3, random_state=5).utilities[2]
    talk = Talk.begin(Start.from_items(FLATS), 0)
    for k in range(10):
        items, _ = talk.next_items("pair")
        answer = simulated_answer("pair", items, utilities, rng)
        talk = talk.tell(AnsweredQuestion(str(k), "pair", items, answer))
    return talk


def test_ranking_is_ordered_by_points_and_its_chances_add_up(
    talk: Talk,
) -> None:
    ranked = ranking(talk, FLATS.names)
    points = [each.points for each in ranked]
    assert [each.place for each in ranked] == list(range(1, 41))
    assert sorted(points, reverse=True) == points
    assert (points[0], points[-1]) == pytest.approx((100.0, 0.0))
    assert sum(each.probability_best for each in ranked) == pytest.approx(1.0)
    assert ranked[0].item == talk.favourite
    assert ranked[0].to_dict()["name"] == FLATS.names[talk.favourite]
    wide = [(each.high - each.low) for each in ranked]
    sd = np.sqrt(talk.posterior.variance)[[each.item for each in ranked]]
    assert wide == pytest.approx(2 * 1.6448536 * 100 / talk.scale.span * sd)


def test_curves_are_those_of_the_personal_utility(talk: Talk) -> None:
    found = curves(talk)
    assert [curve.attribute for curve in found] == list(FLATS.frame.columns)
    assert sum(curve.share for curve in found) == pytest.approx(1.0)
    price = found[0]
    mean, deviation = talk.utility.curve("price", list(price.grid))
    assert price.points == pytest.approx(talk.scale.amount(mean))
    assert price.high - price.points == pytest.approx(
        1.6448536 * talk.scale.amount(deviation)
    )
    assert found[4].grid == ("none", "balcony", "roof terrace", "garden")
    assert weigh(talk) == pytest.approx([curve.share for curve in found])


def test_interactions_matter_and_come_strongest_first(talk: Talk) -> None:
    found = interactions(talk)
    strengths = [abs(each.strength) for each in found]
    assert strengths == sorted(strengths, reverse=True)
    assert all(strength >= 2.0 for strength in strengths)
    assert all(0.5 <= each.sure <= 1.0 for each in found)
    for each in found[:2]:
        surface, _ = talk.utility.surface(
            each.first, each.second, list(each.rows), list(each.columns)
        )
        assert each.points == pytest.approx(talk.scale.amount(surface), abs=1e-8)


def test_synergy_is_the_difference_of_four_corners(talk: Talk) -> None:
    each = interactions(talk)[0]
    ends = []
    for name, grid in ((each.first, each.rows), (each.second, each.columns)):
        curve = next(c for c in curves(talk) if c.attribute == name)
        best, worst = curve.points.argmax(), curve.points.argmin()
        ends.append([curve.grid[best], curve.grid[worst]])
        assert len(grid) > 1
    corners, _ = talk.utility.surface(each.first, each.second, *ends)
    together = corners[0, 0] + corners[1, 1] - corners[0, 1] - corners[1, 0]
    assert each.strength == pytest.approx(float(talk.scale.amount(together)))


def test_imagining_an_item_as_it_is_gives_that_item(talk: Talk) -> None:
    for item in (0, talk.favourite):
        own = next(r for r in ranking(talk, FLATS.names) if r.item == item)
        found = what_if(talk, FLATS, item, {})
        assert (found.points, found.low, found.high) == pytest.approx(
            (own.points, own.low, own.high)
        )
        assert found.change == pytest.approx(0.0, abs=1e-9)
        same_mean = talk.posterior.mean > talk.posterior.mean[item]
        assert found.place == 1 + same_mean.sum()
    assert found.chance == 0.5


def test_what_if_follows_the_curves_and_says_how_sure(talk: Talk) -> None:
    base = talk.favourite
    cheap = what_if(talk, FLATS, base, {"price": 400})
    dear = what_if(talk, FLATS, base, {"price": 1500})
    assert cheap.points > dear.points
    assert cheap.place < dear.place
    assert cheap.chance > 0.5 > dear.chance
    assert cheap.values["price"] == 400
    assert cheap.to_dict()["base"] == base
    own = next(r for r in ranking(talk, FLATS.names) if r.item == base)
    assert cheap.high - cheap.low > own.high - own.low  # an imagined item is less known


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
    talk = Talk.begin(Start.from_items(many), 0)
    items, _ = talk.next_items("pair")
    talk = talk.tell(AnsweredQuestion("q", "pair", items, "left"))
    ranked = ranking(talk, many.names)
    assert 0 < len(ranked) <= 600
    assert ranked[0].item == talk.favourite
