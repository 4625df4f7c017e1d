"""Where templates and static files are, and how a page is made of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from penchant.views import show_name
from penchant.web._markdown import markdown

STATIC: Final = Path(__file__).with_name("static")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("penchant.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = show_name
    environment.filters["markdown"] = markdown
    return environment


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
