"""Reading a model: curves and pairs, importance, rules, and files to take away."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from penchant.data import Items
from penchant.data.reading import write_csv_table
from penchant.exceptions import NotAnswerableError
from penchant.jobs import KeptModel, model_notebook
from penchant.learning import ModelReport
from penchant.studies import JobRecord, Store
from penchant.texts import Texts, load_texts
from penchant.views.learned import (
    SUMS,
    Shown,
    curves_page,
    importance_page,
    name_of,
    report_view,
    rules_page,
)
from penchant.web._exports import csv_response, file_response, json_response
from penchant.web._page import file_styles, render
from penchant.web._workers import in_pool
from penchant.web.learned._frame import show
from penchant.web.security._access import OwnJob, StoreOfApp, VisitorOfApp

reading_pages = APIRouter(prefix="/models/{model_id}")

FILES: Final = {
    "report.html": "report",
    "model.penchant": "model",
    "predictions.csv": "predictions",
    "notebook.ipynb": "notebook",
}
"""Files that every model has, and how the catalogue of texts calls them."""


@reading_pages.get("/curves")
@in_pool("reports")
def curves(
    store: StoreOfApp,
    visitor: VisitorOfApp,
    job: OwnJob,
    model: str = "",
    pair: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> Response:
    """Show the curves and pairs of a sum."""
    kept = KeptModel.from_job(store, job)
    sums: list[str] = [name for name in SUMS if name in kept.names]
    known = kept.check_name(model) if model or kept.shown in sums else (sums or [""])[0]
    if known not in sums:
        raise HTTPException(404, "There are no curves in this model.")
    texts = visitor.texts()
    view = curves_page(Shown.from_kept(kept, known, texts), texts, pair)
    models = [(name, name_of(name, texts), name == known) for name in sums]
    return show(visitor, "curves", kept, name=known, view=view, models=models)


@reading_pages.get("/importance")
@in_pool("reports")
def importance(store: StoreOfApp, visitor: VisitorOfApp, job: OwnJob) -> Response:
    """Show what counts, alone and together."""
    kept = _with(store, job, "choquet")
    texts = visitor.texts()
    shown = Shown.from_kept(kept, "choquet", texts)
    view = importance_page(shown, kept.model("choquet"), texts)
    return show(visitor, "importance", kept, name="choquet", view=view)


@reading_pages.get("/rules")
@in_pool("reports")
def rules(store: StoreOfApp, visitor: VisitorOfApp, job: OwnJob) -> Response:
    """Show weighted rules."""
    kept = _with(store, job, "rules")
    texts = visitor.texts()
    view = rules_page(Shown.from_kept(kept, "rules", texts), kept.model("rules"), texts)
    return show(visitor, "rules", kept, name="rules", view=view)


@reading_pages.get("/take")
@in_pool("reports")
def take(store: StoreOfApp, visitor: VisitorOfApp, job: OwnJob) -> Response:
    """Offer files to take away."""
    kept = KeptModel.from_job(store, job)
    files = [*FILES.items()]
    files += [
        (each, each) for each in ("table", "answers") if getattr(kept.settings, each)
    ]
    return show(visitor, "take", kept, files=files)


@reading_pages.get("/export/{name}")
@in_pool("reports")
def export(
    store: StoreOfApp, visitor: VisitorOfApp, job: OwnJob, name: str
) -> Response:
    """Give a file to take away."""
    return export_file(KeptModel.from_job(store, job), name, visitor.texts())


def export_file(kept: KeptModel, name: str, texts: Texts | None = None) -> Response:
    """Give a file of a model, or raise an HTTPException; a report in a language."""
    shown, title = kept.shown, f"{kept.job.name} {name}"
    if name in ("table", "answers") and getattr(kept.settings, name):
        body = kept.store.job_part(kept.job.id, name) or b""
        filename = getattr(kept.settings, name)
        return file_response(body, filename, "application/octet-stream")
    if name == "model.penchant":
        return file_response(kept.packed(shown), title, "application/octet-stream")
    if name == "report.html":
        report = kept.report(shown)
        if report is None:
            raise NotAnswerableError("The report is not ready yet.")
        body = model_report(report, kept.model(shown), kept.items, texts)
        return file_response(body, title, "text/html")
    if name == "predictions.csv":
        table = write_csv_table(kept.predicted_rows(shown), None)
        return csv_response(str(table), title)
    if name == "notebook.ipynb":
        return json_response(model_notebook(kept.settings), title)
    raise HTTPException(404, "There is no such file.")


def model_report(
    report: ModelReport, model: Any, items: Items, texts: Texts | None = None
) -> bytes:
    """Write a report as one HTML file, without scripts and without addresses.

    Parameters
    ----------
    report : ModelReport
        As `penchant.learning.describe` gives it.
    model : estimator
        The one that it is about.
    items : Items
        What it was learned from.
    texts : Texts or None
        In which language; None: in English.
    """
    texts = texts or load_texts("en")
    view = report_view(report, model, items, texts)
    page = render("learned/report.html", t=texts, view=view, styles=file_styles())
    return bytes(page.body)


def _with(store: Store, job: JobRecord, name: str) -> KeptModel:
    kept = KeptModel.from_job(store, job)
    if name not in kept.names:
        raise HTTPException(404, "There is no such model among the candidates.")
    return kept
