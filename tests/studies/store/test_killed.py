"""kill -9 in the middle of a migration or of a backup leaves everything as it was."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from penchant.data import Items
from penchant.studies import SqlStore, backup, check_store, restore, store_url
from penchant.studies.operations import _backup
from penchant.studies.store._database import make_engine
from penchant.studies.store._migrate import go_back

N_PEOPLE = 40
KILLS = pytest.mark.parametrize(
    "n_kills", [3, pytest.param(20, marks=pytest.mark.soak)], ids=["3", "20"]
)
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def fill(url: str, items: Items) -> int:
    with SqlStore(url) as store:
        study_id = store.create_study("Flats", items)
        for number in range(N_PEOPLE):
            log = [("joined", {"language": "en"}), ("consented", {"n": number})]
            store.add_participant(study_id, events=log)
        return store.count_events(study_id)


def start(work: Callable[[], None]) -> int:
    """Do something in a process of its own, and give its number."""
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            work()
        os._exit(0)
    return child


def seconds_for(work: Callable[[], None]) -> float:
    began = time.monotonic()
    os.waitpid(start(work), 0)
    return time.monotonic() - began


def moments_within(seconds: float, n: int) -> list[float]:
    """Give moments at random; the first is at once, when nothing can be done yet."""
    random = Random(0)
    return [0.0, *(random.random() * seconds for _ in range(n - 1))]


def kill_in(work: Callable[[], None], seconds: float) -> bool:
    """Kill it after a while; True if it was not done by then."""
    child = start(work)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@KILLS
def test_in_a_migration(any_url: str, items: Items, n_kills: int) -> None:
    n_events = fill(any_url, items)
    engine = make_engine(any_url)

    def migrate() -> None:
        SqlStore(any_url).close()

    def back() -> None:
        go_back(engine, "0003")
        engine.dispose()  # nothing open is taken along by a fork

    back()
    moments, n_killed = moments_within(seconds_for(migrate), n_kills), 0
    for moment in moments:
        back()
        n_killed += kill_in(migrate, moment)
        with SqlStore(any_url) as store:
            report = check_store(store)
        assert (report.problems, report.n_events) == ((), n_events)
    assert n_killed


@KILLS
def test_in_a_backup(
    any_url: str,
    items: Items,
    tmp_path: Path,
    n_kills: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n_events = fill(any_url, items)
    monkeypatch.setattr(_backup, "_YOUNG", -1.0)
    folder = tmp_path / "backups"
    folder.mkdir()

    def save(name: str) -> None:
        with SqlStore(any_url) as store:
            backup(store, folder / name)

    moments = moments_within(seconds_for(lambda: save("whole")), n_kills)
    n_killed = 0
    for number, moment in enumerate(moments):
        name = f"{number}.backup"
        n_killed += kill_in(lambda name=name: save(name), moment)  # type: ignore[misc]
    assert n_killed
    for file in folder.glob("*.backup"):  # complete, or not there
        with SqlStore(store_url(tmp_path / f"from-{file.stem}")) as restored:
            restore(restored, file)
            report = check_store(restored)
        assert (report.problems, report.n_events) == ((), n_events)
    save("last")
    assert not list(folder.glob(".penchant-backup-*"))
