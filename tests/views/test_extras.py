import pandas as pd
import pytest

from penchant.data import Extra, Items
from penchant.studies import PictureHead
from penchant.views import Shelf, extras_view

HEADS = {"a": PictureHead("a", "0" * 64, 40, 30)}
SHELF = Shelf(HEADS, "/p/x/pictures")


def _items(*extras: Extra) -> Items:
    return Items(pd.DataFrame(index=range(1)), (), ("<Mill> Lane",), extras)


def _one(role: str, value: str) -> Items:
    return _items(Extra("the column", role, (value,)))


def test_a_picture_is_one_of_ours() -> None:
    found = extras_view(_one("picture", "img/A.JPG"), 0, SHELF)
    assert found.photo is not None
    assert found.photo.path == f"/p/x/pictures/{'0' * 64}"
    assert found.photo.words == "<Mill> Lane"
    assert (found.photo.width, found.photo.height) == (40, 30)
    told = extras_view(_one("picture", "![Open](a)"), 0, SHELF)
    assert told.photo is not None
    assert told.photo.words == "Open"
    assert not extras_view(_one("picture", "b.png"), 0, SHELF)
    assert not extras_view(_one("picture", "a.png"), 0)


def test_the_address_of_a_picture_is_a_link_and_never_a_picture() -> None:
    found = extras_view(_one("picture", "https://shop.example/a.jpg"), 0, SHELF)
    assert found.photo is not None  # ours has the same name
    assert found.links[0].host == "shop.example"
    alone = extras_view(_one("picture", "https://shop.example/b.jpg"), 0, SHELF)
    assert alone.photo is None
    assert alone.links[0].path == "https://shop.example/b.jpg"


@pytest.mark.parametrize(
    "value",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)//https://x.example",
        "data:text/html,x",
        "//shop.example/x",
        "ftp://shop.example",
        "https://",
        "http:///path",
        "https://[::1",
        "https://shop.example/\u2028x",
        "https:\\\\shop.example",
        "shop.example",
    ],
)
def test_what_is_no_link_is_text(value: str) -> None:
    found = extras_view(_one("link", value), 0)
    assert found.links == ()
    assert len(found.values) == 1


def test_links_say_where_they_lead() -> None:
    tricky = "https://bank.example@evil.example/login"
    assert extras_view(_one("link", tricky), 0).links[0].host == "evil.example"


def test_long_text_is_folded() -> None:
    (short,) = extras_view(_one("text", " one  two\nthree "), 0).passages
    assert (short.beginning, short.rest) == ("one two three", "")
    text = " ".join(map(str, range(60)))
    (long,) = extras_view(_one("text", text), 0).passages
    assert long.beginning.endswith(" 24…")
    assert long.rest.startswith("25 26")


def test_blanks_are_left_out_and_values_keep_their_order() -> None:
    items = _items(
        Extra("b", "shown", (" x ",)),
        Extra("a", "identifier", ("17",)),
        Extra("c", "shown", ("  ",)),
    )
    found = extras_view(items, 0)
    assert [(each.label, each.value) for each in found.values] == [
        ("b", "x"),
        ("a", "17"),
    ]
    assert not extras_view(_one("link", ""), 0)
