"""The ranking of a person in tiers, as the pages show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from penchant.data import Items
from penchant.studies import RankedItem
from penchant.texts import Texts
from penchant.views._charts import Axis, Estimate, Tick
from penchant.views._display import Fact, item_facts, show_name
from penchant.views.lists import Part, Wanted, part_of

_MOST_ROWS = 200
"""So many alternatives can be chosen from a list, so that a page stays small."""
_FACTS = 4
_LONGEST_CHOICE = 50
_TICKS = 4


@dataclass(frozen=True)
class RankingRow:
    """One alternative in the chart of the ranking.

    Parameters
    ----------
    place, name, points : str
        What stands beside the drawing.
    facts : tuple of Fact
        Its first values.
    item : int
        Its position in the table.
    mark : Estimate
        The points on their axis.
    words : str
        All of it in words.
    """

    place: str
    name: str
    points: str
    facts: tuple[Fact, ...]
    item: int
    mark: Estimate
    words: str


@dataclass(frozen=True)
class Tier:
    """Alternatives that the first of the tier above is clearly better than."""

    title: str
    sentence: str
    rows: tuple[RankingRow, ...]


@dataclass(frozen=True)
class RankingView:
    """The ranking as a chart.

    Parameters
    ----------
    tiers : tuple of Tier
        The best first.
    ticks : tuple of Tick
        Of the points.
    n_items, n_tiers : int
        Alternatives and tiers in the ranking.
    rejected : str
        Which are not acceptable; empty: none.
    top : tuple of RankingRow
        The first three.
    part : Part
        Which part of the ranking the tiers hold.
    """

    tiers: tuple[Tier, ...]
    ticks: tuple[Tick, ...]
    n_items: int
    n_tiers: int
    rejected: str
    top: tuple[RankingRow, ...]
    part: Part


def ranking_view(
    items: Items,
    ranking: Sequence[RankedItem],
    texts: Texts,
    wanted: Wanted | None = None,
    *,
    anchor: str = "ranking-fold",
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
    wanted : Wanted, optional
        Which part of it; default: the first.
    anchor : str
        Where the ranking is on its page.
    """
    ranked = [each for each in ranking if each.tier] or list(ranking)
    out = [show_name(each.name) for each in ranking if not each.tier]
    asked = Wanted() if wanted is None else wanted
    shown, part = part_of(ranked, _name, asked, texts, anchor=anchor)
    axis = Axis.around([end for each in ranked for end in (each.low, each.high)])
    values = axis.ticks(_TICKS)
    tiers = [
        _tier(items, list(same), ranked, axis, texts)
        for _, same in groupby(shown, key=lambda each: each.tier)
    ]
    return RankingView(
        tuple(tiers),
        tuple(Tick(axis.place(value), texts.points(value)) for value in values),
        len(ranking),
        len({each.tier for each in ranked}),
        texts("ranking.rejected", names=texts.listed(out)) if out else "",
        tuple(_row(items, each, axis, texts) for each in ranked[:3]),
        part,
    )


def _name(each: RankedItem) -> str:
    return each.name


def _tier(
    items: Items,
    shown: list[RankedItem],
    ranked: Sequence[RankedItem],
    axis: Axis,
    texts: Texts,
) -> Tier:
    number = shown[0].tier
    members = [each for each in ranked if each.tier == number]
    chance = max(each.probability_best for each in members)
    size = texts.count("owner.n_alternatives", len(members))
    if number <= 1:
        title, said = texts("ranking.front"), texts("ranking.front_hint", size=size)
    else:
        leader = next(each for each in ranked if each.tier == number - 1)
        title = texts("ranking.tier", number=texts.number(number))
        said = texts("ranking.behind", size=size, name=show_name(leader.name))
    best = texts.count("ranking.tier_chance", len(members), share=texts.share(chance))
    rows = tuple(_row(items, each, axis, texts) for each in shown)
    return Tier(title, f"{said} {best}", rows)


def _row(items: Items, each: RankedItem, axis: Axis, texts: Texts) -> RankingRow:
    name = show_name(each.name)
    points, low, high = (texts.points(v) for v in (each.points, each.low, each.high))
    return RankingRow(
        texts.number(each.place),
        name,
        points,
        item_facts(items, each.item, texts, _FACTS),
        each.item,
        Estimate.placed(axis, each.points, each.low, each.high),
        texts("result.tip_score", name=name, points=points, low=low, high=high),
    )


@dataclass(frozen=True)
class Choice:
    """An alternative in a list to choose from."""

    item: int
    name: str


def choices(ranking: Sequence[RankedItem]) -> list[Choice]:
    """List alternatives to choose from, the best first."""
    return [
        Choice(each.item, show_name(each.name, _LONGEST_CHOICE))
        for each in ranking[:_MOST_ROWS]
    ]
