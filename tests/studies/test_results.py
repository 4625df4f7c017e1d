"""Rankings, curves and what-if of one person agree with the belief and each other."""

from dataclasses import astuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.datasets import load_flats, make_flats_population
from penchant.elicitation import PersonBelief, Together
from penchant.exceptions import DataError
from penchant.studies import FORMS, AnsweredQuestion, Parts, simulated_answer
from penchant.studies._results import (
    Changed,
    Curve,
    Interaction,
    _tiers,
    contrast,
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


def test_every_number_of_the_ranking_is_that_of_the_belief(talk: Talk) -> None:
    points, ranked = talk.belief.points(), ranking(talk, FLATS.names)
    order = np.argsort(-points.mean, kind="stable")
    assert [each.item for each in ranked] == order.tolist()
    as_good = np.zeros(40)
    as_good[talk.contenders] = talk.belief.all_as_good(talk.contenders)
    tiers = _tiers(talk, order.tolist())
    for place, each in enumerate(ranked, start=1):
        k = each.item
        assert astuple(each) == (
            k,
            FLATS.names[k],
            place,
            points.mean[k],
            points.low[k],
            points.high[k],
            as_good[k],
            tiers[k],
        )


def test_a_tier_ends_where_all_behind_lose_in_95_of_100_draws() -> None:
    # in draws of weight .94, .01 and .05; the first item leads
    utilities = np.array(
        [
            [1.0, 0.0, 0.0, 0.0, -1.0],
            [1.0, 0.0, 2.0, 2.0, -1.0],
            [1.0, 0.0, 0.0, 2.0, -1.0],
        ]
    )
    drawn = SimpleNamespace(utilities=utilities, weights=np.array([0.94, 0.01, 0.05]))
    some: Any = SimpleNamespace(belief=SimpleNamespace(draws=drawn))
    # the fourth is behind in 94 of 100, and so none before it is in another tier
    assert _tiers(some, [0, 1, 2, 3]) == {0: 1, 1: 1, 2: 1, 3: 1}
    assert _tiers(some, [0, 3, 2, 4]) == {0: 1, 3: 1, 2: 2, 4: 3}
    drawn.utilities, drawn.weights = utilities[[0, 2]], np.array([0.95, 0.05])
    assert _tiers(some, [0, 3]) == {0: 1, 3: 2}
    assert _tiers(some, [4]) == {4: 1}
    assert _tiers(some, []) == {}


def test_curves_and_interactions_tell_all_that_the_belief_does(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    belief = talk.belief
    shares, cared = belief.shares(), belief.cared_about()
    for k, found in enumerate(curves(talk)):
        assert isinstance(found, Curve)
        worth = belief.curve(found.attribute, found.grid)
        for mine, expected in zip(astuple(found)[2:5], worth, strict=True):
            np.testing.assert_array_equal(mine, expected)
        told = (found.share, found.share_low, found.share_high)
        assert told == tuple(float(end[k]) for end in shares)
        assert found.counts == (found.attribute in cared)
    pairs = [Together("price", "size", 0.6), Together("size", "balcony", 0.9)]
    monkeypatch.setattr(PersonBelief, "together", lambda _: tuple(pairs))
    both = interactions(talk)
    assert abs(both[0].strength) >= abs(both[1].strength)
    assert {(each.first, each.second, each.sure) for each in both} == set(pairs)
    for each in both:
        assert isinstance(each, Interaction)
        worth = belief.surface(each.first, each.second, each.rows, each.columns)
        np.testing.assert_array_equal([each.points, each.low, each.high], worth)
        for name, values in ((each.first, each.rows), (each.second, each.columns)):
            attribute = next(a for a in FLATS.attributes if a.name == name)
            if attribute.kind == "numeric":
                assert values == tuple(np.linspace(*attribute.domain, 9).tolist())
            else:
                assert values == attribute.levels


def test_parts_of_an_item_are_those_of_the_belief(talk: Talk) -> None:
    belief, points = talk.belief, talk.belief.points().mean
    weights, utilities = belief.draws.weights, belief.draws.utilities
    for a, b in ((3, 7), (7, 3)):
        alone, against = explain(talk, a), contrast(talk, a, b)
        for found, worth in (
            (alone, belief.parts(a)),
            (against, belief.contrast(a, b)),
        ):
            assert found.names == tuple(FLATS.frame.columns)
            np.testing.assert_array_equal([found.points, found.low, found.high], worth)
            assert found.total == points[a]
        assert alone.chance == pytest.approx(weights[utilities[:, a] > 0].sum())
        assert against.base == points[b]
        ahead = utilities[:, a] > utilities[:, b]
        assert against.chance == pytest.approx(weights[ahead].sum())


def test_a_list_of_names_has_neither_curves_nor_parts() -> None:
    note = Attribute("note", "categorical", "unknown", ("none",))
    names = [f"item {k}" for k in range(4)]
    table = Items.from_frame(pd.DataFrame({"note": ["none"] * 4}), [note], names=names)
    talk = Talk.from_start(Start.from_items(table), 0)
    talk = talk.after(AnsweredQuestion("q", "pair", (0, 1), "left"))
    assert curves(talk) == interactions(talk) == []
    assert weigh(talk).tolist() == [0.0]
    for parts in (explain(talk, 0), contrast(talk, 0, 1)):
        assert parts.names == ()
        assert parts.points.size == parts.low.size == parts.high.size == 0
        assert parts.rest == parts.total - parts.base
    assert contrast(talk, 0, 1).chance > 0.5 > contrast(talk, 1, 0).chance


def test_every_number_of_what_if_is_read_off_the_draws(talk: Talk) -> None:
    belief = talk.belief
    weights, utilities = belief.draws.weights, belief.draws.utilities
    base = next(k for k in range(40) if k != talk.favourite)
    found = what_if(talk, FLATS, base, {"price": 450})
    own = FLATS.values(base) | {"price": 450}
    row = Items(pd.DataFrame([own]), FLATS.attributes, ("x",))
    gained = belief.imagine(row, base) - belief.imagine(FLATS.take([base]), base)
    drawn = utilities[:, base] + gained[:, 0]
    centre, span = belief.scale
    points = 50 + 100 * (drawn - centre) / span
    assert (found.values, found.base) == (own, base)
    assert found.points == pytest.approx(weights @ points)
    assert found.change == pytest.approx(found.points - belief.points().mean[base])
    for end, share in ((found.low, 0.05), (found.high, 0.95)):
        assert weights[points < end - 1e-9].sum() <= share + 1e-9
        assert weights[points <= end + 1e-9].sum() >= share - 1e-9
    better = (weights @ utilities > weights @ drawn).sum()
    assert found.place == better + 1
    ahead = drawn > utilities[:, talk.favourite]
    assert found.chance == pytest.approx(weights[ahead].sum())
    # as it is, it is behind the favourite as before
    unchanged = what_if(talk, FLATS, base, {"price": own["price"]} | FLATS.values(base))
    behind = utilities[:, base] > utilities[:, talk.favourite]
    assert unchanged.chance == pytest.approx(weights[behind].sum())


def test_the_best_imagined_item_is_first_and_the_worst_behind_all(talk: Talk) -> None:
    prices = [what_if(talk, FLATS, talk.favourite, {"price": p}) for p in (400, 1500)]
    assert prices[0].place == 1
    assert 1 < prices[1].place <= 41
    own = FLATS.values(talk.favourite)
    same = what_if(talk, FLATS, talk.favourite, {"price": own["price"]})
    assert (same.chance, same.values) == (0.5, own)


def test_unknown_attributes_are_named_with_those_there_are(talk: Talk) -> None:
    with pytest.raises(DataError) as caught:
        what_if(talk, FLATS, 0, {"price": 500, "colour": "red"})
    assert str(caught.value) == (
        "There is no attribute 'colour'. The attributes are: "
        f"{', '.join(FLATS.frame.columns)}."
    )


def test_a_changed_item_keeps_what_it_has_beside_its_attributes(talk: Talk) -> None:
    belief, (item, rival) = talk.belief, (5, 11)
    means = belief.draws.weights @ belief.draws.utilities
    row = FLATS.take([item])
    changed = Changed(talk, item, rival, row)
    assert changed.utility(row) == pytest.approx(means[[item]])
    both = FLATS.take([item, rival])
    pair = Items(both.frame, both.attributes, ("item", "rival"))
    assert changed.utility(pair) == pytest.approx(means[[item, rival]])
    others = belief.expect(FLATS) - belief.expect(row)[0] + means[item]
    assert changed.utility(FLATS) == pytest.approx(others)
