"""API v1: everything that the pages do, for programs."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, FastAPI, Query, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from penchant import __version__
from penchant.data import inspect_table, read_table
from penchant.exceptions import PenchantError
from penchant.studies import (
    TEMPLATES,
    Store,
    Study,
    answers_csv,
    check_limits,
    export_person,
    export_study,
    people_csv,
    person_answers_csv,
    replays,
    study_template,
    study_workbook,
)
from penchant.texts import load_texts
from penchant.views import ranking_csv, shelf_of
from penchant.views.forms import TableLimits
from penchant.web._errors import sentence_of, status_of
from penchant.web._exports import XLSX, csv_response, xlsx_response
from penchant.web._workers import Workers, in_pool
from penchant.web.api._access import (
    FILE,
    FILE_BODY,
    PICTURE,
    ApiOwner,
    ApiPerson,
    ApiStudy,
    OwnersFirst,
    RawBody,
    json_body,
)
from penchant.web.api._learned import ModelIn, learned_api
from penchant.web.api._models import (
    CountIn,
    ItemsOut,
    JoinedOut,
    JoinIn,
    ParticipantOut,
    Problem,
    SharedOut,
    StudyChange,
    StudyIn,
    StudyMade,
    StudyOut,
    TakingOut,
    TemplateIn,
)
from penchant.web.api._participant import participant_api
from penchant.web.api._results import CalibrationOut, GroupOut
from penchant.web.api._table import news_api, table_api
from penchant.web.pages._pictures import picture_response
from penchant.web.security._access import Access, StoreOfApp

owner_api = APIRouter(tags=["owner"], route_class=OwnersFirst)

_PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": Problem, "description": "The request is not understood."},
    401: {"model": Problem, "description": "There are no credentials that fit."},
    403: {"model": Problem, "description": "This is not allowed."},
    404: {"model": Problem, "description": "There is no such thing, or not for you."},
    409: {"model": Problem, "description": "Something else was settled before."},
    413: {"model": Problem, "description": "The body is too large."},
    422: {"model": Problem, "description": "A value does not fit."},
    429: {"model": Problem, "description": "Too many attempts."},
    503: {"model": Problem, "description": "The server or its store is too busy."},
}


_FileName = Annotated[
    str, Query(max_length=200, description="Its ending tells the format.")
]


_CSV: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}}
}


class _Api(FastAPI):
    """An app that describes bodies, too, that the framework does not read."""

    def openapi(self) -> dict[str, Any]:
        """Give the schema."""
        described = super().openapi()
        for kind in (StudyIn, ModelIn):
            body = kind.model_json_schema(ref_template="#/components/schemas/{model}")
            parts = body.pop("$defs", {})
            described["components"]["schemas"] |= {**parts, kind.__name__: body}
        return described


def create_api(
    store: Store, access: Access, pools: dict[str, Workers], limits: TableLimits
) -> FastAPI:
    """Make the app that is mounted under /api/v1.

    Parameters
    ----------
    store : Store
        Where studies are kept.
    access : Access
        Who may do what.
    pools : dict of str to Workers
        Who does heavy work.
    limits : TableLimits
        The largest table that is taken.
    """
    api = _Api(
        title="penchant",
        version=__version__,
        summary="Studies of what people prefer: ask, answer, rank, explain.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        responses=_PROBLEMS,
        redirect_slashes=False,
    )
    api.state.store = store
    api.state.access = access
    api.state.pools = pools
    api.state.limits = limits
    api.include_router(owner_api)
    api.include_router(table_api)
    api.include_router(learned_api)
    api.include_router(participant_api)
    api.include_router(news_api)
    api.add_exception_handler(PenchantError, _on_penchant_error)
    api.add_exception_handler(HTTPException, _on_http_error)
    api.add_exception_handler(RequestValidationError, _on_invalid)
    api.add_exception_handler(ValidationError, _on_invalid)
    return api


@owner_api.get("/studies")
def list_studies(store: StoreOfApp, owner: ApiOwner) -> list[StudyOut]:
    """List your studies; an admin sees all."""
    return [StudyOut.from_study(study) for study in owner.studies(store)]


@owner_api.post("/tables", openapi_extra=FILE_BODY)
@in_pool("reports")
def understand_table(
    request: Request, owner: ApiOwner, sent: RawBody, filename: _FileName
) -> dict[str, Any]:
    """Say how a file with a table is understood, column by column; keep nothing."""
    limits: TableLimits = request.app.state.limits
    table = read_table(sent, filename, **limits.options())
    return inspect_table(table).to_dict()


@owner_api.post(
    "/studies",
    status_code=201,
    openapi_extra=json_body("StudyIn"),
)
@in_pool("reports")
def create_study(
    request: Request, store: StoreOfApp, owner: ApiOwner, sent: RawBody
) -> StudyMade:
    """Make a study of a table of alternatives."""
    limits: TableLimits = request.app.state.limits
    body = StudyIn.read(sent, limits)
    items, settings = body.table(limits), body.settings.settings()
    check_limits(settings.limits, items)
    study_id = store.create_study(
        body.name, items, settings=settings, owner=owner.owner_id
    )
    made = StudyOut.from_study(store.get_study(study_id))
    report = items.report.to_dict() if items.report else {}
    return StudyMade(**dict(made), report=report)


@owner_api.get("/templates")
def list_templates(owner: ApiOwner) -> list[str]:
    """List what studies can be begun with."""
    return list(TEMPLATES)


@owner_api.post("/templates/{name}", status_code=201)
@in_pool("reports")
def begin_study(
    store: StoreOfApp, owner: ApiOwner, name: str, body: TemplateIn
) -> StudyOut:
    """Make a study of a table that is shipped."""
    study_id = study_template(name).create(
        store, title=body.name, language=body.language, owner=owner.owner_id
    )
    return StudyOut.from_study(store.get_study(study_id))


@owner_api.get("/studies/{study_id}")
def get_study(study: ApiStudy) -> StudyOut:
    """Show a study."""
    return StudyOut.from_study(study)


@owner_api.patch("/studies/{study_id}")
def change_study(store: StoreOfApp, study: ApiStudy, body: StudyChange) -> StudyOut:
    """Change the name or the settings of a study."""
    settings = body.settings.settings() if body.settings else None
    if settings is not None:
        check_limits(settings.limits, study.items)
    store.update_study(study.id, name=body.name, settings=settings)
    return StudyOut.from_study(store.get_study(study.id))


@owner_api.delete("/studies/{study_id}", status_code=204)
def delete_study(store: StoreOfApp, study: ApiStudy) -> None:
    """Forget a study with its participants and answers, for good."""
    store.delete_study(study.id)


@owner_api.get("/studies/{study_id}/items")
def get_items(store: StoreOfApp, study: ApiStudy) -> ItemsOut:
    """Show the alternatives."""
    shelf = shelf_of(store, study.id, study.items)
    return ItemsOut.from_items(study.items, shelf, study.withdrawn)


@owner_api.get(
    "/studies/{study_id}/pictures/{digest}", response_class=Response, responses=PICTURE
)
def get_picture(store: StoreOfApp, study: ApiStudy, digest: str) -> Response:
    """Give a picture of an alternative."""
    return picture_response(store, study.id, digest)


@owner_api.get("/studies/{study_id}/participants")
def list_participants(store: StoreOfApp, study: ApiStudy) -> list[ParticipantOut]:
    """List the participants in the order in which they joined."""
    states = replays(store, study.id, len(study.items))
    return [
        ParticipantOut.from_record(person, states.get(person.id))
        for person in store.list_participants(study.id)
    ]


@owner_api.post("/studies/{study_id}/participants", status_code=201)
def add_participant(
    request: Request, store: StoreOfApp, study: ApiStudy, body: JoinIn
) -> JoinedOut:
    """Add a participant; a study that is closed refuses (409)."""
    person, token = Study(store, study).join(body.label.strip(), body.language)
    return JoinedOut.for_link(request, person.id, token)


@owner_api.delete("/studies/{study_id}/participants/{participant_id}", status_code=204)
def remove_participant(store: StoreOfApp, person: ApiPerson) -> None:
    """Forget a participant with all answers, for good."""
    store.remove_participant(person.id)


@owner_api.post("/studies/{study_id}/participants/{participant_id}/link")
def renew_link(request: Request, store: StoreOfApp, person: ApiPerson) -> JoinedOut:
    """Give a participant a new link; the old one stops working."""
    token = store.renew_link(person.id)
    return JoinedOut.for_link(request, person.id, token)


@owner_api.post(
    "/studies/{study_id}/participants/{participant_id}/count", status_code=204
)
def count_participant(
    store: StoreOfApp, study: ApiStudy, person: ApiPerson, body: CountIn
) -> None:
    """Say how often a participant counts in the results of the group."""
    Study(store, study).weigh(person.id, body.votes())


@owner_api.get(
    "/studies/{study_id}/participants/{participant_id}/export",
    response_model=dict[str, Any],
)
def export_participant(store: StoreOfApp, person: ApiPerson) -> Response:
    """Give all that is kept about one participant."""
    return JSONResponse(export_person(store, person.id))


@owner_api.get(
    "/studies/{study_id}/participants/{participant_id}/answers.csv",
    response_class=Response,
    responses=_CSV,
)
def answers_of_participant(store: StoreOfApp, person: ApiPerson) -> Response:
    """Give the answers of one participant that stand as a table."""
    table = person_answers_csv(store, person.id)
    return csv_response(table, f"{person.label} answers.csv")


@owner_api.post("/studies/{study_id}/share", status_code=201)
def share(request: Request, store: StoreOfApp, study: ApiStudy) -> SharedOut:
    """Make a link to the result of the group; the one before stops working."""
    return SharedOut.for_link(request, store.share_study(study.id))


@owner_api.delete("/studies/{study_id}/share", status_code=204)
def unshare(store: StoreOfApp, study: ApiStudy) -> None:
    """Withdraw the link to the result of the group."""
    store.unshare_study(study.id)


@owner_api.get("/studies/{study_id}/taking")
def get_taking(store: StoreOfApp, study: ApiStudy) -> TakingOut:
    """Say whether the study takes new people."""
    return TakingOut.model_validate(Study(store, study).taking())


@owner_api.get("/studies/{study_id}/group")
@in_pool("reports")
def get_group(store: StoreOfApp, study: ApiStudy) -> GroupOut:
    """Show what the whole group prefers, and where it disagrees."""
    return GroupOut.model_validate(Study(store, study).group())


@owner_api.get("/studies/{study_id}/calibration")
@in_pool("reports")
def get_calibration(store: StoreOfApp, study: ApiStudy) -> CalibrationOut:
    """Show how often answers were predicted correctly, and how often we had said."""
    return CalibrationOut(**Study(store, study).calibration().to_dict())


@owner_api.get("/studies/{study_id}/export", response_model=dict[str, Any])
@in_pool("reports")
def export(store: StoreOfApp, study: ApiStudy) -> Response:
    """Give the whole study as JSON, as `penchant.studies.import_study` takes it."""
    return JSONResponse(export_study(store, study.id))  # written in the pool, too


_XLSX: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {XLSX: {"schema": FILE}}}
}


@owner_api.get(
    "/studies/{study_id}/people.csv", response_class=Response, responses=_CSV
)
@in_pool("reports")
def people(store: StoreOfApp, study: ApiStudy) -> Response:
    """Give the participants, and what they say of themselves, as a table."""
    return csv_response(people_csv(store, study.id), f"{study.name} people.csv")


@owner_api.get(
    "/studies/{study_id}/answers.csv", response_class=Response, responses=_CSV
)
@in_pool("reports")
def answers(store: StoreOfApp, study: ApiStudy) -> Response:
    """Give all answers that stand as a table."""
    return csv_response(answers_csv(store, study.id), f"{study.name} answers.csv")


@owner_api.get(
    "/studies/{study_id}/ranking.csv", response_class=Response, responses=_CSV
)
@in_pool("reports")
def group_ranking(store: StoreOfApp, study: ApiStudy) -> Response:
    """Give the common ranking as a table."""
    table = ranking_csv(Study(store, study).group())
    return csv_response(table, f"{study.name} ranking.csv")


@owner_api.get(
    "/studies/{study_id}/study.xlsx", response_class=Response, responses=_XLSX
)
@in_pool("reports")
def workbook(store: StoreOfApp, study: ApiStudy) -> Response:
    """Give the results as a workbook: ranking, people, answers, weights, segments."""
    return xlsx_response(study_workbook(Study(store, study)), f"{study.name}.xlsx")


def _on_penchant_error(_request: Request, error: Exception) -> Response:
    return _problem(status_of(error), sentence_of(error, load_texts("en")))


def _on_http_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _problem(error.status_code, str(error.detail), error.headers)


def _on_invalid(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError | ValidationError)
    first = error.errors()[0]
    inside = () if isinstance(error, RequestValidationError) else ("body",)
    place = ".".join(str(part) for part in (*inside, *first["loc"]))
    return _problem(422, f"{place}: {first['msg']}")


def _problem(status: int, sentence: str, headers: Any = None) -> Response:
    readable = sentence.encode("utf-8", "replace").decode()
    return JSONResponse({"detail": readable}, status, headers)
