"""Turning errors into pages that people can read, or into JSON for programs."""

from typing import Final

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from penchant.exceptions import (
    ConflictError,
    DataError,
    FormatError,
    NotAnswerableError,
    StoreError,
)
from penchant.web._guard import POLICY_HEADERS
from penchant.web._pages import render

__all__ = [
    "on_http_error",
    "on_invalid",
    "on_penchant_error",
    "on_unforeseen",
    "status_of",
]

_TITLES: Final = {
    400: "The request could not be understood",
    401: "Please log in",
    403: "This is not allowed",
    404: "Nothing is here",
    405: "This does not work here",
    409: "This is settled already",
    413: "The file is too large",
    422: "Something does not fit",
    429: "Too many attempts",
}

_SENTENCES: Final = {
    404: "The address may be mistyped, or what was here has been removed.",
    405: "This page cannot be used that way; go back and try the form again.",
}


async def on_penchant_error(request: Request, error: Exception) -> Response:
    """Show an error that penchant raised on purpose."""
    return _answer(request, status_of(error), str(error))


async def on_http_error(request: Request, error: Exception) -> Response:
    """Show an error of the protocol, such as a page that does not exist."""
    assert isinstance(error, HTTPException)
    sentence = _SENTENCES.get(error.status_code, str(error.detail))
    response = _answer(request, error.status_code, sentence)
    response.headers.update(error.headers or {})
    return response


async def on_invalid(request: Request, error: Exception) -> Response:
    """Name the first part of an address or form that is not acceptable."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = " ".join(str(part) for part in first["loc"][1:])
    return _answer(request, 422, f"The value of {place!r} is missing or not accepted.")


async def on_unforeseen(request: Request, _error: Exception) -> Response:
    """Apologise for a fault of ours; the details go to the log of the server."""
    return _answer(
        request, 500, "This is a fault of the app, not yours; nothing was saved."
    )


def status_of(error: Exception) -> int:
    """Give the status of the protocol that fits an error of penchant."""
    if isinstance(error, LookupError):
        return 404
    if isinstance(error, DataError | FormatError):
        return 422
    if isinstance(error, ConflictError | NotAnswerableError):
        return 409
    return 503 if isinstance(error, StoreError) else 500


def _answer(request: Request, status: int, sentence: str) -> Response:
    accept = request.headers.get("accept", "")
    to_program = request.url.path.startswith("/api/")
    if to_program or ("application/json" in accept and "text/html" not in accept):
        return JSONResponse({"detail": sentence}, status, headers=POLICY_HEADERS)
    title = _TITLES.get(status, "Something went wrong")
    return render(
        "error.html", status, headers=POLICY_HEADERS, title=title, sentence=sentence
    )
