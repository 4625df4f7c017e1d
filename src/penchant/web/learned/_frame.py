"""What all pages of a learned model share."""

from typing import Any

from starlette.responses import Response

from penchant.jobs import KeptModel
from penchant.views.learned import model_frame
from penchant.web.security._access import Visitor


def show(
    visitor: Visitor,
    page: str,
    kept: KeptModel,
    status: int = 200,
    *,
    name: str = "",
    **context: Any,
) -> Response:
    """Make a page about a model; `name`: another candidate than is shown first."""
    return visitor.render(
        f"learned/{page}.html",
        status,
        frame=model_frame(kept, visitor.texts(), name),
        here="" if page == "overview" else page,
        model=name or kept.shown,
        job=kept.job,
        **context,
    )
