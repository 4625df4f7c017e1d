"""Take the pictures of the app that the documentation shows: ``make pictures``.

The app is served with its demo from an empty folder, a simulated person answers, and a
browser looks at the pages that people would see. Chromium is Debian's if it is there,
else the one that playwright installs.
"""

import io
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import uvicorn
from PIL import Image
from playwright.sync_api import sync_playwright

from penchant.datasets import load_flats, make_flats_population
from penchant.studies import SqlStore, Study, add_demo, simulated_answer, store_url
from penchant.web import create_app

HERE = Path(__file__).parent
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
WIDTH, HEIGHT, PATIENCE = 1280, 900, 600_000  # pixels, milliseconds
N_ANSWERS = 12


@contextmanager
def serving(store: SqlStore) -> Iterator[str]:
    """Serve the app on a free port, and give its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(store), log_level="warning"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def answer(study: Study) -> str:
    """Let a simulated person answer, and give the secret of their link."""
    likes = make_flats_population(n_users=1, random_state=5).utilities[0]
    rng = np.random.default_rng(0)
    person, token = study.join("Ada")
    for _ in range(N_ANSWERS):
        question = study.ask(person.id)
        if question is None:
            break
        study.tell(
            person.id,
            question.id,
            simulated_answer(question.form, question.items, likes, rng),
        )
    return token


def table() -> pd.DataFrame:
    """Give the flats with their names, as somebody would write them down."""
    flats = load_flats()
    return flats.frame.set_axis(list(flats.names))


def go(page: Any, address: str) -> None:
    """Open a page; a server that is busy is asked again."""
    for _ in range(10):
        if page.goto(address).ok:
            return
    raise RuntimeError(f"no page: {address}")


def take(page: Any, name: str, height: int = HEIGHT) -> None:
    """Keep what is at the top of the page, in 128 colours: a third of the bytes."""
    shown = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": WIDTH, "height": min(height, shown)})
    page.evaluate("window.scrollTo(0, 0); document.activeElement.blur()")
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    taken.quantize(128, dither=Image.Dither.NONE).save(
        HERE / f"{name}.png", optimize=True
    )


def look_around(page: Any, address: str, study: Study, folder: Path) -> None:
    """Walk through the app as an owner and a participant would."""
    go(page, f"{address}/")
    take(page, "home")
    (folder / "flats.csv").write_text(table().to_csv(index_label="name"))
    page.locator("#table").set_input_files(folder / "flats.csv")
    page.get_by_role("button", name="Check the columns").click()
    page.get_by_label("Name of the study").wait_for()
    take(page, "columns")

    token = answer(study)
    go(page, f"{address}/p/{token}/result")
    take(page, "result", 1200)
    go(page, f"{address}/studies/{study.id}")
    take(page, "study")
    go(page, f"{address}/studies/{study.id}/group")
    take(page, "group", 1200)

    go(page, f"{address}/s/{study.id}/join")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Choose A").click()
    page.locator("#because").wait_for()
    page.mouse.move(0, 0)
    take(page, "question", 940)


def look_at_a_model(page: Any, address: str, folder: Path) -> None:
    """Bring flats with somebody's ratings, and wait for the models."""
    likes = make_flats_population(n_users=1, random_state=5).utilities[0]
    rated = table().assign(rating=(likes - likes.min()).round(2))
    (folder / "rated.csv").write_text(rated.to_csv(index_label="name"))
    go(page, f"{address}/")
    page.locator("#labelled").set_input_files(folder / "rated.csv")
    page.get_by_role("button", name="Look at the file").click()
    page.get_by_role("button", name="Start learning").click()
    page.locator("#candidates").wait_for()
    take(page, "models", 1130)


def main() -> None:
    """Take all pictures."""
    chromium = {"executable_path": str(CHROMIUM)} if CHROMIUM.exists() else {}
    with (
        tempfile.TemporaryDirectory() as folder,
        SqlStore(store_url(folder)) as store,
        sync_playwright() as driver,
        driver.chromium.launch(args=FLAGS, **chromium) as browser,
    ):
        study = Study(store, add_demo(store), background=False)
        with serving(store) as address:
            page = browser.new_page(color_scheme="light", locale="en-GB")
            page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
            page.set_default_timeout(PATIENCE)
            look_around(page, address, study, Path(folder))
            look_at_a_model(page, address, Path(folder))


if __name__ == "__main__":
    main()
