"""Pictures of alternatives: sent by owners, shown to those who may see the study."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from penchant.exceptions import ParticipantNotFoundError
from penchant.studies import PICTURE_TYPE, Store, read_pictures
from penchant.web._workers import in_pool
from penchant.web.pages._visit import LinkNotFoundError
from penchant.web.security._access import (
    Fields,
    OwnStudy,
    Sender,
    StoreOfApp,
    VisitorOfApp,
)

__all__ = ["keep_pictures", "picture_pages", "picture_response"]

_FOR_GOOD: Final = "private, max-age=31536000, immutable"
"""A picture is named by its digest, so that it never changes."""

picture_pages = APIRouter()


@picture_pages.get("/p/{token}/pictures/{digest}")
def of_participant(store: StoreOfApp, token: str, digest: str) -> Response:
    """Show a picture to whoever has the link of a participant."""
    try:
        person = store.find_participant(token)
    except ParticipantNotFoundError:
        raise LinkNotFoundError from None
    return picture_response(store, person.study_id, digest)


@picture_pages.get("/studies/{study_id}/pictures/{digest}")
def of_study(store: StoreOfApp, study: OwnStudy, digest: str) -> Response:
    """Show a picture to the owner of its study."""
    return picture_response(store, study.id, digest)


@picture_pages.get("/drafts/{draft_id}/pictures/{digest}")
def of_draft(
    store: StoreOfApp, visitor: VisitorOfApp, draft_id: str, digest: str
) -> Response:
    """Show a picture to who uploaded it."""
    return picture_response(store, visitor.unseal(draft_id), digest)


@picture_pages.post("/drafts/{draft_id}/pictures")
@in_pool("reports")
def add(
    request: Request, store: StoreOfApp, sender: Sender, draft_id: str, fields: Fields
) -> Response:
    """Keep pictures with an uploaded table."""
    keep_pictures(store, sender.unseal(draft_id), fields)
    return RedirectResponse(f"/drafts/{draft_id}", 303)


def keep_pictures(store: Store, draft_id: str, fields: Fields) -> None:
    """Keep the pictures that were sent, if any were, with a draft."""
    sent = [file for file in fields.getlist("pictures") if isinstance(file, UploadFile)]
    files = ((file.filename or "", file.file.read()) for file in sent if file.filename)
    if pictures := read_pictures(files):
        store.add_pictures(pictures, draft_id=draft_id)


def picture_response(store: Store, holder: str, digest: str) -> Response:
    """Send a picture of a study or a draft, to be kept by the browser for good."""
    picture = store.get_picture(holder, digest)
    return Response(picture.body, 200, {"Cache-Control": _FOR_GOOD}, PICTURE_TYPE)
