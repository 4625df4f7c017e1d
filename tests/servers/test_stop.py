"""SIGTERM ends a server soon, and leaves one whole file."""

import asyncio
import re
import shutil
import socket
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks._crowd import Participant, join, random_taste
from penchant.studies import SqlStore, Study, check_store, store_url


def answer(server: Any, study_id: str, n_people: int) -> int:
    """Let people answer, and give how many answers were acknowledged."""

    async def come(seed: int) -> int:
        home = await join(server, study_id)
        random = Random(seed)
        person = Participant([server], home, random_taste(random), random)
        await person.take_part()
        return len(person.acknowledged)

    async def come_all() -> list[int]:
        return await asyncio.gather(*(come(seed) for seed in range(n_people)))

    return sum(asyncio.run(come_all()))


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[], SqlStore]:
    """Open a copy of the database, of the one file alone."""

    def open_copy() -> SqlStore:
        copy = tmp_path / "copy.sqlite"
        kept = tmp_path / "studies" / "penchant.sqlite"
        shutil.copyfile(kept, copy)
        shutil.copyfile(f"{kept}.key", f"{copy}.key")  # which seals, and holds no data
        return SqlStore(store_url(copy))

    return open_copy


def test_a_copy_of_the_file_has_every_answer(
    serve: Callable[[str], Any],
    make_study: Callable[..., Study],
    copied: Callable[[], SqlStore],
    tmp_path: Path,
) -> None:
    url = store_url(tmp_path / "studies")
    with SqlStore(url) as store:
        study = make_study(store, max_questions=4)
    server = serve(url)
    n_answers = answer(server, study.id, n_people=3)
    assert server.stop() < 10
    assert server.words.endswith("Stopped.\n")
    assert {each.name for each in (tmp_path / "studies").iterdir()} == {
        "penchant.sqlite",
        "penchant.sqlite.key",
    }
    with copied() as store:
        report = check_store(store)
    assert report.problems == ()
    assert report.n_answers == n_answers == 12


@pytest.mark.slow
def test_requests_and_reports_that_do_not_end_do_not_keep_it(
    serve: Callable[[str], Any],
    make_study: Callable[..., Study],
    copied: Callable[[], SqlStore],
    tmp_path: Path,
) -> None:
    url = store_url(tmp_path / "studies")
    with SqlStore(url) as store:
        study = make_study(store, max_questions=4)
    server = serve(url)
    n_answers = answer(server, study.id, n_people=5)
    half, late = (
        socket.create_connection(("127.0.0.1", server.port)) for _ in range(2)
    )
    half.sendall(b"POST /language HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n")
    late.sendall(
        b"POST /language HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\npage"
    )
    link = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)", server.words)
    assert link is not None

    def draw() -> None:
        report = urllib.request.Request(
            f"{link[1]}/studies/{study.id}/export/report.html",
            headers={"Cookie": f"penchant_session_{server.port}={link[2]}"},
        )
        with suppress(OSError):
            urllib.request.urlopen(report, timeout=60).read()

    drawing = threading.Thread(target=draw)
    with half, late:
        drawing.start()
        time.sleep(0.5)
        took = server.stop()
    drawing.join()
    assert took < 10, server.words
    with copied() as store:
        assert check_store(store).n_answers == n_answers
