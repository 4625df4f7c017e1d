"""What is believed of one participant, in the terminal and for programs."""

from collections.abc import Sequence
from typing import Any

from penchant.cli._screen import Screen
from penchant.data import Items
from penchant.studies import RankedItem, Study
from penchant.texts import Texts
from penchant.views import (
    Numbers,
    View,
    best_view,
    compare_items,
    extras_view,
    why_view,
)
from penchant.web.api import ComparisonOut, RankedOut, WhyOut

_TOP = 5


def ranking_values(ranking: Sequence[RankedItem]) -> list[dict[str, Any]]:
    """Give a ranking as plain values, like the API."""
    return [RankedOut.model_validate(ranked).model_dump() for ranked in ranking]


def show_ranking(ranking: Sequence[RankedItem], texts: Texts, screen: Screen) -> None:
    """Write a ranking as a table."""
    keys = ("place", "alternative", "points", "range", "chance")
    rows = [
        (
            texts.number(ranked.place),
            ranked.name,
            texts.points(ranked.points),
            texts.span(ranked.low, ranked.high),
            texts.share(ranked.probability_best),
        )
        for ranked in ranking
    ]
    heads = [texts(f"result.{key}") for key in keys]
    screen.table(heads, rows, numbers=(0, 2, 4))


def show_extras(items: Items, item: int, screen: Screen, before: str = "") -> None:
    """Write what is shown beside the attributes: one line each, pictures by name."""
    told = items.extra(item)
    for passage in extras_view(items, item).passages:
        told[passage.label] = passage.beginning
    for name, value in told.items():
        if value:
            screen.say(f"{before}{name}: {value}")


def why_values(study: Study, person: str, item: int) -> dict[str, Any]:
    """Give why an item has its points as plain values, like the API."""
    reason = study.main_reason(person, item)
    found = WhyOut.from_parts(study.explain(person, item), reason, item)
    return {"name": study.items.names[item], **found.model_dump()}


def show_why(
    study: Study, person: str, item: int, texts: Texts, screen: Screen
) -> None:
    """Write why an item has the points that it has."""
    found, reason = study.explain(person, item), study.main_reason(person, item)
    view = why_view(study.items, item, found, reason, texts)
    screen.say(view.title, style="bold")
    screen.say(view.words)
    _show_numbers(view.numbers, screen)
    screen.say(f"{texts('result.average')}: {view.base}. {view.name}: {view.points}.")


def _show_numbers(numbers: Numbers, screen: Screen) -> None:
    rows = [(row.name, *row.cells) for row in numbers.rows]
    last = len(numbers.heads) - 1
    screen.table(numbers.heads, rows, numbers=(last - 1, last))


def comparison_values(
    study: Study, person: str, a: int, b: int, texts: Texts
) -> dict[str, Any]:
    """Give why an item is better than another as plain values, like the API."""
    view = compare_items(study, person, a, b, texts, changes=True)
    found = ComparisonOut.from_parts(study.contrast(person, a, b), a, b)
    return {
        "name": study.items.names[a],
        "rival": study.items.names[b],
        **found.model_dump(),
        "argument": view.argument,
        "changes": list(view.flips),
    }


def show_comparison(view: View, texts: Texts, screen: Screen) -> None:
    """Write why one item is better than another."""
    screen.say(view.title, style="bold")
    screen.say(f"{view.sentence} {view.argument}")
    _show_numbers(view.numbers, screen)
    if view.flips:
        screen.say(texts("compare.flip_title"), style="bold")
    for words in view.flips:
        screen.say(words)


def show_recommendation(
    study: Study, person: str, texts: Texts, screen: Screen
) -> None:
    """Write what suits a person best, and why."""
    ranking = study.ranking(person)
    best = best_view(study, person, ranking, texts)
    screen.say(best.state)
    screen.say()
    screen.say(f"{best.lead}: {best.title}", style="bold")
    if best.facts:
        facts = (f"{fact.label} {fact.value}" for fact in best.facts)
        screen.say(" · ".join(facts))
    show_extras(study.items, ranking[0].item, screen)
    screen.say(f"{best.sure}. {best.chance_of} {best.loss}".strip())
    screen.say()
    show_why(study, person, ranking[0].item, texts, screen)
    if len(ranking) > 1:
        first, second = ranking[0].item, ranking[1].item
        view = compare_items(study, person, first, second, texts, changes=False)
        screen.say()
        screen.say(view.title, style="bold")
        screen.say(f"{view.sentence} {view.argument}")
    screen.say()
    show_ranking(ranking[:_TOP], texts, screen)
