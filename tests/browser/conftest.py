"""A real server on a free port and Debian's Chromium; skips where there is none."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI

from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, StudySettings, store_url
from penchant.web import create_app

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZES = {"desktop": (1280, 900), "phone": (375, 740)}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlStore]:
    with SqlStore(store_url(tmp_path_factory.mktemp("studies"))) as opened:
        yield opened


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve an app on a free port, and give its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def address(store: SqlStore) -> Iterator[str]:
    """Where the app is served."""
    with serving(create_app(store)) as found:
        yield found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip(f"The browser is not installed at {CHROMIUM}.")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    pytest.importorskip("axe_playwright_python")
    source = files("axe_playwright_python") / "axe.min.js"
    return source.read_text(encoding="utf-8")


ALL_RULES = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
COLOUR_RULES = "{type: 'rule', values: ['color-contrast', 'link-in-text-block']}"


class Watched:
    """A page of a browser that keeps what it must not do.

    Parameters
    ----------
    page : playwright Page
    address : str
        The only place to which it may send requests.
    """

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("console", lambda message: self._hear(message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._check(request.url, address))
        page.set_default_timeout(60_000)

    def _hear(self, words: str) -> None:
        """Keep what the console says, but that a page was refused on purpose."""
        if not words.startswith("Failed to load resource: the server responded with"):
            self.faults.append(words)

    def _check(self, url: str, address: str) -> None:
        if not url.startswith(f"{address}/"):
            self.faults.append(f"request to {url}")

    def look(self, axe: str, rules: str = ALL_RULES) -> list[str]:
        """Say what is wrong with what is shown now."""
        if not self.page.evaluate("Boolean(window.axe)"):
            self.page.evaluate(f"{axe};0")
        found = self.page.evaluate(
            f"axe.run({{runOnly: {rules}, resultTypes: ['violations']}})"
        )
        wrong = [
            f"{each['id']}: {node['html'][:200]}"
            for each in found["violations"]
            for node in each["nodes"]
        ]
        return wrong + self.page.evaluate(GEOMETRY) + self.faults

    def look_all(self, axe: str) -> list[str]:
        """Say what is wrong in both sizes and both themes.

        Only colours depend on the theme, so the other rules run once per size.
        """
        self.page.evaluate(
            "document.querySelectorAll('details').forEach("
            "e => { e.removeAttribute('name'); e.open = true; })"
        )
        wrong = []
        for size, themes in (
            ("desktop", ("light", "dark")),
            ("phone", ("dark", "light")),
        ):
            width, height = SIZES[size]
            self.page.set_viewport_size({"width": width, "height": height})
            for theme, rules in zip(themes, (ALL_RULES, COLOUR_RULES), strict=True):
                self.page.emulate_media(color_scheme=theme)
                found = self.look(axe, rules)
                wrong += [f"{size}, {theme}: {each}" for each in found]
        return wrong


GEOMETRY = """() => {
  const wrong = [];
  const root = document.documentElement;
  const { scrollWidth, clientWidth } = root;
  if (scrollWidth > clientWidth) wrong.push(`scrolls to ${scrollWidth}`);
  const controls =
    "button, select, summary, .button, .tabs a, input:not([type=hidden])";
  for (const each of document.querySelectorAll(controls)) {
    const inside = ["radio", "checkbox"].includes(each.type);
    const target = inside ? each.closest("label") : each;
    const box = target.getBoundingClientRect();
    const mouse = matchMedia("(pointer: fine)").matches;
    const least = mouse && target.closest(".dense, .because") ? 35.9 : 43.9;
    if (box.height && box.height < least)
      wrong.push(`${box.height} px: ${each.outerHTML.slice(0, 80)}`);
  }
  return wrong;
}"""


@pytest.fixture
def open_page(chromium: Any, address: str) -> Iterator[Callable[..., Watched]]:
    """Open a page: which size, which theme, with or without scripts."""
    contexts = []

    def opened(
        size: str = "desktop", theme: str = "light", *, scripts: bool = True
    ) -> Watched:
        width, height = SIZES[size]
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            java_script_enabled=scripts,
            is_mobile=size == "phone",
            has_touch=size == "phone",
            locale="en-GB",
        )
        contexts.append(context)
        return Watched(context.new_page(), address)

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def make_study(store: SqlStore) -> Callable[..., Study]:
    """Make a study of twelve flats that asks until the budget is spent."""

    def make(**settings: Any) -> Study:
        chosen = StudySettings(**{"max_regret": 0.0, **settings})
        flats = load_flats().take(range(12))
        return Study(store, store.create_study("Flats in town", flats, settings=chosen))

    return make


@pytest.fixture(scope="module")
def answered(make_study: Callable[..., Study]) -> str:
    """Give the path of somebody who answered six questions."""
    study = make_study(max_questions=6)
    person, token = study.join("Ada")
    prices = study.items.frame["price"]
    while (question := study.ask(person.id)) is not None:
        left, right = question.items
        cheaper = "left" if prices[left] < prices[right] else "right"
        study.tell(person.id, question.id, cheaper)
    return f"/p/{token}"
