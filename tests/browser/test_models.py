"""From a file to a model that can be read, in a real browser and real processes."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import SIZES, Watched
from tests.jobs.conftest import flats, pairs

Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Rated flats; flats without ratings, and which of two somebody chose."""
    folder = tmp_path_factory.mktemp("files")
    plain = "\n".join(
        line.rpartition(",")[0] for line in flats(12).decode().split("\n")
    )
    contents = {
        "rated": flats(40),
        "many": flats(1500),  # so many that there is time to cancel
        "flats": plain.encode(),
        "pairs": pairs(flats(12)),
    }
    paths = {name: folder / f"{name}.csv" for name in contents}
    for name, content in contents.items():
        paths[name].write_bytes(content)
    return paths


def _start(page: Any, table: Path | None, answers: Path | None = None) -> None:
    if table is not None:
        page.locator("#labelled").set_input_files(table)
    if answers is not None:
        page.locator("#told").set_input_files(answers)
    page.get_by_role("button", name="Look at the file").click()
    page.get_by_role("heading", name="What is to be learned?").wait_for()


def _learned(page: Any) -> str:
    """Wait on the page of progress, which looks again by itself."""
    page.locator("#candidates").wait_for(timeout=240_000)
    return str(page.url)


PAGES = {
    "overview": "",
    "curves": "/curves",
    "importance": "/importance",
    "why": "/why?row=3",
    "rather": "/why?row=3&against=5",
    "rows": "/rows",
    "take": "/take",
}


def test_a_labelled_table_leads_to_a_report_and_both_reasons(
    address: str, open_page: Opened, axe: str, files: dict[str, Path]
) -> None:
    watched = open_page("desktop")
    page, wrong = watched.page, {}
    page.goto(f"{address}/")
    wrong["home"] = watched.look_all(axe)
    _start(page, files["rated"])
    wrong["start"] = watched.look_all(axe)
    page.get_by_role("button", name="Start learning").click()
    page.locator("#progress").wait_for()
    wrong["progress"] = watched.look(axe)
    base = _learned(page)
    for name, path in PAGES.items():
        page.goto(base + path)
        wrong[name] = watched.look_all(axe)
    _ask(page, base)
    wrong["what-if"] = watched.look_all(axe)
    assert {state: found for state, found in wrong.items() if found} == {}
    phone = open_page("phone")  # the same by fingers
    _ask(phone.page, base)
    assert phone.look(axe) == []


def _ask(page: Any, base: str) -> None:
    """Ask why both ways, why rather than another, and what if; take the report."""
    page.goto(f"{base}/why?row=4")
    for way in ("Exact", "By coalitions"):  # and the unit of its numbers beside it
        assert page.get_by_role("heading", name=re.compile(f"^{way}")).is_visible()
    assert page.locator(".pairs svg").count() == 6  # three columns, both ways
    page.get_by_label("Against").select_option(label="Flat 7")
    page.get_by_role("button", name="Explain").click()
    page.get_by_role("heading", name="Why Flat 2 rather than Flat 7?").wait_for()
    page.goto(f"{base}/take")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Report, one HTML file").click()
    report = Path(saved.value.path()).read_text(encoding="utf-8")
    assert "What decides rating" in report
    page.goto(f"{base}/what-if")
    before = page.locator("#outcome .place").inner_text()
    page.locator("#v0").fill("300")
    page.wait_for_function(
        "old => document.querySelector('#outcome .place').innerText !== old", arg=before
    )


def test_answers_lead_to_curves(
    address: str, open_page: Opened, axe: str, files: dict[str, Path]
) -> None:
    page = open_page("phone", scripts=False).page
    page.goto(f"{address}/models")
    _start(page, files["flats"], files["pairs"])
    page.get_by_role("button", name="Start learning").click()
    base = _learned(page)  # the page is loaded again every few seconds
    assert page.get_by_text("Right order").count()
    page.goto(f"{base}/what-if?row=2")
    before = page.locator("#outcome .place").inner_text()
    page.locator("#v2").select_option(index=0)
    page.locator("#v0").fill("1100")
    page.get_by_role("button", name="Show").click()
    assert page.locator("#outcome .place").inner_text() != before
    watched = open_page("desktop")
    page, wrong = watched.page, {}
    pages = {"overview": "", "curves": "/curves", "rules": "/rules"}
    for name, path in {**pages, "rather": "/why?row=3&against=4"}.items():
        page.goto(base + path)
        if name == "curves":
            assert page.locator(".multiples svg.c").count() >= 2
        wrong[name] = watched.look_all(axe)
    assert "Why Flat 1 rather than Flat 2?" in page.locator("h1").inner_text()
    assert {state: found for state, found in wrong.items() if found} == {}


@contextmanager
def _server(folder: Path) -> Iterator[tuple[Any, str]]:
    """Serve in a process of its own; give it, and the link with its secret."""
    program = "from penchant.cli._app import main; main()"
    options = ("serve", "--no-open", "--port", "0", "--data", str(folder))
    process = subprocess.Popen(
        [sys.executable, "-c", program, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    link = None
    while link is None:
        line = process.stdout.readline()
        assert line, "the server did not start"
        link = re.search(r"http\S+token=\S+", line)
    try:
        yield process, link[0]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.slow
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_cancelling_going_on_and_a_killed_server(
    chromium: Any, axe: str, files: dict[str, Path], tmp_path: Path, size: str
) -> None:
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    with _server(tmp_path) as (process, link):
        watched = Watched(page, link.split("/?")[0])
        page.set_default_timeout(120_000)
        page.goto(link)
        _start(page, files["many"])
        page.get_by_role("button", name="Start learning").click()
        page.locator("#compared").wait_for()  # something is kept
        path = page.url.split("/models/")[1]
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Go on").wait_for()
        assert page.get_by_role("heading", name="Cancelled").count()
        assert watched.look(axe) == []
        kept = page.locator("section:has(#compared) li").all_inner_texts()
        assert kept
        page.get_by_role("button", name="Go on").click()
        page.locator("#progress[data-again]").wait_for()
        assert set(kept) <= set(
            page.locator("section:has(#compared) li").all_inner_texts()
        )
        process.send_signal(signal.SIGKILL)
        process.wait()
    with _server(tmp_path) as (process, link):
        page.goto(link)
        page.goto(link.split("/?")[0] + f"/models/{path}")
        _learned(page)
        assert page.locator("tbody tr").count() >= 4
    context.close()
