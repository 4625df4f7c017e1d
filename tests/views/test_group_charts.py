"""Every chart of a group of 36 people against its numbers, worked out apart."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from penchant.datasets import load_flats
from penchant.elicitation.groups import Newcomer, PersonAnswers
from penchant.gp import Answer
from penchant.studies import Careless, Curve, Group, Member, Start, load_texts
from penchant.studies._group import make_group
from penchant.views._group import GroupView, group_view
from penchant.views._studies import ChecksView
from penchant.web._templates import render

TEXTS = load_texts("en").about("flat", "flats")
FLATS = load_flats().take(range(14))
N_PEOPLE = 36


@pytest.fixture(scope="module")
def group() -> Group:
    """Make 28 people who want a low rent, and 8 who want a large flat."""
    rng = np.random.default_rng(4)
    coded = FLATS.encode()
    members = []
    for number in range(N_PEOPLE):
        large = number >= 28
        weights = np.array([0.1, 0.8] if large else [0.8, 0.1])
        liked = coded[:, :2] @ weights + rng.normal(0, 0.05, len(FLATS))
        shares = np.full(len(FLATS.attributes), 0.1 / 6)
        shares[:2] = weights
        curves = tuple(
            Curve("price", (400.0, 900.0, 1400.0), step, step, step, 0.5)
            for step in [np.array([30.0, 0.0, -30.0]) * weights[0]]
        ) + tuple(
            Curve("balcony", ("balcony", "garden", "none"), step, step, step, 0.5)
            for step in [np.array([5.0, 10.0, -15.0]) * weights[1]]
        )
        best = int(liked.argmax())
        members.append(
            Member(
                f"p{number}",
                "",
                True,
                "finished",
                12,
                best,
                0.9,
                _told(liked, rng),
                shares,
                curves,
            )
        )
    newcomer = Newcomer.from_belief(Start.from_items(FLATS).posterior)
    return make_group(members, newcomer, FLATS, 999)


def _told(liked: np.ndarray, rng: np.random.Generator) -> PersonAnswers:
    """Compare twelve random pairs."""
    pairs = [rng.choice(len(liked), 2, replace=False) for _ in range(12)]
    ordered = [sorted(pair, key=lambda item: -liked[item]) for pair in pairs]
    return PersonAnswers(tuple(Answer("comparison", (a, b)) for a, b in ordered))


@pytest.fixture(scope="module")
def view(group: Group) -> GroupView:
    return group_view(group, FLATS, TEXTS)


def _cells(numbers: Any) -> dict[str, tuple[str, ...]]:
    return {row.name: row.cells for row in numbers.rows}


def test_people_of_two_kinds_are_told_apart(group: Group, view: GroupView) -> None:
    assert [len(segment.members) for segment in group.segments] == [28, 8]
    assert [card.size for card in view.segments] == [
        "28 of 36 people",
        "8 of 36 people",
    ]
    assert view.segments[0].weights[0].label == "price"
    assert view.segments[0].weights[0].share == "80\u00a0%"
    assert view.segments[1].weights[0].label == "size"


def test_common_ranking_shows_means_places_and_ranges(
    group: Group, view: GroupView
) -> None:
    assert [row.name for row in view.rows][:10] == [i.name for i in group.items[:10]]
    cells = _cells(view.numbers)
    named = {item.name: item for item in group.items}
    assert set(cells) == set(FLATS.names)
    for row in view.rows:
        item = named[row.name]
        assert row.mean == f"{item.mean:.0f}"
        assert row.mean_at == pytest.approx(item.mean, abs=0.01)
        between = f"{item.low:.0f} to {item.high:.0f}"
        assert row.range == between
        assert cells[row.name][:3] == (f"{item.place}", row.mean, between)
    more = len(FLATS) - len(view.rows)
    assert view.more == f"{more} more in the table of numbers."


def test_a_tier_says_whom_it_is_clearly_behind(group: Group, view: GroupView) -> None:
    tiers = {item.name: item.tier for item in group.items}
    leaders = {item.tier: item.name for item in reversed(group.items)}
    seen = set()
    for row in view.rows:
        tier = tiers[row.name]
        first = tier not in seen
        seen.add(tier)
        behind = f"Clearly behind {leaders.get(tier - 1)}" if tier > 1 else ""
        assert row.behind == (behind if first else "")
    assert len(seen) > 1


def test_lanes_hold_eight_of_ten_people_of_a_kind(
    group: Group, view: GroupView
) -> None:
    assert "one lane per segment" in view.mark_hint
    for row in view.rows:
        item = FLATS.names.index(row.name)
        for lane, segment in zip(row.lanes, group.segments, strict=True):
            own = next(each for each in segment.ranking if each.item == item)
            expected = own.mean, own.people_low, own.people_high
            assert (lane.mean, lane.low, lane.high) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ("none", "No clear kinds of people."),
        ("lean", "People lean to one of two sides."),
        ("two", "There are at least two kinds of people."),
        ("three", "There are three kinds of people, perhaps more."),
    ],
)
def test_kinds_are_said_in_these_words(group: Group, kinds: str, words: str) -> None:
    many = replace(group, kinds=kinds)
    assert group_view(many, FLATS, TEXTS).kinds.startswith(words)
    few = replace(many, members=group.members[:19])
    missed = "With so few people, kinds that exist are often missed."
    assert (missed in group_view(few, FLATS, TEXTS).kinds) is (kinds == "none")


def test_the_title_names_what_is_in_front(group: Group) -> None:
    def title(n_front: int) -> str:
        items = tuple(
            replace(item, tier=1 if k < n_front else 2)
            for k, item in enumerate(group.items)
        )
        return group_view(replace(group, items=items), FLATS, TEXTS).title

    a, b = (item.name for item in group.items[:2])
    assert title(1) == f"{a} is the best common choice"
    assert title(2) == f"{a} and {b} are in front"
    assert title(7) == f"{a} and 6 more are in front"
    nothing = "Nothing is clearly in front for the whole group"
    assert title(11) == title(len(FLATS)) == nothing


def test_nothing_is_said_about_differences_unless_the_rule_allows_it(
    group: Group,
) -> None:
    quiet = group_view(replace(group, differ=None), FLATS, TEXTS)
    assert "differ" not in quiet.sentence
    loud = group_view(replace(group, differ=group.items[-1]), FLATS, TEXTS)
    assert f"Opinions differ on {group.items[-1].name}." in loud.sentence
    assert loud.rows[-1].name == group.items[-1].name


def test_owner_sees_who_looks_careless_and_why(group: Group) -> None:
    found = (Careless("p3", "left", False), Careless("p5", "", True))
    view = group_view(replace(group, careless=found), FLATS, TEXTS)
    assert [(line.name, line.reason) for line in view.careless] == [
        ("Participant 4", "Nearly always pressed left"),
        ("Participant 6", "You left this person out"),
    ]
    assert "The owner of the study left one person out." in view.notes


def test_gaps_are_sorted_and_true(view: GroupView) -> None:
    assert [row.name for row in view.gaps][:2] in (["price", "size"], ["size", "price"])
    assert view.gaps[0].gap == "70 pts"
    cells = _cells(view.gap_numbers)
    assert cells["price"] == ("80\u00a0%", "10\u00a0%", "70 pts")


def test_curves_share_one_axis_and_have_their_numbers(view: GroupView) -> None:
    price, balcony = view.curves
    assert price.upward == balcony.upward
    assert price.zero == balcony.zero
    assert _cells(price.numbers)["400 EUR/month"] == ("+24", "+3")
    assert all(line.path for line in price.lines)
    assert all(line.path == "" for line in balcony.lines)  # levels have no order
    assert [len(line.marks) for line in balcony.lines] == [3, 3]
    some, most, least = (mark.y for mark in balcony.lines[1].marks)
    assert most < some < balcony.zero < least  # from the top


def test_every_chart_on_the_page_has_its_table(view: GroupView) -> None:
    page = bytes(
        render(
            "report.html",
            t=TEXTS,
            record=type("Record", (), {"name": "Flats", "id": "x"})(),
            group=view,
            checks=ChecksView("", ""),
            model=None,
            reason="",
            day="today",
            styles="",
        ).body
    ).decode()
    sections = re.findall(r'<section class="panel".*?</section>', page, re.DOTALL)
    drawn = [part for part in sections if 'class="rows' in part or "multiples" in part]
    charts = [part for part in drawn if "tight" not in part]
    assert len(charts) == 3
    for part in charts:
        assert '<table class="figures"' in part
    assert page.count('<div class="curve">') == 2
    assert len(re.findall(r"<details>", charts[-1])) == 2
