"""Logging in and out."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from penchant.web._access import (
    COOKIE,
    SESSION_LASTS,
    Access,
    Fields,
    Sender,
    StoreOfApp,
)
from penchant.web._pages import render

__all__ = ["login_pages", "on_login_needed"]

login_pages = APIRouter()

_Next = Annotated[str, Query(alias="next", max_length=2000)]


async def on_login_needed(request: Request, _error: Exception) -> Response:
    """Lead to the login, and back afterwards if nothing was sent."""
    if request.method == "GET":
        path = request.url.path
        return RedirectResponse(f"/login{_query(path)}", 303)
    return _page("/", "Log in first; what you sent was not used.", 401)


@login_pages.get("/login")
def login(request: Request, goal: _Next = "/") -> Response:
    """Ask for name and password."""
    access: Access = request.app.state.access
    return _page(goal) if access.login else RedirectResponse("/", 303)


@login_pages.post("/login")
def enter(request: Request, store: StoreOfApp, fields: Fields) -> Response:
    """Begin a session if name and password fit."""
    access: Access = request.app.state.access
    name, password, goal = (
        str(fields.get(field, "")) for field in ("name", "password", "next")
    )
    if not access.login:
        return RedirectResponse("/", 303)
    address = request.client.host if request.client else ""
    token = access.enter(store, name, password, address)
    if token is None:
        return _page(goal, "The name or the password is wrong.", 422, name=name)
    response = RedirectResponse(_local(goal), 303)
    response.set_cookie(
        COOKIE,
        token,
        max_age=int(SESSION_LASTS.total_seconds()),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return response


@login_pages.post("/logout")
def leave(request: Request, store: StoreOfApp, _sender: Sender) -> Response:
    """End the session."""
    access: Access = request.app.state.access
    access.leave(store, request.cookies.get(COOKIE, ""))
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return response


def _page(goal: str, error: str = "", status: int = 200, *, name: str = "") -> Response:
    return render("login.html", status, goal=_local(goal), error=error, name=name)


def _query(path: str) -> str:
    return "" if path == "/" else f"?next={quote(path)}"


def _local(goal: str) -> str:
    """Give a path of this app; whatever could lead elsewhere leads home."""
    plain = goal.isascii() and goal.isprintable() and "\\" not in goal
    return goal if plain and goal.startswith("/") and goal[1:2] != "/" else "/"
