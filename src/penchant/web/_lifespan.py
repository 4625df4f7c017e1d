"""What a process does before its app serves, and while it does."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from penchant.studies import warm_up

__all__ = ["lifespan"]

_SWITCH_INTERVAL: Final = 0.0005
"""Seconds for which one thread may keep the others from running.

Python's own 0.005 add up where something is worked out in the background: a request
lets go of the interpreter at every access to the store.
"""

_N_THREADS: Final = 8
"""Requests that are worked on at once; more would take turns, and all be slower."""


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    """Make the process fit for many people at once, before the first of them comes."""
    sys.setswitchinterval(_SWITCH_INTERVAL)
    current_default_thread_limiter().total_tokens = _N_THREADS
    # The matrices of one person are small: more threads each would only disturb.
    with threadpool_limits(1, "blas"):
        await run_in_threadpool(warm_up)
        yield
