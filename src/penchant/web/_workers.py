"""Workers: threads for heavy work, and a bound on how much of it there is."""

import asyncio
import inspect
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

_Made = TypeVar("_Made")


class Workers:
    """A few threads that do heavy work, and a queue in front of them that ends.

    Small pages have threads of their own and need not wait for any of this. Whoever
    waits for a result is told to come back when there is too much to do already, or
    when it takes too long. Work that has not begun by then is dropped, and so is that
    of a client that went away. A thread cannot be stopped, so work that has begun goes
    on, and its thread is busy until it ends.

    Parameters
    ----------
    n_threads : int
        What is done at once.
    n_waiting : int
        What may wait beside it.
    seconds : float
        For how long a client may wait for its result.

    Examples
    --------
    >>> Workers(1, 0).submit(lambda: 6 * 7).result()
    42
    """

    def __init__(self, n_threads: int, n_waiting: int, seconds: float = 60.0) -> None:
        self.n_threads = n_threads
        self.n_waiting = n_waiting
        self.seconds = seconds
        self._n_unfinished = 0
        self._n_started = 0
        self._todo: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._changed = threading.Condition()

    def submit(self, work: Callable[[], _Made]) -> "Future[_Made]":
        """Put work at the end of the queue.

        Raises
        ------
        HTTPException
            Status 503, if the queue is full.
        """
        future: Future[_Made] = Future()
        with self._changed:
            if self._n_unfinished >= self.n_threads + self.n_waiting:
                raise _busy("There is too much to do at the moment.")
            self._n_unfinished += 1
            self._todo.append((future, work))
            self._changed.notify()
            if self._n_started < self.n_threads:
                self._n_started += 1
                # A daemon: a server that is told to stop does not wait for it.
                threading.Thread(target=self._work, daemon=True).start()
        future.add_done_callback(self._finish)
        return future

    async def run(self, request: Request, work: Callable[[], _Made]) -> _Made:
        """Wait for work to be done, as long as the client of a request does.

        Raises
        ------
        HTTPException
            Status 503, if the queue is full or the result takes too long.
        ClientDisconnect
            If the client went away.
        """
        result = asyncio.wrap_future(self.submit(work))
        gone = asyncio.ensure_future(_until_gone(request))
        try:
            await asyncio.wait(
                (result, gone),
                timeout=self.seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if result.done():
                return result.result()
            if gone.done():
                raise ClientDisconnect
            raise _busy(f"This takes more than {self.seconds:g} seconds.")
        finally:
            gone.cancel()
            result.cancel()  # takes it out of the queue, unless it has begun

    def _finish(self, future: "Future[Any]") -> None:
        with self._changed:
            self._n_unfinished -= 1
            if future.cancelled():
                self._todo = deque(each for each in self._todo if each[0] is not future)

    def _work(self) -> None:
        while True:
            _do(*self._next())

    def _next(self) -> tuple[Future[Any], Callable[[], Any]]:
        with self._changed:
            while not self._todo:
                self._changed.wait()
            return self._todo.popleft()


def _do(future: "Future[Any]", work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        made = work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(made)


def make_pools() -> dict[str, Workers]:
    """Make the pools of an app: whatever takes long, by who would wait for it.

    Returns
    -------
    dict of str to Workers
        "results": the results of participants, one after the other, for many.
        "reports": tables, group results, models and files of owners.
        "logins": passwords; checking one takes 64 MiB.
    """
    return {
        "results": Workers(1, 500),
        "reports": Workers(2, 8),
        "logins": Workers(2, 20),
    }


def in_pool(name: str) -> Callable[[Callable[..., Any]], Callable[..., Awaitable[Any]]]:
    """Let the endpoint below run in a pool of its app, see `make_pools`."""

    def decorate(endpoint: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        signature = inspect.signature(endpoint)
        wants_request = "request" in signature.parameters

        async def run(request: Request, **given: Any) -> Any:
            if wants_request:
                given["request"] = request
            pool: Workers = request.app.state.pools[name]
            return await pool.run(request, partial(endpoint, **given))

        # For the framework it is the same endpoint, which also asks for the request.
        run.__name__, run.__doc__ = endpoint.__name__, endpoint.__doc__
        parameters = [*signature.parameters.values()]
        if not wants_request:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(inspect.Parameter("request", kind, annotation=Request))
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return run

    return decorate


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _busy(sentence: str) -> HTTPException:
    return HTTPException(
        503, f"{sentence} Try again in a moment.", {"Retry-After": "10"}
    )
