"""kill -9 of the whole server under answers of eight people loses nothing."""

import asyncio
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from benchmarks._crowd import Participant, random_taste
from penchant.studies import SqlStore, Study, check_store

N_CLIENTS = 8
N_QUESTIONS = 12
LEAST_ANSWERS = 16  # between two kills, so that every kill meets a busy server


class Client:
    """Somebody who takes part again and again, as one person after the other.

    What was acknowledged is written down. When the connection breaks, the same is sent
    again: nobody knows whether the first one arrived.
    """

    def __init__(self, server: Any, study: Study, seed: int) -> None:
        self.people: dict[str, Participant] = {}
        self.enough = False
        self._server, self._study = server, study
        self._random = Random(seed)

    @property
    def n_acknowledged(self) -> int:
        return sum(len(person.acknowledged) for person in self.people.values())

    async def run(self) -> None:
        while not self.enough:
            record, token = self._study.join()
            self.people[record.id] = Participant(
                [self._server],
                f"/p/{token}",
                random_taste(self._random),
                self._random,
                stubborn=True,
            )
            await self.people[record.id].take_part(lambda: self.enough)


async def storm(server: Any, clients: list[Client], n_kills: int) -> None:
    """Let all clients answer, and kill the server again and again meanwhile."""

    def n_acknowledged() -> int:
        return sum(client.n_acknowledged for client in clients)

    async def kill_again_and_again() -> None:
        moments = Random(n_kills)
        for _ in range(n_kills):
            seen = n_acknowledged()
            while n_acknowledged() < seen + LEAST_ANSWERS:
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.02 * moments.random())
            server.kill()
            await asyncio.to_thread(server.start)
        for client in clients:
            client.enough = True

    async with asyncio.TaskGroup() as tasks:
        for client in clients:
            tasks.create_task(client.run())
        tasks.create_task(kill_again_and_again())


def assert_kept(store: SqlStore, client: Client) -> None:
    """Compare what was acknowledged with what the store has, by plain counting."""
    n_kept = 0
    for participant_id, person in client.people.items():
        log = store.events(participant_id)
        assert [event.position for event in log] == list(range(len(log)))
        said = [event.body for event in log if event.kind == "answered"]
        kept = {body["question"]: body["answer"] for body in said}
        assert set(Counter(body["question"] for body in said).values()) <= {1}
        assert person.faults == []
        assert person.acknowledged.items() <= kept.items()
        n_kept += len(kept)
    # At most the one answer whose acknowledgement nobody waited for.
    assert n_kept - client.n_acknowledged <= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "n_kills", [10, pytest.param(300, marks=pytest.mark.soak)], ids=["10", "300"]
)
def test_no_acknowledged_answer_is_lost(
    serve: Callable[[str], Any],
    make_study: Callable[..., Study],
    any_url: str,
    n_kills: int,
) -> None:
    with SqlStore(any_url) as store:
        study = make_study(store, max_questions=N_QUESTIONS, help_each_other=False)
        server = serve(any_url)
        clients = [Client(server, study, seed) for seed in range(N_CLIENTS)]
        asyncio.run(storm(server, clients, n_kills))
        report = check_store(store)
        assert report.problems == ()
        for client in clients:
            assert_kept(store, client)
        n_answers = sum(client.n_acknowledged for client in clients)
        assert n_answers >= n_kills * LEAST_ANSWERS
