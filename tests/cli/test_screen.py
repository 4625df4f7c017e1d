import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.cli._screen import Screen, plain, write_json


@given(st.text(st.characters(codec=None), max_size=40))
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = plain(text)
    kinds = {unicodedata.category(letter) for letter in shown} - {"Cf"}
    assert not kinds & {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert {c for c in shown if unicodedata.category(c) == "Cf"} <= set("\u200c\u200d")


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_stays(text: str) -> None:
    assert plain(text) == text


def test_emoji_stay_and_long_texts_are_cut() -> None:
    assert plain("👩\u200d🚀 ✓ 名") == "👩\u200d🚀 ✓ 名"
    assert plain("x" * 100, 10) == "x" * 9 + "…"


def test_markup_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    screen.say("[red]a[/red] :smile: [/b]")
    screen.table(["[b]head"], [["[link=x]cell"]])
    screen.command("[x]")
    shown = capsys.readouterr().out
    for text in ("[red]a[/red] :smile: [/b]", "[b]head", "[link=x]cell", "    [x]\n"):
        assert text in shown


def test_choices_are_not_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "29")
    Screen().choices(["1  Mill Lane 3", "2  Kiln Row 7", "0  About equal"])
    assert capsys.readouterr().out.splitlines() == [
        "1  Mill Lane 3",
        "2  Kiln Row 7",
        "0  About equal",
    ]


def test_json_is_ascii_and_has_no_nan(capsys: pytest.CaptureFixture[str]) -> None:
    write_json({"a": float("nan"), "b": [float("inf"), 1.5], "c": "é\x9b"})
    shown = capsys.readouterr().out
    assert shown.isascii()
    assert json.loads(shown) == {"a": None, "b": [None, 1.5], "c": "é\x9b"}
