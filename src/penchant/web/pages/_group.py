"""What a whole group prefers: the page, the model on one page, and files."""

from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from penchant.exceptions import NotAnswerableError
from penchant.studies import (
    GroupModels,
    Study,
    answers_csv,
    export_study,
    people_csv,
    study_notebook,
    study_workbook,
)
from penchant.texts import Texts
from penchant.views import (
    CHARTS,
    PictureKind,
    checks_view,
    draw_chart,
    group_view,
    model_view,
    ranking_csv,
)
from penchant.web._exports import (
    csv_response,
    file_name,
    file_response,
    json_response,
    xlsx_response,
)
from penchant.web._fitting import Fitting, counted
from penchant.web._workers import in_pool
from penchant.web.pages._news import news_of
from penchant.web.pages._report import make_report, photos_of, report_context
from penchant.web.pages._wanted import WantedPart
from penchant.web.security._access import OwnStudy, StoreOfApp, Visitor, VisitorOfApp

group_pages = APIRouter(prefix="/studies/{study_id}")

_KINDS: Final = {"svg": "image/svg+xml", "png": "image/png"}
_FILES: Final = (
    ("report.html", "report"),
    ("study.xlsx", "workbook"),
    ("ranking.csv", "ranking"),
    ("answers.csv", "answers"),
    ("people.csv", "people"),
    ("study.json", "study"),
    ("notebook.ipynb", "notebook"),
)
"""Files to take away, and how the catalogue of texts calls them."""

_PATIENCE: Final = 8.0
"""Seconds after which a page says that the models are not ready yet."""

_FITTING: Final = Fitting(lambda study: study.group_models())


@group_pages.get("/group")
@in_pool("reports")
def group(
    store: StoreOfApp, visitor: VisitorOfApp, study: OwnStudy, wanted: WantedPart
) -> Response:
    """Show what the group prefers and where it disagrees."""
    asked, texts = Study(store, study), visitor.texts(study)
    found = counted(asked)
    if found is None:
        return _wait(visitor, asked, "group")
    if not found.items:
        return visitor.render("group_empty.html", study=study)
    return visitor.render(
        "group.html",
        study=study,
        news=news_of(store, study.id),
        checks=checks_view(asked.calibration(), texts),
        group=group_view(found, study.items, texts, wanted),
        photos=photos_of(asked),
        charts=CHARTS,
        files=_FILES,
    )


@group_pages.get("/model")
@in_pool("reports")
def model(store: StoreOfApp, visitor: VisitorOfApp, study: OwnStudy) -> Response:
    """Show the rules and the sparse model of all answers on one page."""
    texts = visitor.texts(study)
    models, reason = _models(Study(store, study), texts)
    return visitor.render(
        "model.html",
        study=study,
        model=None if models is None else model_view(models, study.items, texts),
        reason=reason,
        charts=() if reason else CHARTS,
        files=_FILES,
    )


@group_pages.get("/report")
@in_pool("reports")
def report(store: StoreOfApp, visitor: VisitorOfApp, study: OwnStudy) -> Response:
    """Show all results on one page, for print."""
    found = Study(store, study)
    if counted(found) is None:
        return _wait(visitor, found, "report")
    texts = visitor.texts(study)
    models, reason = _models(found, texts)
    return visitor.render(
        "report_page.html",
        study=study,
        reason=reason,
        day=texts.day(datetime.now(UTC)),
        charts=() if reason else CHARTS,
        files=_FILES,
        photos=photos_of(found),
        **report_context(found, models, texts),
    )


def _wait(visitor: Visitor, study: Study, here: str) -> Response:
    """Say that people are being counted; the page looks again by itself."""
    return visitor.render(
        "group_wait.html",
        study=study.record,
        title=visitor.texts(study.record)(f"owner.study.{here}"),
        n_people=len(study.store.list_participants(study.id)),
        here=here,
        again=f"/studies/{study.id}/{here}",
    )


def _models(study: Study, texts: Texts) -> tuple[GroupModels | None, str]:
    """Give the models, if they are ready soon; or say why there are none."""
    try:
        return _FITTING.made(study, _PATIENCE), ""
    except NotAnswerableError:
        return None, texts("owner.model.too_few")


@group_pages.get("/export/{name}")
@in_pool("reports")
def export(
    store: StoreOfApp, visitor: VisitorOfApp, study: OwnStudy, name: str
) -> Response:
    """Give a file to take away."""
    title = f"{study.name} {name}"
    if name == "answers.csv":
        return csv_response(answers_csv(store, study.id), title)
    if name == "people.csv":
        return csv_response(people_csv(store, study.id), title)
    if name == "study.json":
        return json_response(export_study(store, study.id), title)
    if name == "notebook.ipynb":
        source = file_name(f"{study.name} study.json")
        return json_response(study_notebook(source), title)
    if name == "ranking.csv":
        return csv_response(ranking_csv(Study(store, study).group()), title)
    if name == "study.xlsx":
        return xlsx_response(study_workbook(Study(store, study)), title)
    if name == "report.html":
        page = _report(Study(store, study), visitor.texts(study))
        return file_response(page, title, "text/html")
    raise HTTPException(404, "There is no such file.")


def _report(study: Study, texts: Texts) -> bytes:
    try:
        models = _FITTING.made(study)
    except NotAnswerableError:
        models = None
    return make_report(study, models, texts)


@group_pages.get("/charts/{name}.{kind}")
@in_pool("reports")
def chart(
    store: StoreOfApp,
    visitor: VisitorOfApp,
    study: OwnStudy,
    name: str,
    kind: PictureKind,
) -> Response:
    """Give a picture to take away."""
    if name not in CHARTS:
        raise HTTPException(404, "There is no such picture.")
    texts = visitor.texts(study)
    picture = draw_chart(name, kind, Study(store, study), _FITTING.made, texts)
    return file_response(picture, f"{study.name} {name}.{kind}", _KINDS[kind])
