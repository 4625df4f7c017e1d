"""What whoever watches over a server wants to count, in the form of Prometheus."""

import hmac
import time
from collections.abc import Iterator
from typing import Final

from fastapi import APIRouter, Request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from penchant.studies import refit_counts

metrics_page = APIRouter()

_KINDS: Final = {
    "/p/": "participant",
    "/s/": "participant",
    "/api/": "api",
    "/static/": "static",
    "/healthz": "health",
    "/readyz": "health",
    "/metrics": "health",
}
"""Requests by the beginning of their path; all others are those of owners."""

_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)


class Metrics:
    """The counts of one process since its start.

    Parameters
    ----------
    token : str
        What must be shown to read them.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self.registry = CollectorRegistry()
        self.seconds = Histogram(
            "penchant_request_seconds",
            "Time from a request to its answer.",
            ["kind"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.answers = Counter(
            "penchant_answers", "Answers that were kept.", registry=self.registry
        )
        self.errors = Counter(
            "penchant_errors",
            "Requests that could not be answered, by status.",
            ["status"],
            registry=self.registry,
        )
        self.registry.register(_Refits())

    def opens(self, shown: str) -> bool:
        """Tell whether somebody may read the counts."""
        return hmac.compare_digest(shown.encode(), b"Bearer " + self._token)

    def count(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count one request."""
        kinds = (kind for start, kind in _KINDS.items() if path.startswith(start))
        self.seconds.labels(next(kinds, "owner")).observe(seconds)
        if status >= 500:
            self.errors.labels(str(status)).inc()
        elif method == "POST" and status < 400:
            said = path.startswith("/p/") and path.endswith("/answer")
            self.answers.inc(said or path == "/api/v1/me/answers")


class _Refits:
    """Give how often populations were fitted, which the studies count."""

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Read the counts."""
        family = CounterMetricFamily(
            "penchant_refits", "Fits of a population.", labels=["outcome"]
        )
        for outcome, count in refit_counts().items():
            family.add_metric([outcome], count)
        yield family


class Measured:
    """Measure how long an app takes for each request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 499  # nobody waited for the answer

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, note_status)
        except Exception:
            status = 500
            raise
        finally:
            seconds = time.perf_counter() - began
            self.metrics.count(scope["method"], scope["path"], status, seconds)


@metrics_page.get("/metrics")
async def metrics(request: Request) -> Response:
    """Give the counts of this process to whoever has the token; others find nothing."""
    counts: Metrics | None = request.app.state.metrics
    if counts is None or not counts.opens(request.headers.get("authorization", "")):
        raise HTTPException(404)
    return Response(
        generate_latest(counts.registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
    )
