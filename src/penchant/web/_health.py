"""Whether the server is well, for whatever watches over it."""

import time
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from penchant.exceptions import StoreError
from penchant.web.security._access import StoreOfApp

health = APIRouter()

_HOLDS: Final = 2.0
"""Seconds for which an answer holds: everybody may ask, and each answer is a write."""


@health.get("/healthz")
async def healthz() -> dict[str, str]:
    """Say that the process lives, however busy its threads are."""
    return {"status": "ok"}


@health.get("/readyz")
def readyz(request: Request, store: StoreOfApp) -> Response:
    """Say whether the store takes answers; if not, send people to another process."""
    since, reason = getattr(request.app.state, "readiness", (-_HOLDS, ""))
    if time.monotonic() - since >= _HOLDS:
        try:
            reason = store.why_not_ready()
        except StoreError:
            reason = "the store does not answer"
        request.app.state.readiness = time.monotonic(), reason
    return JSONResponse({"status": reason or "ok"}, 503 if reason else 200)
