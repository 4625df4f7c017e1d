"""The next question after an answer: 95 of 100 within 0.1 s, with 200 people at once.

A real `penchant serve` on a SQLite file, one process, 100 items, a population of 60
earlier people behind it. 200 simulated participants join within 3 s, think 3 s on
average over every question and answer by their own utilities with 5 % slips until the
study is sure of their best item; then they look at their whole result. All the while
the population is fitted again in the background. The wait is measured in one other
process: from sending an answer, as the script of the page does, to having the whole
page of the next question.

In the second case others take the seats of those who are done, for a minute: five
people a second read their results and five more join, for as long as it lasts. The
claim is about wall time on a machine that does nothing else.
"""

import asyncio
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from random import Random

import numpy as np
import pandas as pd

from benchmarks._crowd import Participant, Taste, join
from benchmarks._measure import Waits
from penchant.data import Items
from penchant.datasets import make_population
from penchant.studies import (
    NewEvent,
    SqlStore,
    Study,
    check_store,
    store_url,
)

N_ITEMS, N_EARLIER = 100, 60
N_PEOPLE, THINK, ARRIVE, SECONDS = 200, 3.0, 3.0, 60.0
SLIPS = 0.05
CASES = {
    "from the first question to the result": (0.0, 0.1),
    "at any time, for a minute": (SECONDS, 0.2),
}
"""What 200 people do, for how long others follow, and the limit in seconds."""
PACKAGES = ("numpy", "scipy", "sqlalchemy", "fastapi", "uvicorn")


@contextmanager
def cases() -> Iterator[list[Waits]]:
    """Yield two kinds of a busy minute."""
    yield [
        Waits(
            f"{N_PEOPLE} people {doing}, {N_ITEMS} items, SQLite",
            partial(waits, seconds),
            share=0.95,
            seconds=limit,
        )
        for doing, (seconds, limit) in CASES.items()
    ]


def waits(seconds: float) -> list[float]:
    """Let people take part, and give how long they waited for questions."""
    with tempfile.TemporaryDirectory() as folder, SqlStore(store_url(folder)) as store:
        study, utilities = make_study(store, N_ITEMS)
        with serving(folder) as server:
            people = asyncio.run(crowd(server, study.id, utilities, N_PEOPLE, seconds))
        _check_kept(store, study, people)
        return [wait for person in people for wait in person.waits]


@dataclass(frozen=True)
class Server:
    """Where a server listens."""

    port: int


@contextmanager
def serving(data: str) -> Iterator[Server]:
    """Run `penchant serve` on a folder."""
    command = [sys.executable, "-c", "from penchant.cli import main; main()", "serve"]
    process = subprocess.Popen(
        [*command, "--no-open", "--port", "0", "--data", data],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
        if address is None:
            raise RuntimeError("The server did not start.")
        yield Server(int(address[1]))
    finally:
        process.terminate()
        process.communicate()


def make_study(store: SqlStore, n_items: int) -> tuple[Study, np.ndarray]:
    """Make a study that people have answered before; give utilities of people, too."""
    people = make_population(n_users=N_EARLIER, n_items=n_items, random_state=0)
    names = [f"attribute {k}" for k in range(people.X_items.shape[1])]
    rows = [f"item {i}" for i in range(n_items)]
    items = Items.from_frame(pd.DataFrame(people.X_items, rows, names))
    study = Study(store, store.create_study("Load", items))
    told = people.comparisons
    for user in range(N_EARLIER):
        log: list[NewEvent] = [("joined", {"language": "en", "model": None})]
        for k in np.flatnonzero(told.users == user):
            asked = {"question": f"{k:016x}", "form": "pair"}
            shown = [int(told.winners[k]), int(told.losers[k])]
            log.append(("asked", {**asked, "items": shown}))
            log.append(("answered", {"question": f"{k:016x}", "answer": "left"}))
        store.add_participant(study.id, simulated=True, events=log)
    study.refit(wait=True)
    return study, people.utilities


async def crowd(
    server: Server,
    study_id: str,
    utilities: np.ndarray,
    n_people: int,
    seconds: float,
) -> list[Participant]:
    """Let so many people take part; others follow for so long, if at all; give all."""
    end = time.perf_counter() + seconds
    came: list[Participant] = []

    def is_over() -> bool:
        return seconds > 0 and time.perf_counter() > end

    async def sit(seat: int) -> None:
        random = Random(seat)
        await asyncio.sleep(ARRIVE * random.random())
        for turn in count():
            if is_over() or (turn and not seconds):
                return
            likes = utilities[(seat + turn) % len(utilities)]
            taste = _taste(likes, random)
            person = Participant([server], "", taste, random, think=THINK)
            came.append(person)
            try:
                person.home = await join(server, study_id)
            except (OSError, EOFError) as error:  # who is turned away stays away
                person.faults.append(f"join: {error!r}")
                return
            await person.take_part(is_over)

    await asyncio.gather(*(sit(seat) for seat in range(n_people)))
    return came


def _check_kept(store: SqlStore, study: Study, people: Sequence[Participant]) -> None:
    """Raise unless nothing went wrong and the log has every answer."""
    faults = [fault for person in people for fault in person.faults]
    kept = {
        event.body["question"]
        for event in store.study_events(study.id)
        if event.kind == "answered"
    }
    lost = {q for person in people for q in person.acknowledged} - kept
    problems = check_store(store).problems
    if faults or lost or problems:
        raise RuntimeError(
            "A server under load must not err. Got "
            f"{[*faults, *sorted(lost), *problems][:3]}."
        )


def _taste(likes: np.ndarray, random: Random) -> Taste:
    def answer(names: Sequence[str]) -> str:
        left, right = (likes[int(name.removeprefix("item "))] for name in names)
        slips = random.random() < SLIPS
        return "left" if (left > right) != slips else "right"

    return answer
