import numpy as np
import pandas as pd

from penchant.data import Attribute, Items
from penchant.studies import Curve, load_texts
from penchant.views._curves import curves_view

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
