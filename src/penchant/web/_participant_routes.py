"""The pages of a participant up to the last answer: join, agree, answer, pause."""

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from penchant.exceptions import ConflictError, DataError, NotAnswerableError
from penchant.studies import LANGUAGES, Study, Texts, load_texts
from penchant.web._answer_form import INCOMPLETE, read_answer
from penchant.web._pages import render
from penchant.web._question_view import question_view
from penchant.web._visit import (
    LANGUAGE_COOKIE,
    AnswerFields,
    Visit,
    VisitOfLink,
    language_of,
    paragraphs,
    study_frame,
    study_of,
)

__all__ = ["participant_pages"]

LONGEST_LABEL = 100
_YEAR = 365 * 24 * 3600
_PAGES: Final = ("", "result", "pause")
"""Pages to which a choice of the language leads back."""

participant_pages = APIRouter()


@participant_pages.get("/s/{study_id}/join")
def invite(request: Request, study_id: str) -> Response:
    """Show what a study is about and offer to take part."""
    study = study_of(request, study_id)
    return _invitation(study, load_texts(language_of(request, study)))


@participant_pages.post("/s/{study_id}/join")
def join(request: Request, study_id: str, fields: AnswerFields) -> Response:
    """Give somebody a link of their own and lead there."""
    study = study_of(request, study_id)
    texts = load_texts(language_of(request, study))
    if not study.settings.open:
        return _invitation(study, texts)
    label = str(fields.get("label", "")).strip()
    if len(label) > LONGEST_LABEL:
        return _invitation(study, texts, label[:LONGEST_LABEL], status=422)
    _, token = study.join(label, texts.language)
    return RedirectResponse(f"/p/{token}", 303)


@participant_pages.post("/s/{study_id}/language")
def choose_first_language(
    request: Request, study_id: str, fields: AnswerFields
) -> Response:
    """Show the invitation in another language."""
    study = study_of(request, study_id)
    return _with_language(fields, f"/s/{study.record.id}/join")


def _invitation(
    study: Study, texts: Texts, label: str = "", *, status: int = 200
) -> Response:
    frame = study_frame(study, texts, f"/s/{study.record.id}", "join")
    if not study.settings.open:
        return render(
            "notice.html",
            403,
            frame=frame,
            t=texts,
            title=texts("join.closed_title"),
            sentence=texts("join.closed"),
        )
    size = texts.count(
        "join.size",
        study.settings.max_questions,
        alternatives=texts.number(len(study.items)),
    )
    return render(
        "join.html",
        status,
        frame=frame,
        t=texts,
        demo=study.record.demo,
        intro=paragraphs(study.settings.intro),
        size=size,
        label=label,
        longest_label=LONGEST_LABEL,
        error=texts.count("join.too_long", LONGEST_LABEL) if status == 422 else "",
    )


@participant_pages.get("/p/{token}")
def participate(visit: VisitOfLink) -> Response:
    """Show what comes next: the consent, a question or the result."""
    return _next(visit)


@participant_pages.post("/p/{token}/consent")
def consent(visit: VisitOfLink) -> Response:
    """Keep that the person agreed."""
    if visit.needs_consent:
        visit.study.consent(visit.person.id)
    return RedirectResponse(visit.home, 303)


@participant_pages.post("/p/{token}/answer")
def answer(visit: VisitOfLink, fields: AnswerFields) -> Response:
    """Keep an answer, then ask the next question."""
    if visit.needs_consent:
        return RedirectResponse(visit.home, 303)
    asked = str(fields.get("question", ""))
    opened = visit.now.open_question
    if opened is not None and opened.id == asked:
        question: Any = opened
    else:
        question = visit.now.answer_to(asked)
    if question is None:
        return _next(visit, 409, notice=visit.texts("question.conflict"))
    try:
        visit.study.tell(visit.person.id, asked, read_answer(question, fields))
    except DataError:
        notice = visit.texts(INCOMPLETE[question.form])
        return _next(visit, 422, notice=notice, given=_texts_of(fields))
    except ConflictError:
        return _next(visit, 409, notice=visit.texts("question.conflict"))
    return RedirectResponse(visit.home, 303)


@participant_pages.post("/p/{token}/undo")
def undo(visit: VisitOfLink) -> Response:
    """Take the last answer back."""
    try:
        visit.study.undo(visit.person.id)
    except NotAnswerableError:
        return _next(visit, 409, notice=visit.texts("question.nothing_to_undo"))
    return RedirectResponse(visit.home, 303)


@participant_pages.post("/p/{token}/finish")
def finish(visit: VisitOfLink) -> Response:
    """End the questions because the person wants to."""
    visit.study.finish(visit.person.id)
    return RedirectResponse(f"{visit.home}/result", 303)


@participant_pages.post("/p/{token}/go-on")
def go_on(visit: VisitOfLink) -> Response:
    """Ask more questions after the end."""
    visit.study.go_on(visit.person.id)
    return RedirectResponse(visit.home, 303)


@participant_pages.post("/p/{token}/language")
def choose_language(visit: VisitOfLink, fields: AnswerFields) -> Response:
    """Show the pages in another language from now on."""
    page = str(fields.get("page", ""))
    path = f"/{page}" if page in _PAGES and page else ""
    return _with_language(fields, f"{visit.home}{path}")


@participant_pages.get("/p/{token}/pause")
def pause(request: Request, visit: VisitOfLink) -> Response:
    """Tell how to come back."""
    address = str(request.url.replace(path=visit.home, query=""))
    return visit.render("pause.html", page="pause", address=address)


def _next(
    visit: Visit,
    status: int = 200,
    *,
    notice: str = "",
    given: dict[str, str] | None = None,
) -> Response:
    if visit.needs_consent:
        text = paragraphs(visit.study.settings.consent)
        return visit.render("consent.html", consent=text)
    question = visit.study.ask(visit.person.id)
    if question is None:
        return RedirectResponse(f"{visit.home}/result", 303)
    view = question_view(
        visit.study.items,
        question,
        visit.study.progress(visit.person.id),
        visit.texts,
        notice=notice,
        given=given,
    )
    return visit.render("question.html", status, q=view)


def _texts_of(fields: AnswerFields) -> dict[str, str]:
    return {name: value for name, value in fields.items() if isinstance(value, str)}


def _with_language(fields: AnswerFields, path: str) -> Response:
    response = RedirectResponse(path, 303)
    language = str(fields.get("language", ""))
    if language in LANGUAGES:
        response.set_cookie(
            LANGUAGE_COOKIE, language, max_age=_YEAR, httponly=True, samesite="lax"
        )
    return response
