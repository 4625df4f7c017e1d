"""Whether the server is well, for whatever watches over it."""

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from penchant.exceptions import StoreError
from penchant.web.security._access import StoreOfApp

__all__ = ["health"]

health = APIRouter()


@health.get("/healthz")
async def healthz() -> dict[str, str]:
    """Say that the process lives, however busy its threads are."""
    return {"status": "ok"}


@health.get("/readyz")
def readyz(store: StoreOfApp) -> Response:
    """Say whether the store answers; if not, send people to another process."""
    try:
        store.find_session("")
    except StoreError:
        return JSONResponse({"status": "the store does not answer"}, 503)
    return JSONResponse({"status": "ok"})
