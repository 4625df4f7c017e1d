"""A crowd of simulated participants who click through the pages of real servers."""

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol, TypeAlias
from urllib.parse import urlencode

__all__ = ["Address", "Participant", "Reply", "Taste", "join", "random_taste"]

Taste: TypeAlias = Callable[[Sequence[str]], str]
"""What somebody answers who is shown items with these names."""

_QUESTION = re.compile(r'name="question" value="(\w+)"')
_CARD = re.compile(r'<h2 id="card-\w">(?:<span class="letter">\w</span> )?<span>(.*?)<')
_PAUSE = 0.01
"""Seconds after which a stubborn person tries again."""


class Address(Protocol):
    """Something that listens on this machine; a new port after every start."""

    port: int


@dataclass(frozen=True)
class Reply:
    """What a server answered."""

    status: int
    location: str
    page: str


class _Line:
    """A connection to a server, kept open between requests as browsers do."""

    def __init__(self) -> None:
        self._port = 0
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, port: int, method: str, path: str, body: str) -> Reply:
        if self._ends is not None and self._port == port:
            try:
                return await self._exchange(self._ends, method, path, body)
            except (OSError, asyncio.IncompleteReadError):
                pass  # the server had closed it in the meantime
        self.close()
        self._port, self._ends = port, await asyncio.open_connection("127.0.0.1", port)
        return await self._exchange(self._ends, method, path, body)

    async def _exchange(
        self,
        ends: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        method: str,
        path: str,
        body: str,
    ) -> Reply:
        reader, writer = ends
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            "Sec-Fetch-Dest: empty\r\nSec-Fetch-Site: same-origin\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in rest if line)
        page = await reader.readexactly(int(headers.get("content-length", 0)))
        # The tokens in locations have capital letters.
        place = next((x[10:] for x in rest if x.lower().startswith("location: ")), "")
        return Reply(int(first.split(" ")[1]), place, page.decode())

    def close(self) -> None:
        if self._ends is not None:
            self._ends[1].close()
            self._ends = None


@dataclass(eq=False)
class Participant:
    """Somebody who answers question after question.

    Parameters
    ----------
    servers : sequence of Address
        Every request goes to one of them, by chance.
    home : str
        The path of the person's link.
    taste : Taste
        What the person answers.
    random : Random
        Chooses servers and times.
    think : float, default=0.0
        Seconds between a question and its answer, on average; half to one and a
        half times as long.
    stubborn : bool, default=False
        Whether the same is sent again when the connection breaks: nobody knows
        whether the first one arrived.

    Attributes
    ----------
    acknowledged : dict
        Answers that a server has taken, by question.
    waits : list of float
        Seconds from an answer to the page with the next question.
    faults : list of str
        What should not have happened.
    """

    servers: Sequence[Address]
    home: str
    taste: Taste
    random: Random
    think: float = 0.0
    stubborn: bool = False
    acknowledged: dict[str, str] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    _lines: dict[int, _Line] = field(default_factory=dict)

    async def take_part(self, enough: Callable[[], bool] = lambda: False) -> None:
        """Answer until there is no question left, or it is enough."""
        reply = await self._send("GET", self.home)
        while (question := _QUESTION.search(reply.page)) and not enough():
            await asyncio.sleep(self.think * self.random.uniform(0.5, 1.5))
            began = time.perf_counter()
            reply = await self._answer(
                question[1], self.taste(_CARD.findall(reply.page))
            )
            if _QUESTION.search(reply.page):
                self.waits.append(time.perf_counter() - began)
        for line in self._lines.values():
            line.close()

    async def _answer(self, question: str, answer: str) -> Reply:
        said = {"question": question, "answer": answer}
        reply = await self._send("POST", f"{self.home}/answer", said)
        if reply.status in (200, 303):
            self.acknowledged[question] = answer
        while reply.status == 303:
            reply = await self._send("GET", reply.location)
        return reply

    async def _send(
        self, method: str, path: str, said: dict[str, str] | None = None
    ) -> Reply:
        while True:
            which = self.random.randrange(len(self.servers))
            line = self._lines.setdefault(which, _Line())
            try:
                reply = await line.send(
                    self.servers[which].port, method, path, urlencode(said or {})
                )
            except (OSError, asyncio.IncompleteReadError) as error:
                if not self.stubborn:
                    self.faults.append(f"{method} {path}: {error!r}")
                    return Reply(0, "", "")
                line.close()
                await asyncio.sleep(_PAUSE)
                continue
            if reply.status not in (200, 303):
                self.faults.append(f"{method} {path}: {reply.status} {reply.page}")
            return reply


async def join(server: Address, study_id: str) -> str:
    """Take part in an open study; give the path of the link."""
    line = _Line()
    reply = await line.send(server.port, "POST", f"/s/{study_id}/join", "label=")
    line.close()
    if reply.status != 303:
        raise ConnectionError(f"Nobody can join: {reply.status} {reply.page}")
    return reply.location


def random_taste(random: Random) -> Taste:
    """Answer anything that fits."""
    return lambda _: random.choice(["left", "right", "tie", "skip", "neither"])
