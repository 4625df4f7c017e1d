"""The pages: what is at which address."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeAlias

import pandas as pd
from fastapi import APIRouter, Depends, Query, Request, UploadFile
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from penchant.data import read_table
from penchant.exceptions import DataError
from penchant.studies import Store
from penchant.web._columns import MAX_COLUMNS
from penchant.web._forms import TableForm, check_form, guess_form, read_form
from penchant.web._pages import render
from penchant.web._views import study_line, study_view

__all__ = ["pages"]

DRAFTS_LAST = timedelta(days=1)
"""An upload that nobody confirms is forgotten after this time."""

pages = APIRouter()


def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


async def _fields(request: Request) -> FormData:
    return await request.form(max_fields=10 * MAX_COLUMNS)


StoreOfApp: TypeAlias = Annotated[Store, Depends(_store)]
Fields: TypeAlias = Annotated[FormData, Depends(_fields)]


@pages.get("/")
def home(request: Request, store: StoreOfApp) -> Response:
    """List the studies and offer to upload a table."""
    return _home(request, store)


@pages.post("/drafts")
def upload(request: Request, store: StoreOfApp, table: UploadFile) -> Response:
    """Keep an uploaded table until its columns are confirmed."""
    store.expire_drafts(datetime.now(UTC) - DRAFTS_LAST)
    filename, content = table.filename or "", table.file.read()
    try:
        _read(request, filename, content)
    except DataError as error:
        return _home(request, store, str(error))
    draft_id = store.add_draft(filename, content)
    return RedirectResponse(f"/drafts/{draft_id}", 303)


@pages.get("/drafts/{draft_id}")
def columns(request: Request, store: StoreOfApp, draft_id: str) -> Response:
    """Show what each column of an uploaded table seems to mean."""
    draft = store.get_draft(draft_id)
    _, form = _read(request, draft.filename, draft.content)
    return render("columns.html", draft_id=draft_id, form=form)


@pages.post("/drafts/{draft_id}")
def save(
    request: Request, store: StoreOfApp, draft_id: str, fields: Fields
) -> Response:
    """Make a study of a draft, or show what to correct."""
    draft = store.get_draft(draft_id)
    frame, guess = _read(request, draft.filename, draft.content)
    items, form = check_form(frame, read_form(guess, fields))
    if items is None:
        return render("columns.html", 422, draft_id=draft_id, form=form)
    study_id = store.create_study(form.name, items, draft_id=draft_id)
    return RedirectResponse(f"/studies/{study_id}", 303)


@pages.post("/drafts/{draft_id}/discard")
def discard(store: StoreOfApp, draft_id: str) -> Response:
    """Forget an uploaded table."""
    store.discard_draft(draft_id)
    return RedirectResponse("/", 303)


@pages.get("/studies/{study_id}")
def study(
    store: StoreOfApp,
    study_id: str,
    sort: Annotated[int | None, Query(ge=0)] = None,
    descending: bool = False,
    page: Annotated[int, Query(ge=1)] = 1,
) -> Response:
    """Show the alternatives of a study as a table."""
    record = store.get_study(study_id)
    view = study_view(record, sort=sort, descending=descending, page=page)
    return render("study.html", study=view)


@pages.get("/healthz")
def healthz() -> dict[str, str]:
    """Say that the server answers."""
    return {"status": "ok"}


def _home(request: Request, store: Store, error: str = "") -> Response:
    return render(
        "home.html",
        422 if error else 200,
        studies=[study_line(summary) for summary in store.list_studies()],
        limit=f"{request.app.state.max_upload_bytes / 1e6:g} MB",
        error=error,
    )


def _read(
    request: Request, filename: str, content: bytes
) -> tuple[pd.DataFrame, TableForm]:
    limit = request.app.state.max_upload_bytes
    frame = read_table(content, filename, max_bytes=limit)
    return frame, guess_form(filename, frame)
