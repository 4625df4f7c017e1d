"""The pages of a participant up to the last answer: join, agree, answer, pause."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from penchant.data import Limits
from penchant.exceptions import (
    ConflictError,
    DataError,
    NotAnswerableError,
    ParticipantNotFoundError,
)
from penchant.studies import FORMS, OpenQuestion, PersonQuestion, Study, Taking
from penchant.texts import Texts
from penchant.views import because_view, question_view
from penchant.views.forms import about_form, read_about_form, settings_form
from penchant.web._page import change_language, render
from penchant.web._public import link_to
from penchant.web.pages._limits import may_limit
from penchant.web.pages._visit import (
    AgreedVisit,
    AnswerFields,
    Visit,
    VisitOfLink,
    study_frame,
    study_of,
    study_texts,
)
from penchant.web.security._access import Access

LONGEST_LABEL = 100
_PAGES: Final = (
    "result",
    "pause",
    "why",
    "compare",
    "curves",
    "what-if",
    "withdraw",
    "limits",
)
"""Pages to which a choice of the language leads back."""

_SEEN: Final = "penchant_person"
"""Cookie with the link of who joined from this browser; a study sees its own only."""

_YEAR: Final = 365 * 24 * 3600

_ANEW: Final = "join?new=1"
"""The invitation for somebody else at the same browser."""

participant_pages = APIRouter()


@participant_pages.get("/s/{study_id}/join")
def invite(request: Request, study_id: str, *, new: bool = False) -> Response:
    """Show what a study is about; who joined from this browser goes on instead."""
    study = study_of(request, study_id)
    if not new and (token := _seen(request, study)):
        return RedirectResponse(f"/p/{token}", 303)
    return _invitation(study, study_texts(request, study), new=new)


@participant_pages.post("/s/{study_id}/join")
def join(request: Request, study_id: str, fields: AnswerFields) -> Response:
    """Give somebody a link of their own and lead there; once in a browser."""
    study = study_of(request, study_id)
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


@participant_pages.post("/s/{study_id}/language")
def choose_first_language(
    request: Request, study_id: str, fields: AnswerFields
) -> Response:
    """Show the invitation in another language."""
    study = study_of(request, study_id)
    page = _ANEW if fields.get("page") == _ANEW else "join"
    return change_language(fields, f"/s/{study.id}/{page}")


def _invitation(
    study: Study, texts: Texts, label: str = "", *, status: int = 200, new: bool = False
) -> Response:
    frame = study_frame(study, texts, f"/s/{study.id}", _ANEW if new else "join")
    taking = study.taking()
    if not taking.open:
        words: Any = _closed(taking, texts)
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


def _closed(taking: Taking, texts: Texts) -> dict[str, str]:
    """Say why nobody new is asked."""
    day = texts.moment(taking.closes) if taking.closes else ""
    return {
        "title": texts("join.closed_title"),
        "sentence": texts(f"join.{taking.state}", moment=day),
    }


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


@participant_pages.post("/p/{token}/about")
def describe(visit: AgreedVisit, fields: AnswerFields) -> Response:
    """Keep what the person says about themselves, then go on."""
    questions = visit.study.about_due(visit.now)
    said, errors = read_about_form(questions, fields, visit.texts)
    if errors:
        return _about(visit, questions, fields, errors)
    if questions:
        visit.study.describe(visit.person.id, said, questions[0].when)
    return RedirectResponse(visit.home, 303)


@participant_pages.post("/p/{token}/answer")
def answer(request: Request, visit: AgreedVisit, fields: AnswerFields) -> Response:
    """Keep an answer, then ask the next question."""
    asked = str(fields.get("question", ""))
    opened = visit.now.open_question
    if opened is not None and opened.id == asked:
        question: Any = opened
    else:
        question = visit.now.answer_to(asked)
    if asked in visit.now.dropped:  # the page was older than the table or the limits
        return _lead_on(request, visit)
    if question is None:
        return _next(visit, 409, notice=visit.texts("question.conflict"))
    form, skipped = FORMS[question.form], fields.get("answer") == "skip"
    try:
        said = "skip" if skipped else form.read_fields(question.items, fields)
        now = visit.study.tell(visit.person.id, asked, said, visit.now)
    except DataError:
        notice = visit.texts(form.incomplete)
        return _next(visit, 422, notice=notice, given=_texts_of(fields))
    except ConflictError:
        now = visit.study.participation(visit.person.id)  # somebody else was faster
        conflict = visit.texts("question.conflict")
        return _next(replace(visit, now=now), 409, notice=conflict)
    on = replace(visit, now=now)
    if now is not visit.now and now.open_question and _is_script(request):
        return _question(on, now.open_question)  # it was chosen a moment ago
    return _lead_on(request, on)


@participant_pages.post("/p/{token}/because")
def because(request: Request, visit: AgreedVisit, fields: AnswerFields) -> Response:
    """Keep what the last choice was mainly for; the question stays."""
    attributes = visit.study.items.attributes
    asked, place = (str(fields.get(name, "")) for name in ("last", "attribute"))
    known = place.isascii() and place.isdecimal() and int(place) < len(attributes)
    attribute = attributes[int(place)].name if known else None
    try:
        now = visit.study.because(visit.person.id, asked, attribute, visit.now)
    except (ConflictError, DataError):
        return _next(visit, 409, notice=visit.texts("question.no_reason"))
    return _lead_on(request, replace(visit, now=now))


@participant_pages.post("/p/{token}/undo")
def undo(request: Request, visit: AgreedVisit) -> Response:
    """Take the last answer back."""
    try:
        now = visit.study.undo(visit.person.id)
    except NotAnswerableError:
        return _next(visit, 409, notice=visit.texts("question.nothing_to_undo"))
    return _lead_on(request, replace(visit, now=now))


@participant_pages.post("/p/{token}/finish")
def finish(visit: AgreedVisit) -> Response:
    """End the questions because the person wants to."""
    visit.study.finish(visit.person.id)
    return RedirectResponse(f"{visit.home}/result", 303)


@participant_pages.post("/p/{token}/go-on")
def go_on(visit: AgreedVisit) -> Response:
    """Ask more questions after the end."""
    visit.study.go_on(visit.person.id)
    return RedirectResponse(visit.home, 303)


@participant_pages.post("/p/{token}/language")
def choose_language(visit: VisitOfLink, fields: AnswerFields) -> Response:
    """Show the pages in another language from now on."""
    page = str(fields.get("page", ""))
    known = page.isascii() and page.isprintable() and page.partition("?")[0] in _PAGES
    return change_language(fields, f"{visit.home}/{page}" if known else visit.home)


@participant_pages.get("/p/{token}/pause")
def pause(request: Request, visit: AgreedVisit) -> Response:
    """Tell how to come back."""
    address = link_to(request, visit.home)
    return visit.render("pause.html", page="pause", address=address)


@participant_pages.get("/p/{token}/withdraw")
def ask_withdraw(visit: VisitOfLink) -> Response:
    """Ask whether all answers are to be forgotten."""
    return visit.render("withdraw.html", page="withdraw")


@participant_pages.post("/p/{token}/withdraw")
def withdraw(visit: VisitOfLink) -> Response:
    """Forget a participant who does not want to have taken part."""
    visit.study.store.remove_participant(visit.person.id)
    frame = study_frame(visit.study, visit.texts, f"/s/{visit.study.id}", "join")
    return render(
        "notice.html",
        frame=frame,
        t=visit.texts,
        title=visit.texts("withdraw.done_title"),
        sentence=visit.texts("withdraw.done"),
    )


def _lead_on(request: Request, visit: Visit) -> Response:
    """Lead to what comes next; a script gets it at once, to put it into its page."""
    return _next(visit) if _is_script(request) else RedirectResponse(visit.home, 303)


def _is_script(request: Request) -> bool:
    return request.headers.get("sec-fetch-dest") == "empty"


def _next(
    visit: Visit,
    status: int = 200,
    *,
    notice: str = "",
    given: dict[str, str] | None = None,
) -> Response:
    if visit.needs_consent:
        text = visit.study.settings.text("consent", visit.texts.language)
        sees = visit.study.settings.owner_sees
        return visit.render("consent.html", consent=text, owner_sees=sees)
    if not visit.now.begun and (taking := visit.study.taking()).is_over:
        return visit.render("notice.html", 403, **_closed(taking, visit.texts))
    if questions := visit.study.about_due(visit.now):
        return _about(visit, questions)
    question = visit.study.ask(visit.person.id, visit.now)
    if question is None:
        return RedirectResponse(f"{visit.home}/result", 303)
    return _question(visit, question, status, notice, given)


def _question(
    visit: Visit,
    question: OpenQuestion,
    status: int = 200,
    notice: str = "",
    given: dict[str, str] | None = None,
) -> Response:
    study, now, because = visit.study, visit.now, None
    if now.answered:  # offer to say what the last choice was for
        last = now.answered[-1]
        offered = study.reasons_for(last)
        because = because_view(study.items, last, offered, visit.texts)
    view = question_view(
        study.items,
        question,
        study.progress(visit.person.id, now),
        visit.texts,
        notice=notice,
        given=given,
        because=because,
        shelf=visit.shelf if study.items.extras else None,
    )
    return visit.render("question.html", status, q=view, limits=_limits_line(visit))


def _limits_line(visit: Visit) -> tuple[str, str]:
    """Say beside a question how many fit, and what a click is for; empty: nothing."""
    found, texts = visit.study.what_fits(visit.now.limits), visit.texts
    if not may_limit(visit):
        return "", ""
    if not found.drops:
        return texts("limits.ask"), texts("limits.set")
    key = "limits.aside" if found.set_aside else "limits.fit"
    told = texts.count(key, found.n_fit, total=texts.number(found.n_items))
    return told, texts("limits.change")


def _about(
    visit: Visit,
    questions: Sequence[PersonQuestion],
    given: Mapping[str, Any] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    """Put questions about the person, before or after the choices."""
    return visit.render(
        "about.html",
        422 if errors else 200,
        limited=False,
        action="about",
        title=visit.texts(f"about.title_{questions[0].when}"),
        after=questions[0].when == "after",
        fields=about_form(questions, visit.texts, given, errors),
        label=None,
    )


def _texts_of(fields: AnswerFields) -> dict[str, str]:
    return {name: value for name, value in fields.items() if isinstance(value, str)}
