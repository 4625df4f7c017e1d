"""create_app: the web app around a store."""

from penchant.exceptions import MissingExtraError, PenchantError

try:
    from fastapi import FastAPI
except ImportError:
    raise MissingExtraError("fastapi", "app") from None

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from penchant.studies import Store
from penchant.web._errors import (
    on_http_error,
    on_invalid,
    on_penchant_error,
    on_unforeseen,
)
from penchant.web._guard import Guard
from penchant.web._pages import STATIC
from penchant.web._routes import pages

__all__ = ["create_app"]

MAX_UPLOAD = 10_000_000


def create_app(
    store: Store,
    *,
    max_upload_bytes: int = MAX_UPLOAD,
    hosts: tuple[str, ...] = (),
) -> FastAPI:
    """Make the web app around a store.

    Parameters
    ----------
    store : Store
        Where studies are kept. The app uses it from many threads and does not
        close it.
    max_upload_bytes : int
        Larger uploads are refused before they are read.
    hosts : tuple of str
        Names under which the app may be reached; empty: any.

    Returns
    -------
    FastAPI
    """
    app = FastAPI(title="penchant", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.store = store
    app.state.max_upload_bytes = max_upload_bytes
    app.include_router(pages)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_exception_handler(PenchantError, on_penchant_error)
    app.add_exception_handler(HTTPException, on_http_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(Exception, on_unforeseen)
    app.add_middleware(
        Guard, respond=on_http_error, max_bytes=max_upload_bytes, hosts=hosts
    )
    return app
