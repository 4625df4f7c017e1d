"""What a whole group prefers: the page, the model on one page, and files."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from penchant.exceptions import NotAnswerableError
from penchant.studies import Study, answers_csv, export_study
from penchant.web._access import OwnStudy, StoreOfApp, VisitorOfApp
from penchant.web._exports import csv_response, file_response, json_response
from penchant.web._figures import CHARTS, PictureKind, draw_chart
from penchant.web._fitting import Fitting
from penchant.web._group_view import group_view, ranking_csv
from penchant.web._model_view import model_view
from penchant.web._pages import render
from penchant.web._report import make_report

__all__ = ["group_pages"]

group_pages = APIRouter(prefix="/studies/{study_id}")

_KINDS: Final = {"svg": "image/svg+xml", "png": "image/png"}
_PATIENCE: Final = 8.0
"""Seconds after which a page says that the models are not ready yet."""

_FITTING: Final = Fitting()


@group_pages.get("/group")
def group(
    store: StoreOfApp,
    visitor: VisitorOfApp,
    study: OwnStudy,
    attribute: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Show what the group prefers and where it disagrees."""
    found = Study(store, study.id).group()
    context: dict[str, Any] = {"visitor": visitor, "record": study, "charts": CHARTS}
    if not found.items:
        return render("group_empty.html", **context)
    view = group_view(found, study.items, attribute)
    return render("group.html", group=view, **context)


@group_pages.get("/model")
def model(store: StoreOfApp, visitor: VisitorOfApp, study: OwnStudy) -> Response:
    """Show the rules and the sparse model of all answers on one page."""
    view, reason = None, ""
    try:
        models = _FITTING.models(Study(store, study.id), _PATIENCE)
        view = None if models is None else model_view(models, study.items)
    except NotAnswerableError as error:
        reason = str(error)
    return render(
        "model.html",
        visitor=visitor,
        record=study,
        model=view,
        reason=reason,
        charts=CHARTS,
    )


@group_pages.get("/export/{name}")
def export(store: StoreOfApp, study: OwnStudy, name: str) -> Response:
    """Give a file to take away."""
    title = f"{study.name} {name}"
    if name == "answers.csv":
        return csv_response(answers_csv(store, study.id), title)
    if name == "study.json":
        return json_response(export_study(store, study.id), title)
    if name == "ranking.csv":
        return csv_response(ranking_csv(Study(store, study.id).group()), title)
    if name == "report.html":
        return file_response(_report(Study(store, study.id)), title, "text/html")
    raise HTTPException(404, "There is no such file.")


def _report(study: Study) -> bytes:
    try:
        models = _FITTING.models(study)
    except NotAnswerableError:
        models = None
    return make_report(study, models)


@group_pages.get("/charts/{name}.{kind}")
def chart(store: StoreOfApp, study: OwnStudy, name: str, kind: PictureKind) -> Response:
    """Give a picture to take away."""
    if name not in dict(CHARTS):
        raise HTTPException(404, "There is no such picture.")
    picture = draw_chart(name, kind, Study(store, study.id), _FITTING)
    return file_response(picture, f"{study.name} {name}.{kind}", _KINDS[kind])
