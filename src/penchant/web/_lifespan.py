"""What a process does before its app serves, and while it does."""

import asyncio
import ctypes
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from penchant._parallel import one_thread
from penchant.studies import warm_up

_SWITCH_INTERVAL: Final = 0.0005
"""Seconds for which one thread may keep the others from running.

Python's own 0.005 add up where something is worked out in the background: a request
lets go of the interpreter at every access to the store.
"""

_N_THREADS: Final = 3
"""Requests that are worked on at once; more would take turns, and all be slower: with 8
instead of 3, 200 people wait four times as long."""


_EVERY: Final = 60.0
"""Seconds after which memory that is free is given back."""


async def _give_back() -> None:
    """Give memory back that nobody uses, again and again.

    The draws of a belief are large and come and go in many threads; the C library
    keeps the holes between them, and the process would grow although it keeps no more.
    """
    trim = (
        getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    )
    while trim is not None:
        await asyncio.sleep(_EVERY)
        await run_in_threadpool(trim, 0)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Make the process fit for many people at once, before the first of them comes."""
    sys.setswitchinterval(_SWITCH_INTERVAL)
    current_default_thread_limiter().total_tokens = _N_THREADS
    with one_thread():
        await run_in_threadpool(warm_up)
        giving = asyncio.create_task(_give_back())
        app.state.runner.start()
        try:
            yield
        finally:
            giving.cancel()
            await run_in_threadpool(app.state.runner.stop)
