"""The account of an owner: password, sessions, and links for other owners."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from penchant.exceptions import ConflictError, DataError
from penchant.studies import OwnerRecord
from penchant.texts import LANGUAGES
from penchant.web._errors import LinkNotFoundError
from penchant.web._page import languages_of, render, texts_for
from penchant.web._public import link_to
from penchant.web.pages._login import keep_session
from penchant.web.security._access import (
    Access,
    Fields,
    Sender,
    StoreOfApp,
    Visitor,
    VisitorOfApp,
    add_owner_link,
    find_owner_link,
    network_of,
    spend_owner_link,
)
from penchant.web.security._passwords import SHORTEST, hash_password

account_pages = APIRouter()


def _owner(visitor: Visitor) -> OwnerRecord:
    """Give who has an account; the one analyst of a machine has none."""
    if visitor.owner is None:
        raise HTTPException(404)
    return visitor.owner


def _admin(sender: Sender) -> Visitor:
    if _owner(sender).role != "admin":
        raise HTTPException(404)
    return sender


_Admin = Annotated[Visitor, Depends(_admin)]


@account_pages.get("/account")
def account(visitor: VisitorOfApp, store: StoreOfApp) -> Response:
    """Show what an owner can change about their account."""
    return _page(visitor, store)


@account_pages.post("/account/password")
async def change_password(
    request: Request, sender: Sender, store: StoreOfApp, fields: Fields
) -> Response:
    """Change one's password; all other sessions end."""
    owner, access = _owner(sender), _access(request)
    pool, network = request.app.state.pools["logins"], network_of(request)
    old, new = (str(fields.get(name, "")) for name in ("old", "new"))

    def change() -> str | None:
        access.check_login(store, owner.name, network)
        if access.enter(store, owner.name, old, network) is None:
            return None
        store.set_password(owner.id, hash_password(new))
        return access.enter(store, owner.name, new, network)

    try:
        token = await pool.run(request, change)
    except DataError as error:
        return _page(sender, store, error=str(error))
    if token is None:
        return _page(sender, store, error=sender.texts()("account.wrong"))
    response = RedirectResponse("/account?changed=yes", 303)
    keep_session(response, request, token)
    return response


@account_pages.post("/account/sessions")
def end_sessions(sender: Sender, store: StoreOfApp) -> Response:
    """End all sessions and API tokens, this one too."""
    store.end_sessions(_owner(sender).id)
    return RedirectResponse("/login", 303)


@account_pages.post("/account/owners")
async def invite(
    request: Request, admin: _Admin, store: StoreOfApp, fields: Fields
) -> Response:
    """Add an owner, and show the link with which they choose their password."""
    name = str(fields.get("name", "")).strip()
    role = "admin" if fields.get("admin") == "yes" else "analyst"
    pool = request.app.state.pools["logins"]
    try:
        add = partial(add_owner_link, store, name, role=role)
        token = await pool.run(request, add)
    except (ConflictError, DataError) as error:
        return _page(admin, store, error=str(error))
    return _show_link(request, admin, name, token)


@account_pages.post("/account/owners/link")
def renew(
    request: Request, admin: _Admin, store: StoreOfApp, fields: Fields
) -> Response:
    """Show a link with which an owner chooses a new password, once."""
    owner = store.get_owner(str(fields.get("owner", "")))
    token = add_owner_link(store, owner.name)
    return _show_link(request, admin, owner.name, token)


@account_pages.get("/welcome/{token}")
def welcome(request: Request, store: StoreOfApp, token: str) -> Response:
    """Ask whoever has the link for a password."""
    return _welcome(request, find_owner_link(store, token))


@account_pages.post("/welcome/{token}")
async def choose_password(
    request: Request, store: StoreOfApp, token: str, fields: Fields
) -> Response:
    """Keep the password; the link is good no longer."""
    pool, new = request.app.state.pools["logins"], str(fields.get("new", ""))
    try:
        spend = partial(spend_owner_link, store, token, new)
        owner = await pool.run(request, spend)
    except DataError as error:
        owner = find_owner_link(store, token)
        return _welcome(request, owner, str(error))
    if owner is None:
        raise LinkNotFoundError
    return RedirectResponse("/login", 303)


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _page(visitor: Visitor, store: StoreOfApp, *, error: str = "") -> Response:
    owner = _owner(visitor)
    others = store.list_owners() if owner.role == "admin" else []
    return visitor.render(
        "account.html",
        422 if error else 200,
        others=others,
        error=error,
        changed="changed=" in visitor.here,
        shortest=SHORTEST,
    )


def _show_link(request: Request, admin: Visitor, name: str, token: str) -> Response:
    address = link_to(request, f"/welcome/{token}")
    return admin.render("account_link.html", name=name, address=address)


def _welcome(request: Request, owner: OwnerRecord | None, error: str = "") -> Response:
    if owner is None:
        raise LinkNotFoundError
    texts = texts_for(request)
    context: dict[str, Any] = {"name": owner.name, "error": error}
    return render(
        "welcome.html",
        422 if error else 200,
        t=texts,
        languages=languages_of(LANGUAGES, texts.language),
        here=request.url.path,
        shortest=SHORTEST,
        **context,
    )
