"""Must-haves in a real browser: set, asked only about what fits, relaxed."""

from collections.abc import Callable
from typing import Any

import pytest

from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, StudySettings

Opened = Callable[..., Any]

FLATS = load_flats()
NOUNS = {"en": ["flat", "flats"], "fr": ["appart", "apparts"], "de": ["Flat", "Flats"]}


@pytest.fixture
def study(store: SqlStore) -> Study:
    settings = StudySettings.from_dict({"max_questions": 5, "nouns": NOUNS})
    return Study(store, store.create_study("Flats", FLATS, settings=settings))


def _shown(page: Any) -> set[str]:
    return set(page.locator(".card h2").all_inner_texts())


def _names(most: float) -> set[str]:
    rows = FLATS.frame["price"] <= most
    return {name for name, fits in zip(FLATS.names, rows, strict=True) if fits}


@pytest.mark.parametrize(("size", "scripts"), [("desktop", True), ("phone", False)])
def test_a_highest_price_set_respected_and_relaxed(
    address: str, open_page: Opened, study: Study, axe: str, size: str, scripts: bool
) -> None:
    watched = open_page(size, scripts=scripts)
    page = watched.page
    page.goto(f"{address}/s/{study.id}/join?new=1")
    page.get_by_role("button", name="Start").click()
    home = page.url
    page.get_by_role("link", name="Set must-haves").click()
    page.get_by_role("group", name="price").get_by_label("at most").fill("900 EUR")
    page.keyboard.press("Enter")
    page.get_by_text("28 of 40 flats fit your must-haves.").wait_for()
    for number in range(2, 7):
        assert {name.split("\n")[-1] for name in _shown(page)} <= _names(900)
        page.locator(".choose").first.click()
        if number < 6:
            page.locator(".progress", has_text=f"Question {number}.").wait_for()
    page.wait_for_url(f"{home}/result")
    page.get_by_text("28 of 40 flats fit your must-haves.").wait_for()
    page.locator("#ranking-fold > summary").click()
    ranked = page.locator("#ranking li.ruled .label a").all_inner_texts()
    assert set(ranked) == _names(900)
    page.get_by_role("button", name="1 more flat if price up to 910").first.click()
    page.get_by_text("29 of 40 flats fit your must-haves.").wait_for()
    page.locator("#limits-fold > summary").click()
    page.get_by_role("group", name="price").get_by_label("at most").fill("1,000")
    page.get_by_role("button", name="Use these must-haves").click()
    page.get_by_text("30 of 40 flats fit your must-haves.").wait_for()
    page.locator("#ranking-fold > summary").click()
    ranked = page.locator("#ranking li.ruled .label a").all_inner_texts()
    assert set(ranked) == _names(1000)
    assert watched.faults == []
    if scripts:
        assert watched.look_all(axe) == []
        page.goto(f"{home}/limits")
        assert watched.look_all(axe) == []


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("fr", "28 sur 40 apparts remplissent vos critères impératifs."),
        ("de", "28 von 40 Flats erfüllen Ihre Muss-Kriterien."),
    ],
)
def test_when_nothing_fits_a_button_leads_out(
    address: str,
    open_page: Opened,
    study: Study,
    axe: str,
    language: str,
    sentence: str,
) -> None:
    watched = open_page()
    page = watched.page
    token = study.join("", language)[1]
    page.goto(f"{address}/p/{token}/limits")
    page.locator("[name=at_most-0]").fill("900")
    page.locator("[name=at_least-1]").fill("119")
    page.locator("form button.main").click()
    page.get_by_role("alert").wait_for()
    assert watched.look(axe) == []
    page.locator('[name=relax][value="1-drop"]').click()
    page.get_by_text(sentence).wait_for()
    assert watched.faults == []
