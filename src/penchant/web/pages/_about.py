"""The page on which a participant changes what they said about themselves."""

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from penchant.views.forms import about_form, read_about_form, said_before
from penchant.web.pages._participant import AgreedVisit, AnswerFields, Visit

about_pages = APIRouter()


@about_pages.get("/p/{token}/about")
def about(visit: AgreedVisit) -> Response:
    """Show what the person said about themselves, to be changed."""
    questions = visit.asked_about
    if not questions:
        return RedirectResponse(visit.home, 303)
    given = said_before(questions, dict(visit.now.about))
    fields = about_form(questions, visit.texts, given)
    return _page(visit, fields)


@about_pages.post("/p/{token}/about/change")
def change_about(visit: AgreedVisit, fields: AnswerFields) -> Response:
    """Keep what the person says about themselves now."""
    questions, study = visit.asked_about, visit.study
    said, errors = read_about_form(questions, fields, visit.texts)
    if errors:
        return _page(visit, about_form(questions, visit.texts, fields, errors), 422)
    for when in dict.fromkeys(each.when for each in questions):
        names = {each.name for each in questions if each.when == when}
        told = {name: answer for name, answer in said.items() if name in names}
        study.describe(visit.person.id, told, when)
    return RedirectResponse(visit.home, 303)


def _page(visit: Visit, fields: object, status: int = 200) -> Response:
    return visit.render(
        "about.html",
        status,
        page="about",
        limited=False,
        action="about/change",
        title=visit.texts("about.title_change"),
        lead="about.lead_change",
        button="about.save",
        fields=fields,
        label=None,
    )
