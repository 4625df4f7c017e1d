"""The list of studies, and making one from a table."""

from datetime import UTC, datetime, timedelta

import pandas as pd
from fastapi import APIRouter, Request, UploadFile
from starlette.responses import RedirectResponse, Response

from penchant.data import read_table
from penchant.exceptions import DataError
from penchant.studies import Store
from penchant.views import study_line
from penchant.views.forms import TableForm, check_form, guess_form, read_form
from penchant.web._languages import change_language, local_path
from penchant.web._workers import in_pool
from penchant.web.security._access import (
    Fields,
    Sender,
    StoreOfApp,
    Visitor,
    VisitorOfApp,
)

__all__ = ["pages"]

DRAFTS_LAST = timedelta(days=1)
"""An upload that nobody confirms is forgotten after this time."""

pages = APIRouter()


@pages.get("/")
def home(request: Request, store: StoreOfApp, visitor: VisitorOfApp) -> Response:
    """List the studies and offer to upload a table."""
    return _home(request, store, visitor)


@pages.post("/language")
def choose_language(fields: Fields) -> Response:
    """Show the pages of owners in another language from now on."""
    return change_language(fields, local_path(str(fields.get("page", "/"))))


@pages.post("/drafts")
@in_pool("reports")
def upload(
    request: Request, store: StoreOfApp, sender: Sender, table: UploadFile
) -> Response:
    """Keep an uploaded table until its columns are confirmed."""
    store.expire_drafts(datetime.now(UTC) - DRAFTS_LAST)
    filename, content = table.filename or "", table.file.read()
    try:
        _read(request, filename, content)
    except DataError as error:
        return _home(request, store, sender, str(error))
    draft = sender.seal(store.add_draft(filename, content))
    return RedirectResponse(f"/drafts/{draft}", 303)


@pages.get("/drafts/{draft_id}")
@in_pool("reports")
def columns(
    request: Request, store: StoreOfApp, visitor: VisitorOfApp, draft_id: str
) -> Response:
    """Show what each column of an uploaded table seems to mean."""
    draft = store.get_draft(visitor.unseal(draft_id))
    _, form = _read(request, draft.filename, draft.content)
    return _columns(draft_id, visitor, form)


@pages.post("/drafts/{draft_id}")
@in_pool("reports")
def save(
    request: Request, store: StoreOfApp, sender: Sender, draft_id: str, fields: Fields
) -> Response:
    """Make a study of a draft, or show what to correct."""
    draft = store.get_draft(sender.unseal(draft_id))
    frame, guess = _read(request, draft.filename, draft.content)
    items, form = check_form(frame, read_form(guess, fields), sender.texts())
    if items is None:
        return _columns(draft_id, sender, form, 422)
    study_id = store.create_study(
        form.name,
        items,
        settings=form.settings(sender.language),
        owner=sender.owner_id,
        draft_id=draft.id,
    )
    return RedirectResponse(f"/studies/{study_id}", 303)


@pages.post("/drafts/{draft_id}/discard")
def discard(store: StoreOfApp, sender: Sender, draft_id: str) -> Response:
    """Forget an uploaded table."""
    store.discard_draft(sender.unseal(draft_id))
    return RedirectResponse("/", 303)


def _home(
    request: Request, store: Store, visitor: Visitor, error: str = ""
) -> Response:
    found = visitor.studies(store)
    lines = [study_line(summary, visitor.texts(summary)) for summary in found]
    return visitor.render(
        "home.html",
        422 if error else 200,
        studies=lines,
        trial=next((line for line in lines if line.trial), None),
        limit=f"{request.app.state.max_upload_bytes / 1e6:g} MB",
        error=error,
    )


def _columns(
    address: str, visitor: Visitor, form: TableForm, status: int = 200
) -> Response:
    return visitor.render("columns.html", status, draft_id=address, form=form)


def _read(
    request: Request, filename: str, content: bytes
) -> tuple[pd.DataFrame, TableForm]:
    limit = request.app.state.max_upload_bytes
    frame = read_table(content, filename, max_bytes=limit).cells
    return frame, guess_form(filename, frame)
