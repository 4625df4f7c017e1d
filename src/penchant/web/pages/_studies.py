"""The list of studies, and making one from a table."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from penchant.data import Table, read_table
from penchant.exceptions import DataError
from penchant.studies import (
    TEMPLATES,
    PictureHead,
    Store,
    Study,
    demo_in,
    read_pictures,
    study_template,
)
from penchant.views import (
    Card,
    Shelf,
    question_cards,
    same_lines,
    sample_view,
    study_line,
)
from penchant.views.forms import (
    PASTED,
    FileForm,
    TableForm,
    TableLimits,
    check_form,
    guess_form,
    read_file_form,
    read_form,
)
from penchant.views.learned import model_line
from penchant.web._exports import csv_response
from penchant.web._page import change_language, local_path
from penchant.web._workers import in_pool
from penchant.web.pages._pictures import sent_files
from penchant.web.security._access import (
    Fields,
    Sender,
    StoreOfApp,
    Visitor,
    VisitorOfApp,
)

DRAFTS_LAST = timedelta(days=1)
"""An upload that nobody confirms is forgotten after this time."""

ENCODINGS: Final = ("utf-8", "utf-16", "windows-1252", "mac-roman", "windows-1250")
"""What files of spreadsheets are written in."""

pages = APIRouter()


@pages.get("/")
def home(request: Request, store: StoreOfApp, visitor: VisitorOfApp) -> Response:
    """List the studies and offer to upload a table."""
    return _home(request, store, visitor)


@pages.post("/language")
def choose_language(fields: Fields) -> Response:
    """Show the pages of owners in another language from now on."""
    return change_language(fields, local_path(str(fields.get("page", "/"))))


@pages.post("/templates/{name}")
@in_pool("reports")
def begin(store: StoreOfApp, sender: Sender, name: str) -> Response:
    """Make a study of a table that is shipped."""
    study_id = study_template(name).create(
        store, language=sender.language, owner=sender.owner_id
    )
    return RedirectResponse(f"/studies/{study_id}", 303)


@pages.get("/templates/{name}.csv")
def template_table(visitor: VisitorOfApp, name: str) -> Response:
    """Give a table that is shipped, to put own rows in."""
    table = study_template(name).table(visitor.texts())
    return csv_response(table.to_csv() or "", f"{name}.csv")


@pages.post("/drafts")
@in_pool("reports")
def upload(
    request: Request, store: StoreOfApp, sender: Sender, fields: Fields
) -> Response:
    """Keep an uploaded or pasted table until its columns are confirmed."""
    store.expire_drafts(datetime.now(UTC) - DRAFTS_LAST)
    filename, content = _sent(fields)
    try:
        guess_form(filename, _read(request, filename, content, FileForm()))
        pictures = read_pictures(sent_files(fields, "pictures"))
    except DataError as error:
        return _home(
            request,
            store,
            sender,
            sender.texts().refusal(error),
            str(fields.get("paste", "")),
        )
    draft_id = store.add_draft(filename, content)
    store.add_pictures(pictures, draft_id=draft_id)
    return RedirectResponse(f"/drafts/{sender.seal(draft_id)}", 303)


@pages.get("/drafts/{draft_id}")
@in_pool("reports")
def columns(
    request: Request, store: StoreOfApp, visitor: VisitorOfApp, draft_id: str
) -> Response:
    """Show what each column of an uploaded table seems to mean."""
    draft = store.get_draft(visitor.unseal(draft_id))
    table = _read(request, draft.filename, draft.content, FileForm())
    guess = guess_form(draft.filename, table)
    heads = store.list_pictures(draft.id)
    _, form = check_form(table, guess, visitor.texts(), heads)
    named = form.name or visitor.texts()("owner.columns.untitled")
    return _columns(draft_id, visitor, replace(form, name=named, name_error=""), heads)


@pages.post("/drafts/{draft_id}")
@in_pool("reports")
def save(
    request: Request, store: StoreOfApp, sender: Sender, draft_id: str, fields: Fields
) -> Response:
    """Make a study of a draft, use a cure, or show what to correct."""
    draft, texts = store.get_draft(sender.unseal(draft_id)), sender.texts()
    try:
        if pictures := read_pictures(sent_files(fields, "pictures")):
            store.add_pictures(pictures, draft_id=draft.id)
        file = read_file_form(fields)
        table = _read(request, draft.filename, draft.content, file)
    except DataError as error:
        table = _read(request, draft.filename, draft.content, FileForm())
        _, form = check_form(table, guess_form(draft.filename, table), texts)
        return _columns(
            draft_id,
            sender,
            replace(form, error=sender.texts().refusal(error)),
            {},
            422,
        )
    heads = store.list_pictures(draft.id)
    told = read_form(draft.filename, table, file, fields)
    items, form = check_form(table, told, texts, heads)
    if "fix" in fields or "look" in fields:
        return _columns(draft_id, sender, form, heads)
    if items is None:
        return _columns(draft_id, sender, form, heads, 422)
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
    request: Request, store: Store, visitor: Visitor, error: str = "", paste: str = ""
) -> Response:
    found = visitor.studies(store)
    own = demo_in(visitor.language, found)
    if own:  # those of other languages are shown where somebody took part
        found = [
            each
            for each in found
            if not each.demo or each.id == own or each.n_participants
        ]
    lines = [
        study_line(
            summary,
            visitor.texts(summary),
            full=bool(summary.settings.quota)
            and not Study(store, summary.id).taking().open,
        )
        for summary in found
    ]
    models = [model_line(job, visitor.texts()) for job in visitor.jobs(store)]
    return visitor.render(
        "home.html",
        422 if error else 200,
        studies=lines,
        models=models,
        model_error="",
        sample=sample_view(visitor.texts()),
        trial=next(
            (line for line in lines if line.trial and (own or "") in line.path), None
        ),
        limit=f"{request.app.state.limits.bytes / 1e6:g}\u00a0MB",
        templates=TEMPLATES,
        error=error,
        paste=paste,
    )


def _columns(
    address: str,
    visitor: Visitor,
    form: TableForm,
    heads: Mapping[str, PictureHead],
    status: int = 200,
) -> Response:
    """Show the form, with two cards as participants would see them."""
    shelf = Shelf(heads, f"/drafts/{address}/pictures")
    cards: tuple[Card, ...] = ()
    texts = visitor.texts().about(form.noun, form.nouns)
    if form.preview is not None:
        cards = question_cards(form.preview, (0, 1), texts, shelf)
    return visitor.render(
        "columns.html",
        status,
        draft_id=address,
        form=form,
        cards=cards,
        same=same_lines(cards),
        encodings=ENCODINGS,
        tried=status != 200,
    )


def _sent(fields: Fields) -> tuple[str, bytes]:
    """Give the file that was sent, or the text that was pasted in its place."""
    sent = next(iter(sent_files(fields, "table")), None)
    paste = str(fields.get("paste", ""))
    if sent is not None:
        return sent
    return PASTED, paste.encode("utf-8", "replace")


def _read(request: Request, filename: str, content: bytes, file: FileForm) -> Table:
    limits: TableLimits = request.app.state.limits
    return read_table(content, filename, **file.options(), **limits.options())
