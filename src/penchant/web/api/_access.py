"""Who calls the API: a program or a session of an owner, or a participant."""

import hmac
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Final, TypeAlias

from fastapi import Depends, Header, Request, Security
from fastapi.routing import APIRoute
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from penchant.exceptions import NotAnswerableError, ParticipantNotFoundError
from penchant.studies import (
    PICTURE_TYPE,
    ParticipantRecord,
    Participation,
    Store,
    Study,
    StudyRecord,
)
from penchant.views import Shelf, shelf_of
from penchant.web.security._access import (
    COOKIE,
    Access,
    StoreOfApp,
    Visitor,
    find_api_owner,
    participant_of,
)

_OWNER = HTTPBearer(
    scheme_name="owner",
    description="An API token of an owner: `penchant owner token NAME`; without "
    "logins, what follows `token=` in the link that `penchant serve` writes.",
    auto_error=False,
)
_SESSION = APIKeyCookie(
    name=COOKIE,
    scheme_name="session",
    description="A login in the browser; changes also need the header X-CSRF-Token.",
    auto_error=False,
)
_PARTICIPANT = HTTPBearer(
    scheme_name="participant",
    description="The last part of a participant's link.",
    auto_error=False,
)
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

_OWNER_NEEDED = "Send the API token of an owner as a bearer token."
_SECRET_NEEDED = (
    "Send what follows token= in the link that `penchant serve` wrote, as a bearer "
    "token."
)

_Credentials = HTTPAuthorizationCredentials | None


def _owner(
    request: Request,
    bearer: Annotated[_Credentials, Security(_OWNER)],
    _session: Annotated[str | None, Security(_SESSION)],
    x_csrf_token: Annotated[str, Header(include_in_schema=False)] = "",
) -> Visitor:
    visitor = _find_owner(request, bearer)
    if request.method not in _SAFE_METHODS and visitor.csrf:
        sent = x_csrf_token.encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(sent, visitor.csrf.encode()):
            raise HTTPException(403, "The header X-CSRF-Token does not fit.")
    return visitor


def _find_owner(request: Request, bearer: _Credentials) -> Visitor:
    store: Store = request.app.state.store
    access: Access = request.app.state.access
    if bearer is None:
        visitor = access.find(store, request.cookies.get(access.cookie(request)))
    elif access.login:
        visitor = find_api_owner(store, bearer.credentials)
    else:
        visitor = access.find(store, bearer.credentials)
    if visitor is None:
        raise _unknown(_OWNER_NEEDED if access.login else _SECRET_NEEDED)
    return visitor


ApiOwner: TypeAlias = Annotated[Visitor, Depends(_owner)]


async def _raw_body(request: Request) -> bytes:
    return await request.body()


RawBody: TypeAlias = Annotated[bytes, Depends(_raw_body)]
"""What was sent, unread: parsing it is for a pool, so that nobody else waits."""


def _body(kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Describe a body that a pool reads."""
    return {"requestBody": {"required": True, "content": {kind: {"schema": schema}}}}


def json_body(model: str) -> dict[str, Any]:
    """Describe a body of JSON by the name of its schema."""
    return _body("application/json", {"$ref": f"#/components/schemas/{model}"})


FILE: Final = {"type": "string", "format": "binary"}
FILE_BODY: Final = _body("application/octet-stream", FILE)
"""What a route takes that takes a file as it is."""

PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {PICTURE_TYPE: {"schema": FILE}}}
}
"""What a route gives that gives a picture."""


class OwnersFirst(APIRoute):
    """A route that knows who asks before it reads what they send.

    The framework reads JSON first, and everybody waits while it does: one second and
    more for a table of 10 MB.
    """

    def get_route_handler(
        self,
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Give what handles a request."""
        handle = super().get_route_handler()

        async def check_and_handle(request: Request) -> Response:
            if request.method not in _SAFE_METHODS:
                await run_in_threadpool(_find_owner, request, await _OWNER(request))
            return await handle(request)

        return check_and_handle


def _study(visitor: ApiOwner, store: StoreOfApp, study_id: str) -> StudyRecord:
    return visitor.study(store, study_id)


ApiStudy: TypeAlias = Annotated[StudyRecord, Depends(_study)]


def _person(
    store: StoreOfApp, study: ApiStudy, participant_id: str
) -> ParticipantRecord:
    return participant_of(store, study, participant_id)


ApiPerson: TypeAlias = Annotated[ParticipantRecord, Depends(_person)]


class Caller:
    """A participant who calls the API.

    Parameters
    ----------
    person : ParticipantRecord
        Who it is.
    study : Study
        Where they take part.
    """

    def __init__(self, person: ParticipantRecord, study: Study) -> None:
        self.id = person.id
        self.study = study

    @property
    def now(self) -> Participation:
        """Where they stand."""
        return self.study.participation(self.id)

    @property
    def shelf(self) -> Shelf:
        """The pictures of the study."""
        return shelf_of(self.study.store, self.study.id, self.study.items)

    @property
    def needs_consent(self) -> bool:
        """Whether they have to agree to something first."""
        return self.now.needs_consent(self.study.settings)


def _caller(
    store: StoreOfApp, bearer: Annotated[_Credentials, Security(_PARTICIPANT)]
) -> Caller:
    try:
        person, study = store.find_visit(bearer.credentials if bearer else "")
    except ParticipantNotFoundError:
        raise _unknown("Send the token of a participant as a bearer token.") from None
    return Caller(person, Study(store, study))


ApiParticipant: TypeAlias = Annotated[Caller, Depends(_caller)]


def _agreed(me: ApiParticipant) -> Caller:
    if me.needs_consent:
        raise NotAnswerableError("Agree to the text of the study first.")
    return me


ApiAgreed: TypeAlias = Annotated[Caller, Depends(_agreed)]
"""Somebody who agreed to what the study asks, if it asks for anything."""


def _unknown(sentence: str) -> HTTPException:
    return HTTPException(401, sentence, {"WWW-Authenticate": "Bearer"})
