"""Who asks: the local analyst, an owner who logged in, or a program with a token."""

import hashlib
import hmac
import ipaddress
import math
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, TypeAlias

from fastapi import Depends, Request
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from penchant.exceptions import (
    DraftNotFoundError,
    ModelNotFoundError,
    OwnerNotFoundError,
    ParticipantNotFoundError,
    StudyNotFoundError,
)
from penchant.studies import (
    JobRecord,
    OwnerRecord,
    ParticipantRecord,
    Store,
    StudyRecord,
    StudySummary,
)
from penchant.texts import LANGUAGES, Texts, load_texts
from penchant.web._page import languages_of, render, texts_about, texts_for
from penchant.web.security._limiter import Limiter
from penchant.web.security._passwords import hash_password, password_fits

COOKIE: Final = "penchant_session"
SESSION_LASTS: Final = timedelta(hours=12)
LINK_LASTS: Final = timedelta(days=3)

_MARK_LENGTH = 32


class LoginNeededError(Exception):
    """A page of an owner was asked for without a login, or together with one."""


@dataclass(frozen=True)
class Visitor:
    """Somebody who may run studies.

    Parameters
    ----------
    owner : OwnerRecord or None
        Who logged in; None: the one analyst of an app that runs on their machine.
    csrf : str
        What forms of this visitor carry; empty where there is no login to misuse.
    language : str
        In which pages are.
    here : str
        The page that is looked at; empty: one that cannot be looked at again.
    """

    owner: OwnerRecord | None
    csrf: str = ""
    language: str = LANGUAGES[0]
    here: str = ""

    @property
    def owner_id(self) -> str | None:
        """To whom a new study belongs."""
        return self.owner.id if self.owner else None

    @property
    def sees_all(self) -> bool:
        """Whether the studies of everybody are shown."""
        return self.owner is None or self.owner.role == "admin"

    def texts(self, study: StudyRecord | StudySummary | None = None) -> Texts:
        """Give the texts of the visitor's language, about the items of a study."""
        texts = load_texts(self.language)
        if study is None:
            return texts
        return texts_about(texts.language, study.settings.nouns)

    def render(
        self,
        template: str,
        status: int = 200,
        *,
        study: StudyRecord | None = None,
        **context: Any,
    ) -> Response:
        """Make a page of an owner, about a study or none."""
        languages = languages_of(LANGUAGES, self.language) if self.here else ()
        return render(
            template,
            status,
            visitor=self,
            t=self.texts(study),
            record=study,
            languages=languages,
            **context,
        )

    def studies(self, store: Store) -> list[StudySummary]:
        """List the studies that this visitor may see."""
        return store.list_studies(owner=None if self.sees_all else self.owner_id)

    def study(self, store: Store, study_id: str) -> StudyRecord:
        """Return a study; one of somebody else is as if it did not exist."""
        found = store.get_study(study_id)
        if not self.sees_all and found.owner != self.owner_id:
            raise StudyNotFoundError(
                "There is no such study. It may have been removed."
            )
        return found

    def jobs(self, store: Store) -> list[JobRecord]:
        """List the models learned from files that this visitor may see."""
        return store.list_jobs(owner=None if self.sees_all else self.owner_id)

    def job(self, store: Store, job_id: str) -> JobRecord:
        """Return a model; one of somebody else is as if it did not exist."""
        found = store.get_job(job_id)
        if not self.sees_all and found.owner != self.owner_id:
            raise ModelNotFoundError(
                "There is no such model. It may have been removed."
            )
        return found

    def seal(self, draft_id: str) -> str:
        """Give the address of an uploaded table, good for this visitor only."""
        return f"{draft_id}{self._mark(draft_id)}"

    def unseal(self, address: str) -> str:
        """Give back the identifier, or raise DraftNotFoundError."""
        length = len(address) - (_MARK_LENGTH if self.owner else 0)
        draft_id, mark = address[: max(length, 0)], address[max(length, 0) :]
        if not hmac.compare_digest(mark.encode(), self._mark(draft_id).encode()):
            raise DraftNotFoundError("This upload is no longer there. Upload it again.")
        return draft_id

    def _mark(self, draft_id: str) -> str:
        if self.owner is None:
            return ""
        text = f"draft {self.owner.id} {draft_id}"
        return _keyed(self.owner.password_hash, text)[:_MARK_LENGTH]


LOCAL: Final = Visitor(None)


