"""The result of a group for whoever has its link: read only, and without names."""

from typing import Annotated, Final, TypeAlias

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from penchant.exceptions import StudyNotFoundError
from penchant.studies import Study
from penchant.views import group_view, shelf_of
from penchant.web._errors import LinkNotFoundError
from penchant.web._fitting import counted
from penchant.web._page import change_language, render, study_frame, study_texts
from penchant.web._workers import in_pool
from penchant.web.pages._participant import AnswerFields
from penchant.web.pages._pictures import picture_response
from penchant.web.pages._wanted import WantedPart
from penchant.web.security._access import StoreOfApp

shared_pages = APIRouter(prefix="/g/{token}")

_HIDDEN: Final = {"X-Robots-Tag": "noindex, nofollow"}


def _shared(store: StoreOfApp, token: str) -> Study:
    try:
        return Study(store, store.find_shared(token))
    except StudyNotFoundError:
        raise LinkNotFoundError from None


SharedStudy: TypeAlias = Annotated[Study, Depends(_shared)]


@shared_pages.get("")
@in_pool("reports")
def shared(
    request: Request, study: SharedStudy, token: str, wanted: WantedPart
) -> Response:
    """Show what the group prefers."""
    texts, home = study_texts(request, study), f"/g/{token}"
    frame = study_frame(study, texts, home, "")
    found = counted(study)
    if found is None:
        return render(
            "group_wait.html",
            headers=_HIDDEN,
            visitor=None,
            languages=(),
            record=study.record,
            t=texts,
            title=texts("owner.study.group"),
            n_people=len(study.store.list_participants(study.id)),
            again=home,
        )
    if not found.items:
        title, sentence = texts("owner.group.empty"), texts("share.empty")
        return render(
            "notice.html",
            headers=_HIDDEN,
            frame=frame,
            t=texts,
            title=title,
            sentence=sentence,
        )
    shelf = shelf_of(study.store, study.id, study.items, f"{home}/pictures")
    return render(
        "shared.html",
        headers=_HIDDEN,
        frame=frame,
        t=texts,
        group=group_view(found, study.items, texts, wanted),
        photos=shelf.photos(study.items),
    )


@shared_pages.get("/pictures/{digest}")
def picture(store: StoreOfApp, study: SharedStudy, digest: str) -> Response:
    """Show a picture of an alternative."""
    return picture_response(store, study.id, digest)


@shared_pages.post("/language")
def choose_language(_study: SharedStudy, token: str, fields: AnswerFields) -> Response:
    """Show the page in another language."""
    return change_language(fields, f"/g/{token}")
