"""Limits: what fits, what a relaxation brings, and what people type."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.data import Attribute, Items, Limit, Limits, read_number
from penchant.datasets import load_flats
from penchant.exceptions import DataError

FLATS = load_flats()
LEVELS = ("low", "middle", "high")


def table(rents, views):
    frame = pd.DataFrame({"rent": rents, "size": rents[::-1], "view": views})
    attributes = [
        Attribute("rent", direction="down", domain=(0, 9), unit="EUR/month"),
        Attribute("size", domain=(0, 9)),
        Attribute("view", "ordinal", domain=LEVELS),
    ]
    return Items.from_frame(
        frame, attributes, names=[f"n{k}" for k in range(len(frame))]
    )


def meets(limit, value):
    """Tell by the words of the docstring whether a value meets a limit."""
    if value is None or value != value:
        return not limit.known
    if limit.one_of:
        return value in limit.one_of
    low = limit.at_least is None or value >= limit.at_least
    return low and (limit.at_most is None or value <= limit.at_most)


def count(limits, items):
    return sum(
        all(meets(limit, items.values(k)[limit.attribute]) for limit in limits)
        for k in range(len(items))
    )


numbers = st.one_of(st.none(), st.integers(0, 9).map(float))
rows = st.lists(
    st.tuples(numbers, st.sampled_from([None, *LEVELS])), min_size=1, max_size=9
)
bounds = st.one_of(st.none(), st.integers(0, 9).map(float))


@st.composite
def some_limits(draw):
    limits = []
    for name in ("rent", "size"):
        low, high = draw(bounds), draw(bounds)
        if low is not None and high is not None:
            low, high = min(low, high), max(low, high)
        known = draw(st.booleans())
        if low is not None or high is not None or known:
            limits.append(Limit(name, low, high, known=known))
    levels = draw(st.lists(st.sampled_from(LEVELS), unique=True))
    known = draw(st.booleans())
    if levels or known:
        limits.append(Limit("view", one_of=tuple(levels), known=known))
    return Limits(tuple(limits))


def wider(limit, bound):
    """List all ways to widen one bound, the smallest first."""
    if bound == "at_most":
        return [
            Limit(limit.attribute, limit.at_least, v, (), limit.known)
            for v in np.arange(0, 9.5, 0.5)
            if v > limit.at_most
        ]
    if bound == "at_least":
        return [
            Limit(limit.attribute, v, limit.at_most, (), limit.known)
            for v in np.arange(9, -0.5, -0.5)
            if v < limit.at_least
        ]
    if bound == "one_of":
        return [
            Limit(limit.attribute, None, None, (*limit.one_of, level), limit.known)
            for level in LEVELS
            if level not in limit.one_of
        ]
    if limit.bounds == ("known",):
        return [None]
    return [Limit(limit.attribute, limit.at_least, limit.at_most, limit.one_of)]


@settings(max_examples=150, deadline=None)
@given(rows, some_limits())
def test_relaxations_are_the_smallest_by_brute_force(cells, limits):
    items = table([r for r, _ in cells], [v for _, v in cells])
    now = count(limits, items)
    assert int(limits.fits(items).sum()) == now
    assert limits.allowed(items).size == now
    found = {(each.attribute, each.bound): each for each in limits.relaxations(items)}
    for limit in limits:
        for bound in limit.bounds:
            gains = []
            for way in wider(limit, bound):
                kept = [way if each is limit else each for each in limits]
                gains.append(
                    (count([e for e in kept if e is not None], items) - now, way)
                )
            each = found.get((limit.attribute, bound))
            if not any(gain for gain, _ in gains):
                assert each is None
                continue
            assert count(each.limits, items) == now + each.n_more
            if bound == "one_of":  # one level more: the one that brings most
                assert each.n_more == max(gain for gain, _ in gains)
            else:
                first = next(g for g in gains if g[0])
                assert each.n_more == first[0]
                if first[1] is not None and bound != "known":
                    assert each.value == getattr(first[1], bound)
    for limit, n_more in limits.drops(items):
        rest = [each for each in limits if each is not limit]
        assert count(rest, items) == now + n_more


def test_among_counts_only_what_can_come_into_question():
    limits = Limits((Limit("price", at_most=900),))
    among = np.zeros(40, dtype=bool)
    assert limits.relaxations(FLATS, among) == []
    assert limits.drops(FLATS, among)[0][1] == 0
    assert limits.relaxations(FLATS)[0].value == 910.0


@pytest.mark.parametrize(
    ("unit", "text", "value"),
    [
        ("EUR/month", "900", 900),
        ("EUR/month", "900 EUR", 900),
        ("EUR/month", "900 €", 900),
        ("EUR", "€ 1,200", 1200),
        ("EUR", "1.200", 1200),
        ("EUR", "1.200,50 €", 1200.5),
        ("EUR", "≤ 900", 900),
        ("EUR", "1.2k €", 1200),
        ("min", "1 h", 60),
        ("h", "90 min", 1.5),
        ("", "2 rooms", 2),
        ("", "-3", -3),
    ],
)
def test_numbers_are_read_as_people_type_them(unit, text, value):
    rent = Attribute("rent", domain=(0, 2000), unit=unit)
    assert read_number(rent, text) == value


def test_a_number_that_can_be_read_twice_is_the_one_near_the_column():
    assert read_number(Attribute("weight", domain=(0.5, 3), unit="kg"), "1.200") == 1.2
    assert read_number(Attribute("weight", domain=(500, 3000)), "1.200") == 1200


def test_dates():
    built = Attribute("built", domain=(10_000, 20_000), unit="date")
    assert read_number(built, "2024-03-01") == 19783.0
    assert read_number(built, "1.3.2024") == 19783.0
    with pytest.raises(DataError, match=r"'built' must be a date\. Got 'soon'"):
        read_number(built, "soon")


@pytest.mark.parametrize("text", ["", "a lot", "900 min", "12 kg", "nan", "1e999"])
def test_what_is_no_number_of_the_column_is_refused_by_name(text):
    rent = Attribute("rent", domain=(0, 2000), unit="EUR")
    with pytest.raises(DataError, match=r"'rent' must be a number in EUR\. Got"):
        read_number(rent, text)


def test_words_become_limits():
    limits = Limits.from_words(
        FLATS,
        at_least={"Size": "50 m²"},
        at_most={"price": "900 EUR"},
        one_of={"balcony": ["Balcony", "garden"]},
        known=["noise"],
    )
    assert limits.to_dict() == {
        "size": {"at_least": 50.0},
        "price": {"at_most": 900.0},
        "balcony": {"one_of": ["balcony", "garden"]},
        "noise": {"known": True},
    }
    assert Limits.from_dict(limits.to_dict()) == limits
    assert count(limits, FLATS) == limits.allowed(FLATS).size > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"at_most": {"rent": "9"}}, "no attribute 'rent' to set a limit of.*price"),
        ({"at_most": {"balcony": "9"}}, "'balcony': it holds levels. Say one_of: none"),
        ({"one_of": {"price": ["9"]}}, "'price': it holds numbers"),
        ({"one_of": {"noise": ["loud"]}}, "'noise': there is no level 'loud'.*quiet"),
        ({"at_most": {"price": "9"}, "at_least": {"price": "10"}}, "fits nothing"),
    ],
)
def test_what_cannot_be_applied_is_refused_by_name(words, message):
    with pytest.raises(DataError, match=message):
        Limits.from_words(FLATS, **words)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "Limits map attributes"),
        ({"rent": 900}, "must map some of"),
        ({"rent": {"below": 900}}, "must map some of"),
        ({"rent": {}}, "say at_least"),
        ({"rent": {"at_most": "900"}}, "at_most must be a number"),
        ({"rent": {"at_most": True}}, "at_most must be a number"),
        ({"rent": {"at_most": float("inf")}}, "must be finite"),
        ({"rent": {"known": 1}}, "known must be"),
        ({"rent": {"one_of": "abc"}}, "one_of must be a list"),
        ({"rent": {"one_of": [1]}}, "one_of must be a list"),
        ({"rent": {"one_of": ["a"], "at_most": 3}}, "not both"),
        ({"": {"at_most": 3}}, "names an attribute"),
    ],
)
def test_plain_values_are_checked(values, message):
    with pytest.raises(DataError, match=message):
        Limits.from_dict(values)


def test_an_attribute_has_one_limit():
    with pytest.raises(DataError, match="two limits of 'rent'"):
        Limits((Limit("rent", at_most=3), Limit("rent", at_least=1)))


def test_limits_of_columns_that_are_gone_are_left_out():
    limits = Limits((Limit("price", at_most=900), Limit("garage", known=True)))
    assert limits.about(FLATS) == Limits((Limit("price", at_most=900),))
    with pytest.raises(DataError, match="no attribute 'garage'"):
        limits.check(FLATS)
    with pytest.raises(
        DataError, match=r"'noise': it holds levels\. Say one_of: quiet"
    ):
        Limits((Limit("noise", at_most=1),)).check(FLATS)


def test_nothing_fits_two_limits_and_no_single_change_helps():
    items = table([1.0, 5.0], ["low", "high"])
    both = Limits((Limit("rent", at_most=0.5), Limit("view", one_of=("middle",))))
    assert both.relaxations(items) == []
    assert [n for _, n in both.drops(items)] == [0, 0]
    assert not Limits()
    assert bool(both)
