"""Visit: who follows a participant's link, in which study, in which language."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

from fastapi import Depends, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from penchant.studies import (
    LANGUAGES,
    ParticipantRecord,
    Participation,
    Store,
    Study,
    Texts,
    choose_language,
    load_texts,
)
from penchant.web._display import show_name
from penchant.web._pages import render

__all__ = [
    "LANGUAGE_COOKIE",
    "AnswerFields",
    "Frame",
    "Visit",
    "VisitOfLink",
    "language_of",
    "paragraphs",
    "study_frame",
    "study_of",
]

LANGUAGE_COOKIE: Final = "language"
_MAX_FIELDS = 200


@dataclass(frozen=True)
class Link:
    """A page of the participant in the head of every other."""

    path: str
    label: str
    here: bool


@dataclass(frozen=True)
class Language:
    """A language that the participant may choose."""

    code: str
    name: str
    here: bool


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
        Which page this is, after `home`.
    links : tuple of Link
        Pages to go to.
    languages : tuple of Language
        Languages to choose from; empty if there is one.
    change_language : str
        Where the choice is sent.
    """

    study: str
    home: str
    page: str
    links: tuple[Link, ...]
    languages: tuple[Language, ...]
    change_language: str


@dataclass(frozen=True)
class Visit:
    """A participant who follows their link.

    Parameters
    ----------
    token : str
        The secret part of the link.
    person : ParticipantRecord
        Who it is.
    study : Study
        Where they take part.
    now : Participation
        Where they stand.
    texts : Texts
        In the language that they chose.
    """

    token: str
    person: ParticipantRecord
    study: Study
    now: Participation
    texts: Texts

    @property
    def home(self) -> str:
        """The path under which all pages of the participant are."""
        return f"/p/{self.token}"

    @property
    def needs_consent(self) -> bool:
        """Whether the person has to agree to something first."""
        return bool(self.study.settings.consent) and not self.now.consented

    def render(
        self, template: str, status: int = 200, *, page: str = "", **context: Any
    ) -> Response:
        """Make a page in the language of the person."""
        links = () if self.needs_consent else self._links(page)
        frame = study_frame(self.study, self.texts, self.home, page, links)
        return render(template, status, frame=frame, t=self.texts, **context)

    def _links(self, page: str) -> tuple[Link, ...]:
        labels = {"": "page.question", "result": "page.result", "pause": "page.pause"}
        return tuple(
            Link(
                f"{self.home}/{path}" if path else self.home,
                self.texts(key),
                path == page,
            )
            for path, key in labels.items()
        )


def study_frame(
    study: Study, texts: Texts, home: str, page: str, links: tuple[Link, ...] = ()
) -> Frame:
    """Give what is around a page of a study."""
    codes = [code for code in study.settings.languages if code in LANGUAGES]
    languages = tuple(
        Language(code, load_texts(code)("language.name"), code == texts.language)
        for code in codes
    )
    return Frame(
        show_name(study.record.name),
        home,
        page,
        links,
        languages if len(languages) > 1 else (),
        f"{home}/language",
    )


def study_of(request: Request, study_id: str) -> Study:
    """Give a study, or raise StudyNotFoundError."""
    store: Store = request.app.state.store
    return Study(store, study_id)


def language_of(request: Request, study: Study, joined: str = "") -> str:
    """Choose a language: as the cookie says, as at first, or as the browser wants."""
    accepted = request.headers.get("accept-language", "").split(",")
    browser = [part.partition(";")[0].strip() for part in accepted]
    wanted = [request.cookies.get(LANGUAGE_COOKIE, ""), joined, *browser]
    return choose_language(wanted, study.settings.languages)


def paragraphs(text: str) -> list[str]:
    """Split what an owner wrote at empty lines."""
    parts = text.replace("\r\n", "\n").split("\n\n")
    return [part.strip() for part in parts if part.strip()]


def _visit(request: Request, token: str) -> Visit:
    store: Store = request.app.state.store
    person = store.find_participant(token)
    study = study_of(request, person.study_id)
    now = study.participation(person.id)
    texts = load_texts(language_of(request, study, now.language))
    return Visit(token, person, study, now, texts)


async def _fields(request: Request) -> FormData:
    return await request.form(max_fields=_MAX_FIELDS, max_files=0)


VisitOfLink: TypeAlias = Annotated[Visit, Depends(_visit)]
AnswerFields: TypeAlias = Annotated[FormData, Depends(_fields)]
