"""The page on which an owner says what to ask people about themselves."""

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from penchant.views.forms import (
    check_questions_form,
    questions_form,
    read_questions_form,
)
from penchant.web.security._access import (
    Fields,
    OwnStudy,
    Sender,
    StoreOfApp,
    VisitorOfApp,
)

question_pages = APIRouter(prefix="/studies/{study_id}")


@question_pages.get("/questions")
def questions(visitor: VisitorOfApp, study: OwnStudy) -> Response:
    """Show what people are asked about themselves."""
    forms = questions_form(study)
    return visitor.render("questions.html", study=study, forms=forms)


@question_pages.post("/questions")
def save_questions(
    store: StoreOfApp, sender: Sender, study: OwnStudy, fields: Fields
) -> Response:
    """Change what people are asked about themselves, or show what to correct."""
    typed = read_questions_form(fields, study.settings.languages)
    chosen, forms = check_questions_form(study, typed, sender.texts(study))
    if chosen is None:
        return sender.render("questions.html", 422, study=study, forms=forms)
    store.update_study(study.id, settings=chosen)
    return RedirectResponse(f"/studies/{study.id}/questions", 303)
