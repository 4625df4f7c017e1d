"""Turning errors into pages that people can read, or into JSON for programs."""

import logging
from typing import Final

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from penchant.exceptions import (
    ConflictError,
    DataError,
    DraftNotFoundError,
    FormatError,
    NotAnswerableError,
    StoreError,
)
from penchant.texts import Texts
from penchant.web._page import render, texts_for
from penchant.web.security._guard import POLICY_HEADERS

_log = logging.getLogger(__name__)

_SENTENCES: Final = {
    404: "errors.nothing",
    405: "errors.wrong_use",
    503: "errors.busy",
}


class LinkNotFoundError(Exception):
    """A link of a participant or of a study leads nowhere."""


class ConsentNeededError(Exception):
    """A page was asked for before the person agreed to what the study asks.

    Parameters
    ----------
    home : str
        Where the person can agree.
    """

    def __init__(self, home: str) -> None:
        super().__init__(home)
        self.home = home


async def on_penchant_error(request: Request, error: Exception) -> Response:
    """Show an error that penchant raised on purpose."""
    status = status_of(error)
    texts = texts_for(request)
    sentence = sentence_of(error, texts)
    if not _is_program(request):
        if isinstance(error, DraftNotFoundError):
            sentence = texts("errors.draft")
        elif status == 404:
            sentence = texts("errors.nothing")
        elif isinstance(error, DataError):
            sentence = texts.refusal(error)
    return _answer(request, status, sentence)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Show an error of the protocol, such as a page that does not exist."""
    assert isinstance(error, HTTPException)
    key = _SENTENCES.get(error.status_code)
    sentence = texts_for(request)(key) if key else str(error.detail)
    response = _answer(request, error.status_code, sentence)
    response.headers.update(error.headers or {})
    return response


async def on_invalid(request: Request, error: Exception) -> Response:
    """Name the first part of an address or form that is not acceptable."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = " ".join(str(part) for part in first["loc"][1:])
    return _answer(request, 422, texts_for(request)("errors.value", place=repr(place)))


async def on_unforeseen(request: Request, _error: Exception) -> Response:
    """Apologise for a fault of ours; the details go to the log of the server."""
    return _answer(request, 500, texts_for(request)("errors.ours"))


async def on_link_not_found(request: Request, _error: Exception) -> Response:
    """Say what may have happened to a link, the same for all that lead nowhere."""
    texts = texts_for(request)
    if _is_program(request):
        return _answer(request, 404, texts("link.title"))
    return render("lost.html", 404, headers=POLICY_HEADERS, t=texts)


async def on_consent_needed(_request: Request, error: Exception) -> Response:
    """Lead to where the person can agree."""
    assert isinstance(error, ConsentNeededError)
    return RedirectResponse(error.home, 303)


def status_of(error: Exception) -> int:
    """Give the status of the protocol that fits an error of penchant."""
    if isinstance(error, LookupError):
        return 404
    if isinstance(error, DataError | FormatError):
        return 422
    if isinstance(error, ConflictError | NotAnswerableError):
        return 409
    return 503 if isinstance(error, StoreError) else 500


def sentence_of(error: Exception, texts: Texts) -> str:
    """Give what strangers may read of an error; where data is kept is not for them."""
    if status_of(error) != 503:
        return str(error)
    _log.error("%s", error)
    return texts("errors.busy")


def _is_program(request: Request) -> bool:
    accept = request.headers.get("accept", "")
    to_program = request.url.path.startswith("/api/")
    return to_program or ("application/json" in accept and "text/html" not in accept)


def _answer(request: Request, status: int, sentence: str) -> Response:
    if _is_program(request):
        return JSONResponse({"detail": sentence}, status, headers=POLICY_HEADERS)
    texts = texts_for(request)
    key = f"errors.{status}"
    return render(
        "error.html",
        status,
        headers=POLICY_HEADERS,
        t=texts,
        languages=(),
        title=texts(key if key in texts.entries else "errors.any"),
        sentence=sentence,
        participant=request.url.path.startswith(("/p/", "/s/")),
    )
