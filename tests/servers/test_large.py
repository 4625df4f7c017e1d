"""An owner sends 9 MB of JSON, again and again: other people hardly notice."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.studies import SqlStore, Study, store_url
from tests.servers.test_slow import come_all

SIZE = 9_000_000
ROW = '{"name": "%d", "values": {%s}}'
NAMES = ",".join(f'"{k:x}":1' for k in range(SIZE // 10))


def table(value: Callable[[int], Any]) -> str:
    rows: list[str] = []
    for k in range(12_000):
        cells = (f'"c{j}": {json.dumps(value(k * j))}' for j in range(45))
        rows.append(ROW % (k, ", ".join(cells)))
        if len(rows) * len(rows[-1]) > SIZE:
            break
    return f'"items": [{", ".join(rows)}]'


SHAPES = {
    "numbers": lambda: table(lambda k: k % 1000 / 8),
    "words": lambda: table(lambda k: f"word {k % 97}"),
    "ones": lambda: f'"items": [{"1," * (SIZE // 2)}1]',
    "lists": lambda: f'"items": [{"[]," * (SIZE // 3)}[]]',
    "columns": lambda: f'"items": [{ROW % (1, NAMES)}]',
    "fields": lambda: NAMES,
}


async def send(port: int, token: str, body: bytes, enough: asyncio.Event) -> list[int]:
    """Send the same until it is enough; give what was answered."""
    answers = []
    head = (
        "POST /api/v1/studies HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    while not enough.is_set():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode() + body)
        said = await reader.read()
        answers.append(int(said.split(b" ", 2)[1]))
        writer.close()
    return answers


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("shape", SHAPES)
def test_people_are_served_while_an_owner_sends_much(
    serve: Callable[[str], Any],
    make_study: Callable[..., Study],
    tmp_path: Path,
    shape: str,
) -> None:
    body = f'{{"name": "S", {SHAPES[shape]()}}}'[: SIZE + 900_000].encode()
    url = store_url(tmp_path / "studies")

    async def go() -> tuple[list[float], list[int]]:
        enough = asyncio.Event()
        sending = asyncio.create_task(send(server.port, token, body, enough))
        waits = await come_all(server, study)
        enough.set()
        return waits, await sending

    with SqlStore(url) as store:
        study = make_study(store, max_questions=20, help_each_other=False)
        server = serve(url)
        (token,) = re.findall(r"token=(\S+)", server.words)
        asyncio.run(come_all(server, study))  # the first questions take longer
        waits, answers = asyncio.run(go())
    p95 = float(np.quantile(waits, 0.95))
    print(f"{shape}: p95 {p95:.3f} s, n {len(waits)}, answers {answers[:9]}")  # noqa: T201
    assert set(answers) == ({201} if shape in ("numbers", "words") else {422})
    assert p95 < 0.5
