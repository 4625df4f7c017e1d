"""Asking a model: why a row, why not another, what if, and new rows."""

from typing import Annotated, Any, Final

import pandas as pd
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from penchant.data.reading import write_csv_table
from penchant.exceptions import DataError
from penchant.jobs import KeptModel
from penchant.texts import Texts
from penchant.views import read_values, show_name
from penchant.views.forms import TableLimits
from penchant.views.learned import imagined_view, rather_view, row_choice, why_view
from penchant.web._exports import csv_response
from penchant.web._workers import in_pool
from penchant.web.learned._frame import show
from penchant.web.pages._pictures import sent_files
from penchant.web.security._access import (
    Fields,
    OwnJob,
    Sender,
    StoreOfApp,
    Visitor,
    VisitorOfApp,
)

asking_pages = APIRouter(prefix="/models/{model_id}")

_SHOWN: Final = 50
"""New rows that are shown on the page; the file has all."""

RowNumber = Annotated[str, Query(pattern="^[0-9]{0,8}$")]
"""A row as a spreadsheet counts; empty: the first, or none."""


@asking_pages.get("/why")
@in_pool("reports")
def why(
    store: StoreOfApp,
    visitor: VisitorOfApp,
    job: OwnJob,
    row: RowNumber = "",
    model: str = "",
    against: RowNumber = "",
) -> Response:
    """Show why the model says what it says of a row, or of two."""
    kept, texts = KeptModel.from_job(store, job), visitor.texts()
    name, place = kept.check_name(model), kept.check_line(int(row or kept.lines[0]))
    rival = kept.check_line(int(against)) if against else None
    rival = None if rival == place else rival
    return show(
        visitor,
        "why",
        kept,
        name=name,
        choice=row_choice(kept, place, rival, name, texts),
        view=None if rival is not None else why_view(kept, place, name, texts),
        rather=None if rival is None else rather_view(kept, place, rival, name, texts),
    )


@asking_pages.get("/what-if")
@in_pool("reports")
def what_if(
    request: Request,
    store: StoreOfApp,
    visitor: VisitorOfApp,
    job: OwnJob,
    row: RowNumber = "",
    model: str = "",
) -> Response:
    """Show what the model would say if a row had other values."""
    kept, texts = KeptModel.from_job(store, job), visitor.texts()
    name, place = kept.check_name(model), kept.check_line(int(row or kept.lines[0]))
    values = read_values(kept.items, place, dict(request.query_params))
    return show(
        visitor,
        "what-if",
        kept,
        name=name,
        choice=row_choice(kept, place, None, name, texts),
        view=imagined_view(kept, place, name, values, texts),
    )


@asking_pages.get("/rows")
@in_pool("reports")
def rows(
    request: Request, store: StoreOfApp, visitor: VisitorOfApp, job: OwnJob
) -> Response:
    """Offer to upload new rows."""
    return _rows(request, visitor, KeptModel.from_job(store, job))


@asking_pages.post("/rows")
@in_pool("reports")
def predict(
    request: Request, store: StoreOfApp, sender: Sender, job: OwnJob, fields: Fields
) -> Response:
    """Show what the model says of new rows, or give it as a file."""
    kept = KeptModel.from_job(store, job)
    filename, content = next(iter(sent_files(fields, "table")), ("", b""))
    limits: TableLimits = request.app.state.limits
    try:
        if not content:
            raise DataError("Choose a file with a table.")
        found = kept.table(kept.shown, content, filename, **limits.options())
    except DataError as error:
        return _rows(request, sender, kept, error=sender.texts().refusal(error))
    if fields.get("format") == "csv":
        table = write_csv_table(found, None)
        return csv_response(str(table), f"{job.name} predictions.csv")
    return _rows(request, sender, kept, found)


def _rows(
    request: Request,
    visitor: Visitor,
    kept: KeptModel,
    found: pd.DataFrame | None = None,
    error: str = "",
) -> Response:
    columns = [show_name(each.name, 40) for each in kept.items.attributes]
    return show(
        visitor,
        "rows",
        kept,
        422 if error else 200,
        columns=", ".join(columns),
        limit=f"{request.app.state.limits.bytes / 1e6:g}\u00a0MB",
        error=error,
        n_found=0 if found is None else len(found),
        n_shown=_SHOWN,
        table=None if found is None else _table(found.head(_SHOWN), visitor.texts()),
    )


def _table(found: pd.DataFrame, texts: Texts) -> dict[str, Any]:
    heads = []
    for column in map(str, found.columns):
        label = column.removeprefix("chance of ")
        key = f"models.head.{column}"
        if label != column:
            heads.append(texts("models.head.chance", label=show_name(label, 30)))
        else:
            heads.append(texts(key) if key in texts.entries else column)
    rows = [
        [
            show_name(str(value), 60)
            if isinstance(value, str)
            else texts.number(float(f"{value:.4g}"))
            for value in row
        ]
        for row in found.itertuples(index=False)
    ]
    return {"heads": heads, "rows": rows}
