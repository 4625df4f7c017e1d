"""Slow, large and half-sent requests, many at once: other people do not notice."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from benchmarks._crowd import Participant, join, random_taste
from penchant.studies import SqlStore, Study, store_url

N_SLOW, N_PEOPLE = 500, 5
HEAD = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\n"


async def disturb(port: int, number: int, enough: asyncio.Event) -> None:
    """Send half a head, a head without end, or a body that never comes."""
    begin = (HEAD, HEAD + b"X: ", HEAD + b"Content-Length: 40000\r\n\r\n")[number % 3]
    drop = b"a" * 60_000 if number % 3 == 1 else b"a"
    while not enough.is_set():
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(begin)
            while not enough.is_set() and not writer.is_closing():
                writer.write(drop)
                await writer.drain()
                await asyncio.sleep(1.0)
            writer.close()
        await asyncio.sleep(0.1)


async def waits_of(server: Any, study: Study) -> list[float]:
    """Let people answer while others disturb; give how long each answer took."""
    enough = asyncio.Event()
    others = [
        asyncio.create_task(disturb(server.port, number, enough))
        for number in range(N_SLOW)
    ]
    await asyncio.sleep(2.0)
    waits = await come_all(server, study)
    enough.set()
    await asyncio.gather(*others)
    return waits


async def come_all(server: Any, study: Study) -> list[float]:
    """Let a few people answer, and give how long each answer took."""

    async def come(seed: int) -> Participant:
        random = Random(seed)
        home = await join(server, study.id)
        person = Participant([server], home, random_taste(random), random, 0.3)
        await person.take_part()
        assert person.faults == []
        return person

    people = await asyncio.gather(*(come(seed) for seed in range(N_PEOPLE)))
    return [wait for person in people for wait in person.waits]


@pytest.mark.slow
@pytest.mark.soak
def test_people_are_served_beside_500_slow_requests(
    serve: Callable[[str], Any], make_study: Callable[..., Study], tmp_path: Path
) -> None:
    url = store_url(tmp_path / "studies")
    with SqlStore(url) as store:
        study = make_study(store, max_questions=20, help_each_other=False)
        waits = asyncio.run(waits_of(serve(url), study))
    p95 = float(np.quantile(waits, 0.95))
    print(f"p50 {np.median(waits):.3f} s, p95 {p95:.3f} s, n {len(waits)}")  # noqa: T201
    assert p95 < 0.5
