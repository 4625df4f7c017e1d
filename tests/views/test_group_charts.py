"""Every chart of a group of 36 people against its numbers, worked out apart."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from penchant.datasets import load_flats
from penchant.elicitation.groups import Newcomer, PersonAnswers
from penchant.gp import Answer
from penchant.studies import Careless, Curve, Group, Member, Start, load_texts
from penchant.studies._group import make_group
from penchant.views import View
from penchant.views._group import group_view
from penchant.web._page import render

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
def view(group: Group) -> View:
    return group_view(group, FLATS, TEXTS)


def _cells(numbers: Any) -> dict[str, tuple[str, ...]]:
    return {row.name: row.cells for row in numbers.rows}


def test_people_of_two_kinds_are_told_apart(group: Group, view: View) -> None:
    assert [len(segment.members) for segment in group.segments] == [28, 8]
    assert [card.size for card in view.segments] == ["28 people", "8 people"]
    assert view.segments[0].weights[0].label == "price"
    assert view.segments[0].weights[0].share == "80\u00a0%"
    assert view.segments[1].weights[0].label == "size"


def _rows(view: View) -> list[Any]:
    return [row for tier in view.tiers for row in tier.rows]


def test_all_alternatives_are_shown_with_people_and_places(
    group: Group, view: View
) -> None:
    rows = _rows(view)
    assert [row.name for row in rows] == [item.name for item in group.items]
    assert (view.n_items, view.more) == (len(FLATS), "")
    cells = _cells(view.ways)
    for row, item in zip(rows, group.items, strict=True):
        expected = item.mean, item.people_low, item.people_high
        assert (row.mean, row.low, row.high) == pytest.approx(expected, abs=0.01)
        assert row.points == f"{item.mean:.0f}"
        assert row.top == f"top three: {item.in_top:.0f} of 36"
        assert [fact.label for fact in row.facts][:2] == ["price", "size"]
        between = f"{item.low:.0f} to {item.high:.0f}"
        assert cells[row.name][:3] == (f"{item.place}", f"{item.mean:.0f}", between)


def test_a_tier_says_whom_it_is_clearly_behind(group: Group, view: View) -> None:
    leaders = {item.tier: item.name for item in reversed(group.items)}
    assert len(view.tiers) == len(leaders) > 1
    assert view.tiers[0].title == "In front"
    for number, tier in enumerate(view.tiers[1:], start=1):
        assert tier.sentence.endswith(f"clearly behind {leaders[number]}")


def test_marks_are_the_means_of_the_kinds(group: Group, view: View) -> None:
    for row in _rows(view):
        item = FLATS.names.index(row.name)
        for mark, segment in zip(row.marks, group.segments, strict=True):
            own = next(each for each in segment.ranking if each.item == item)
            assert mark.at == pytest.approx(own.mean, abs=0.01)


def test_agreement_is_said_in_words_and_of_a_hundred(group: Group) -> None:
    def words(agreement: float) -> str:
        view = group_view(replace(group, agreement=agreement), FLATS, TEXTS)
        return "" if view.agreement is None else view.agreement.words

    assert words(0.81) == "People agree well"
    assert words(0.7) == "People agree fairly well"
    assert words(0.56) == "People differ"
    assert words(0.5) == "People do not agree"
    assert words(float("nan")) == ""
    told = group_view(replace(group, agreement=0.706), FLATS, TEXTS).agreement
    assert told is not None
    assert "71 of 100 times" in told.hint


def test_what_counts_shows_the_middle_of_people(view: View) -> None:
    price, size = view.counted[:2]
    assert (price.label, price.share) == ("price", "64\u00a0%")
    assert "the middle 80\u00a0% of people 10\u00a0% to 80\u00a0%" in price.words
    assert size.label == "size"


def test_other_ways_to_count_are_told(group: Group) -> None:
    second = group.items[1]
    loved = replace(second, borda=1000.0)
    items = (group.items[0], loved, *group.items[2:])
    told = group_view(replace(group, items=items), FLATS, TEXTS).ways_hint
    assert f"By Borda, {second.name} comes first." in told
    best = replace(group.items[0], borda=1000.0, misery=1000.0)
    same = replace(group, items=(best, *group.items[1:]))
    assert "put the same one first" in group_view(same, FLATS, TEXTS).ways_hint


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
    assert [row.name for row in _rows(loud) if row.differ] == [group.items[-1].name]
    assert not any(row.differ for row in _rows(quiet))


def test_owner_sees_who_looks_careless_and_why(group: Group) -> None:
    found = (Careless("p3", "left", False), Careless("p5", "", True))
    view = group_view(replace(group, careless=found), FLATS, TEXTS)
    assert [(line.name, line.reason) for line in view.careless] == [
        ("Participant 4", "Nearly always pressed left"),
        ("Participant 6", "You left this person out"),
    ]
    assert "The owner of the study left one person out." in view.notes
    assert view.careless_note.startswith("The answers of one person look like")


def test_curves_share_one_axis_and_have_their_numbers(view: View) -> None:
    price, balcony = view.curves
    assert price.upward == balcony.upward
    assert price.zero == balcony.zero
    assert _cells(price.numbers)["400 EUR/month"] == ("+24", "+3")
    assert all(line.path for line in price.lines)
    assert all(line.path == "" for line in balcony.lines)  # levels have no order
    assert [len(line.marks) for line in balcony.lines] == [3, 3]
    some, most, least = (mark.y for mark in balcony.lines[1].marks)
    assert most < some < balcony.zero < least  # from the top


def test_every_chart_on_the_page_has_its_table(view: View) -> None:
    page = bytes(
        render(
            "report.html",
            t=TEXTS,
            record=type("Record", (), {"name": "Flats", "id": "x"})(),
            group=view,
            checks=View(words="", warning=""),
            model=None,
            reason="",
            photos={},
            day="today",
            styles="",
        ).body
    ).decode()
    assert page.count('<div class="curve">') == page.count("<details>") == 2
    assert page.count('<table class="figures"') == 3
    assert page.count('class="ruled"') == len(FLATS)
