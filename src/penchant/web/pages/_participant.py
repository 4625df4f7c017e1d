"""A participant who follows their link: who it is, and the pages that ask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, TypeAlias

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from penchant.exceptions import (
    ConflictError,
    DataError,
    NotAnswerableError,
    ParticipantNotFoundError,
)
from penchant.studies import (
    FORMS,
    AnsweredQuestion,
    OpenQuestion,
    ParticipantRecord,
    Participation,
    PersonQuestion,
    Store,
    Study,
    Taking,
)
from penchant.texts import Texts
from penchant.views import Shelf, because_view, question_view, shelf_of
from penchant.views.forms import about_form, read_about_form
from penchant.web._errors import ConsentNeededError, LinkNotFoundError
from penchant.web._page import change_language, render, study_frame, study_texts
from penchant.web._public import link_to

_MAX_FIELDS: Final = 200

_PAGES: Final = (
    "result",
    "pause",
    "why",
    "compare",
    "curves",
    "what-if",
    "withdraw",
    "limits",
    "about",
)
"""Pages to which a choice of the language leads back."""

participant_pages = APIRouter()


@dataclass(frozen=True)
class Visit:
    """A participant who follows their link.

    Parameters
    ----------
    home : str
        The path under which all pages of the participant are.
    person : ParticipantRecord
        Who it is.
    study : Study
        Where they take part.
    now : Participation
        Where they stand.
    texts : Texts
        In the language that they chose.
    agreed : bool
        Whether they agreed to what the study asks, if it asks for anything.
    script : bool
        Whether a script of ours asks, to put what comes next into its page.
    here : str
        The page that they look at, after `home`, with its query; empty: the first.
    """

    home: str
    person: ParticipantRecord
    study: Study
    now: Participation
    texts: Texts
    agreed: bool
    script: bool
    here: str = ""

    @property
    def shelf(self) -> Shelf:
        """The pictures of the study, where this person finds them."""
        study = self.study
        return shelf_of(study.store, study.id, study.items, f"{self.home}/pictures")

    @property
    def asked_about(self) -> tuple[PersonQuestion, ...]:
        """The questions about the person that were put, as the owner asks them now."""
        asked = self.study.settings.about
        return tuple(each for each in asked if each.when in self.now.described)

    @property
    def may_limit(self) -> bool:
        """Whether the person may demand something, or did before that ended."""
        allowed = self.study.settings.own_limits or bool(self.now.limits)
        return allowed and bool(self.study.items.attributes)

    def render(
        self, template: str, status: int = 200, *, page: str = "", **context: Any
    ) -> Response:
        """Make a page in the language of the person."""
        here = page if self.agreed else None
        frame = study_frame(self.study, self.texts, self.home, self.here, here)
        return render(template, status, frame=frame, t=self.texts, **context)


def _visit(request: Request, token: str) -> Visit:
    store: Store = request.app.state.store
    try:
        person, record = store.find_visit(token)
    except ParticipantNotFoundError:
        raise LinkNotFoundError from None
    study = Study(store, record)
    now = study.participation(person)
    texts, home = study_texts(request, study, now.language), f"/p/{token}"
    page, query = request.url.path.removeprefix(home)[1:], request.url.query
    here = f"{page}?{query}" if page and query else page
    return Visit(
        home,
        person,
        study,
        now,
        texts,
        agreed=not now.needs_consent(study.settings),
        script=request.headers.get("sec-fetch-dest") == "empty",
        here=here if request.method == "GET" else "",
    )


VisitOfLink: TypeAlias = Annotated[Visit, Depends(_visit)]


async def _agreed(visit: VisitOfLink) -> Visit:
    if not visit.agreed:
        raise ConsentNeededError(visit.home)
    return visit


AgreedVisit: TypeAlias = Annotated[Visit, Depends(_agreed)]
"""A visit of somebody who agreed to what the study asks, if it asks for anything."""


async def _fields(request: Request) -> FormData:
    return await request.form(max_fields=_MAX_FIELDS, max_files=0)


AnswerFields: TypeAlias = Annotated[FormData, Depends(_fields)]


@participant_pages.get("/p/{token}")
def participate(visit: VisitOfLink) -> Response:
    """Show what comes next: the consent, a question or the result."""
    return _next(visit)


@participant_pages.post("/p/{token}/consent")
def consent(visit: VisitOfLink) -> Response:
    """Keep that the person agreed."""
    if not visit.agreed:
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
def answer(visit: AgreedVisit, fields: AnswerFields) -> Response:
    """Keep an answer, then ask the next question."""
    asked = str(fields.get("question", ""))
    opened = visit.now.open_question
    question: OpenQuestion | AnsweredQuestion | None = opened
    if opened is None or opened.id != asked:
        question = visit.now.answer_to(asked)
    if asked in visit.now.dropped:  # the page was older than the table or the limits
        return _lead_on(visit)
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
    if now is not visit.now and now.open_question and visit.script:
        return _question(on, now.open_question)  # it was chosen a moment ago
    return _lead_on(on)


@participant_pages.post("/p/{token}/because")
def because(visit: AgreedVisit, fields: AnswerFields) -> Response:
    """Keep what the last choice was mainly for; the question stays."""
    attributes = visit.study.items.attributes
    asked, place = (str(fields.get(name, "")) for name in ("last", "attribute"))
    known = place.isascii() and place.isdecimal() and int(place) < len(attributes)
    attribute = attributes[int(place)].name if known else None
    try:
        now = visit.study.because(visit.person.id, asked, attribute, visit.now)
    except (ConflictError, DataError):
        return _next(visit, 409, notice=visit.texts("question.no_reason"))
    return _lead_on(replace(visit, now=now))


@participant_pages.post("/p/{token}/undo")
def undo(visit: AgreedVisit) -> Response:
    """Take the last answer back."""
    try:
        now = visit.study.undo(visit.person.id)
    except NotAnswerableError:
        return _next(visit, 409, notice=visit.texts("question.nothing_to_undo"))
    return _lead_on(replace(visit, now=now))


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
    said = bool(visit.asked_about)
    return visit.render("pause.html", page="pause", address=address, described=said)


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


def _lead_on(visit: Visit) -> Response:
    """Lead to what comes next; a script gets it at once, to put it into its page."""
    return _next(visit) if visit.script else RedirectResponse(visit.home, 303)


def _next(
    visit: Visit,
    status: int = 200,
    *,
    notice: str = "",
    given: dict[str, str] | None = None,
) -> Response:
    if not visit.agreed:
        text = visit.study.settings.text("consent", visit.texts.language)
        sees = visit.study.settings.owner_sees
        return visit.render("consent.html", consent=text, owner_sees=sees)
    if not visit.now.begun and (taking := visit.study.taking()).is_over:
        return visit.render("notice.html", 403, **why_closed(taking, visit.texts))
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
    if not visit.may_limit:
        return "", ""
    if not found.drops:
        return texts("limits.ask"), texts("limits.set")
    key = "limits.aside" if found.set_aside else "limits.fit"
    told = texts.count(key, found.n_fit, total=texts.number(found.n_items))
    return told, texts("limits.change")


def why_closed(taking: Taking, texts: Texts) -> dict[str, str]:
    """Say why nobody new is asked."""
    day = texts.moment(taking.closes) if taking.closes else ""
    return {
        "title": texts("join.closed_title"),
        "sentence": texts(f"join.{taking.state}", moment=day),
    }


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
