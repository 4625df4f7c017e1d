"""Visit: who follows a participant's link, in which study, in which language."""

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from penchant.exceptions import ParticipantNotFoundError, StudyNotFoundError
from penchant.studies import ParticipantRecord, Participation, Store, Study
from penchant.texts import Texts
from penchant.views import Shelf, shelf_of, show_name
from penchant.web._page import Language, language_of, languages_of, render, texts_about

_MAX_FIELDS = 200


class LinkNotFoundError(Exception):
    """A link of a participant or of a study leads nowhere."""


class ConsentNeededError(Exception):
    """A page was asked for before the person agreed to what the study asks.

    Parameters
    ----------
    home : str
        Where the person can agree.
    """

    def __init__(self, home: str) -> None:
        super().__init__(home)
        self.home = home


@dataclass(frozen=True)
class Frame:
    """What is around the content of every page of a participant.

    Parameters
    ----------
    study : str
        Name of the study.
    home : str
        Path under which all pages of the participant are.
    page : str
        Which page this is, after `home`, with its query.
    here : str or None
        Which of the pages in the head this is; None: there are none to go to.
    languages : tuple of Language
        Languages to choose from; empty if there is one.
    change_language : str
        Where the choice is sent.
    somebody_else : str
        Where another person at the same browser can join; empty: here.
    """

    study: str
    home: str
    page: str
    here: str | None
    languages: tuple[Language, ...]
    change_language: str
    somebody_else: str = ""


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
    here : str
        The page that they look at, after `home`, with its query; empty: the first.
    """

    home: str
    person: ParticipantRecord
    study: Study
    now: Participation
    texts: Texts
    here: str = ""

    @property
    def needs_consent(self) -> bool:
        """Whether the person has to agree to something first."""
        return self.now.needs_consent(self.study.settings)

    @property
    def shelf(self) -> Shelf:
        """The pictures of the study, where this person finds them."""
        study = self.study
        return shelf_of(study.store, study.id, study.items, f"{self.home}/pictures")

    def render(
        self, template: str, status: int = 200, *, page: str = "", **context: Any
    ) -> Response:
        """Make a page in the language of the person."""
        here = None if self.needs_consent else page
        frame = study_frame(self.study, self.texts, self.home, self.here, here)
        return render(template, status, frame=frame, t=self.texts, **context)


def study_frame(
    study: Study, texts: Texts, home: str, page: str, here: str | None = None
) -> Frame:
    """Give what is around a page of a study."""
    return Frame(
        show_name(study.record.name),
        home,
        page,
        here,
        languages_of(study.settings.languages, texts.language),
        f"{home}/language",
        f"/s/{study.id}/join?new=1" if home.startswith("/p/") else "",
    )


def study_of(request: Request, study_id: str) -> Study:
    """Give a study, or raise LinkNotFoundError."""
    store: Store = request.app.state.store
    try:
        return Study(store, study_id)
    except StudyNotFoundError:
        raise LinkNotFoundError from None


def study_texts(request: Request, study: Study, joined: str = "") -> Texts:
    """Give the texts of a study, in the language that suits whoever asks."""
    language = language_of(request, study.settings.languages, joined)
    return texts_about(language, study.settings.nouns)


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
        home, person, study, now, texts, here if request.method == "GET" else ""
    )


VisitOfLink: TypeAlias = Annotated[Visit, Depends(_visit)]


async def _agreed(visit: VisitOfLink) -> Visit:
    if visit.needs_consent:
        raise ConsentNeededError(visit.home)
    return visit


AgreedVisit: TypeAlias = Annotated[Visit, Depends(_agreed)]
"""A visit of somebody who agreed to what the study asks, if it asks for anything."""


async def _fields(request: Request) -> FormData:
    return await request.form(max_fields=_MAX_FIELDS, max_files=0)


AnswerFields: TypeAlias = Annotated[FormData, Depends(_fields)]
