"""How much must change for another winner, against trying everything."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.elicitation import PersonSpace
from penchant.elicitation.groups import GroupLines
from penchant.studies import SqlStore, Study, simulated_answer
from penchant.studies._another_winner import (
    AnotherWinner,
    ValueChange,
    _grid,
    _tried,
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


class Gains:
    """Lines that are given: what each of the tried values gains, in two draws."""

    def __init__(self, gains: dict[str, dict[Any, tuple[float, float]]]) -> None:
        self.gains = gains

    def change(self, item: int, attribute: str, values: list[Any]) -> FloatArray:
        own = self.gains.get(attribute, {})
        return np.array([own.get(value, (0.0, 0.0)) for value in values]).T


def small() -> Items:
    frame = pd.DataFrame(
        {
            "rent": [500.0, 800.0, np.nan],
            "noise": ["quiet", "some", "loud"],
            "view": ["sea", "park", "yard"],
            "same": [3.0, 3.0, 3.0],
        }
    )
    return Items.from_frame(
        frame,
        [
            Attribute("rent", "numeric", "down", (400, 800)),
            Attribute("noise", "ordinal", "down", ("quiet", "some", "loud")),
            Attribute("view", "categorical", "unknown", ("sea", "park", "yard")),
            Attribute("same", "numeric", "up", (0, 10)),
        ],
    )


def test_the_nearest_value_that_passes_is_needed_and_all_levels_that_do() -> None:
    lines: Any = Gains(
        {
            "rent": {490.0: (1.9, 2.1), 450.0: (3.0, 3.2), 400.0: (5.0, 5.0)},
            "noise": {"some": (-1.0, 8.0), "loud": (9.0, 9.0)},
            "view": {"park": (3.0, 3.0), "yard": (4.0, -0.5)},
        }
    )
    # gaining 2 exactly is not more than 2; where a draw loses it is not sure
    assert values_needed(small(), 0, 2.0, lines) == (
        ValueChange("rent", 500.0, (450.0,), True),
        ValueChange("noise", "quiet", ("some",), False),
        ValueChange("view", "sea", ("park",), True),
    )
    # of the third item the rent is not known; to lose is the other way round
    less: Any = Gains(
        {
            "noise": {"some": (-3.0, -2.5), "quiet": (-9.0, -9.0)},
            "view": {"sea": (-1.9, -2.0), "park": (0.0, -1.0)},
        }
    )
    assert values_needed(small(), 2, -2.0, less) == (
        ValueChange("noise", "loud", ("some",), True),
        ValueChange("view", "yard", (), True),  # surely no other view is enough
    )
    unsure: Any = Gains({"view": {"sea": (-1.0, -4.0), "park": (4.0, 2.0)}})
    (noise, view) = values_needed(small(), 2, -3.0, unsure)
    assert (noise.needed, noise.sure) == ((), True)
    assert (view.needed, view.sure) == ((), False)  # it may be


def test_other_values_come_the_nearest_first() -> None:
    items = small()
    rent, noise, view, same = items.attributes
    column = items.frame["rent"].dropna()
    tried = _tried(rent, column, 500.0)
    assert tried[:4] == [495.0, 505.0, 490.0, 510.0]
    assert {400.0, 800.0} <= {*tried}
    assert 500.0 not in tried
    assert _tried(noise, items.frame["noise"], "quiet") == ["some", "loud"]
    assert _tried(noise, items.frame["noise"], "loud") == ["some", "quiet"]
    assert _tried(view, items.frame["view"], "park") == ["sea", "yard"]
    assert _tried(same, items.frame["same"], 3.0) == []
    assert _tried(rent, column, None) == _tried(rent, column, np.nan) == []
    parts = _tried(rent, pd.Series([400.5, 800.0]), 500.0)
    assert parts[:2] == [495.0, 505.0]


@pytest.mark.parametrize(
    ("low", "high", "whole", "step"),
    [
        (0.0, 100.0, False, 1.0),
        (0.0, 101.0, False, 2.0),
        (0.0, 3.0, False, 0.05),
        (0.0, 3.0, True, 1.0),
        (10.0, 500.0, True, 5.0),
    ],
)
def test_steps_are_round_and_about_a_hundred(
    low: float, high: float, whole: bool, step: float
) -> None:
    grid = _grid(low, high, whole)
    assert (grid[0], grid[-1]) == (low, high)
    np.testing.assert_allclose(np.diff(grid)[1:-1], step)
    assert len(grid) <= 102
