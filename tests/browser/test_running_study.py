"""Journeys of an owner whose study is being answered, in a real browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from penchant.data import Items
from penchant.studies import SqlStore, Study, StudySettings

Opened = Callable[..., Any]
Made = Callable[..., Study]


def answer(study: Study, label: str, n: int = 2) -> str:
    person, _ = study.join(label)
    study.consent(person.id)
    for _ in range(n):
        question = study.ask(person.id)
        assert question is not None
        study.tell(person.id, question.id, "left")
    return person.id


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_an_owner_closes_weighs_shares_and_withdraws(
    address: str, open_page: Opened, make_study: Made, axe: str, size: str
) -> None:
    study = make_study(max_questions=2, owner_sees=True)
    for label in ("Ada", "Bob"):
        answer(study, label)
    watched, guest = open_page(size), open_page(size, scripts=False)
    page, theirs = watched.page, guest.page
    own = f"{address}/studies/{study.id}"
    page.goto(own)
    page.get_by_label("Weight of Ada", exact=True).fill("3")
    page.get_by_role("button", name="Save the weight of Ada").click()
    page.wait_for_url("**#people")
    assert page.get_by_label("Weight of Ada", exact=True).input_value() == "3"
    assert study.group().n_votes == 4
    page.get_by_role("link", name="Weight", exact=True).click()
    first = page.locator("table.people tbody th").first
    assert first.inner_text().startswith("Ada")
    page.get_by_role("link", name="Result of Ada").click()
    page.get_by_text("Ada agreed that you see this.").wait_for()
    wrong = {"result of one": watched.look_all(axe)}
    page.goto(own)
    page.get_by_label("More about Bob").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Data of Bob as JSON").click()
    assert "penchant-participant-1" in Path(waiting.value.path()).read_text()

    page.goto(own)
    page.get_by_text("A link to the group result").click()
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("A link to the group result").input_value()
    wrong["link"] = watched.look_all(axe)
    theirs.goto(link)
    theirs.locator("#common").wait_for()
    shown = theirs.locator("main").inner_text()
    assert "Ada" not in shown
    assert "Bob" not in shown
    page.goto(link)
    wrong["shared"] = watched.look_all(axe)
    page.goto(own)
    page.get_by_text("A link to the group result").click()
    page.get_by_role("button", name="Withdraw it").click()
    theirs.goto(link)
    theirs.get_by_role("heading", name="This link does not work").wait_for()

    page.goto(own)
    page.get_by_role("link", name="Change date or number").click()
    page.get_by_label("Last day for new people").fill("2020-05-01")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Closed: new people could join until 1 May 2020.").first.wait_for()
    wrong["closed"] = watched.look_all(axe)
    theirs.goto(f"{address}/s/{study.id}/join")
    theirs.get_by_role("heading", name="This study is closed").wait_for()
    assert {name: found for name, found in wrong.items() if found} == {}


def test_answers_show_by_themselves(
    address: str, open_page: Opened, make_study: Made
) -> None:
    study = make_study(max_questions=2)
    answer(study, "Ada")
    study.group()
    watched, other = open_page(), open_page("phone")
    page, group = watched.page, other.page
    for each in (page, group):
        each.clock.install()
    page.goto(f"{address}/studies/{study.id}")
    group.goto(f"{address}/studies/{study.id}/group")
    assert page.get_by_text("Bob").count() == 0
    answer(study, "Bob")
    page.clock.run_for(10_500)
    page.get_by_role("rowheader", name="Bob").wait_for()
    group.clock.run_for(10_500)
    group.get_by_text("New answers have come in.").wait_for()
    group.get_by_role("link", name="Show the newest").click()
    group.get_by_text("What 2 people want together").wait_for()
    # Who is typing is not disturbed, but told.
    page.get_by_label("Weight of Ada", exact=True).fill("7")
    answer(study, "Cleo")
    page.clock.run_for(10_500)
    page.get_by_text("New answers have come in.").wait_for()
    assert page.get_by_label("Weight of Ada", exact=True).input_value() == "7"
    page.get_by_role("link", name="Show the newest").click()
    page.get_by_role("rowheader", name="Cleo").wait_for()
    assert watched.faults == []


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_two_thousand_alternatives_are_found_and_paged_without_scripts(
    address: str, open_page: Opened, store: SqlStore, axe: str, size: str
) -> None:
    frame = pd.DataFrame({"rent": range(2000), "size": [k % 90 for k in range(2000)]})
    items = Items.from_frame(frame, names=[f"Flat {k}" for k in range(2000)])
    settings = StudySettings(max_questions=2, max_regret=0.0, check_every=0)
    study = Study(store, store.create_study("Many", items, settings=settings))
    person, token = study.join("Ada")
    while (question := study.ask(person.id)) is not None:
        study.tell(person.id, question.id, "left")
    plain = open_page(size, scripts=False).page
    for path, rows in (
        (f"/studies/{study.id}", "#table ~ .scroll tbody tr"),
        (f"/p/{token}/result", "#ranking .ruled"),
        (f"/studies/{study.id}/group", "#common ~ ol .ruled"),
    ):
        plain.goto(f"{address}{path}")
        if "/p/" in path:
            plain.locator("#ranking-fold > summary").click()
        assert plain.locator(rows).count() == 100
        plain.get_by_label("Find by name").fill("flat 123")
        plain.get_by_role("button", name="Search").click()
        assert plain.locator(rows).count() == 11
        assert plain.locator(rows).first.is_visible()
        plain.get_by_role("link", name="Show all").click()
        plain.get_by_text("1 to 100 of 2000").wait_for()
        plain.get_by_role("link", name="Later").click()
        plain.get_by_text("101 to 200 of 2000").wait_for()
        assert plain.locator(rows).first.is_visible() or "#ranking-fold" in plain.url
    watched = open_page(size)
    watched.page.goto(f"{address}/studies/{study.id}/group?find=flat+12")
    assert watched.look_all(axe) == []
