"""kill -9 of the server under writes of eight clients loses nothing."""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from penchant.data import Items
from penchant.studies import SqlStore, check_store

SCRIPT = Path(__file__).with_name("answer_server.py")
N_CLIENTS = 8
LEAST_ANSWERS = 16  # between two kills, so that every kill meets a busy server


class Server(Protocol):
    """What a storm is unleashed on: something that listens and can be killed."""

    port: int

    def start(self) -> None: ...

    def kill(self) -> None: ...


class AnswerServer:
    """The small server around a store."""

    port = 0

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._pid = 0

    def start(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("start\n")
        self._process.stdin.flush()
        port, pid = self._process.stdout.readline().split()
        self.port, self._pid = int(port), int(pid)

    def kill(self) -> None:
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)


@contextmanager
def answer_server(url: str) -> Iterator[AnswerServer]:
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    server = AnswerServer(process)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        process.communicate()


class Client(threading.Thread):
    """Somebody who answers question after question until told to stop.

    What was acknowledged is written down. When the connection breaks, the same
    answer is sent again: nobody knows whether the first one arrived.
    """

    def __init__(self, server: Server, token: str, seed: int) -> None:
        super().__init__()
        self.acknowledged: dict[str, str] = {}
        self.refused: list[str] = []
        self.enough = threading.Event()
        self._server, self._token = server, token
        self._random = random.Random(seed)

    def run(self) -> None:
        while not self.enough.is_set():
            asked = self._send("ask", {})
            if asked is None:
                continue
            answer = self._random.choice(["left", "right", "tie", "skip", "neither"])
            said = {"question": asked["question"], "answer": answer}
            while self._send("answer", said) is None and not self.enough.is_set():
                pass

    def _send(self, what: str, body: dict[str, str]) -> dict[str, str] | None:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self._server.port, timeout=60
        )
        try:
            connection.request("POST", f"/{what}/{self._token}", json.dumps(body))
            response = connection.getresponse()
            content = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError):
            time.sleep(0.01)
            return None
        finally:
            connection.close()
        if response.status != 200:
            self.refused.append(content["detail"])
        elif what == "answer":
            self.acknowledged[body["question"]] = body["answer"]
        return dict(content)


def storm(server: Server, clients: list[Client], n_kills: int, seed: int) -> None:
    """Let all clients write, and kill the server again and again meanwhile."""
    moments = random.Random(seed)
    for client in clients:
        client.start()
    try:
        for _ in range(n_kills):
            seen = sum(len(client.acknowledged) for client in clients)
            while sum(len(c.acknowledged) for c in clients) < seen + LEAST_ANSWERS:
                time.sleep(0.005)
            time.sleep(0.02 * moments.random())
            server.kill()
            server.start()
    finally:
        for client in clients:
            client.enough.set()
        for client in clients:
            client.join()


def assert_kept(store: SqlStore, study_id: str, clients: dict[str, Client]) -> None:
    """Compare what was acknowledged with what the store has, by plain counting."""
    report = check_store(store)
    assert report.problems == ()
    assert report.n_participants == len(clients)
    for participant_id, client in clients.items():
        log = store.events(participant_id)
        kept = {
            event.body["question"]: event.body["answer"]
            for event in log
            if event.kind == "answered"
        }
        times = Counter(e.body["question"] for e in log if e.kind == "answered")
        assert set(times.values()) <= {1}
        assert client.refused == []
        assert client.acknowledged.items() <= kept.items()
        # At most the one answer whose acknowledgement nobody waited for.
        assert len(kept) - len(client.acknowledged) <= 1
        assert [event.position for event in log] == list(range(len(log)))


@pytest.mark.parametrize(
    "n_kills",
    [10, pytest.param(100, marks=[pytest.mark.slow, pytest.mark.soak])],
    ids=["10", "100"],
)
def test_no_acknowledged_answer_is_lost(
    any_url: str, items: Items, n_kills: int
) -> None:
    with SqlStore(any_url) as store:
        study_id = store.create_study("Flats", items)
        people = [
            store.add_participant(study_id, events=[("joined", {"language": "en"})])
            for _ in range(N_CLIENTS)
        ]
        with answer_server(any_url) as server:
            clients = {
                person.id: Client(server, token, seed)
                for seed, (person, token) in enumerate(people)
            }
            storm(server, list(clients.values()), n_kills, seed=n_kills)
        assert_kept(store, study_id, clients)
        total = sum(len(client.acknowledged) for client in clients.values())
        assert total >= n_kills * LEAST_ANSWERS
