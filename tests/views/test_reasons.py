from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.elicitation import MainReason
from penchant.explanation import Change, Flip
from penchant.studies import Participation, Parts, load_texts
from penchant.views import View
from penchant.views._reasons import compare_items, why_view

RENT = Attribute("rent", direction="down", unit="EUR")
ITEMS = Items.from_frame(
    pd.DataFrame(
        {"rent": [780.0, 850.0], "size": [30.0, 47.0], "noise": ["quiet", "busy"]},
        index=["Mill", "Kiln"],
    ),
    [RENT],
)
TEXTS = load_texts("en")


SEVERAL = MainReason((), 0.6)


def _parts(
    values: list[float], base: float, total: float, *, half: float = 1.6
) -> Parts:
    points = np.array(values)
    names = ("rent", "size", "noise")
    return Parts(names, points, points - half, points + half, base, total, 0.68)


def test_steps_lead_from_the_average_to_the_alternative() -> None:
    view = why_view(ITEMS, 0, _parts([10, -20, 5], 50, 45), SEVERAL, TEXTS)
    assert [step.label for step in view.steps] == ["size", "rent", "noise"]
    assert [step.points for step in view.steps] == ["\u221220", "+10", "+5"]
    assert view.steps[0].bar.begin == view.begin
    assert view.steps[-1].bar.end == view.end
    assert view.steps[0].bar.side == "con"
    assert (view.base, view.points) == ("50", "45")
    assert view.words.startswith("Several things together")
    assert "90\u00a0% range \u221222 to \u221218" in view.steps[0].words
    assert len(view.numbers.rows) == 3
    assert len(view.numbers.rows[0].cells) == len(view.numbers.heads) - 1


def test_what_no_attribute_explains_is_a_step_too() -> None:
    reason = MainReason(("rent",), 0.9)
    view = why_view(ITEMS, 0, _parts([1, 0, 0], 50, 60, half=0.0), reason, TEXTS)
    assert view.steps[-1].label == "Everything else about it"
    # no range is known of it, so the number stands in the table only
    assert view.steps[-1].points == "not sure"
    assert view.numbers.rows[-1].cells == ("", "+9", "")
    assert view.steps[0].bar.low == view.steps[0].bar.high
    assert view.words == (
        "What speaks most for it is rent (780\u00a0EUR): we are 90\u00a0% sure."
    )


def _compare(
    values: list[float], flip: Flip | None = None, *, half: float = 0.5
) -> View:
    def contrast(_: str, a: int, b: int) -> Parts:
        sign = 1 if a == 0 else -1
        told = [sign * value for value in values]
        return _parts(told, 50, 50 + sum(told), half=half)

    study: Any = SimpleNamespace(
        items=ITEMS,
        contrast=contrast,
        flip=lambda *_: flip,
        participation=lambda _: Participation(len(ITEMS)),
    )
    return compare_items(study, "p", 0, 1, TEXTS, changes=flip is not None)


def test_the_first_is_to_the_left_and_the_other_to_the_right() -> None:
    view = _compare([20, -5, 1])
    assert view.zero == 50.0
    assert [step.bar.side for step in view.steps] == ["pro", "con", "pro"]
    assert view.steps[0].bar.end < 50 < view.steps[1].bar.end
    assert view.title == "Why Mill rather than Kiln?"
    assert view.sentence == (
        "Mill is 16 points ahead. We are 68\u00a0% sure that you would prefer it."
    )
    assert view.argument == (
        "By our estimate, rent alone outweighs everything that speaks for Kiln."
    )
    assert (view.steps[0].value, view.steps[0].rival) == (
        "780\u00a0EUR",
        "850\u00a0EUR",
    )
    assert len(view.numbers.rows[0].cells) == len(view.numbers.heads) - 1


def test_the_better_one_is_named_first_wherever_it_stands() -> None:
    view = _compare([-20, 5, 0])
    assert view.title == "Why Kiln rather than Mill?"
    assert view.sentence.startswith("Kiln is 15 points ahead.")
    assert (view.name_a, view.name_b) == ("Mill", "Kiln")


@pytest.mark.parametrize(
    ("values", "half", "words"),
    [
        (
            [3, 3, -5],
            0.1,
            "By our estimate, rent and size together outweigh everything",
        ),
        ([3, 0, 0], 0.1, "Nothing that we know of speaks for Kiln."),
        ([20, -5, 0], 100.0, "we cannot say which decide"),
    ],
)
def test_smallest_winning_argument(
    values: list[float], half: float, words: str
) -> None:
    assert words in _compare(values, half=half).argument


def _change(attribute: str, before: object, shown: object) -> Change:
    return Change(attribute, before, None, shown, "", "", 0.1)


def test_what_would_change_the_choice() -> None:
    rent = _change("rent", 850.0, 771.0)
    more = _change("size", 47.0, 61.0)
    noise = _change("noise", "busy", "quiet")
    told = _compare([1, 1, 1], Flip(False, rent, None, (rent, more, noise))).flips
    assert told[0] == (
        "By our estimate, Kiln would draw level if rent were 771\u00a0EUR instead of "
        "850\u00a0EUR."
    )
    assert "size were 61 instead of 47" in told[1]
    assert "noise were quiet instead of busy" in told[2]
    both = _compare([1, 1, 1], Flip(False, None, (rent, noise), ())).flips
    assert len(both) == 1
    assert "850\u00a0EUR and noise were quiet" in both[0]
    never = _compare([1, 1, 1], Flip(False, None, None, ())).flips
    assert never == (
        "No change of a single attribute within its range would make Kiln the "
        "better one.",
    )
    assert _compare([1, 1, 1]).flips == ()


def test_an_alternative_is_not_compared_with_itself() -> None:
    study: Any = SimpleNamespace(items=ITEMS)
    view = compare_items(study, "p", 1, 1, TEXTS, changes=True)
    assert view.steps == ()
    assert "two different" in view.sentence
