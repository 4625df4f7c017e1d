import numpy as np
import pandas as pd

from penchant.data import Items
from penchant.studies import Interaction, load_texts
from penchant.views._together import together_view

ITEMS = Items.from_frame(
    pd.DataFrame({name: [1.0, 2.0] for name in ("rent", "size", "floor", "age")})
)


def _pair(first: str, second: str, strength: float, sure: float) -> Interaction:
    empty = np.zeros((1, 1))
    return Interaction(first, second, strength, sure, (1,), (1,), empty, empty, empty)


def test_half_of_the_table_with_four_steps_each_way() -> None:
    pairs = [
        _pair("rent", "size", -8.0, 0.99),
        _pair("floor", "rent", 4.0, 0.9),
        _pair("size", "floor", 2.0, 0.6),
    ]
    view = together_view(ITEMS, pairs, load_texts("en"))
    assert view is not None
    assert view.heads == ("rent", "size")
    assert [row.label for row in view.rows] == ["size", "floor"]
    cells = [[(cell.points, cell.step) for cell in row.cells] for row in view.rows]
    assert cells == [[("\u22128", "m4")], [("+4", "p3"), ("+2", "")]]
    assert [row.n_empty for row in view.rows] == [1, 0]
    assert len(view.sentences) == 2
    assert view.sentences[0].startswith("Rent and size: once one is as you like it")
    assert "8 points less" in view.sentences[0]


def test_pairs_that_do_not_matter_are_nothing() -> None:
    pairs = [_pair("rent", "size", 4.0, 0.9), _pair("rent", "floor", 1.0, 0.9)]
    view = together_view(ITEMS, pairs, load_texts("en"))
    assert view is not None
    assert [cell.points for cell in view.rows[1].cells] == ["+1", "0"]


def test_without_a_certain_pair_there_is_nothing_to_show() -> None:
    assert together_view(ITEMS, [], load_texts("en")) is None
    doubtful = [_pair("rent", "size", 9.0, 0.7)]
    assert together_view(ITEMS, doubtful, load_texts("en")) is None
