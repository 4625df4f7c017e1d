"""A machine that loses its power loses no answer that was acknowledged.

A layer between SQLite and the system notes every write and every sync. From these notes
the disk is put together as it may have been at a moment: what was synced is there, of
what was written since, each sector at random. Files that were removed are gone: the
folder is synced by whoever removes one that matters.
"""

import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from penchant.studies import SqlStore, check_store

LAYER = Path(__file__).with_name("power_loss.c")
SECTOR = 512

# Three people answer at once; what was acknowledged is written and synced too, so that
# its place among the writes is known.
PROGRAM = """
import os, sys, threading
from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, StudySettings

folder = sys.argv[1]
acknowledged = os.open(f"{folder}/acknowledged", os.O_WRONLY | os.O_CREAT)
place, lock = 0, threading.Lock()
chosen = StudySettings(max_questions=10, max_regret=0.0, help_each_other=False)

def answer(study):
    global place
    who = study.join()[0].id
    while (question := study.ask(who)) is not None:
        study.tell(who, question.id, "left")
        with lock:
            place += os.pwrite(acknowledged, f"{question.id}\\n".encode(), place)
            os.fsync(acknowledged)

with SqlStore(f"sqlite:///{folder}/studies.sqlite") as store:
    items = load_flats().take(range(8))
    study = Study(store, store.create_study("Flats", items, settings=chosen))
    threads = [threading.Thread(target=answer, args=(study,)) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""

Record = tuple[str, str, int, bytes]


@pytest.fixture
def journal(tmp_path: Path) -> list[Record]:
    """Let a store be used, and give all that it wrote to the disk."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("The layer needs a C compiler and Linux.")
    layer, notes = tmp_path / "layer.so", tmp_path / "notes"
    command = [compiler, "-shared", "-fPIC", "-O1", "-w", str(LAYER), "-ldl"]
    subprocess.run([*command, "-o", str(layer)], check=True)
    (tmp_path / "watched").mkdir()
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "watched")],
        env={**os.environ, "LD_PRELOAD": str(layer), "POWER_LOSS": str(notes)},
        check=True,
    )
    return list(records(notes.read_bytes()))


def records(notes: bytes) -> Iterator[Record]:
    place = 0
    while place < len(notes):
        kind = chr(notes[place])
        length, offset, size = struct.unpack_from("=qqq", notes, place + 1)
        start = place + 25 + length
        path = Path(notes[place + 25 : start].decode()).name
        yield kind, path, offset, notes[start : start + size]
        place = start + size


def disk_after(journal: list[Record], random: Random) -> dict[str, bytes]:
    """Put files together as they may be after a loss of power at the journal's end."""
    synced = {path: k for k, (kind, path, *_) in enumerate(journal) if kind == "S"}
    files: dict[str, bytearray] = {}
    for k, (kind, path, offset, data) in enumerate(journal):
        content, safe = files.setdefault(path, bytearray()), k < synced.get(path, -1)
        if kind == "U":
            del files[path]  # SQLite syncs the folder after it
        if kind == "T" and (safe or random.random() < 0.5):
            del content[offset:]
        if kind != "W":
            continue
        for start in range(0, len(data), SECTOR):
            if safe or random.random() < 0.5:
                piece, place = data[start : start + SECTOR], offset + start
                content.extend(bytes(max(place + len(piece) - len(content), 0)))
                content[place : place + len(piece)] = piece
    return {path: bytes(content) for path, content in files.items()}


def answers_in(store: SqlStore) -> set[str]:
    return {
        event.body["question"]
        for study in store.list_studies()
        for event in store.study_events(study.id)
        if event.kind == "answered"
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "n_losses", [10, pytest.param(50, marks=pytest.mark.soak)], ids=["10", "50"]
)
def test_no_acknowledged_answer_is_lost(
    journal: list[Record], tmp_path: Path, n_losses: int
) -> None:
    random, lost = Random(0), 0
    first = next(k for k, record in enumerate(journal) if record[1] == "acknowledged")
    key = (tmp_path / "watched" / "studies.sqlite.key").read_bytes()
    for number in range(n_losses):
        # No write is in between when the power goes: any number of them may be done.
        cut = random.randrange(first, len(journal) + 1)
        folder = tmp_path / f"loss-{number}"
        folder.mkdir()
        for name, content in disk_after(journal[:cut], random).items():
            (folder / name).write_bytes(content)
        (folder / "studies.sqlite.key").write_bytes(key)
        synced = [r for r in journal[:cut] if r[1] == "acknowledged" and r[0] == "W"]
        said = {data.decode().strip() for _, _, _, data in synced}
        with SqlStore(f"sqlite:///{folder / 'studies.sqlite'}") as store:
            assert check_store(store).problems == ()
            lost += len(said - answers_in(store))
        shutil.rmtree(folder)
    assert lost == 0


def test_the_layer_would_show_a_store_that_does_not_sync(tmp_path: Path) -> None:
    journal = [
        ("W", "a", 0, b"x" * 4096),
        ("S", "a", 0, b""),
        ("W", "a", 0, b"y" * 4096),
    ]
    found = disk_after(journal, Random(1))["a"]
    assert len(found) == 4096
    assert set(found) == {ord("x"), ord("y")}
    assert disk_after(journal[:2], Random(1))["a"] == b"x" * 4096
