"""The report: one HTML file that needs nothing else, for mail and archives."""

from datetime import UTC, datetime

from markupsafe import Markup

from penchant.studies import GroupModels, Study
from penchant.web._group_view import group_view
from penchant.web._model_view import model_view
from penchant.web._pages import STATIC, render
from penchant.web._views import day

__all__ = ["make_report"]


def make_report(study: Study, models: GroupModels | None) -> bytes:
    """Write the results of a study as one HTML file, with its styles inside.

    Parameters
    ----------
    study : Study
        Whose results.
    models : GroupModels or None
        Of all answers; None: there are too few.
    """
    group = study.group()
    styles = (STATIC / "penchant.css").read_text(encoding="utf-8")
    page = render(
        "report.html",
        record=study.record,
        group=group_view(group, study.items) if group.items else None,
        model=None if models is None else model_view(models, study.items),
        day=day(datetime.now(UTC)),
        styles=Markup("<style>{}</style>").format(Markup(styles)),
    )
    return bytes(page.body)
