"""Making a model: upload, say what is to be learned, wait, cancel, go on, delete."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from penchant.exceptions import DataError
from penchant.jobs import (
    JobSettings,
    KeptModel,
    Runner,
    TargetGuess,
    guess_target,
    kind_of,
)
from penchant.studies import JobRecord, Store
from penchant.views.forms import TableLimits
from penchant.views.learned import (
    model_line,
    name_from,
    overview,
    progress_view,
    read_start,
    start_form,
)
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

making_pages = APIRouter(prefix="/models")

MOST_ACTIVE = 10
"""Models of one owner that may wait or be learned at once."""


@making_pages.get("")
def models(request: Request, store: StoreOfApp, visitor: VisitorOfApp) -> Response:
    """List the models, and offer to learn from a file."""
    return _list(request, store, visitor)


@making_pages.post("")
@in_pool("reports")
def upload(
    request: Request, store: StoreOfApp, sender: Sender, fields: Fields
) -> Response:
    """Keep uploaded files until it is said what is to be learned from them."""
    (table_name, table), (answers_name, answers) = (
        next(iter(sent_files(fields, name)), ("", None))
        for name in ("table", "answers")
    )
    limits: TableLimits = request.app.state.limits
    try:
        guess = guess_target(table, answers, table_name, **limits.options())
    except DataError as error:
        return _list(request, store, sender, sender.texts().refusal(error))
    files = {"table": table, "answers": answers}
    parts = {name: body for name, body in files.items() if body is not None}
    told = JobSettings(target=guess.target, table=table_name, answers=answers_name)
    name = name_from(answers_name or table_name)
    job = store.add_job(name, told.to_dict(), parts, owner=sender.owner_id)
    return RedirectResponse(f"/models/{job}/start", 303)


@making_pages.get("/{model_id}")
@in_pool("reports")
def model(
    request: Request, store: StoreOfApp, visitor: VisitorOfApp, job: OwnJob
) -> Response:
    """Show how far learning is, or what was learned."""
    if job.state == "new":
        return RedirectResponse(f"/models/{job.id}/start", 303)
    texts = visitor.texts()
    view = progress_view(store, job, texts) if job.state != "done" else None
    if KeptModel.is_ready(store, job):
        kept = KeptModel.from_job(store, job)
        found = overview(kept, texts)
        return show(visitor, "overview", kept, view=found, ended=view)
    return visitor.render("learned/progress.html", job=job, view=view)


@making_pages.get("/{model_id}/start")
@in_pool("reports")
def start(
    request: Request, store: StoreOfApp, visitor: VisitorOfApp, job: OwnJob
) -> Response:
    """Show what was guessed, to be changed."""
    return _start(request, store, visitor, job, _guess(request, store, job))


@making_pages.post("/{model_id}/start")
@in_pool("reports")
def begin(
    request: Request, store: StoreOfApp, sender: Sender, job: OwnJob, fields: Fields
) -> Response:
    """Let the model be learned; or look what another column holds."""
    guess = _guess(request, store, job)
    settings = JobSettings.from_dict(job.settings)
    try:
        name, told = read_start(fields, guess, settings)
        if "look" in fields:
            return _start(request, store, sender, job, guess, told)
        if told.target:  # an error says what is wrong with it
            limits: TableLimits = request.app.state.limits
            table = store.job_part(job.id, "table") or b""
            kind_of(table, told.target, told.table, strict=True, **limits.options())
    except DataError as error:
        return _start(
            request, store, sender, job, guess, error=sender.texts().refusal(error)
        )
    if job.state in ("failed", "cancelled") and told != settings:
        job_id = _anew(store, job, told)  # what was kept is about something else
    else:
        job_id = job.id
    store.queue_job(job_id, name=name, settings=told.to_dict(), most=MOST_ACTIVE)
    _wake(request)
    return RedirectResponse(f"/models/{job_id}", 303)


def _anew(store: Store, job: JobRecord, told: JobSettings) -> str:
    """Make a job of the same files in the place of one that learned otherwise."""
    dump = store.dump_job(job.id)
    files = {n: body for n, body in dump.parts.items() if n in ("table", "answers")}
    made = store.add_job(job.name, told.to_dict(), files, owner=job.owner)
    store.delete_job(job.id)
    return made


@making_pages.post("/{model_id}/cancel")
def cancel(store: StoreOfApp, _sender: Sender, job: OwnJob) -> Response:
    """End learning; what was compared is kept."""
    store.cancel_job(job.id)
    return RedirectResponse(f"/models/{job.id}", 303)


@making_pages.post("/{model_id}/resume")
def resume(
    request: Request, store: StoreOfApp, _sender: Sender, job: OwnJob
) -> Response:
    """Go on with what was ended."""
    store.queue_job(job.id, most=MOST_ACTIVE)
    _wake(request)
    return RedirectResponse(f"/models/{job.id}", 303)


@making_pages.post("/{model_id}/choose")
@in_pool("reports")
def choose(
    request: Request, store: StoreOfApp, sender: Sender, job: OwnJob, fields: Fields
) -> Response:
    """Show another candidate first; what it lacks is learned in the background."""
    choose_model(store, job, str(fields.get("model", "")))
    _wake(request)
    return RedirectResponse(f"/models/{job.id}", 303)


def choose_model(store: Store, job: JobRecord, name: str) -> None:
    """Let another candidate be shown first, or raise a DataError."""
    kept = KeptModel.from_job(store, job)
    told = {**kept.settings.to_dict(), "chosen": kept.check_name(name)}
    store.queue_job(job.id, settings=told, most=MOST_ACTIVE)


@making_pages.get("/{model_id}/delete")
def ask_delete(visitor: VisitorOfApp, job: OwnJob) -> Response:
    """Ask whether the model is to be forgotten."""
    return visitor.render("learned/delete.html", job=job)


@making_pages.post("/{model_id}/delete")
def delete(store: StoreOfApp, _sender: Sender, job: OwnJob) -> Response:
    """Forget a model with its files and all that was learned."""
    store.delete_job(job.id)
    return RedirectResponse("/models", 303)


def _wake(request: Request) -> None:
    runner: Runner = request.app.state.runner
    runner.wake()


def _list(
    request: Request, store: Store, visitor: Visitor, error: str = ""
) -> Response:
    texts = visitor.texts()
    return visitor.render(
        "learned/models.html",
        422 if error else 200,
        models=[model_line(job, texts) for job in visitor.jobs(store)],
        limit=f"{request.app.state.limits.bytes / 1e6:g}\u00a0MB",
        model_error=error,
    )


def _guess(
    request: Request, store: Store, job: JobRecord, told: JobSettings | None = None
) -> TargetGuess:
    limits: TableLimits = request.app.state.limits
    settings = told or JobSettings.from_dict(job.settings)
    return guess_target(
        store.job_part(job.id, "table"),
        store.job_part(job.id, "answers"),
        settings.table,
        target=settings.target,
        **limits.options(),
    )


def _start(
    request: Request,
    store: Store,
    visitor: Visitor,
    job: JobRecord,
    guess: TargetGuess,
    told: JobSettings | None = None,
    error: str = "",
) -> Response:
    if told is not None:
        guess = _guess(request, store, job, told)
    settings = told or JobSettings.from_dict(job.settings)
    form = start_form(job, guess, settings, visitor.texts())
    runner: Runner = request.app.state.runner
    return visitor.render(
        "learned/start.html",
        422 if error else 200,
        job=job,
        form=form,
        error=error,
        minutes=round(runner.limits.seconds / 60),
    )
