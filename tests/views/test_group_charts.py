"""Every chart of a group of 36 people against its numbers, worked out apart."""

import re
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from penchant.datasets import load_flats
from penchant.studies import Curve, Group, Member, load_texts
from penchant.studies._group import make_group
from penchant.views._group import GroupView, group_view
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
        points = 100 * (liked - liked.min()) / np.ptp(liked)
        shares = np.full(len(FLATS.attributes), 0.1 / 6)
        shares[:2] = weights
        curves = tuple(
            Curve("price", (400.0, 900.0, 1400.0), step, step, step, 0.5)
            for step in [np.array([30.0, 0.0, -30.0]) * weights[0]]
        ) + tuple(
            Curve("balcony", ("balcony", "garden", "none"), step, step, step, 0.5)
            for step in [np.array([5.0, 10.0, -15.0]) * weights[1]]
        )
        best = int(points.argmax())
        members.append(
            Member(
                f"p{number}", "", True, "finished", 9, best, 0.9, points, shares, curves
            )
        )
    return make_group(members, FLATS, 999)


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


def test_common_ranking_shows_means_places_and_spread(
    group: Group, view: GroupView
) -> None:
    points = np.stack([member.points for member in group.members])
    mean, order = points.mean(axis=0), np.argsort(-points.mean(axis=0))
    assert [row.name for row in view.rows][:10] == [FLATS.names[i] for i in order[:10]]
    places = [int(row.place) for row in view.rows]
    assert places == sorted(places)
    cells = _cells(view.numbers)
    for row in view.rows:
        item = FLATS.names.index(row.name)
        assert row.mean == f"{mean[item]:.0f}"
        assert row.mean_at == pytest.approx(mean[item], abs=0.01)
        assert cells[row.name][0] == row.mean
        assert cells[row.name][1] == f"{points[:, item].std():.0f}"
        assert row.agreement.endswith(f"±{points[:, item].std():.0f}")


def test_marks_of_all_lanes_mean_the_same(group: Group, view: GroupView) -> None:
    """With more than 25 people in one lane, every lane shows tenths."""
    assert "a tenth of the people of a segment" in view.mark_hint
    inside = [
        np.stack([m.points for m in group.members if m.id in segment.members])
        for segment in group.segments
    ]
    for row in view.rows:
        item = FLATS.names.index(row.name)
        for lane, points in zip(row.lanes, inside, strict=True):
            tenths = np.quantile(points[:, item], np.arange(0.05, 1, 0.1))
            assert lane.marks == pytest.approx(tenths, abs=0.06)


def test_three_ways_of_counting(group: Group, view: GroupView) -> None:
    points = np.stack([member.points for member in group.members])
    ranks = rankdata(-points, axis=1)
    borda = 100 * (len(FLATS) - ranks).mean(axis=0) / (len(FLATS) - 1)
    for row in view.ways:
        item = FLATS.names.index(row.name)
        expected = points[:, item].mean(), borda[item], points[:, item].min()
        assert [way.value for way in row.ways] == [f"{value:.0f}" for value in expected]


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
            model=None,
            reason="",
            day="today",
            styles="",
        ).body
    ).decode()
    sections = re.findall(r'<section class="panel".*?</section>', page, re.DOTALL)
    drawn = [part for part in sections if 'class="rows' in part or "multiples" in part]
    charts = [part for part in drawn if "weights" not in part]
    assert len(charts) == 3
    for part in charts:
        assert '<table class="figures"' in part
    assert page.count('<div class="curve">') == 2
    assert len(re.findall(r"<details>", charts[-1])) == 2
