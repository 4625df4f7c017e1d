"""The page on which a participant says what an alternative must have."""

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from penchant.data import Limits
from penchant.exceptions import DataError
from penchant.views.forms import (
    LimitsForm,
    limits_form,
    read_limits,
    refused_form,
    relaxed,
)
from penchant.web.pages._participant import AgreedVisit, AnswerFields, Visit

limit_pages = APIRouter()


def limits_of(visit: Visit) -> LimitsForm:
    """Give the form with what the person demands now."""
    study, texts = visit.study, visit.texts
    found = study.what_fits(visit.now.limits)
    return limits_form(study.items, found, texts, study.settings.limits)


@limit_pages.get("/p/{token}/limits")
def limits(visit: AgreedVisit) -> Response:
    """Show what must be, and what that leaves."""
    if not visit.may_limit:
        return RedirectResponse(visit.home, 303)
    return _page(visit, limits_of(visit))


@limit_pages.post("/p/{token}/limits")
def set_limits(visit: AgreedVisit, fields: AnswerFields) -> Response:
    """Keep what must be, relax it, or show what to correct."""
    study, texts, page = visit.study, visit.texts, fields.get("page") == "result"
    try:
        wanted = read_limits(study.items, fields, texts)
    except DataError as error:
        form = refused_form(study.items, fields, texts, error=str(error))
        return _page(visit, form, 422, result=page)
    if "none" in fields:
        wanted = Limits()
    found = study.what_fits(wanted)
    if "relax" in fields:
        wanted = relaxed(study.items, found, str(fields["relax"]))
        found = study.what_fits(wanted)
    if found.set_aside:
        form = refused_form(study.items, fields, texts, found=found)
        return _page(visit, form, 422, result=page)
    study.set_limits(visit.person.id, wanted, visit.now)
    home = f"{visit.home}/result#limits" if page else visit.home
    return RedirectResponse(home, 303)


def _page(
    visit: Visit, form: LimitsForm, status: int = 200, *, result: bool = False
) -> Response:
    page = "result" if result else ""
    return visit.render("limits.html", status, limits=form, limits_page=page)
