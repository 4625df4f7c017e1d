"""Pictures of alternatives, for those who may see the study."""

from typing import Final

from fastapi import APIRouter
from starlette.datastructures import UploadFile
from starlette.responses import Response

from penchant.exceptions import ParticipantNotFoundError
from penchant.studies import PICTURE_TYPE, Store
from penchant.web._errors import LinkNotFoundError
from penchant.web.security._access import Fields, OwnStudy, StoreOfApp, VisitorOfApp

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


def sent_files(fields: Fields, name: str) -> list[tuple[str, bytes]]:
    """Give the files of a field of a form that were chosen: name and content."""
    sent = [file for file in fields.getlist(name) if isinstance(file, UploadFile)]
    return [(file.filename, file.file.read()) for file in sent if file.filename]


def picture_response(store: Store, holder: str, digest: str) -> Response:
    """Send a picture of a study or a draft, to be kept by the browser for good."""
    picture = store.get_picture(holder, digest)
    return Response(picture.body, 200, {"Cache-Control": _FOR_GOOD}, PICTURE_TYPE)