class Access:
    """What an app knows about logins.

    Parameters
    ----------
    login : bool
        Whether owners must log in; otherwise there is one local analyst.
    secret : str, optional
        What the local analyst must show; None: everybody is the local analyst.

    Notes
    -----
    Nobody is ever locked out by what others do from elsewhere. From one address all
    names together, and each name, are tried a few times and then ever more slowly.
    Attempts at one name from everywhere are counted too, but they only take longer,
    by 8 seconds at most: its owner may be among them.
    """

    def __init__(self, *, login: bool, secret: str | None = None) -> None:
        self.login = login
        self._secret = None if login or secret is None else secret.encode()
        self.by_address = Limiter(30, 900.0)
        self.by_name = Limiter(10, 900.0)
        self.everywhere = Limiter(10, 900.0, longest=8.0)
        self.joins = Limiter(1000, 900.0)

    def check_join(self, store: Store, request: Request, study_id: str) -> None:
        """Raise an HTTPException (429) if too many joined a study from one address."""
        if wait := self.joins.wait(store, "join", study_id, network_of(request)):
            raise _too_many("Too many people joined from this address.", wait)

    def check_login(self, store: Store, name: str, network: str) -> float:
        """Count an attempt to log in, and give how many seconds to take for it.

        Names that do not exist count as those that do, so nothing tells them apart.

        Raises
        ------
        HTTPException
            Status 429, if the last attempt from there was too short a while ago.
        """
        # First the address: beyond its limit it cannot fill the table with names.
        wait = self.by_address.wait(store, "from", network)
        wait = wait or self.by_name.wait(store, "name", name.casefold(), network)
        if wait:
            raise _too_many("There were too many attempts to log in.", wait)
        return self.everywhere.delay(store, "name", name.casefold())

    def enter(self, store: Store, name: str, password: str, network: str) -> str | None:
        """Begin a session and return its token; None if name or password is wrong."""
        owner = store.find_owner(name)
        kept = None if owner is None else owner.password_hash
        if not password_fits(kept, password) or owner is None:
            return None
        self.by_name.forget(store, "name", name.casefold(), network)
        self.everywhere.forget(store, "name", name.casefold())
        now = datetime.now(UTC)
        store.expire_sessions(now)
        token = secrets.token_urlsafe(32)
        store.add_session(owner.id, _session_hash(token), now + SESSION_LASTS)
        return token

    def opens(self, word: str | None) -> bool:
        """Tell whether a word is the secret of the local analyst; False: none is."""
        if self._secret is None or word is None:
            return False
        return hmac.compare_digest(word.encode("utf-8", "surrogatepass"), self._secret)

    def cookie(self, request: Request) -> str:
        """Give the name of the cookie with a session.

        Servers on one machine share cookies, so that of a local one has its port.
        """
        _, port = request.scope.get("server") or ("", 0)
        return COOKIE if self.login else f"{COOKIE}_{port}"

    def leave(self, store: Store, token: str) -> None:
        """End a session."""
        store.end_session(_session_hash(token))

    def find(self, store: Store, token: str | None) -> Visitor | None:
        """Return whose session it is; None if there is none or it is over."""
        if not self.login:
            return LOCAL if self._secret is None or self.opens(token) else None
        session = store.find_session(_session_hash(token)) if token else None
        if session is None or token is None:
            return None
        return Visitor(session.owner, _keyed(token, "csrf"))


def add_api_token(store: Store, owner_id: str, lasts: timedelta) -> str:
    """Make a token with which a program acts for an owner; only its hash is kept.

    It is kept beside the sessions, so a new password ends it too.
    """
    token = secrets.token_urlsafe(32)
    store.add_session(owner_id, _api_hash(token), datetime.now(UTC) + lasts)
    return token


def find_api_owner(store: Store, token: str) -> Visitor | None:
    """Return for whom a program with this token acts; None if for nobody."""
    session = store.find_session(_api_hash(token))
    return Visitor(session.owner) if session else None


def add_owner_link(store: Store, name: str, *, role: str = "") -> str:
    """Make a link with which an owner chooses a password, once; give its token.

    Parameters
    ----------
    store : Store
        Where owners are kept.
    name : str
        Whose link.
    role : str
        Of an owner who is added, and cannot log in before; empty: they are there.
    """
    if role:
        nobody_knows = hash_password(secrets.token_urlsafe(32))
        owner_id = store.add_owner(name, nobody_knows, role)
    else:
        found = store.find_owner(name)
        if found is None:
            raise OwnerNotFoundError(f"There is no owner called {name!r}.")
        owner_id = found.id
    token = secrets.token_urlsafe(32)
    until = datetime.now(UTC) + LINK_LASTS
    store.add_session(owner_id, _link_hash(token), until)
    return token


