"""Many people at once, on one server and on two that share a database."""

import asyncio
import json
import time
import urllib.request
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks._crowd import Address, Participant, join, random_taste
from penchant.studies import SqlStore, Study, check_store, store_url

N_QUESTIONS = 6
FEW_AND_MANY = pytest.mark.parametrize(
    "n_people",
    [20, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.soak])],
    ids=["20", "200"],
)


def visit(
    servers: Sequence[Address], study: Study, n_people: int, think: float
) -> list[Participant]:
    """Let people take part from the invitation to the result."""

    async def come(seed: int) -> Participant:
        random = Random(seed)
        await asyncio.sleep(think * random.random())
        home = await join(random.choice(servers), study.id)
        person = Participant(servers, home, random_taste(random), random, think)
        await person.take_part()
        return person

    async def come_all() -> list[Participant]:
        return await asyncio.gather(*(come(seed) for seed in range(n_people)))

    return asyncio.run(come_all())


def assert_kept(store: SqlStore, study: Study, people: list[Participant]) -> None:
    """Compare what was acknowledged with the log, by plain counting."""
    assert [person.faults for person in people] == [[]] * len(people)
    report = check_store(store)
    assert report.problems == ()
    assert report.n_participants == len(people)
    said = [
        (event.body["question"], event.body["answer"])
        for event in store.study_events(study.id)
        if event.kind == "answered"
    ]
    acknowledged = [pair for person in people for pair in person.acknowledged.items()]
    assert sorted(said) == sorted(acknowledged)
    assert len(said) == report.n_answers == N_QUESTIONS * len(people)


def test_a_crowd_is_served_and_every_answer_is_kept(
    serve: Callable[[str], Any], make_study: Callable[..., Study], tmp_path: Path
) -> None:
    url = store_url(tmp_path / "studies")
    with SqlStore(url) as store:
        study = make_study(store, max_questions=N_QUESTIONS, help_each_other=False)
        people = visit([serve(url)], study, n_people=20, think=0.05)
        assert_kept(store, study, people)


@pytest.mark.slow
@FEW_AND_MANY
def test_two_servers_on_one_database_are_one(
    serve: Callable[[str], Any],
    make_study: Callable[..., Study],
    postgres_url: str,
    n_people: int,
) -> None:
    servers = [serve(postgres_url), serve(postgres_url)]
    with SqlStore(postgres_url) as store:
        study = make_study(store, max_questions=N_QUESTIONS)
        people = visit(servers, study, n_people, think=0.05 * n_people / 20)
        assert_kept(store, study, people)
        for person in people:
            assert_same_everywhere(servers, study, person)
        while store.latest_model(study.id) is None:
            # Somebody finished, so one of the servers is at it.
            assert not any("could not be fitted" in server.words for server in servers)
            time.sleep(0.05)
        fitted = sorted(model.n_events for model in store.dump_study(study.id).models)
        # Two fits at a time would have been fits of nearly the same answers.
        assert all(later >= 1.2 * earlier for earlier, later in pairwise(fitted))


def assert_same_everywhere(
    servers: Sequence[Address], study: Study, person: Participant
) -> None:
    """Compare what servers say about somebody with what follows from the log."""
    token = person.home.rpartition("/")[2]
    record = study.store.find_participant(token)
    expected = {each.item: each.points for each in study.ranking(record.id)}
    for server in servers:
        assert ask(server, "me", token)["n_answers"] == N_QUESTIONS
        told = ask(server, "me/ranking", token)
        points = {each["item"]: each["points"] for each in told}
        assert points == pytest.approx(expected, abs=1e-6)


def ask(server: Address, path: str, token: str) -> Any:
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/api/v1/{path}",
        headers={"Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)
