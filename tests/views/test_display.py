import numpy as np
import pandas as pd
import pytest

from penchant.data import DATE, Attribute, Items
from penchant.studies import load_texts
from penchant.views._display import Fact, grid_value, item_facts, item_values, show_name

RIGHT_TO_LEFT = "שלום"
OVERRIDE = "abc\u202edef"


def test_plain_names_stay_as_they_are() -> None:
    assert show_name("Mill Lane 3") == "Mill Lane 3"
    assert show_name("<script>") == "<script>"  # the template escapes


def test_long_names_are_cut() -> None:
    shown = show_name("x" * 10_000)
    assert len(shown) == 80
    assert shown.endswith("…")


@pytest.mark.parametrize("name", [RIGHT_TO_LEFT, OVERRIDE, f"a{RIGHT_TO_LEFT}\u2069b"])
def test_names_do_not_turn_the_sentence_round(name: str) -> None:
    shown = show_name(name)
    assert shown.startswith("\u2068")
    assert shown.endswith("\u2069")
    assert shown.count("\u2069") == 1


@pytest.mark.parametrize(
    ("ends", "unit", "first"),
    [
        ((400, 1500), "EUR", ["400\u00a0EUR", "446\u00a0EUR", "492\u00a0EUR"]),
        ((5.125, 60), "min", ["5.125\u00a0min", "7.4\u00a0min", "9.7\u00a0min"]),
        ((0, 12), "", ["0", "0.5", "1"]),
        ((0.001, 0.002), "g", ["0.001\u00a0g", "0.001042\u00a0g", "0.001083\u00a0g"]),
        ((20_000, 20_100), DATE, ["4 Oct 2024", "8 Oct 2024", "12 Oct 2024"]),
    ],
)
def test_values_of_a_curve_have_the_digits_that_tell_them_apart(
    ends: tuple[float, float], unit: str, first: list[str]
) -> None:
    attribute, texts = Attribute("x", domain=ends, unit=unit), load_texts("en")
    grid = np.linspace(*ends, 25).tolist()
    told = [grid_value(attribute, grid, k, texts) for k in range(25)]
    assert told[:3] == first
    assert told[-1] == texts.value(attribute, ends[1])
    assert len(set(told)) == 25


def test_values_and_facts_of_an_alternative() -> None:
    table = pd.DataFrame(
        {"rent": [1500.0, 2.0], "size": [None, 3.0], "view": ["sea", "yard"]},
        index=["a", "b"],
    )
    items, texts = Items.from_frame(table), load_texts("en")
    assert item_values(items, 0, texts) == ["1,500", "unknown", "sea"]
    facts = item_facts(items, 0, texts, 5)
    assert facts == (Fact("rent", "1,500"), Fact("view", "sea"))
    assert item_facts(items, 1, texts, 1) == (Fact("rent", "2"),)
