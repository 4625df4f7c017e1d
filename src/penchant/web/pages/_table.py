"""The pages on which an owner changes the table of a study, and copies a study."""

from datetime import UTC, datetime
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from penchant.data import read_table
from penchant.exceptions import ConflictError, DataError
from penchant.studies import (
    Missing,
    Store,
    StudyRecord,
    StudyTable,
    TableVersion,
    difference,
    duplicate_study,
    plan_change,
    plan_replacement,
    read_like,
)
from penchant.views import Wanted
from penchant.views.forms import PASTED, TableLimits
from penchant.views.table import (
    change_words,
    item_form,
    read_column,
    read_item,
    table_view,
)
from penchant.web._workers import in_pool
from penchant.web.pages._pictures import sent_files
from penchant.web.pages._studies import DRAFTS_LAST
from penchant.web.pages._wanted import WantedPart
from penchant.web.security._access import (
    Fields,
    OwnStudy,
    Sender,
    StoreOfApp,
    Visitor,
    VisitorOfApp,
)

table_pages = APIRouter(prefix="/studies/{study_id}")

_Item = Annotated[int | None, Query(ge=0)]


@table_pages.get("/table")
def table(
    store: StoreOfApp, visitor: VisitorOfApp, study: OwnStudy, wanted: WantedPart
) -> Response:
    """Show the table with what can be changed in it, and its versions."""
    return _table(store, visitor, study, wanted=wanted)


@table_pages.get("/table/item")
def item(visitor: VisitorOfApp, study: OwnStudy, item: _Item = None) -> Response:
    """Show one alternative to correct, or an empty form for a new one."""
    form = item_form(study, item)
    return visitor.render("table_item.html", study=study, form=form)


@table_pages.post("/table/item")
def save_item(
    store: StoreOfApp,
    sender: Sender,
    study: OwnStudy,
    fields: Fields,
    item: _Item = None,
) -> Response:
    """Keep a corrected or new alternative, or show what is wrong with it."""
    form = item_form(study, item, fields)
    try:
        _keep(store, study, fields, **read_item(study, item, fields))
    except (ConflictError, DataError) as error:
        form.error = str(error)
        return sender.render("table_item.html", 422, study=study, form=form)
    return _back(study)


@table_pages.post("/table/standing")
def set_standing(
    store: StoreOfApp, sender: Sender, study: OwnStudy, fields: Fields
) -> Response:
    """Withdraw an alternative, or restore it."""
    place, names = str(fields.get("item", "")), study.items.names
    try:
        if not (place.isascii() and place.isdecimal() and int(place) < len(names)):
            raise DataError("The study has no such alternative.")
        do = "restore" if fields.get("do") == "restore" else "withdraw"
        _keep(store, study, fields, **{do: [names[int(place)]]})
    except (ConflictError, DataError) as error:
        return _table(store, sender, study, str(error))
    return _back(study)


@table_pages.post("/table/column")
def save_column(
    store: StoreOfApp, sender: Sender, study: OwnStudy, fields: Fields
) -> Response:
    """Change what a column means."""
    try:
        _keep(store, study, fields, **read_column(study, fields))
    except (ConflictError, DataError) as error:
        return _table(store, sender, study, str(error))
    return _back(study)


@table_pages.post("/table/upload")
@in_pool("reports")
def upload(
    request: Request,
    store: StoreOfApp,
    sender: Sender,
    study: OwnStudy,
    fields: Fields,
) -> Response:
    """Show what a corrected table would change, before it is taken."""
    store.expire_drafts(datetime.now(UTC) - DRAFTS_LAST)
    sent = next(iter(sent_files(fields, "table")), None)
    paste = str(fields.get("paste", "")).encode("utf-8", "replace")
    filename, content = sent or (PASTED, paste)
    missing = _missing(fields)
    try:
        plan = _plan(request, store, study, (filename, content), missing)
        found = difference(StudyTable(store, study.id).current, plan)
        if not found:
            raise DataError(sender.texts(study)("owner.table.nothing_new"))
    except DataError as error:
        return _table(store, sender, study, str(error))
    draft_id = store.add_draft(filename, content)
    return sender.render(
        "table_look.html",
        study=study,
        draft=sender.seal(draft_id),
        missing=missing,
        changes=change_words(found, sender.texts(study)),
    )


@table_pages.post("/table/take")
@in_pool("reports")
def take(
    request: Request,
    store: StoreOfApp,
    sender: Sender,
    study: OwnStudy,
    fields: Fields,
) -> Response:
    """Take a corrected table whose changes were looked at."""
    draft = store.get_draft(sender.unseal(str(fields.get("draft", ""))))
    try:
        _check_version(study, fields)
        sent = draft.filename, draft.content
        plan = _plan(request, store, study, sent, _missing(fields))
        StudyTable(store, study.id).keep(plan, str(fields.get("note", "")))
    except (ConflictError, DataError) as error:
        return _table(store, sender, study, str(error))
    store.discard_draft(draft.id)
    return _back(study)


@table_pages.post("/copy")
@in_pool("reports")
def copy(
    store: StoreOfApp, sender: Sender, study: OwnStudy, fields: Fields
) -> Response:
    """Make a copy of a study, with or without its participants."""
    name = sender.texts()("owner.table.copy_of", name=study.name)[:120]
    people = fields.get("participants") == "yes"
    made = duplicate_study(store, study.id, name=name, participants=people)
    return RedirectResponse(f"/studies/{made}", 303)


def _table(
    store: Store,
    visitor: Visitor,
    study: StudyRecord,
    error: str = "",
    wanted: Wanted | None = None,
) -> Response:
    versions = StudyTable(store, study.id).versions()
    now = store.get_study(study.id)
    view = table_view(now, versions, visitor.texts(now), wanted)
    status = 422 if error else 200
    return visitor.render("table.html", status, study=now, view=view, error=error)


def _keep(
    store: Store, study: StudyRecord, fields: Fields, **changes: Any
) -> TableVersion:
    _check_version(study, fields)
    table = StudyTable(store, study.id)
    plan = plan_change(table.current, **changes)
    return table.keep(plan, str(fields.get("note", "")))


def _check_version(study: StudyRecord, fields: Fields) -> None:
    """Refuse a form that shows an older table."""
    if str(fields.get("version", "")) != str(study.version):
        raise ConflictError(
            "The table was changed since this page was made. Look at it as it is now, "
            "and change it again."
        )


def _missing(fields: Fields) -> Missing:
    sent = fields.get("missing")
    return next((each for each in get_args(Missing) if each == sent), "refuse")


def _plan(
    request: Request,
    store: Store,
    study: StudyRecord,
    sent: tuple[str, bytes],
    missing: Missing,
) -> TableVersion:
    limits: TableLimits = request.app.state.limits
    now = StudyTable(store, study.id).current
    filename, content = sent
    items = read_like(now, read_table(content, filename, **limits.options()))
    return plan_replacement(now, items, missing=missing)


def _back(study: StudyRecord) -> Response:
    return RedirectResponse(f"/studies/{study.id}/table", 303)
