"""Models that are learned from files, for programs."""

import base64
import binascii
import math
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BeforeValidator, Field
from pydantic_core import from_json
from starlette.requests import Request

from penchant.exceptions import DataError
from penchant.jobs import (
    JobSettings,
    KeptModel,
    Reasons,
    Runner,
    guess_target,
    kind_of,
)
from penchant.studies import JobRecord
from penchant.views.forms import LONGEST_NAME, TableLimits
from penchant.web._workers import in_pool
from penchant.web.api._access import (
    FILE,
    FILE_BODY,
    ApiOwner,
    OwnersFirst,
    RawBody,
    json_body,
)
from penchant.web.api._models import Known, Model
from penchant.web.learned import MOST_ACTIVE, choose_model, export_file
from penchant.web.security._access import StoreOfApp

learned_api = APIRouter(tags=["models"], route_class=OwnersFirst)

_Candidate = Literal["linear", "curves", "gai", "choquet", "rules"]
_Name = Annotated[str, Field(min_length=1, max_length=300)]
_Row = Annotated[int, Query(ge=1, le=10_000_000, description="From 1 on.")]
_Shown = Annotated[
    _Candidate | None, Query(description="Which model; default: the one shown first.")
]
FileOf = Literal[
    "report.html",
    "model.penchant",
    "predictions.csv",
    "notebook.ipynb",
    "table",
    "answers",
]


