"""The ranking of a person, and on which answers it rests, as the pages show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from penchant.data import Items
from penchant.studies import FORMS, AnsweredQuestion, RankedItem
from penchant.texts import Texts
from penchant.views._charts import Axis, Estimate, NumberRow, Numbers, Tick
from penchant.views._display import item_facts, show_name

__all__ = [
    "Choice",
    "RankingRow",
    "RankingView",
    "answer_words",
    "choices",
    "ranking_view",
]

_SHOWN = 8
_MOST_NUMBERS = 200
"""The table of numbers ends here, so that a page stays small."""
_FACTS = 3
_LONGEST_CHOICE = 50


@dataclass(frozen=True)
class RankingRow:
    """One alternative in the chart of the ranking.

    Parameters
    ----------
    place, name, facts : str
        Which alternative.
    item : int
        Its position in the table.
    chance, points : str
        The two numbers.
    share : float
        Length of the bar of the chance, in percent.
    mark : Estimate
        The points on their axis.
    chance_words, points_words : str
        The same in words.
    """

    place: str
    name: str
    facts: str
    item: int
    chance: str
    points: str
    share: float
    mark: Estimate
    chance_words: str
    points_words: str


@dataclass(frozen=True)
class RankingView:
    """The first of the ranking as a chart, and all as numbers."""

    rows: tuple[RankingRow, ...]
    ticks: tuple[Tick, ...]
    numbers: Numbers
    n_items: int


def ranking_view(
    items: Items, ranking: Sequence[RankedItem], texts: Texts
) -> RankingView:
    """Show a ranking.

    Parameters
    ----------
    items : Items
        The alternatives.
    ranking : sequence of RankedItem
        The best first.
    texts : Texts
        In the language of the person.
    """
    first = ranking[:_SHOWN]
    axis = Axis.around([end for each in first for end in (each.low, each.high)])
    ticks = [Tick(axis.place(value), texts.points(value)) for value in axis.ticks(4)]
    return RankingView(
        tuple(_row(items, each, axis, texts) for each in first),
        tuple(ticks),
        _numbers(ranking[:_MOST_NUMBERS], texts),
        len(ranking),
    )


def _row(items: Items, each: RankedItem, axis: Axis, texts: Texts) -> RankingRow:
    name, chance = show_name(each.name), texts.share(each.probability_best)
    points, low, high = (texts.points(v) for v in (each.points, each.low, each.high))
    return RankingRow(
        texts.number(each.place),
        name,
        item_facts(items, each.item, texts, _FACTS),
        each.item,
        chance,
        points,
        round(100 * each.probability_best, 2),
        Estimate.placed(axis, each.points, each.low, each.high),
        texts("result.tip_chance", name=name, share=chance),
        texts("result.tip_score", name=name, points=points, low=low, high=high),
    )


def _numbers(ranking: Sequence[RankedItem], texts: Texts) -> Numbers:
    heads = ("alternative", "place", "chance", "points", "range")
    return Numbers(
        tuple(texts(f"result.{head}") for head in heads),
        tuple(
            NumberRow(
                show_name(each.name),
                (
                    texts.number(each.place),
                    texts.share(each.probability_best),
                    texts.points(each.points),
                    texts.span(each.low, each.high),
                ),
            )
            for each in ranking
        ),
    )


def answer_words(items: Items, told: AnsweredQuestion, texts: Texts) -> str:
    """Say in words what a person answered."""
    if told.skipped:
        return texts("decided.skipped")
    names = {item: show_name(items.names[item], 40) for item in told.items}
    words = FORMS[told.form].words(told, names, texts)
    if told.because is None:
        return words
    reason = show_name(told.because, 40)
    return texts("decided.because", answer=words, attribute=reason)


@dataclass(frozen=True)
class Choice:
    """An alternative in a list to choose from."""

    item: int
    name: str


def choices(ranking: Sequence[RankedItem]) -> list[Choice]:
    """List alternatives to choose from, the best first."""
    return [
        Choice(each.item, show_name(each.name, _LONGEST_CHOICE))
        for each in ranking[:_MOST_NUMBERS]
    ]
