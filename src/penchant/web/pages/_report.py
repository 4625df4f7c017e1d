"""The report: one HTML file that needs nothing else, for mail and archives."""

from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from penchant.studies import GroupModels, Study
from penchant.texts import Texts
from penchant.views import checks_view, group_view, model_view
from penchant.web._templates import STATIC, render

__all__ = ["make_report", "report_context"]


def make_report(study: Study, models: GroupModels | None, texts: Texts) -> bytes:
    """Write the results of a study as one HTML file, with its styles inside.

    Parameters
    ----------
    study : Study
        Whose results.
    models : GroupModels or None
        Of all answers; None: there are too few.
    texts : Texts
        In the language of the owner, about the study.
    """
    styles = (STATIC / "penchant.css").read_text(encoding="utf-8")
    page = render(
        "report.html",
        record=study.record,
        t=texts,
        day=texts.day(datetime.now(UTC)),
        styles=Markup("<style>{}</style>").format(Markup(styles)),
        reason="",
        **report_context(study, models, texts),
    )
    return bytes(page.body)


def report_context(
    study: Study, models: GroupModels | None, texts: Texts
) -> dict[str, Any]:
    """Give what a page with all results shows."""
    group = study.group()
    return {
        "checks": checks_view(study.calibration(), texts),
        "group": group_view(group, study.items, texts) if group.items else None,
        "model": None if models is None else model_view(models, study.items, texts),
    }
