"""From tables as people have them to a result, in a real browser."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import drawn_picture

Opened = Callable[..., Any]

NOTE = "Check with IT whether the docking station works, and who has to carry it. "


@pytest.fixture(scope="module")
def laptops(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A price list as a spreadsheet in Germany writes it, and a ZIP of its pictures."""
    folder = tmp_path_factory.mktemp("laptops")
    table, archive = folder / "büro_laptops.csv", folder / "photos.zip"
    lines = ["Preisliste;;;;;;;", "Modell;Preis;Speicher;Gewicht;Age;Notes;Image;Link"]
    files = io.BytesIO()
    with zipfile.ZipFile(files, "w") as packed:
        for k in range(10):
            price = ("1.299", "1.449", "2.199")[k % 3]
            cells = (f"Lenora T{k}", price, f"{8 * (1 + k % 3)} GB", f"1{k}00 g", k % 4)
            shown = (NOTE * (1 + k % 3), f"img/t{k}.jpg", f"https://shop.example/p/{k}")
            lines.append(";".join(map(str, (*cells, *shown))))
            packed.writestr(
                f"photos/T{k}.png", drawn_picture(f"hsl({36 * k}, 50%, 60%)")
            )
    lines.append("Summe;;;;;;;")
    table.write_bytes("\n".join(lines).encode("cp1252"))
    archive.write_bytes(files.getvalue())
    return table, archive


def _look(watched: Any, axe: str) -> list[str]:
    """Look at a page with all folds open, and close them again."""
    wrong: list[str] = watched.look_all(axe)
    close = "document.querySelectorAll('details').forEach(e => e.open = false)"
    watched.page.evaluate(close)
    return wrong


def _answer(page: Any) -> None:
    """Answer a few questions, then look at the result."""
    for number in (2, 3):
        page.get_by_role("button", name="Choose A").click()
        page.locator(".progress", has_text=f"Question {number}.").wait_for()
    page.get_by_role("button", name="Show my result now").click()
    page.wait_for_url("**/result")


def _take_part(page: Any, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/p/*")


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_pasted_list_leads_to_a_result(
    address: str, open_page: Opened, axe: str, size: str
) -> None:
    watched = open_page(size)
    page = watched.page
    page.goto(f"{address}/")
    wrong = {"home": _look(watched, axe)}
    page.get_by_label("or cells pasted").fill("Rome\nParis\nLisbon\nOslo\nVienna\n")
    page.get_by_role("button", name="Check the columns").click()
    page.get_by_role("heading", name="What do the columns mean?").wait_for()
    wrong["columns"] = _look(watched, axe)
    page.get_by_label("Name of the study").fill("Where to?")
    page.get_by_role("button", name="Save and continue").last.click()
    page.wait_for_url("**/studies/*")
    _take_part(page, page.url.replace("/studies/", "/s/") + "/join")
    wrong["question"] = _look(watched, axe)
    _answer(page)
    assert page.get_by_role("heading", level=1).inner_text()
    wrong["result"] = _look(watched, axe)
    assert {state: found for state, found in wrong.items() if found} == {}


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_laptops_with_pictures_links_notes_and_comma_prices(
    address: str, open_page: Opened, axe: str, laptops: tuple[Path, Path], size: str
) -> None:
    table, archive = laptops
    watched = open_page(size)
    page, wrong = watched.page, {}
    page.goto(f"{address}/")
    page.locator("#table").set_input_files(table)
    page.get_by_role("button", name="Check the columns").click()
    page.get_by_role("link", name="1 question for you").wait_for()
    wrong["columns"] = _look(watched, axe)
    page.locator("#column-1 .notes button", has_text="1299").click()
    page.get_by_text("10 pictures are named, 0 there.").wait_for()
    page.locator("#column-6 input[type=file]").set_input_files(archive)
    page.get_by_role("button", name="Add pictures").click()
    page.get_by_text("10 pictures are named, 10 there.").wait_for()
    with page.expect_navigation():  # what is chosen before would be lost
        page.locator("#column-4 .notes button", has_text="Less").click()
    page.locator("#preview").get_by_text("1,299").first.wait_for()
    page.locator("#role-3").select_option("skip")
    weight = page.locator("#preview").get_by_text("Gewicht", exact=True)
    weight.first.wait_for(state="detached")  # the preview follows
    assert page.locator("#preview img").count() == 2
    wrong["mended"] = _look(watched, axe)
    page.get_by_role("button", name="Save and continue").last.click()
    page.wait_for_url("**/studies/*")
    wrong["study"] = _look(watched, axe)
    _take_part(page, page.url.replace("/studies/", "/s/") + "/join")
    assert page.locator(".card img").count() == 2
    drawn = "() => [...document.images].every(i => i.complete && i.naturalWidth > 0)"
    page.wait_for_function(drawn)
    link = page.locator(".card a").first
    assert link.get_attribute("rel") == "noopener noreferrer"
    page.locator(".card summary", has_text="Notes").first.click()
    page.locator(".card", has_text="Check with IT").first.wait_for()
    wrong["question"] = _look(watched, axe)
    _answer(page)
    assert page.locator("img.thumb").count() >= 3
    wrong["result"] = _look(watched, axe)
    assert {state: found for state, found in wrong.items() if found} == {}


def test_columns_are_mended_without_scripts(
    address: str, open_page: Opened, laptops: tuple[Path, Path]
) -> None:
    page = open_page("phone", scripts=False).page
    page.goto(f"{address}/")
    page.locator("#table").set_input_files(laptops[0])
    page.locator("#pictures").set_input_files(laptops[1])
    page.get_by_role("button", name="Check the columns").click()
    page.get_by_text("10 pictures are named, 10 there.").wait_for()
    page.get_by_label("Name of the study").fill("Typed before")
    page.locator(".file-note", has_text="Summe").get_by_role("button").click()
    page.get_by_text("11 rows, 8 columns.").wait_for()
    page.locator("#column-1 .notes button", has_text="1299").click()
    page.locator("#role-3").select_option("skip")
    page.get_by_role("button", name="See it as participants do").click()
    assert page.locator("#preview").get_by_text("Gewicht", exact=True).count() == 0
    assert page.get_by_label("Name of the study").input_value() == "Typed before"
    page.get_by_role("button", name="Save and continue").last.click()
    page.wait_for_url("**/studies/*")
