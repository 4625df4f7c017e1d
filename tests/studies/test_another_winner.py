"""How much must change for another winner, against trying everything."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.elicitation import PersonSpace
from penchant.elicitation.groups import GroupLines
from penchant.studies import SqlStore, Study, simulated_answer
from penchant.studies._another_winner import (
    AnotherWinner,
    _grid,
    another_winner,
    values_needed,
)
from penchant.typing import FloatArray


def found(points: FloatArray, weights: FloatArray, *kinds: FloatArray) -> AnotherWinner:
    order = np.argsort(-(weights @ points), kind="stable").tolist()
    turned = another_winner(points, weights, order, [k.astype(bool) for k in kinds])
    assert turned is not None
    return turned


def groups() -> list[tuple[FloatArray, FloatArray]]:
    rng = np.random.default_rng(0)
    some = [(rng.random((n, 4)) * 100, rng.integers(1, 4, n) * 1.0) for n in (2, 5, 7)]
    clear = rng.random((6, 3)) * 50 + np.array([40.0, 20.0, 0.0])
    return [*some, (clear, np.ones(6)), (np.eye(3)[[0, 0, 0, 1]] * 100, np.ones(4))]


@pytest.mark.parametrize(("points", "weights"), groups())
def test_the_fewest_people_to_leave_out(
    points: FloatArray, weights: FloatArray
) -> None:
    turned = found(points, weights)
    n = len(points)
    firsts = {
        size: {
            int((weights[list(kept)] @ points[list(kept)]).argmax())
            for kept in combinations(range(n), n - size)
        }
        for size in range(1, n)
    }
    others = [size for size, first in firsts.items() if first != {turned.winner}]
    if not others:
        assert turned.left_out is None
    else:
        assert turned.left_out is not None
        assert turned.left_out.n == min(others)
        assert turned.left_out.first in firsts[min(others)] - {turned.winner}


@pytest.mark.parametrize(("points", "weights"), groups())
def test_how_often_one_person_must_count(
    points: FloatArray, weights: FloatArray
) -> None:
    turned = found(points, weights)

    def changed(times: float) -> set[int]:
        counted = weights * (1 + (times - 1) * np.eye(len(points)))
        return {int(first) for first in (counted @ points).argmax(axis=1)}

    tried = [t for t in np.arange(1, 400, 0.25) if changed(t) != {turned.winner}]
    if turned.person is None:
        assert not tried
    else:
        assert min(tried, default=np.inf) == pytest.approx(turned.person.n, abs=0.26)
        assert turned.person.first in changed(turned.person.n * 1.0001)
        assert changed(turned.person.n * 0.9999) == {turned.winner}


@pytest.mark.parametrize(("points", "weights"), groups())
def test_how_often_a_kind_must_count(points: FloatArray, weights: FloatArray) -> None:
    half = np.arange(len(points)) < len(points) / 2
    turned = found(points, weights, half, ~half)
    for inside, turn in zip((half, ~half), turned.kinds, strict=True):

        def first(times: float, own: FloatArray = inside) -> int:
            return int((np.where(own, times, 1.0) * weights @ points).argmax())

        if turn is None:
            assert {first(t) for t in np.geomspace(1e-6, 1e6, 500)} == {turned.winner}
        else:
            away = 1 + 1e-6 * np.sign(turn.n - 1)
            assert first(turn.n * away) != turned.winner
            assert first(turn.n / away) == turned.winner


@pytest.mark.parametrize(("points", "weights"), groups())
def test_how_many_more_people_must_come(
    points: FloatArray, weights: FloatArray
) -> None:
    turned, best = found(points, weights), points.argmax(axis=1)
    profiles = {
        int(item): points[best == item].mean(axis=0)
        for item in set(best) - {turned.winner}
    }

    def first(item: int, n: int) -> int:
        return int((weights @ points + n * profiles[item]).argmax())

    if turned.more is None:
        assert not profiles
        return
    more = turned.more
    assert first(more.like, more.n) == more.first != turned.winner
    assert (best == more.like).sum() == more.n_like
    fewer = range(more.n)
    assert {first(k, n) for k in profiles for n in fewer} <= {turned.winner}


def test_with_one_alternative_nothing_can_change() -> None:
    assert another_winner(np.ones((3, 1)), np.ones(3), [0]) is None


def flats() -> Items:
    rng = np.random.default_rng(3)
    rows = [
        {
            "rent": int(rng.integers(400, 1200)),
            "size": float(np.round(rng.uniform(20, 90), 1)),
            "noise": str(rng.choice(["quiet", "loud"])),
            "view": str(rng.choice(["sea", "park", "yard"])),
        }
        for _ in range(30)
    ]
    return Items.from_frame(
        pd.DataFrame(rows),
        [
            Attribute("rent", "numeric", "down", (400, 1200)),
            Attribute("size", "numeric", "up", (20, 90)),
            Attribute("noise", "ordinal", "down", ("quiet", "loud")),
            Attribute("view", "categorical", "unknown", ("sea", "park", "yard")),
        ],
    )


def test_values_are_where_lines_without_doubt_cross() -> None:
    items = flats()
    worth = {"sea": 6.0, "park": 3.0, "yard": 0.0}
    view = items.frame["view"].map(worth).astype(float)
    noise = items.frame["noise"].map({"quiet": 12.0, "loud": 0.0}).astype(float)
    exact = -0.05 * items.frame["rent"] + 0.4 * items.frame["size"] + noise + view
    points = exact.to_numpy(dtype=float)
    lines = GroupLines.through(np.tile(points, (50, 1)), PersonSpace.from_items(items))
    assert lines is not None
    winner, rival = np.argsort(-points)[:2]
    own, lead = items.values(int(winner)), points[winner] - points[rival]
    needed = {v.attribute: v for v in values_needed(items, int(winner), -lead, lines)}
    assert all(value.sure for value in needed.values())
    rent, size = own["rent"] + lead / 0.05, own["size"] - lead / 0.4
    step = 10  # of 800, about a hundred
    assert 0 < needed["rent"].needed[0] - rent <= step
    assert 0 < size - needed["size"].needed[0] <= 1.0
    worse = {v for v, p in worth.items() if p < worth[own["view"]] - lead}
    assert set(needed["view"].needed) == worse
    # the rival's values, tried one by one
    for value in values_needed(items, int(rival), lead, lines):
        gains = lines.change(int(rival), value.attribute, value.needed or (value.now,))
        assert (gains.mean(axis=0) > lead).all() == bool(value.needed)


def test_attributes_that_say_nothing_are_not_sure() -> None:
    items, rng = flats(), np.random.default_rng(1)
    draws = 50 + 10 * rng.standard_normal(30) + rng.standard_normal((200, 30))
    lines = GroupLines.through(draws, PersonSpace.from_items(items))
    assert lines is not None
    winner = int(draws.mean(axis=0).argmax())
    known = values_needed(items, winner, -0.5, lines)
    assert sum(value.sure for value in known) <= 1
    few = items.take(list(range(6)))
    assert GroupLines.through(draws[:, :6], PersonSpace.from_items(few)) is None


def test_tried_values_are_round_and_hold_both_ends() -> None:
    assert _grid(401, 1200, whole=True)[:3].tolist() == [401, 410, 420]
    assert _grid(0.0, 1.0, whole=False)[-2:].tolist() == [0.99, 1.0]
    assert _grid(0, 12, whole=True).tolist() == list(range(13))


def test_a_study_says_what_would_have_to_change(store: SqlStore) -> None:
    items = flats()
    study = Study(store, store.create_study("Flats", items), background=False)
    assert study.group().another_winner is None
    likes, rng = -items.frame["rent"].to_numpy(dtype=float), np.random.default_rng(0)
    likes = (likes - likes.mean()) / likes.std()
    for _ in range(4):
        who = study.join()[0].id
        for _ in range(8):
            question = study.ask(who)
            if question is None:  # sure enough
                break
            answer = simulated_answer(question.form, question.items, likes, rng)
            study.tell(who, question.id, answer)
    group = study.group()
    turned = group.another_winner
    assert turned is not None
    assert [turned.winner, turned.rival] == [each.item for each in group.items[:2]]
    assert turned.lead == pytest.approx(group.items[0].mean - group.items[1].mean)
    assert turned.kinds == ()
    assert {value.attribute for value in turned.winner_values} == set(items.frame)
