"""Whether there is news in a study: small and cheap, for a script that asks often."""

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from penchant.studies import Store
from penchant.web.security._access import OwnStudy, StoreOfApp

news_pages = APIRouter(prefix="/studies/{study_id}")


@news_pages.get("/news")
def news(request: Request, store: StoreOfApp, study: OwnStudy) -> Response:
    """Say how far the logs are; nothing (304) to who knows it already."""
    version = news_of(store, study.id)
    headers = {"ETag": f'"{version}"'}
    if request.headers.get("if-none-match", "").strip() == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return JSONResponse({"version": version}, headers=headers)


def news_of(store: Store, study_id: str) -> str:
    """Give what changes with every event, and with everybody who comes or goes."""
    n_people = len(store.list_participants(study_id))
    return f"{n_people}-{store.count_events(study_id)}"
