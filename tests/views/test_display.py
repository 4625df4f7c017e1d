import pandas as pd
import pytest

from penchant.data import Items
from penchant.studies import load_texts
from penchant.views._display import Fact, item_facts, show_name

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


def test_values_and_facts_of_an_alternative() -> None:
    table = pd.DataFrame(
        {"rent": [1500.0, 2.0], "size": [None, 3.0], "view": ["sea", "yard"]},
        index=["a", "b"],
    )
    items, texts = Items.from_frame(table), load_texts("en")
    assert texts.values(items, 0) == ["1,500", "unknown", "sea"]
    facts = item_facts(items, 0, texts, 5)
    assert facts == (Fact("rent", "1,500"), Fact("view", "sea"))
    assert item_facts(items, 1, texts, 1) == (Fact("rent", "2"),)
