"""A table that changes while people answer, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest

from penchant.studies import Study, check_store

Opened = Callable[..., Any]
Made = Callable[..., Study]


@pytest.mark.parametrize(("size", "scripts"), [("desktop", True), ("phone", False)])
def test_the_owner_changes_the_table_and_everybody_goes_on(
    address: str,
    open_page: Opened,
    make_study: Made,
    axe: str,
    size: str,
    scripts: bool,
) -> None:
    study = make_study(max_questions=8)
    done, middle, owner = (open_page(size, scripts=scripts) for _ in range(3))

    # One person finishes, another is in the middle of a question.
    _, finished = study.join("Ann")
    done.page.goto(f"{address}/p/{finished}")
    for _ in range(2):
        done.page.get_by_role("button", name="Choose A").click()
    done.page.goto(f"{address}/p/{finished}")
    study.finish(study.store.find_participant(finished).id)
    person, token = study.join("Ben")
    middle.page.goto(f"{address}/p/{token}")
    middle.page.get_by_role("button", name="Choose A").click()
    middle.page.locator(".progress", has_text="Question 2").wait_for()
    asked = study.participation(person.id).open_question
    assert asked is not None
    gone, stays = (study.items.names[item] for item in asked.items)

    # The owner corrects a value and withdraws what is being asked about.
    owner.page.goto(f"{address}/studies/{study.id}")
    owner.page.get_by_role("link", name="Change the table").click()
    owner.page.get_by_role("link", name=f"Correct {stays}", exact=True).click()
    owner.page.get_by_label("price").fill("777")
    owner.page.get_by_label("Why?").fill("typing error")
    owner.page.get_by_role("button", name="Save the change").click()
    owner.page.get_by_text(f"{stays}: price corrected").wait_for()
    owner.page.get_by_role("button", name=f"Withdraw {gone}", exact=True).click()
    owner.page.get_by_text(f"is withdrawn: {gone}").wait_for()
    if scripts:
        assert owner.look_all(axe) == []

    # An answer from the old page is kept; the next question is without it.
    middle.page.get_by_role("button", name="Choose B").click()
    middle.page.locator(".progress", has_text="Question 3").wait_for()
    now = Study(study.store, study.id).participation(person.id)
    assert now.open_question is not None
    assert asked.items[0] not in now.open_question.items
    assert len(now.answered) == 2

    # Who finished sees what changed, and can answer more.
    done.page.goto(f"{address}/p/{finished}/result")
    done.page.get_by_role("heading", name="Since your answers").wait_for()
    assert done.page.get_by_text(f"is withdrawn: {gone}").count() == 1
    if scripts:
        assert done.look_all(axe) == []
    done.page.get_by_role("button", name="Go on answering").click()
    done.page.locator(".progress", has_text="Question").wait_for()

    # A corrected table is looked at before it is taken.
    owner.page.goto(f"{address}/studies/{study.id}/table")
    owner.page.locator("#upload-fold > summary").click()
    paste = f"name,price\n{stays},778\nNew Street 1,640\n"
    owner.page.get_by_label("Or paste the table").fill(paste)
    owner.page.get_by_text("stays as it is").click()
    owner.page.get_by_role("button", name="See what would change").click()
    owner.page.get_by_role("heading", name="What would change").wait_for()
    assert owner.page.get_by_text("is new: New Street 1").count() == 1
    if scripts:
        assert owner.look_all(axe) == []
    owner.page.get_by_role("button", name="Take this table").click()
    owner.page.get_by_text("Version 4").wait_for()
    owner.page.get_by_role("link", name="Add a").click()
    if scripts:
        assert owner.look_all(axe) == []
    faults = [*done.faults, *middle.faults, *owner.faults]
    assert faults == []
    assert check_store(study.store).ok
