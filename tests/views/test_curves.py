import numpy as np
import pandas as pd

from penchant.data import Attribute, Items
from penchant.studies import Curve, Interaction, load_texts
from penchant.views._curves import curves_view, together_words

ITEMS = Items.from_frame(
    pd.DataFrame(
        {"rent": [500.0, 900.0, 900.0], "noise": ["quiet", "busy", "busy"]},
        index=["a", "b", "c"],
    ),
    [Attribute("rent", direction="down", domain=(400, 1400), unit="EUR")],
)
PRICES = Curve(
    "rent",
    (400.0, 900.0, 1400.0),
    np.array([30.0, 0.0, -40.0]),
    np.array([20.0, -5.0, -60.0]),
    np.array([40.0, 5.0, -20.0]),
    0.62,
)
NOISE = Curve(
    "noise",
    ("busy", "quiet"),
    np.array([-4.0, 4.0]),
    np.array([-9.0, -1.0]),
    np.array([1.0, 9.0]),
    0.1,
)


def test_numbers_make_a_curve_with_axes_and_marks() -> None:
    view, _ = curves_view(ITEMS, [NOISE, PRICES], load_texts("en"))
    assert view.shape is not None
    assert (view.attribute, view.unit) == ("rent", "EUR")
    assert view.rug == (10.0, 50.0)
    assert not view.unsure
    heights = [tick.at for tick in view.upward]
    assert heights == sorted(heights, reverse=True)
    row = view.numbers.rows[0]
    assert (row.name, row.cells) == ("400\u00a0EUR", ("+30", "+20 to +40"))
    assert "400\u00a0EUR +30, 90\u00a0% range +20 to +40" in view.words
    assert view.levels == ()


def test_levels_make_dots_on_the_same_scale() -> None:
    price, view = curves_view(ITEMS, [NOISE, PRICES], load_texts("en"))
    assert view.shape is None
    assert [level.label for level in view.levels] == ["busy", "quiet"]
    busy, quiet = view.levels
    assert busy.y > view.zero > quiet.y
    assert (view.zero, view.upward) == (price.zero, price.upward)
    assert all((busy.unsure, quiet.unsure, view.unsure))


def _pair(first: str, second: str, strength: float) -> Interaction:
    empty = np.zeros((1, 1))
    return Interaction(first, second, strength, 0.9, (1,), (1,), empty, empty, empty)


def test_pairs_that_may_be_told_are_told_in_words() -> None:
    pairs = [_pair("rent", "size", -8.0), _pair("floor", "rent", 4.0)]
    worse, better = together_words(pairs, load_texts("en"))
    assert worse.startswith("Rent and size count together: once one is as you like it")
    assert "about 8 points less (90\u00a0% sure" in worse
    assert "about 4 points more" in better
    assert together_words([], load_texts("en")) == []


def test_dates_are_told_as_dates() -> None:
    days = [18_300.0, 18_600.0, 18_900.0]
    items = Items.from_frame(
        pd.DataFrame({"built": days}), [Attribute("built", unit="date")]
    )
    ends = np.array([1.0, 2.0, 3.0])
    curve = Curve("built", tuple(days), ends, ends - 1, ends + 1, 1.0)
    (view,) = curves_view(items, [curve], load_texts("en"))
    assert view.unit == ""
    assert [tick.label for tick in view.across] == ["Jul 2020", "Jan 2021", "Jul 2021"]
    assert view.numbers.rows[0].name == "8 Feb 2020"
