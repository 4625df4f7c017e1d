"""Whole journeys of a participant in a real browser."""

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from penchant.data import DATE, Attribute, Items
from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study

Opened = Callable[..., Any]
Made = Callable[..., Study]


def _number(page: Any) -> str:
    words = page.locator(".progress").inner_text()
    found = re.search(r"Question (\d+)", words)
    assert found is not None
    return found[1]


def _join(page: Any, address: str, study: Study) -> None:
    page.goto(f"{address}/s/{study.id}/join")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/p/*")


def test_answer_with_keys_undo_resume_and_read_the_result(
    address: str, open_page: Opened, make_study: Made
) -> None:
    watched = open_page()
    page = watched.page
    _join(page, address, make_study(max_questions=5))
    link = page.url
    for key, number in (("1", "2"), ("2", "3"), ("0", "4"), ("s", "5"), ("u", "4")):
        page.keyboard.press(key)
        page.locator(".progress", has_text=f"Question {number}.").wait_for()
        assert page.evaluate("document.activeElement.tagName") == "H1"
    page.keyboard.press("Control+1")
    assert _number(page) == "4"
    page.goto(f"{address}/")
    page.goto(link)
    assert _number(page) == "4"
    page.get_by_role("button", name="Choose B").click()
    page.locator(".progress", has_text="Question 5.").wait_for()
    page.get_by_role("button", name="Neither is acceptable").click()
    page.wait_for_url(f"{link}/result")
    assert page.get_by_text("That was the last question.").is_visible()
    page.get_by_role("button", name="Go on answering").click()
    page.locator(".progress", has_text="Question 6.").wait_for()
    assert watched.faults == []


def test_two_quick_answers_count_once(
    address: str, open_page: Opened, make_study: Made
) -> None:
    watched = open_page()
    page = watched.page
    _join(page, address, make_study())
    page.evaluate(
        'document.querySelectorAll(\'[data-key="1"], [data-key="2"]\')'
        ".forEach((button) => button.click())"
    )
    page.locator(".progress", has_text="Question 2.").wait_for()
    assert watched.faults == []


def test_panels_answer_without_leaving_the_page(
    address: str, open_page: Opened, answered: str
) -> None:
    watched = open_page()
    page = watched.page
    page.goto(f"{address}{answered}/result")
    _open(page, "compare")
    page.get_by_label("Alternative B").select_option(index=4)
    other = page.get_by_label("Alternative B").locator("option:checked").inner_text()
    page.locator("#compare h3", has_text=other).wait_for()
    _open(page, "what-if")
    before = page.locator("#outcome").inner_text()
    page.get_by_label("price", exact=True).fill("1500")
    page.wait_for_function(
        "before => document.querySelector('#outcome').innerText !== before", arg=before
    )
    assert "1,500" in page.locator("output[for=v0]").inner_text()
    assert page.url == f"{address}{answered}/result"
    assert watched.faults == []


def test_a_printed_result_shows_no_controls(
    address: str, answered: str, open_page: Opened
) -> None:
    page = open_page().page
    page.goto(f"{address}{answered}/result")
    page.emulate_media(media="print")
    assert page.locator("#ranking, #why, #compare, #curves, #answers").count() == 5
    for each in page.locator("#ranking, #why, #compare, #curves, #answers").all():
        assert each.is_visible()
    for each in page.locator("form, nav, #take, #what-if").all():
        assert each.is_hidden()


def _open(page: Any, fold: str) -> None:
    page.locator(f"#{fold}-fold > summary").click()


def test_the_answer_stands_before_the_folds(
    address: str, open_page: Opened, answered: str
) -> None:
    page = open_page().page
    for limit in ("", "900"):  # without must-haves, then with one
        page.goto(f"{address}{answered}/limits")
        page.get_by_role("group", name="price").get_by_label("at most").fill(limit)
        page.get_by_role("button", name="Use these must-haves").click()
        page.goto(f"{address}{answered}/result")
        for width, most in ((1280, 1200), (390, 1800)):
            page.set_viewport_size({"width": width, "height": 900})
            top = page.locator(".folds").bounding_box()["y"]
            assert top + page.evaluate("scrollY") <= most
    page.get_by_text("fit your must-haves").wait_for()
    page.locator("#limits-fold > summary").click()
    page.get_by_role("button", name="No must-haves").click()


def test_one_fold_is_open_at_a_time(
    address: str, open_page: Opened, answered: str
) -> None:
    watched = open_page()
    page = watched.page
    page.goto(f"{address}{answered}/result")
    assert page.locator("details.fold[open]").count() == 0
    page.locator("#ranking-fold > summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#ranking li.ruled").count() == 12
    _open(page, "curves")
    assert page.locator("details.fold[open]").count() == 1
    assert page.locator("#curves .curve").count() == 8
    assert watched.faults == []


def test_the_whole_card_is_the_button(
    address: str, open_page: Opened, make_study: Made
) -> None:
    page = open_page(scripts=False).page
    _join(page, address, make_study())
    page.locator(".card h2").first.click(position={"x": 5, "y": 5}, force=True)
    assert _number(page) == "2"


def test_everything_works_without_scripts(
    address: str, open_page: Opened, make_study: Made, answered: str
) -> None:
    page = open_page("phone", scripts=False).page
    _join(page, address, make_study())
    page.get_by_role("button", name="Choose A").click()
    assert _number(page) == "2"
    page.get_by_role("button", name="Undo").click()
    assert _number(page) == "1"
    page.goto(f"{address}{answered}/result")
    _open(page, "compare")
    page.get_by_label("Alternative B").select_option(index=3)
    page.get_by_role("button", name="Compare").click()
    assert page.locator("#compare li").count() >= 1
    page.goto(f"{address}{answered}/what-if?item=2")
    page.get_by_label("noise").select_option("busy street")
    page.get_by_role("button", name="Show").click()
    assert page.get_by_label("noise").locator("option:checked").inner_text() == (
        "busy street"
    )
    assert page.locator("#outcome .place").inner_text().startswith("Place ")
    page.get_by_role("button", name="Français").click()
    assert page.locator("html").get_attribute("lang") == "fr"


def test_a_slider_says_money_and_dates_as_people_write_them(
    address: str, store: SqlStore, open_page: Opened
) -> None:
    opens = Attribute("opens", domain=(20_000, 20_100), unit=DATE)
    frame = pd.DataFrame({"price": [3.5, 4.0, 2.5], "opens": [20_010, 20_050, 20_020]})
    items = Items.from_frame(
        frame, [Attribute("price", domain=(2, 5), unit="$"), opens], names=list("abc")
    )
    _, token = Study(store, store.create_study("Cafes", items)).join("Ada")
    page = open_page().page
    page.goto(f"{address}/p/{token}/what-if?item=0")
    shown = page.locator("#what-if output")
    assert shown.all_inner_texts() == ["$3.50", "14 Oct 2024"]
    page.locator("#v0").fill("4.25")
    page.locator("#v1").fill("20060")
    assert shown.all_inner_texts() == ["$4.25", "Dec 3, 2024"]


def test_choices_are_in_view_on_a_phone(
    address: str, open_page: Opened, make_study: Made
) -> None:
    page = open_page("phone").page
    _join(page, address, make_study())
    for name in ("Choose A", "Choose B"):
        box = page.get_by_role("button", name=name).bounding_box()
        assert box["y"] + box["height"] <= 740
    assert page.locator("kbd").first.is_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_every_state_can_be_read_by_everybody(
    address: str,
    open_page: Opened,
    make_study: Made,
    answered: str,
    axe: str,
    language: str,
) -> None:
    watched = open_page("desktop" if language == "en" else "phone")
    page, wrong = watched.page, {}
    page.goto(f"{address}{answered}")
    name = {"en": "English", "fr": "Français", "de": "Deutsch"}[language]
    if language != "en":
        page.get_by_role("button", name=name).click()
    paths = {"closed": f"/s/{make_study(open=False).id}/join"}
    forms = ("pair", "best-worst", "rating", "ranking")
    for form in forms:
        study = make_study(question=form)
        paths[f"join {form}"] = f"/s/{study.id}/join"
        paths[form] = f"/p/{study.join()[1]}"
    paths["consent"] = f"/p/{make_study(consent='Agree?').join()[1]}"
    pages = ("pause", "result", "why?item=5", "compare?a=1&b=2", "compare?a=1&b=1")
    pages += ("what-if?item=3&v0=600",)
    paths |= {each: f"{answered}/{each}" for each in pages}
    for state, path in paths.items():
        page.goto(f"{address}{path}")
        wrong[state] = watched.look_all(axe) if language == "en" else watched.look(axe)
        watched.faults.clear()
    assert {state: found for state, found in wrong.items() if found} == {}


def test_hostile_names_do_nothing(
    address: str, open_page: Opened, store: SqlStore
) -> None:
    names = ["<img src=x onerror=alert(1)>", "<script>alert(2)</script>", "\u202eabc"]
    names += ["x" * 10_000, "🏠", "{{ 7 * 7 }}"]
    flats = load_flats().take(range(len(names)))
    study_id = store.create_study("<b>", Items(flats.frame, flats.attributes, names))
    _, token = Study(store, study_id).join("<i>")
    watched = open_page("phone")
    for path in ("", "/result", "/why?item=0", "/compare?a=0&b=1", "/what-if?item=3"):
        watched.page.goto(f"{address}/p/{token}{path}")
        assert watched.page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth"
        )
        assert watched.page.locator("img, main script, b:not(.inline b)").count() == 0
    assert watched.faults == []
