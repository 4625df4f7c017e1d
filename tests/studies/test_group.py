"""What a group wants: from logs to statements, and the owner's switch."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from penchant.datasets import load_flats
from penchant.elicitation.groups import Consensus, GroupBelief, PersonAnswers
from penchant.exceptions import DataError
from penchant.gai import GAIRanker
from penchant.studies import (
    AnsweredQuestion,
    Group,
    SqlStore,
    Study,
    _group,
    simulated_answer,
    store_url,
)
from penchant.studies._group import Member, _distinct, make_group, tell_group
from penchant.studies._population import participations, pool
from penchant.studies._results import Curve

FLATS = load_flats()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """Nine people who look at the price, and one who always presses left."""
    with SqlStore(store_url(tmp_path_factory.mktemp("crowd"))) as store:
        yield _ask(Study(store, store.create_study("Flats", FLATS), background=False))


@pytest.fixture
def crowd(asked: Study) -> Iterator[Study]:
    """Give all the same weight again after each test."""
    yield asked
    for who in participations(asked.store, asked.id, len(FLATS)):
        asked.weigh(who, 1.0)


def _ask(study: Study) -> Study:
    rng = np.random.default_rng(0)
    likes = FLATS.encode()[:, 0]
    likes = (likes - likes.mean()) / likes.std()
    for number in range(10):
        who = study.join(f"Person {number}")[0].id
        for _ in range(12):
            question = study.ask(who)
            if question is None:
                break
            answer: Any = "left"
            if number:
                answer = simulated_answer(
                    question.form, question.items, likes, rng, noise=0.2
                )
            study.tell(who, question.id, answer)
    return study


def test_careless_people_are_shown_and_count_until_they_are_left_out(
    crowd: Study,
) -> None:
    found = crowd.group()
    first = found.members[0]
    assert [(each.member, each.kind) for each in found.careless] == [(first.id, "left")]
    assert (found.n_voices, found.n_left_out) == (10, 0)
    state = crowd.participation(first.id)

    crowd.leave_out(first.id)
    crowd.leave_out(first.id)  # the same again changes nothing
    without = crowd.group()
    assert (without.n_voices, without.n_left_out) == (9, 1)
    assert [each.left_out for each in without.careless] == [True]
    assert without.careless[0].kind == "left"
    assert not without.members[0].counts
    assert crowd.participation(first.id).n_events == state.n_events + 1
    assert crowd.participation(first.id).answered == state.answered
    assert crowd.ranking(first.id) == crowd.ranking(first.id)

    crowd.leave_out(first.id, False)
    again = crowd.group()
    assert again.n_voices == 10
    assert [item.mean for item in again.items] == [item.mean for item in found.items]


def test_tiers_share_places_and_all_items_are_there(crowd: Study) -> None:
    found = crowd.group()
    assert sorted(item.item for item in found.items) == list(range(40))
    tiers = [item.tier for item in found.items]
    assert tiers == sorted(tiers)
    assert tiers[0] == 1
    for item in found.items:
        assert item.place == 1 + sum(tier < item.tier for tier in tiers)
        assert item.low <= item.mean <= item.high
    assert 0 < found.chance <= 1
    assert found.kinds == "none"
    assert [len(segment.members) for segment in found.segments] == [10]


def test_if_all_are_left_out_the_owner_can_still_see_whom(crowd: Study) -> None:
    for member in crowd.group().members:
        crowd.leave_out(member.id)
    found = crowd.group()
    assert (found.items, found.segments, found.n_left_out) == ((), (), 10)


def test_answers_are_told_with_their_sides() -> None:
    told = [
        AnsweredQuestion("a", "pair", (3, 1), "right"),
        AnsweredQuestion("b", "pair", (3, 2), "tie"),
        AnsweredQuestion("c", "pair", (5, 4), "skip"),
        AnsweredQuestion("d", "ranking", (3, 1, 2), [2, 3, 1]),
    ]
    found = tell_group(told)
    assert [answer.items for answer in found.answers] == [
        (1, 3),
        (3, 2),
        (2, 3),
        (3, 1),
    ]
    assert found.sides == (False, None, None, None)
    assert found.clicks == (False,)
    assert not found.checked


def test_a_segment_is_named_only_after_what_clearly_weighs_more() -> None:
    rng = np.random.default_rng(1)
    inside = np.array([0.6, 0.3, 0.1]) + 0.05 * rng.standard_normal((8, 3))
    outside = np.array([0.3, 0.6, 0.1]) + 0.05 * rng.standard_normal((9, 3))
    assert _distinct(inside, outside, ["price", "size", "noise"]) == ("price",)
    assert _distinct(inside[:1], outside, ["price", "size", "noise"]) == ()


def test_a_weight_is_an_event_and_old_switches_are_read_as_weights(
    crowd: Study,
) -> None:
    who = crowd.group().members[1].id
    before = crowd.participation(who)
    crowd.weigh(who, 2)
    crowd.weigh(who, 2.0)  # the same again changes nothing
    log = crowd.store.events(who)
    assert (log[-1].kind, log[-1].body) == ("weighed", {"weight": 2.0})
    assert crowd.participation(who).n_events == before.n_events + 1
    crowd.store.append(who, len(log), [("left_out", {"out": True})])
    assert crowd.participation(who).weight == 0
    assert crowd.participation(who).left_out
    crowd.store.append(who, len(log) + 1, [("left_out", {"out": False})])
    assert crowd.participation(who).weight == 1
    for wrong in (-1, 101, float("nan"), True, "2"):
        with pytest.raises(DataError, match=r"from 0 \(left out\) to 100"):
            crowd.weigh(who, wrong)  # type: ignore[arg-type]
        crowd.store.append(
            who,
            crowd.store.get_participant(who).n_events,
            [("weighed", {"weight": -1})],
        )
    assert crowd.participation(who).weight == 1


def test_weights_reach_ranking_and_what_counts(store: SqlStore) -> None:
    study = Study(store, store.create_study("Flats", FLATS), background=False)
    price, size = FLATS.encode()[:, :2].T
    for number in range(5):
        likes = 5 * (price if number else size)
        who, rng = study.join()[0].id, np.random.default_rng(number)
        for _ in range(10):
            if (question := study.ask(who)) is None:
                break
            answer = simulated_answer(question.form, question.items, likes, rng)
            study.tell(who, question.id, answer)
    found = study.group()
    study.weigh(found.members[0].id, 50)
    heavy = study.group()
    assert (heavy.n_voices, heavy.n_votes, found.n_votes) == (5, 54, 5)
    assert sum(item.in_top for item in heavy.items) == pytest.approx(3 * 54)

    def by_size(key: str, group: Group) -> float:
        values = {item.item: getattr(item, key) for item in group.items}
        return float(np.corrcoef([values[i] for i in range(40)], size)[0, 1])

    for key in ("mean", "borda"):
        assert by_size(key, heavy) > by_size(key, found) + 0.2
    own = np.stack([member.weights for member in heavy.members])
    expected = np.average(own, axis=0, weights=[50, 1, 1, 1, 1])
    told = heavy.segments[0].weights
    assert [told[a.name] for a in FLATS.attributes] == pytest.approx(expected)


def test_models_count_answers_as_often_as_the_weight_says(crowd: Study) -> None:
    people = participations(crowd.store, crowd.id, len(FLATS))
    first, second = list(people)[:2]
    crowd.weigh(first, 2)
    crowd.weigh(second, 0)
    now = participations(crowd.store, crowd.id, len(FLATS))
    pooled = pool(now)
    assert np.unique(pooled.users).size == 9
    assert set(pooled.weights[pooled.users == 0]) == {2.0}
    assert set(pooled.weights[pooled.users > 0]) == {1.0}
    assert set(pool(now, largest=1.0).weights) == {1.0}
    twice = {"again": replace(now[first], weight=1.0), **now}
    twice[first] = twice["again"]
    several = pool(twice)
    model = GAIRanker(C=1.0, max_order=1).fit(FLATS, pooled.pooled())
    other = GAIRanker(C=1.0, max_order=1).fit(FLATS, several.pooled())
    np.testing.assert_allclose(model.utility(FLATS), other.utility(FLATS), atol=1e-4)


N_FLATS = 5


def member(k: int, weight: float, share: float, **options: Any) -> Member:
    """Make somebody whose one curve goes up to k."""
    curve = Curve("price", (0, 1), np.array([0.0, k]), *np.zeros((2, 2)), share)
    told = PersonAnswers((), (True,) * 9)
    usual = {"favourite": 0, "curves": (curve,), "weight": weight, "certainty": 0.5}
    weights = np.array([share, 0.9 - share, 0.1])
    return Member(
        id=f"p{k}",
        label="",
        simulated=k == 2,
        state="asking",
        n_answers=3,
        told=told,
        weights=weights,
        **(usual | options),
    )


def consensus(seed: int, n: int) -> Consensus:
    rng = np.random.default_rng(seed)
    draws = rng.permutation([70.0, 71, 20, 60, 95])[:n] + rng.normal(size=(40, n))
    return Consensus.from_draws(draws, rng.uniform(0, 100, (3, n)))


@pytest.fixture
def crowd_of_six(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, GroupBelief, Group]:
    """Six people who count, two that do not; two kinds, of four items of five."""
    rng = np.random.default_rng(4)
    allowed = np.array([0, 1, 3, 4])
    kind = np.array([0, 0, 0, 1, 1, -1])
    found = GroupBelief(
        points=rng.permuted(np.tile([0.0, 30, 80, 100], (6, 1)), axis=1),
        everybody=consensus(0, 4),
        statement="two",
        kind=kind,
        kinds=(consensus(1, 4), consensus(2, 4)),
        deviation=rng.uniform(5, 20, 4),
        differ=2,
        in_top=rng.uniform(0, 6, 4),
        agreement=0.7,
        log_odds=np.zeros(6),
        careless=np.array([False, True, False, False, False, False]),
    )
    asked: dict[str, Any] = {}

    def believe(newcomer: Any, told: Any, *, votes: Any, among: Any) -> GroupBelief:
        asked.update(newcomer=newcomer, told=told, votes=votes, among=among)
        return found

    monkeypatch.setattr(_group, "believe_group", believe)
    people = [
        member(
            k, w, share, met=None if k else np.array([True, True, True, False, False])
        )
        for k, (w, share) in enumerate(
            [(1.0, 0.7), (2.0, 0.72), (1.0, 0.68), (3.0, 0.3), (1.0, 0.34), (1.0, 0.5)]
        )
    ]
    people.insert(2, member(7, 0.0, 0.5))
    people.append(member(8, 1.0, 0.5, favourite=None))
    items = FLATS.take(range(N_FLATS))
    group = make_group(people, None, items, 17, allowed)  # type: ignore[arg-type]
    return asked, found, group


def test_everything_about_a_group_is_put_where_it_belongs(
    crowd_of_six: tuple[Any, GroupBelief, Group],
) -> None:
    asked, found, group = crowd_of_six
    votes = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    np.testing.assert_array_equal(asked["votes"], votes)
    assert asked["among"].tolist() == [0, 1, 3, 4]
    assert len(asked["told"]) == 6
    assert [voice.id for voice in group.voices] == ["p0", "p1", "p2", "p3", "p4", "p5"]
    assert (group.n_voices, group.n_votes, len(group.members)) == (6, 9.0, 8)
    assert (group.n_simulated, group.n_left_out, group.n_between) == (1, 1, 1)
    assert (group.chance, group.kinds) == (found.everybody.chance, "two")
    assert (group.n_events, group.agreement) == (17, 0.7)
    listed = [(each.member, each.kind, each.left_out) for each in group.careless]
    assert listed == [("p1", "left", False), ("p7", "left", True)]
    differ = group.differ
    assert differ is not None
    assert differ.item == 3
    np.testing.assert_array_equal(group.points[:, [0, 1, 3, 4]], found.points)
    assert np.isnan(group.points[:, 2]).all()
    assert group.in_front == tuple(each for each in group.items if each.tier == 1)
    turned = group.another_winner
    assert turned is not None
    assert (turned.winner, turned.rival) == tuple(i.item for i in group.items[:2])
    places = [[0, 1, 3, 4].index(each.item) for each in group.items[:2]]
    ahead = found.points[:, places[0]] - found.points[:, places[1]]
    assert turned.lead == pytest.approx(np.average(ahead, weights=votes))
    assert (len(turned.kinds), turned.winner_values) == (2, ())


def test_every_number_of_a_ranked_item_is_its_own(
    crowd_of_six: tuple[Any, GroupBelief, Group],
) -> None:
    _, found, group = crowd_of_six
    votes = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    places = [0, 1, 3, 4]
    some = [found.everybody, *found.kinds]
    rankings = [group.items, *(segment.ranking for segment in group.segments)]
    insides = [np.full(6, True), found.kind == 0, found.kind == 1]
    for wanted, ranking, inside in zip(some, rankings, insides, strict=True):
        assert [each.item for each in ranking] == [places[i] for i in wanted.order]
        for each in ranking:
            i = places.index(each.item)
            beaten = (found.points[inside, i, None] > found.points[inside]).sum(axis=1)
            told = (each.mean, each.low, each.high, each.people_low, each.people_high)
            assert told == (
                wanted.mean[i],
                wanted.low[i],
                wanted.high[i],
                wanted.people_low[i],
                wanted.people_high[i],
            )
            assert (each.misery, each.name) == (wanted.least[i], FLATS.names[each.item])
            assert each.tier == wanted.tier[i] + 1
            assert each.place == 1 + (wanted.tier < wanted.tier[i]).sum()
            assert (each.deviation, each.in_top) == (
                found.deviation[i],
                found.in_top[i],
            )
            borda = 100 / 3 * np.average(beaten, weights=votes[inside])
            assert each.borda == pytest.approx(borda)
            assert each.n_failed == (each.item >= 3)


def test_segments_have_means_by_votes_and_are_named_without_them(
    crowd_of_six: tuple[Any, GroupBelief, Group],
) -> None:
    first, second = crowd_of_six[2].segments
    assert (first.members, second.members) == (("p0", "p1", "p2"), ("p3", "p4"))
    names = [attribute.name for attribute in FLATS.attributes]
    share = (0.7 + 2 * 0.72 + 0.68) / 4
    assert list(first.weights) == [names[0], names[1], names[2]]
    assert first.weights[names[0]] == pytest.approx(share)
    assert list(second.weights) == [names[1], names[0], names[2]]
    assert second.weights[names[1]] == pytest.approx((3 * 0.6 + 0.56) / 4)
    assert (first.distinct, second.distinct) == ((names[0],), (names[1],))
    assert first.best == first.ranking[0]
    (curve,) = first.curves
    copies = np.array([0, 1, 1, 2])
    assert (curve.attribute, curve.grid) == ("price", (0, 1))
    assert curve.share == pytest.approx(share)
    assert curve.points.tolist() == [0.0, copies.mean()]
    assert curve.low[1] == pytest.approx(np.quantile(copies, 0.05))
    assert curve.high[1] == pytest.approx(np.quantile(copies, 0.95))


def test_a_gap_of_two_standard_errors_names_a_segment() -> None:
    inside, outside = np.array([[0.5], [0.7]]), np.array([[0.1], [0.2], [0.3]])
    error = np.sqrt(0.02 / 2 + 0.01 / 3)
    for gap, named in ((1.99 * error, ()), (2.01 * error, ("price",))):
        moved = inside - 0.4 + gap
        assert _distinct(moved, outside, ["price"]) == named
        assert _distinct(outside, moved, ["price"]) == ()
    same = np.full((3, 1), 0.5)  # nothing varies, and nothing differs
    assert _distinct(same, same, ["price"]) == ()
    assert _distinct(inside, outside[:1], ["price"]) == ()
    both = np.array([[0.5, 0.1, 0.4], [0.6, 0.1, 0.3]])
    others = np.array([[0.3, 0.5, 0.2], [0.32, 0.52, 0.16], [0.3, 0.5, 0.2]])
    assert _distinct(both, others, ["a", "b", "c"]) == ("a", "c")


def test_only_pressed_sides_of_pairs_are_clicks_and_two_checks_are_enough() -> None:
    clear, unclear = SimpleNamespace(clear=True), SimpleNamespace(clear=False)
    told = [
        AnsweredQuestion("a", "pair", (3, 1), "left"),
        AnsweredQuestion("b", "ranking", (3, 1, 2), [2, 3, 1]),
        AnsweredQuestion("c", "pair", (2, 1), "right"),
    ]
    found = tell_group(told)
    assert found.sides == (True, None, None, False)
    assert tell_group(told, pressed=False).clicks == ()
    assert tell_group(told, pressed=False).answers == found.answers
    for checks, checked in (
        ([clear], False),
        ([clear, unclear, unclear], False),
        ([unclear, clear, clear], True),
    ):
        with_checks: Any = [
            replace(each, predicted=check)
            for each, check in zip(told, checks, strict=False)
        ]
        assert tell_group(with_checks).checked == checked
