"""Logging in and out."""

import asyncio
from functools import partial
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from penchant.texts import LANGUAGES
from penchant.web._page import languages_of, local_path, render, texts_for
from penchant.web.security._access import (
    COOKIE,
    SESSION_LASTS,
    Access,
    Fields,
    Sender,
    StoreOfApp,
    network_of,
)

login_pages = APIRouter()

_Next = Annotated[str, Query(alias="next", max_length=2000)]


async def on_login_needed(request: Request, _error: Exception) -> Response:
    """Lead to the login, and back afterwards if nothing was sent."""
    access: Access = request.app.state.access
    if not access.login:
        return _local(request, access)
    if request.method == "GET":
        path = request.url.path
        return RedirectResponse(f"/login{_query(path)}", 303)
    return _page(request, "/", "owner.login.first", 401)


def _local(request: Request, access: Access) -> Response:
    """Let in whoever has the link with the secret, and tell others where it is."""
    secret = request.query_params.get("token", "")
    if request.method == "GET" and access.opens(secret):
        # The address without the secret: nobody should copy it by accident.
        rest = request.url.remove_query_params("token")
        goal = f"{rest.path}?{rest.query}" if rest.query else rest.path
        response = RedirectResponse(local_path(goal), 303)
        _keep(response, request, access.cookie(request), secret)
        return response
    texts = texts_for(request)
    return render(
        "private.html",
        # A start page that answers: whoever watches a server looks at this one.
        200 if request.method == "GET" and request.url.path == "/" else 401,
        t=texts,
        languages=languages_of(LANGUAGES, texts.language),
        here="/",
    )


def _keep(
    response: Response,
    request: Request,
    cookie: str,
    token: str,
    lasts: int | None = None,
) -> None:
    """Let the browser show a token from now on; scripts cannot read it."""
    secure = request.url.scheme == "https"
    response.set_cookie(
        cookie, token, max_age=lasts, secure=secure, httponly=True, samesite="lax"
    )


def keep_session(response: Response, request: Request, token: str) -> None:
    """Let the browser show the token of a session for as long as that lasts."""
    _keep(response, request, COOKIE, token, int(SESSION_LASTS.total_seconds()))


@login_pages.get("/login")
def login(request: Request, goal: _Next = "/") -> Response:
    """Ask for name and password."""
    access: Access = request.app.state.access
    return _page(request, goal) if access.login else RedirectResponse("/", 303)


@login_pages.post("/login")
async def enter(request: Request, store: StoreOfApp, fields: Fields) -> Response:
    """Begin a session if name and password fit."""
    access: Access = request.app.state.access
    name, password, goal = (
        str(fields.get(field, "")) for field in ("name", "password", "next")
    )
    if not access.login:
        return RedirectResponse("/", 303)
    pool, network = request.app.state.pools["logins"], network_of(request)
    count = partial(access.check_login, store, name, network)
    await asyncio.sleep(await pool.run(request, count))
    check = partial(access.enter, store, name, password, network)
    token = await pool.run(request, check)
    if token is None:
        return _page(request, goal, "owner.login.wrong", 422, name=name)
    response = RedirectResponse(local_path(goal), 303)
    keep_session(response, request, token)
    return response


@login_pages.post("/logout")
def leave(request: Request, store: StoreOfApp, _sender: Sender) -> Response:
    """End the session."""
    access: Access = request.app.state.access
    access.leave(store, request.cookies.get(COOKIE, ""))
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return response


def _page(
    request: Request, goal: str, error: str = "", status: int = 200, *, name: str = ""
) -> Response:
    texts = texts_for(request)
    goal = local_path(goal)
    return render(
        "login.html",
        status,
        t=texts,
        languages=languages_of(LANGUAGES, texts.language),
        here=f"/login{_query(goal)}",
        goal=goal,
        error=texts(error) if error else "",
        name=name,
    )


def _query(path: str) -> str:
    return "" if path == "/" else f"?next={quote(path)}"
