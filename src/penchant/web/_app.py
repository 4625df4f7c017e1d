"""create_app: the web app around a store."""

from penchant.exceptions import MissingExtraError, PenchantError

try:
    from fastapi import FastAPI
except ImportError:
    raise MissingExtraError("fastapi", "app") from None

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from penchant.jobs import Limits, Runner
from penchant.studies import Store
from penchant.views.forms import TableLimits
from penchant.web._errors import (
    ConsentNeededError,
    LinkNotFoundError,
    on_consent_needed,
    on_http_error,
    on_invalid,
    on_link_not_found,
    on_penchant_error,
    on_unforeseen,
)
from penchant.web._health import health
from penchant.web._lifespan import lifespan
from penchant.web._metrics import Measured, Metrics, metrics_page
from penchant.web._page import STATIC
from penchant.web._public import PublicAddress, SubPath
from penchant.web._workers import make_pools
from penchant.web.api._routes import create_api
from penchant.web.learned import asking_pages, making_pages, reading_pages
from penchant.web.pages._about import about_pages
from penchant.web.pages._account import account_pages
from penchant.web.pages._group import group_pages
from penchant.web.pages._join import join_pages
from penchant.web.pages._limits import limit_pages
from penchant.web.pages._login import login_pages, on_login_needed
from penchant.web.pages._news import news_pages
from penchant.web.pages._owner import owner_pages
from penchant.web.pages._participant import participant_pages
from penchant.web.pages._pictures import picture_pages
from penchant.web.pages._questions import question_pages
from penchant.web.pages._results import result_pages
from penchant.web.pages._shared import shared_pages
from penchant.web.pages._studies import pages
from penchant.web.pages._table import table_pages
from penchant.web.security._access import Access, LoginNeededError
from penchant.web.security._guard import LOOPBACK, Guard

MAX_UPLOAD = 10_000_000


def create_app(
    store: Store,
    *,
    login: bool = False,
    secret: str | None = None,
    max_upload_bytes: int = MAX_UPLOAD,
    max_rows: int = 20_000,
    max_columns: int = 200,
    hosts: tuple[str, ...] = (),
    public_url: str | None = None,
    metrics_token: str | None = None,
) -> FastAPI:
    """Make the web app around a store.

    Parameters
    ----------
    store : Store
        Where studies are kept. The app uses it from many threads and does not
        close it.
    login : bool
        Whether owners must log in. Without, there is one analyst, who may do
        everything. Participants never log in.
    secret : str, optional
        What the one analyst must show: a browser that follows a link with
        ``?token=secret`` once, a program as a bearer token. None: everybody who
        reaches the app is the analyst, which may be every user of the machine.
    max_upload_bytes : int
        Larger uploads are refused before they are read.
    max_rows, max_columns : int
        Larger tables are refused.
    hosts : tuple of str
        Names under which the app may be reached; empty: any.
    public_url : str, optional
        The address that people use, such as ``https://example.org/penchant/``: it
        stands in links, its path is put before all others, cookies are for https if
        it is, and requests for other hosts are refused.
    metrics_token : str, optional
        What a program must show as a bearer token to read `/metrics`; None: nobody
        reads it, and nothing is counted.

    Returns
    -------
    FastAPI
    """
    app = FastAPI(
        title="penchant",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )
    app.state.store = store
    app.state.limits = limits = TableLimits(max_rows, max_columns, max_upload_bytes)
    address = PublicAddress.from_url(public_url)
    if address.host:
        hosts = (*hosts, address.host, *LOOPBACK)
    app.state.address = address
    app.state.access = Access(login=login, secret=secret)
    app.state.pools = make_pools()
    sizes = {"rows": max_rows, "columns": max_columns, "bytes": max_upload_bytes}
    app.state.runner = Runner(store, Limits(**sizes))
    # Routes are tried in this order, so what is asked for most comes first.
    of_people = (participant_pages, picture_pages, result_pages, limit_pages)
    for router in (*of_people, about_pages, health):
        app.include_router(router)
    of_studies = (owner_pages, question_pages, table_pages, news_pages, group_pages)
    learned = (making_pages, reading_pages, asking_pages)
    others = (join_pages, shared_pages, login_pages, account_pages, metrics_page)
    for router in (pages, *of_studies, *learned, *others):
        app.include_router(router)
    api = create_api(store, app.state.access, app.state.pools, limits)
    api.state.address = address
    api.state.runner = app.state.runner
    app.mount("/api/v1", api)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_exception_handler(LoginNeededError, on_login_needed)
    app.add_exception_handler(ConsentNeededError, on_consent_needed)
    app.add_exception_handler(LinkNotFoundError, on_link_not_found)
    app.add_exception_handler(PenchantError, on_penchant_error)
    app.add_exception_handler(HTTPException, on_http_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(Exception, on_unforeseen)
    app.add_middleware(
        Guard,
        respond=on_http_error,
        max_bytes=max_upload_bytes,
        hosts=hosts,
        secure=address.is_secure,
    )
    app.state.metrics = Metrics(metrics_token) if metrics_token else None
    if app.state.metrics is not None:  # nobody may read what would be counted
        app.add_middleware(Measured, metrics=app.state.metrics)
    if address.path:
        app.add_middleware(SubPath, path=address.path)
    return app