class ModelIn(Model):
    """Files to learn from, and what is to be learned."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME, pattern=r"\S")
    table: str | None = Field(
        default=None, description="A file: its text, or its bytes in base64."
    )
    answers: str | None = Field(
        default=None, description="A file of answers: its text, or its bytes in base64."
    )
    base64: bool = Field(default=False, description="Whether the files are in base64.")
    filename: str = Field(
        default="table.csv", max_length=200, description="Its ending tells the format."
    )
    target: str | None = Field(
        default=None, max_length=300, description="Column to predict; None: guessed."
    )
    kind: Literal["auto", "numbers", "classes", "grades"] = "auto"
    up: list[_Name] = Field(default=[], max_length=300)
    down: list[_Name] = Field(default=[], max_length=300)
    skip: list[_Name] = Field(default=[], max_length=300)
    n_folds: int = Field(default=5, ge=2, le=10, strict=True)

    @classmethod
    def read(cls, body: bytes) -> "ModelIn":
        """Read JSON."""
        try:
            values = from_json(body)
        except ValueError as error:
            raise DataError(f"The body is not valid JSON: {error}.") from None
        return cls.model_validate(values)

    def files(self) -> dict[str, bytes]:
        """Give the files by name, or raise a DataError."""
        found = {}
        for name in ("table", "answers"):
            text = getattr(self, name)
            if text is None:
                continue
            try:
                plain = text.encode()
                found[name] = (
                    base64.b64decode(plain, validate=True) if self.base64 else plain
                )
            except (UnicodeEncodeError, binascii.Error):
                raise DataError(f"{name} cannot be read: it is not base64.") from None
        return found


class ModelOut(Model):
    """A model, and how far it is."""

    id: str
    name: str
    state: Literal["new", "waiting", "running", "done", "failed", "cancelled"]
    target: str
    created: datetime
    share: float = Field(description="How much is done, from 0 to 1.")
    candidate: str = Field(description="What is compared now; empty: nothing.")
    seconds_left: float | None
    error: str = Field(description="Why it failed; empty: it did not.")

    @classmethod
    def from_job(cls, job: JobRecord) -> "ModelOut":
        """Show a job."""
        told = job.progress
        return cls.from_source(
            job,
            target=str(job.settings.get("target", "")),
            share=1.0 if job.state == "done" else float(told.get("share") or 0.0),
            candidate=str(told.get("candidate") or ""),
            seconds_left=told.get("seconds_left"),
            error=str(told.get("error") or ""),
        )


class CandidateOut(Model):
    """A candidate: how good it is, and how much there is to read."""

    name: str
    title: str
    score: Known = None
    score_error: Known = None
    loss: Known = None
    size: int | None = None
    parts: Annotated[dict[str, int], BeforeValidator(lambda parts: parts or {})] = (
        Field(default={})
    )
    gap: float | None = Field(
        default=None, description="Certified distance of the fit from its optimum."
    )
    skipped: str = ""


class ModelPartOut(Model):
    """One thing to read: a curve, a pair, a criterion, a rule."""

    kind: str
    names: list[str]
    size: float
    label: str
    text: str
    grid: list[list[float | str]]
    values: list[Any]
    low: list[float]
    high: list[float]


class DescriptionOut(Model):
    """What was compared, and what there is to read."""

    kind: str
    measure: str
    n_rows: int
    n_folds: int
    recommended: str
    shown: str
    candidates: list[CandidateOut]
    model: str = Field(description="Whose parts these are.")
    parts: list[ModelPartOut]
    notes: list[str]


class ReasonsOut(Model):
    """What each attribute adds: base, values and gap add up to the total."""

    values: dict[str, float]
    base: float
    total: float
    gap: float
    game: str = Field(description="What it is compared with.")
    label: str = Field(description="The class whose chance it is; empty: a score.")
    groups: list[list[str]] = Field(default=[])

    @classmethod
    def from_reasons(cls, reasons: Reasons | None) -> "ReasonsOut | None":
        """Show reasons; None: the way does not apply."""
        if reasons is None:
            return None
        values = dict(zip(reasons.names, reasons.values, strict=True))
        return cls.from_source(reasons, values=values)


class RowOut(Model):
    """Why the model says what it says of a row."""

    row: int
    name: str
    value: float | None
    label: str
    chances: dict[str, float]
    exact: ReasonsOut | None
    coalitions: ReasonsOut | None


class RatherOut(Model):
    """What speaks for one row rather than another."""

    row: int
    rival: int
    reasons: ReasonsOut | None


class PredictionsOut(Model):
    """What a model says of new rows."""

    columns: list[str]
    rows: list[list[float | str | None]]


class ChoiceIn(Model):
    """Which model is shown first."""

    model: _Candidate


def _job(visitor: ApiOwner, store: StoreOfApp, model_id: str) -> JobRecord:
    return visitor.job(store, model_id)


ApiJob = Annotated[JobRecord, Depends(_job)]

_BINARY: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "content": {
            kind: {"schema": FILE}
            for kind in ("application/octet-stream", "text/html", "text/csv")
        }
        | {"application/json": {"schema": {}}}
    }
}


def _wake(request: Request) -> None:
    runner: Runner = request.app.state.runner
    runner.wake()


@learned_api.get("/models")
def list_models(store: StoreOfApp, owner: ApiOwner) -> list[ModelOut]:
    """List your models; an admin sees all."""
    return [ModelOut.from_job(job) for job in owner.jobs(store)]


@learned_api.post(
    "/models",
    status_code=201,
    openapi_extra=json_body("ModelIn"),
)
@in_pool("reports")
def create_model(
    request: Request, store: StoreOfApp, owner: ApiOwner, sent: RawBody
) -> ModelOut:
    """Learn from files: a table with a target, or answers; it begins at once."""
    limits: TableLimits = request.app.state.limits
    body = ModelIn.read(sent)
    files = body.files()
    table, answers = files.get("table"), files.get("answers")
    guess = guess_target(
        table, answers, body.filename, target=body.target or "", **limits.options()
    )
    if table is not None and answers is None and not guess.kind:
        kind_of(table, guess.target, body.filename, strict=True, **limits.options())
    told = JobSettings(
        target=guess.target,
        kind=body.kind,
        up=tuple(body.up),
        down=tuple(body.down),
        skip=tuple(body.skip),
        n_folds=body.n_folds,
        table=body.filename if table is not None else "",
        answers="answers.csv" if answers is not None else "",
    )
    job_id = store.add_job(body.name, told.to_dict(), files, owner=owner.owner_id)
    try:
        store.queue_job(job_id, most=MOST_ACTIVE)
    except Exception:
        store.delete_job(job_id)
        raise
    _wake(request)
    return ModelOut.from_job(store.get_job(job_id))


@learned_api.get("/models/{model_id}")
def get_model(job: ApiJob) -> ModelOut:
    """Show a model, and how far it is."""
    return ModelOut.from_job(job)


@learned_api.delete("/models/{model_id}", status_code=204)
def delete_model(store: StoreOfApp, job: ApiJob) -> None:
    """Forget a model with its files, for good."""
    store.delete_job(job.id)


@learned_api.post("/models/{model_id}/cancel")
def cancel_model(store: StoreOfApp, job: ApiJob) -> ModelOut:
    """End learning; what was compared is kept."""
    store.cancel_job(job.id)
    return ModelOut.from_job(store.get_job(job.id))


@learned_api.post("/models/{model_id}/resume")
def resume_model(request: Request, store: StoreOfApp, job: ApiJob) -> ModelOut:
    """Go on with what was cancelled or failed (409: it goes on already)."""
    store.queue_job(job.id, most=MOST_ACTIVE)
    _wake(request)
    return ModelOut.from_job(store.get_job(job.id))


@learned_api.post("/models/{model_id}/choose")
def choose(
    request: Request, store: StoreOfApp, job: ApiJob, body: ChoiceIn
) -> ModelOut:
    """Show another candidate first; what it lacks is learned."""
    choose_model(store, job, body.model)
    _wake(request)
    return ModelOut.from_job(store.get_job(job.id))


@learned_api.get("/models/{model_id}/description")
@in_pool("reports")
def describe_model(
    store: StoreOfApp, job: ApiJob, model: _Shown = None
) -> DescriptionOut:
    """Say what was compared, which one is recommended, and what there is to read."""
    kept = KeptModel.from_job(store, job)
    told, name = kept.comparison, kept.check_name(model or "")
    return DescriptionOut.from_source(
        told,
        recommended=told.recommended.name,
        shown=kept.shown,
        candidates=told.results,
        model=name,
        parts=kept.parts(name),
        notes=[str(note) for note in kept.about["notes"]],
    )


@learned_api.post("/models/{model_id}/predictions", openapi_extra=FILE_BODY)
@in_pool("reports")
def predict(
    request: Request,
    store: StoreOfApp,
    job: ApiJob,
    sent: RawBody,
    filename: Annotated[
        str, Query(max_length=200, description="Its ending tells the format.")
    ],
    model: _Shown = None,
) -> PredictionsOut:
    """Tell what a model says of the rows of a table."""
    kept = KeptModel.from_job(store, job)
    limits: TableLimits = request.app.state.limits
    name = kept.check_name(model or "")
    found = kept.table(name, sent, filename, **limits.options())
    rows = found.astype(object).to_numpy().tolist()
    return PredictionsOut(
        columns=[str(column) for column in found.columns],
        rows=[[_cell(value) for value in row] for row in rows],
    )


@learned_api.get("/models/{model_id}/why")
@in_pool("reports")
def why(store: StoreOfApp, job: ApiJob, row: _Row, model: _Shown = None) -> RowOut:
    """Say what each attribute adds, by the exact form and by coalitions."""
    kept = KeptModel.from_job(store, job)
    name, place = kept.check_name(model or ""), kept.check_row(row - 1)
    frame = kept.items.frame.iloc[[place]]
    said = kept.said(name, frame)[0]
    return RowOut.from_source(
        said,
        row=row,
        name=kept.items.names[place],
        chances=dict(said.chances),
        exact=ReasonsOut.from_reasons(kept.exact(name, frame)),
        coalitions=ReasonsOut.from_reasons(kept.by_coalitions(name, place)),
    )


@learned_api.get("/models/{model_id}/rather-than")
@in_pool("reports")
def rather_than(
    store: StoreOfApp, job: ApiJob, row: _Row, rival: _Row, model: _Shown = None
) -> RatherOut:
    """Say what speaks for one row rather than another."""
    kept = KeptModel.from_job(store, job)
    name = kept.check_name(model or "")
    first, second = kept.check_row(row - 1), kept.check_row(rival - 1)
    found = kept.rather_than(name, first, second)
    return RatherOut(row=row, rival=rival, reasons=ReasonsOut.from_reasons(found))


@learned_api.get(
    "/models/{model_id}/files/{file}", response_class=Response, responses=_BINARY
)
@in_pool("reports")
def download(store: StoreOfApp, job: ApiJob, file: FileOf) -> Response:
    """Give a file: the model, its report, predictions, a notebook, what was sent."""
    return export_file(KeptModel.from_job(store, job), file)


def _cell(value: Any) -> float | str | None:
    if isinstance(value, str):
        return value
    number = float(value)
    return number if math.isfinite(number) else None
