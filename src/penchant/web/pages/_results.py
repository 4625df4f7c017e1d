"""The result of a participant: ranking, reasons, curves and what-if."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from penchant.exceptions import DataError
from penchant.views import (
    View,
    answers_view,
    best_view,
    choices,
    compare_items,
    counts_view,
    curves_view,
    extras_view,
    own_answers_csv,
    own_ranking_csv,
    own_result,
    ranking_view,
    read_values,
    reasons_view,
    together_words,
    what_if_view,
    why_view,
)
from penchant.views.table import some_changes
from penchant.web._exports import csv_response, json_response
from penchant.web._workers import in_pool
from penchant.web.pages._limits import limits_of
from penchant.web.pages._participant import AgreedVisit, Visit
from penchant.web.pages._wanted import WantedPart

result_pages = APIRouter()

Position = Annotated[int, Query(ge=0)]

_COUNTED = 10
"""So many attributes stand in the first picture of what counts."""

_MOST_NEWS = 5
"""So many changes of the table are told on the result page."""


@result_pages.get("/p/{token}/result")
@in_pool("results")
def result(visit: AgreedVisit, wanted: WantedPart) -> Response:
    """Show everything that the answers led to."""
    study, person, items = visit.study, visit.person, visit.study.items
    if visit.now.finished and study.about_due(visit.now):
        return RedirectResponse(visit.home, 303)  # some questions come before it
    ranking, curves = study.ranking(person), study.curves(person)
    best = ranking[0].item
    pair = (best, ranking[1].item) if len(ranking) > 1 else None
    return visit.render(
        "result.html",
        page="result",
        demo=study.record.demo,
        news=_news(visit),
        described=bool(visit.asked_about),
        thanks=(
            study.settings.text("thanks", visit.texts.language)
            if visit.now.finished
            else ""
        ),
        best=best_view(study, person, ranking, visit.texts),
        reasons=reasons_view(study, person, ranking, visit.texts),
        ranking=ranking_view(items, ranking, visit.texts, wanted),
        counted=counts_view(curves, visit.texts, visit.now.answered),
        most_counted=_COUNTED,
        photos=visit.shelf.photos(items),
        beside=extras_view(items, best, visit.shelf),
        why=_why(visit, best),
        compare=_compare(visit, *pair, changes=False) if pair else None,
        choices=choices(ranking),
        curves=curves_view(items, curves, visit.texts),
        together=together_words(study.interactions(person), visit.texts),
        what_if=_what_if(visit, best, best, {}),
        limits=limits_of(visit),
        may_limit=visit.may_limit,
        limits_page="result",
        answers=answers_view(
            items,
            best,
            visit.now.answered,
            study.support(person, best),
            study.contradictions(person),
            study.unsettled(person),
            visit.texts,
        ),
    )


@result_pages.get("/p/{token}/why")
def why(visit: AgreedVisit, item: Position) -> Response:
    """Show why an alternative has the points that it has."""
    _check(visit, item)
    return visit.render(
        "why.html",
        page="result",
        why=_why(visit, item),
        best=_best(visit),
        beside=extras_view(visit.study.items, item, visit.shelf),
    )


@result_pages.get("/p/{token}/compare")
def compare(visit: AgreedVisit, a: Position, b: Position) -> Response:
    """Show why an alternative is better than another."""
    _check(visit, a, b)
    ranking = visit.study.ranking(visit.person)
    return visit.render(
        "compare.html",
        page="result",
        compare=_compare(visit, a, b, changes=True),
        choices=choices(ranking),
    )


@result_pages.get("/p/{token}/what-if")
def what_if(request: Request, visit: AgreedVisit, item: Position) -> Response:
    """Show what an imagined alternative would be worth."""
    _check(visit, item)
    view = _what_if(visit, item, _best(visit), dict(request.query_params))
    return visit.render("what-if.html", page="result", what_if=view)


@result_pages.get("/p/{token}/export/{name}")
def export(visit: AgreedVisit, name: str) -> Response:
    """Give a participant what is their own, to take away."""
    title = f"{visit.study.record.name} {name}"
    if name == "answers.csv":
        return csv_response(own_answers_csv(visit.study, visit.now), title)
    if name == "ranking.csv":
        return csv_response(own_ranking_csv(visit.study, visit.person.id), title)
    if name == "result.json":
        return json_response(own_result(visit.study, visit.person.id, visit.now), title)
    raise HTTPException(404, "There is no such file.")


def _news(visit: Visit) -> tuple[list[str], int] | None:
    """Say what changed in the table since the person was done; None: nothing."""
    found = visit.study.news(visit.person)
    return some_changes(found, visit.texts, _MOST_NEWS) if found else None


def _check(visit: Visit, *items: int) -> None:
    if any(item >= len(visit.study.items) for item in items):
        raise DataError("The study has no such alternative.")


def _best(visit: Visit) -> int:
    return visit.study.ranking(visit.person)[0].item


def _why(visit: Visit, item: int) -> Any:
    study, person = visit.study, visit.person
    found, reason = study.explain(person, item), study.main_reason(person, item)
    return why_view(study.items, item, found, reason, visit.texts)


def _compare(visit: Visit, a: int, b: int, *, changes: bool) -> View:
    person, texts = visit.person, visit.texts
    return compare_items(visit.study, person, a, b, texts, changes=changes)


def _what_if(visit: Visit, item: int, best: int, fields: dict[str, str]) -> View:
    items = visit.study.items
    values = read_values(items, item, fields)
    outcome = visit.study.what_if(visit.person, values, base=item)
    n_ranked = visit.study.what_fits(visit.now.limits).n_allowed
    return what_if_view(
        items, item, values, outcome, best, visit.texts, n_ranked=n_ranked
    )
