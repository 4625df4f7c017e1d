import numpy as np
import pandas as pd
import pytest

from penchant.datasets import load_flats
from penchant.exceptions import DataError
from penchant.explanation._attribute_range import AttributeRange, find_ranges
from penchant.models import GAIRegressor

WIDE = AttributeRange("rent", (0.0, 20.0))
NARROW = AttributeRange("size", (0.0, 8.0))
ORDERED = AttributeRange("heat", levels=("none", "gas", "pump"))
PLAIN = AttributeRange("side", levels=("north", "south"), is_ordered=False)


def test_values_are_all_levels_or_a_grid_with_the_present_one():
    np.testing.assert_allclose(WIDE.values(3.0, 5), [0, 3, 5, 10, 15, 20])
    np.testing.assert_allclose(WIDE.values(5.0, 5), [0, 5, 10, 15, 20])
    assert ORDERED.values("gas", 5) == ("none", "gas", "pump")
    assert (WIDE.is_numeric, ORDERED.is_numeric) == (True, False)


def test_values_around_one_stay_in_the_range():
    np.testing.assert_allclose(WIDE.around(10.0, 0.1, 5), [8, 9, 10, 11, 12])
    np.testing.assert_allclose(WIDE.around(1.0, 0.1, 5), [0, 1, 2, 3])
    np.testing.assert_allclose(
        AttributeRange("t", (10.0, 20.0)).around(20.0, 0.1, 3), [19, 20]
    )
    assert ORDERED.around("gas", 0.1, 5) == ["gas"]


@pytest.mark.parametrize(
    ("now", "value", "expected"),
    [
        (2.0, 2.345, 2.35),  # to a tenth of .345, away from 2
        (2.0, 1.655, 1.65),
        (2.0, 2.3, 2.3),
        (2.0, 2.0, 2.0),
        (2.0, 7.999, 8.0),
        (0.5, 8.0, 8.0),
        (0.0, 0.0123, 0.013),
        (0.0, 3.21, 3.3),
    ],
)
def test_numbers_are_rounded_away_from_the_present_one(now, value, expected):
    assert NARROW.beyond(now, value) == pytest.approx(expected)


def test_whole_numbers_stay_whole_where_the_ends_are():
    assert WIDE.beyond(3.0, 4.2) == 5.0
    assert WIDE.beyond(3.0, 1.9) == 1.0
    assert WIDE.beyond(3.5, 4.814) == pytest.approx(4.9)  # now is not whole
    assert WIDE.beyond(3.0, 19.9) == 20.0
    ten = AttributeRange("t", (0.0, 10.0))
    assert ten.beyond(3.0, 4.2) == 5.0
    assert AttributeRange("t", (0.0, 9.0)).beyond(3.0, 4.21) == pytest.approx(4.3)
    assert AttributeRange("t", (0.0, 20.5)).beyond(3.0, 4.21) == pytest.approx(4.3)
    assert AttributeRange("t", (0.0, 1000.0)).beyond(0.0, 432.0) == 440.0
    assert ORDERED.beyond("gas", "pump") == "pump"


def test_sizes_are_shares_of_the_range():
    np.testing.assert_allclose(WIDE.sizes(5.0, [5.0, 0.0, 20.0]), [0.0, 0.25, 0.75])
    odd = AttributeRange("t", (10.0, 14.0))
    np.testing.assert_allclose(odd.sizes(10.0, [12.0]), [0.5])
    half = AttributeRange("t", (0.0, 0.5))
    np.testing.assert_allclose(half.sizes(0.0, [0.5]), [1.0])
    levels = ["none", "gas", "pump"]
    np.testing.assert_allclose(ORDERED.sizes("gas", levels), [0.5, 0.0, 0.5])
    np.testing.assert_allclose(ORDERED.sizes("none", levels), [0.0, 0.5, 1.0])
    np.testing.assert_allclose(PLAIN.sizes("south", ["north", "south"]), [1.0, 0.0])
    nowhere = AttributeRange("t", (3.0, 3.0))
    np.testing.assert_allclose(nowhere.sizes(3.0, [3.0]), [0.0])


def test_values_are_written_with_their_unit_or_short():
    (price, *_) = load_flats().attributes
    assert "EUR" in AttributeRange("price", attribute=price).format(12.0)
    assert WIDE.format(1.23456789) == "1.23457"
    assert PLAIN.format("north") == "north"


def test_ranges_come_from_items_the_user_or_the_model():
    X = np.random.default_rng(0).uniform(2.0, 3.0, size=(30, 2))
    X[:, 1] = np.arange(30) % 3
    model = GAIRegressor(C=1.0, categorical_features=[1]).fit(X, X[:, 0])
    shown = pd.DataFrame(X, columns=["a", "b"])
    learned = find_ranges(model, X, shown, None)
    assert learned[0].ends == pytest.approx((X[:, 0].min(), X[:, 0].max()))
    assert (learned[1].levels, learned[1].is_ordered) == ((0.0, 1.0, 2.0), False)
    said = find_ranges(model, X, shown, [(0.0, 5.0), (0.0, 2.0)])
    assert said[0].ends == (0.0, 5.0)
    assert [span.name for span in said] == ["a", "b"]
    with pytest.raises(DataError, match="does not know what values"):
        find_ranges(object(), X, shown, None)


def test_ranges_of_items_are_those_of_their_attributes():
    flats = load_flats()
    names = [attribute.name for attribute in flats.attributes]
    spans = find_ranges(None, flats, pd.DataFrame(columns=names), None)
    kinds = {"numeric": (True, True), "ordinal": (False, True)}
    for span, attribute in zip(spans, flats.attributes, strict=True):
        kind = kinds.get(attribute.kind, (False, False))
        assert (span.is_numeric, span.is_ordered) == kind
        assert span.attribute == attribute
        if span.is_numeric:
            assert span.ends == attribute.domain
