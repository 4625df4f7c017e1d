"""The part of the API that participants use, with the token of their link."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from penchant.exceptions import DataError
from penchant.studies import Study
from penchant.web.api._access import PICTURE, ApiAgreed, ApiParticipant, Caller
from penchant.web.api._models import (
    AboutIn,
    AnswerIn,
    BecauseIn,
    ItemsOut,
    JoinedOut,
    JoinIn,
    LimitsIn,
    LimitsOut,
    ParticipationOut,
    QuestionOut,
    read_limits,
)
from penchant.web.api._results import (
    ComparisonOut,
    RankedOut,
    WhatIfIn,
    WhatIfOut,
    WhyOut,
)
from penchant.web.pages._pictures import picture_response
from penchant.web.security._access import Access, StoreOfApp

participant_api = APIRouter(tags=["participant"])

_Item = Annotated[int, Query(ge=0, le=2**31, description="Position in the table.")]


@participant_api.post("/studies/{study_id}/join", status_code=201)
def join(
    request: Request, store: StoreOfApp, study_id: Annotated[str, Path()], body: JoinIn
) -> JoinedOut:
    """Take part in a study that is open; the token is all you need from then on."""
    access: Access = request.app.state.access
    study = Study(store, study_id)
    if reason := study.taking().reason:
        raise HTTPException(403, reason)
    access.check_join(store, request, study.id)
    person, token = study.join(body.label.strip(), body.language)
    return JoinedOut.for_link(request, person.id, token)


@participant_api.get("/me")
def where_i_stand(me: ApiParticipant) -> ParticipationOut:
    """Say how far you are."""
    return _where(me)


@participant_api.get("/me/items")
def my_items(me: ApiAgreed) -> ItemsOut:
    """Show the alternatives."""
    study = me.study
    return ItemsOut.from_items(study.items, me.shelf, study.record.withdrawn)


@participant_api.get(
    "/me/pictures/{digest}", response_class=Response, responses=PICTURE
)
def my_picture(store: StoreOfApp, me: ApiAgreed, digest: str) -> Response:
    """Give a picture of an alternative."""
    return picture_response(store, me.study.id, digest)


@participant_api.post("/me/consent")
def consent(me: ApiParticipant) -> ParticipationOut:
    """Agree to the text of the study."""
    if me.needs_consent:
        me.study.consent(me.id)
    return _where(me)


@participant_api.post("/me/about")
def describe(me: ApiAgreed, body: AboutIn) -> ParticipationOut:
    """Answer the questions about yourself, all before or all after the choices."""
    me.study.describe(me.id, body.answers, body.when)
    return _where(me)


@participant_api.post("/me/question")
def ask(me: ApiAgreed) -> QuestionOut | None:
    """Give the question that waits, or the next one; null when there is none left."""
    question = me.study.ask(me.id)
    return (
        None
        if question is None
        else QuestionOut.from_question(question, me.study.items, me.shelf)
    )


@participant_api.post("/me/answers")
def answer(me: ApiAgreed, body: AnswerIn) -> ParticipationOut:
    """Answer a question; saying the same twice is fine, something else is a 409."""
    me.study.tell(me.id, body.question, body.plain(), because=body.because)
    return _where(me)


@participant_api.post("/me/because")
def because(me: ApiAgreed, body: BecauseIn) -> ParticipationOut:
    """Say what a choice of yours was mainly for; it counts from the next answer on."""
    me.study.because(me.id, body.question, body.attribute)
    return _where(me)


@participant_api.get("/me/limits")
def limits(me: ApiAgreed) -> LimitsOut:
    """Give what an alternative must have for you, and how many do."""
    return LimitsOut.from_fits(me.study.what_fits(me.now.limits))


@participant_api.put("/me/limits")
def set_limits(me: ApiAgreed, body: LimitsIn) -> LimitsOut:
    """Say what an alternative must have; nothing else is asked or recommended."""
    now = me.study.set_limits(me.id, read_limits(body.limits))
    return LimitsOut.from_fits(me.study.what_fits(now.limits))


@participant_api.post("/me/undo")
def undo(me: ApiAgreed) -> ParticipationOut:
    """Take the last answer back."""
    me.study.undo(me.id)
    return _where(me)


@participant_api.post("/me/finish")
def finish(me: ApiAgreed) -> ParticipationOut:
    """End the questions."""
    me.study.finish(me.id)
    return _where(me)


@participant_api.post("/me/go-on")
def go_on(me: ApiAgreed) -> ParticipationOut:
    """Be asked more after the end."""
    me.study.go_on(me.id)
    return _where(me)


@participant_api.get("/me/ranking")
def ranking(me: ApiAgreed) -> list[RankedOut]:
    """Rank the alternatives, the best first."""
    return [RankedOut.model_validate(ranked) for ranked in me.study.ranking(me.id)]


@participant_api.get("/me/why")
def why(me: ApiAgreed, item: _Item) -> WhyOut:
    """Say what each attribute adds to an alternative."""
    _check_items(me, item)
    found, reason = me.study.explain(me.id, item), me.study.main_reason(me.id, item)
    return WhyOut.from_parts(found, reason, item)


@participant_api.get("/me/compare")
def compare(me: ApiAgreed, a: _Item, b: _Item) -> ComparisonOut:
    """Say why you would prefer an alternative to another."""
    _check_items(me, a, b)
    if a == b:
        raise DataError("Name two different alternatives to compare them.")
    return ComparisonOut.from_parts(me.study.contrast(me.id, a, b), a, b)


@participant_api.post("/me/what-if")
def what_if(me: ApiAgreed, body: WhatIfIn) -> WhatIfOut:
    """Say where an imagined alternative would stand."""
    _check_items(me, body.base)
    return WhatIfOut.model_validate(
        me.study.what_if(me.id, body.changes(), base=body.base)
    )


def _where(me: Caller) -> ParticipationOut:
    return ParticipationOut.from_participation(
        me.study, me.now, me.needs_consent, me.study.progress(me.id, me.now)
    )


def _check_items(me: Caller, *items: int) -> None:
    n_items = len(me.study.items)
    if max(items) >= n_items:
        raise DataError(
            f"The alternatives are numbered 0 to {n_items - 1}. Got {max(items)}."
        )
