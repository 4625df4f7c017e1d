import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.studies import WhatIf, load_texts
from penchant.views._what_if import read_values, sliders_of, what_if_view

ITEMS = Items.from_frame(
    pd.DataFrame(
        {
            "rent": [500.0, None],
            "share": [0.25, 0.5],
            "noise": ["quiet", None],
            "one": [3.0, 3.0],
        },
        index=["Mill", "Kiln"],
    ),
    [
        Attribute("rent", direction="down", domain=(400, 1400), unit="EUR/month"),
        Attribute("share", domain=(0, 1)),
        Attribute("noise", "ordinal", "down", ("quiet", "some", "busy")),
    ],
)


def test_values_stay_unless_they_are_changed() -> None:
    values = read_values(ITEMS, 0, {"v0": "700", "v2": "2", "other": "x"})
    assert values == {"rent": 700.0, "share": 0.25, "noise": "busy", "one": 3.0}


def test_what_is_not_known_starts_in_the_middle() -> None:
    values = read_values(ITEMS, 1, {})
    assert (values["rent"], values["noise"]) == (900.0, "some")


@pytest.mark.parametrize(
    "fields",
    [
        {"v0": "399"},
        {"v0": "nan"},
        {"v0": "cheap"},
        {"v2": "3"},
        {"v2": "-1"},
        {"v2": "quiet"},
    ],
)
def test_impossible_values_are_refused(fields: dict[str, str]) -> None:
    with pytest.raises(DataError, match="within its domain"):
        read_values(ITEMS, 0, fields)


def _outcome(change: float = 0.0) -> WhatIf:
    return WhatIf({}, 83.2, 60.0, 101.0, 3, 0.27, 0, change)


def test_sliders_and_outcome() -> None:
    values = read_values(ITEMS, 0, {"v0": "700"})
    view = what_if_view(ITEMS, 0, values, _outcome(-17.0), 0, load_texts("en"))
    rent, share, noise, one = view.sliders
    assert (rent.low, rent.high, rent.step, rent.value) == ("400", "1400", "10", "700")
    assert rent.shown == "700 EUR/month"
    assert rent.unit == "# EUR/month"
    assert share.step == "0.01"
    assert one.step == "1"
    assert [(level.label, level.chosen) for level in noise.levels] == [
        ("quiet", True),
        ("some", False),
        ("busy", False),
    ]
    assert (view.place, view.points, view.range) == ("Place 3 of 2", "83", "60 to 101")
    assert (view.change, view.chance) == ("\u221217", "27\u00a0%")
    assert view.chance_of == "Chance of beating Mill"


def test_the_best_one_unchanged_does_not_compete_with_itself() -> None:
    values = read_values(ITEMS, 0, {})
    texts = load_texts("en")
    assert what_if_view(ITEMS, 0, values, _outcome(), 0, texts).chance == ""
    assert what_if_view(ITEMS, 0, values, _outcome(), 1, texts).chance != ""


def test_a_slider_of_years_shows_them_without_groups() -> None:
    table = pd.DataFrame({"built": [1911, 1998, 2018], "rent": [1500, 1200, 900]})
    items = Items.from_frame(table)
    texts = load_texts("de")
    built, rent = sliders_of(items, items.values(1), texts)
    assert (built.shown, built.unit) == ("1998", "##")
    assert (rent.shown, rent.unit) == ("1.200", "#")