def find_owner_link(store: Store, token: str) -> OwnerRecord | None:
    """Return whose link it is; None if it is none, was used or is too old."""
    session = store.find_session(_link_hash(token))
    return session.owner if session else None


def spend_owner_link(store: Store, token: str, password: str) -> OwnerRecord | None:
    """Give the owner of a link a new password, and end the link and all sessions."""
    owner = find_owner_link(store, token)
    kept = hash_password(password)  # a password that does not do leaves the link
    if owner is None or not store.end_session(_link_hash(token)):
        return None
    store.set_password(owner.id, kept)
    return owner


def network_of(request: Request) -> str:
    """Give where a request comes from: an address, or in IPv6 the network of one.

    A household has 2**64 addresses in IPv6 or more.
    """
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host  # such as the name of a socket
    if isinstance(address, ipaddress.IPv4Address):
        return host
    plain = address.ipv4_mapped
    return str(plain or ipaddress.ip_network((int(address), 64), strict=False))


def _too_many(sentence: str, wait: float) -> HTTPException:
    seconds = math.ceil(wait)
    return HTTPException(
        429,
        f"{sentence} Try again in {seconds} s.",
        {"Retry-After": str(seconds)},
    )


def _session_hash(token: str) -> str:
    return _hash(f"session {token}")


def _api_hash(token: str) -> str:
    return _hash(f"api {token}")


def _link_hash(token: str) -> str:
    return _hash(f"link {token}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _keyed(key: str, text: str) -> str:
    return hmac.new(
        key.encode("utf-8", "surrogatepass"),
        text.encode("utf-8", "surrogatepass"),
        "sha256",
    ).hexdigest()


# Those that touch no store are coroutines: they need no thread of their own.


async def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


StoreOfApp: TypeAlias = Annotated[Store, Depends(_store)]


def _visitor(request: Request, store: StoreOfApp) -> Visitor:
    access: Access = request.app.state.access
    visitor = access.find(store, request.cookies.get(access.cookie(request)))
    if visitor is None or access.opens(request.query_params.get("token")):
        raise LoginNeededError
    query = f"?{request.url.query}" if request.url.query else ""
    here = f"{request.url.path}{query}" if request.method == "GET" else ""
    return replace(visitor, language=texts_for(request).language, here=here)


VisitorOfApp: TypeAlias = Annotated[Visitor, Depends(_visitor)]


async def _fields(request: Request) -> AsyncIterator[FormData]:
    # Ten fields per column; who opens a file has chosen it, so there are few of those.
    most = 100 + 10 * request.app.state.limits.columns
    async with request.form(max_fields=most) as fields:
        yield fields


Fields: TypeAlias = Annotated[FormData, Depends(_fields)]


async def _sender(visitor: VisitorOfApp, fields: Fields) -> Visitor:
    sent = str(fields.get("csrf", "")).encode("utf-8", "surrogatepass")
    if visitor.csrf and not hmac.compare_digest(sent, visitor.csrf.encode()):
        raise HTTPException(
            403, "The form is out of date or foreign. Load its page again and retry."
        )
    return visitor


Sender: TypeAlias = Annotated[Visitor, Depends(_sender)]
"""Who sent a form, once it is clear that a page of ours made it."""


def _own_study(visitor: VisitorOfApp, store: StoreOfApp, study_id: str) -> StudyRecord:
    return visitor.study(store, study_id)


OwnStudy: TypeAlias = Annotated[StudyRecord, Depends(_own_study)]


def _own_job(visitor: VisitorOfApp, store: StoreOfApp, model_id: str) -> JobRecord:
    return visitor.job(store, model_id)


OwnJob: TypeAlias = Annotated[JobRecord, Depends(_own_job)]


def participant_of(
    store: Store, study: StudyRecord, participant_id: str
) -> ParticipantRecord:
    """Return a participant; one of another study is as if it did not exist."""
    found = store.get_participant(participant_id)
    if found.study_id != study.id:
        raise ParticipantNotFoundError(
            "There is no such participant. It may have been removed."
        )
    return found


def _own_participant(
    store: StoreOfApp, study: OwnStudy, participant_id: str
) -> ParticipantRecord:
    return participant_of(store, study, participant_id)


OwnParticipant: TypeAlias = Annotated[ParticipantRecord, Depends(_own_participant)]
