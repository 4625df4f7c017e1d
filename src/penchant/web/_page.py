"""How a page is made of a template, in which language, and how another is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, RedirectResponse, Response

from penchant.studies import Noun, Study
from penchant.texts import LANGUAGES, Texts, choose_language, load_texts, show_name
from penchant.web._markdown import markdown

STATIC: Final = Path(__file__).with_name("static")
LANGUAGE_COOKIE: Final = "language"
_YEAR: Final = 365 * 24 * 3600
_LONGEST_PATH: Final = 2000


@dataclass(frozen=True)
class Language:
    """A language that can be chosen."""

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


def language_of(request: Request, offered: Sequence[str], joined: str = "") -> str:
    """Choose a language: as the cookie says, as at first, or as the browser wants."""
    accepted = request.headers.get("accept-language", "").split(",")
    browser = [part.partition(";")[0].strip() for part in accepted]
    wanted = [request.cookies.get(LANGUAGE_COOKIE, ""), joined, *browser]
    return choose_language(wanted, offered)


def texts_for(request: Request) -> Texts:
    """Give the texts in the language of whoever asks."""
    return load_texts(language_of(request, LANGUAGES))


@lru_cache(maxsize=256)
def texts_about(language: str, nouns: tuple[Noun, ...]) -> Texts:
    """Give texts that call the alternatives as a study does."""
    own = (noun for noun in nouns if noun.language == language)
    noun = next(own, Noun(language, "", ""))
    return load_texts(language).about(show_name(noun.singular), show_name(noun.plural))


def study_texts(request: Request, study: Study, joined: str = "") -> Texts:
    """Give the texts of a study, in the language that suits whoever asks."""
    language = language_of(request, study.settings.languages, joined)
    return texts_about(language, study.settings.nouns)


@lru_cache(maxsize=256)
def languages_of(offered: tuple[str, ...], here: str) -> tuple[Language, ...]:
    """List languages to choose from; none if there is only one."""
    known = [code for code in offered if code in LANGUAGES]
    found = [Language(c, load_texts(c)("language.name"), c == here) for c in known]
    return tuple(found) if len(found) > 1 else ()


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


def local_path(goal: str) -> str:
    """Give a path of this app; whatever could lead elsewhere leads home."""
    plain = goal.isascii() and goal.isprintable() and "\\" not in goal
    fine = plain and goal.startswith("/") and goal[1:2] != "/"
    return goal if fine and len(goal) <= _LONGEST_PATH else "/"


def change_language(fields: FormData, path: str) -> Response:
    """Keep which language was chosen, and lead to a page."""
    response = RedirectResponse(path, 303)
    language = str(fields.get("language", ""))
    if language in LANGUAGES:
        response.set_cookie(
            LANGUAGE_COOKIE, language, max_age=_YEAR, httponly=True, samesite="lax"
        )
    return response


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("penchant.web"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # templates change with the code, which is not read again
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = show_name
    environment.filters["markdown"] = markdown
    return environment


def file_styles() -> Markup:
    """Give the styles of the app, to stand inside a file that needs nothing else."""
    styles, printed = (
        Markup((STATIC / f"{name}.css").read_text(encoding="utf-8"))
        for name in ("penchant", "print")
    )
    sheets = Markup("<style>{}</style><style media=print>{}</style>")
    return sheets.format(styles, printed)


_ENVIRONMENT: Final = _environment()


def render(
    template: str,
    status: int = 200,
    *,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> HTMLResponse:
    """Make a page of a template; `t` gives its texts."""
    page = _ENVIRONMENT.get_template(template).render(**context)
    return HTMLResponse(page, status, headers)
