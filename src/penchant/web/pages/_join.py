"""The invitation of a study: what it is about, and how somebody joins."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from penchant.data import Limits
from penchant.exceptions import ParticipantNotFoundError, StudyNotFoundError
from penchant.studies import Store, Study, demo_in
from penchant.texts import Texts
from penchant.views.forms import about_form, read_about_form, settings_form
from penchant.web._errors import LinkNotFoundError
from penchant.web._page import change_language, render, study_frame, study_texts
from penchant.web.pages._participant import AnswerFields, why_closed
from penchant.web.security._access import Access

LONGEST_LABEL = 100

_SEEN: Final = "penchant_person"
"""Cookie with the link of who joined from this browser; a study sees its own only."""

_YEAR: Final = 365 * 24 * 3600

_ANEW: Final = "join?new=1"
"""The invitation for somebody else at the same browser."""

join_pages = APIRouter()


@join_pages.get("/s/{study_id}/join")
def invite(request: Request, study_id: str, *, new: bool = False) -> Response:
    """Show what a study is about; who joined from this browser goes on instead."""
    study = _study_of(request, study_id)
    if not new and (token := _seen(request, study)):
        return RedirectResponse(f"/p/{token}", 303)
    texts = study_texts(request, study)
    if study.record.demo:  # each language has a demo with a table of its own
        own = demo_in(texts.language, study.store.list_studies())
        if own not in (None, study.id):
            return RedirectResponse(f"/s/{own}/{_ANEW if new else 'join'}", 303)
    return _invitation(study, texts, new=new)


@join_pages.post("/s/{study_id}/join")
def join(request: Request, study_id: str, fields: AnswerFields) -> Response:
    """Give somebody a link of their own and lead there; once in a browser."""
    study = _study_of(request, study_id)
    new = fields.get("new") == "1"
    if not new and (token := _seen(request, study)):
        return RedirectResponse(f"/p/{token}", 303)
    texts = study_texts(request, study)
    agreed = fields.get("agreed") == "yes"
    asks = study.settings.asks_consent
    if not study.taking().open or (asks and not agreed):
        return _invitation(study, texts, new=new)
    if asks and "label" not in fields:  # the name comes after the consent
        return _who(study, texts, {}, new=new)
    label = str(fields.get("label", "")).strip()
    questions = study.settings.about_now("before") if asks else ()
    said, errors = read_about_form(questions, fields, texts)
    if errors or len(label) > LONGEST_LABEL:
        if asks:
            return _who(study, texts, fields, errors, new=new)
        shown = label[:LONGEST_LABEL]
        return _invitation(study, texts, shown, status=422, new=new)
    access: Access = request.app.state.access
    access.check_join(study.store, request, study.id)
    person, token = study.join(label, texts.language)
    if asks:
        study.consent(person.id)
    if questions:
        study.describe(person.id, said)
    first = "/limits" if "limits" in fields else ""
    response = RedirectResponse(f"/p/{token}{first}", 303)
    response.set_cookie(
        _SEEN,
        token,
        max_age=_YEAR,
        path=f"/s/{study.id}",
        httponly=True,
        secure=request.url.scheme == "https",
        samesite="lax",
    )
    return response


def _seen(request: Request, study: Study) -> str:
    """Give the link of whoever joined a study from this browser; empty: nobody."""
    token = request.cookies.get(_SEEN, "")
    try:
        known = study.store.find_participant(token) if token else None
    except ParticipantNotFoundError:
        return ""  # they withdrew, or got another link
    return token if known is not None and known.study_id == study.id else ""


@join_pages.post("/s/{study_id}/language")
def choose_first_language(
    request: Request, study_id: str, fields: AnswerFields
) -> Response:
    """Show the invitation in another language."""
    study = _study_of(request, study_id)
    page = _ANEW if fields.get("page") == _ANEW else "join"
    return change_language(fields, f"/s/{study.id}/{page}")


def _invitation(
    study: Study, texts: Texts, label: str = "", *, status: int = 200, new: bool = False
) -> Response:
    frame = study_frame(study, texts, f"/s/{study.id}", _ANEW if new else "join")
    taking = study.taking()
    if not taking.open:
        words: Any = why_closed(taking, texts)
        return render("notice.html", 403, frame=frame, t=texts, **words)
    size = texts.count(
        "join.size",
        study.settings.max_questions,
        alternatives=texts.number(study.what_fits(Limits()).n_allowed),
    )
    return render(
        "join.html",
        status,
        frame=frame,
        t=texts,
        demo=study.record.demo,
        owner_sees=study.settings.owner_sees,
        intro=study.settings.text("intro", texts.language),
        consent=study.settings.text("consent", texts.language),
        size=size,
        pace=settings_form(study.record).pace,
        label=label,
        new=new,
        limited=bool(study.items.attributes) and study.settings.own_limits,
        longest_label=LONGEST_LABEL,
        error=texts.count("join.too_long", LONGEST_LABEL) if status == 422 else "",
    )


def _who(
    study: Study,
    texts: Texts,
    given: Mapping[str, Any],
    errors: Mapping[str, str] | None = None,
    *,
    new: bool,
) -> Response:
    """Ask somebody who agreed for a name, and what comes before the choices."""
    label = str(given.get("label", "")).strip()
    long = len(label) > LONGEST_LABEL
    return render(
        "about.html",
        422 if errors or long else 200,
        frame=study_frame(study, texts, f"/s/{study.id}", _ANEW if new else "join"),
        t=texts,
        action="join",
        title=texts("about.title_before"),
        after=False,
        fields=about_form(study.settings.about_now("before"), texts, given, errors),
        new=new,
        label=label[:LONGEST_LABEL],
        longest_label=LONGEST_LABEL,
        label_error=texts.count("join.too_long", LONGEST_LABEL) if long else "",
        limited=bool(study.items.attributes) and study.settings.own_limits,
    )


def _study_of(request: Request, study_id: str) -> Study:
    """Give a study, or raise LinkNotFoundError."""
    store: Store = request.app.state.store
    try:
        return Study(store, study_id)
    except StudyNotFoundError:
        raise LinkNotFoundError from None
