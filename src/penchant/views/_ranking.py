"""The ranking of a person in tiers, as the pages show it."""

from collections.abc import Sequence
from itertools import groupby
from types import SimpleNamespace as View

from penchant.data import Items
from penchant.studies import RankedItem
from penchant.texts import Texts
from penchant.views._charts import Axis, Estimate, NumberRow, Numbers, Tick
from penchant.views._display import item_facts, show_name
from penchant.views._parts import Wanted, part_of

_MOST_ROWS = 200
"""So many alternatives can be chosen from a list, so that a page stays small."""
_FACTS = 4
_LONGEST_CHOICE = 50
_TICKS = 4


def ranking_view(
    items: Items,
    ranking: Sequence[RankedItem],
    texts: Texts,
    wanted: Wanted | None = None,
    *,
    anchor: str = "ranking-fold",
) -> View:
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
    shown, part = part_of(ranked, lambda each: each.name, wanted, texts, anchor=anchor)
    axis = Axis.around([end for each in ranked for end in (each.low, each.high)])
    values = axis.ticks(_TICKS)
    tiers = [
        _tier(items, list(same), ranked, axis, texts)
        for _, same in groupby(shown, key=lambda each: each.tier)
    ]
    return View(
        tiers=tuple(tiers),
        ticks=tuple(Tick(axis.place(value), texts.points(value)) for value in values),
        n_items=len(ranking),
        n_tiers=len({each.tier for each in ranked}),
        rejected=texts("ranking.rejected", names=texts.listed(out)) if out else "",
        top=tuple(_row(items, each, axis, texts) for each in ranked[:3]),
        part=part,
        numbers=_numbers(shown, texts),
    )


def _tier(
    items: Items,
    shown: list[RankedItem],
    ranked: Sequence[RankedItem],
    axis: Axis,
    texts: Texts,
) -> View:
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
    return View(title=title, sentence=f"{said} {best}", rows=rows)


def _row(items: Items, each: RankedItem, axis: Axis, texts: Texts) -> View:
    name = show_name(each.name)
    points, low, high = (texts.points(v) for v in (each.points, each.low, each.high))
    return View(
        place=texts.number(each.place),
        name=name,
        points=points,
        facts=item_facts(items, each.item, texts, _FACTS),
        item=each.item,
        mark=Estimate.placed(axis, each.points, each.low, each.high),
        words=texts("result.tip_score", name=name, points=points, low=low, high=high),
    )


def _numbers(shown: Sequence[RankedItem], texts: Texts) -> Numbers:
    heads = ("result.alternative", "result.points", "result.range")
    rows = (
        NumberRow(
            show_name(each.name),
            (texts.points(each.points), texts.span(each.low, each.high)),
        )
        for each in shown
    )
    return Numbers(tuple(map(texts, heads)), tuple(rows))


def choices(ranking: Sequence[RankedItem]) -> list[View]:
    """List alternatives to choose from, the best first."""
    return [
        View(item=each.item, name=show_name(each.name, _LONGEST_CHOICE))
        for each in ranking[:_MOST_ROWS]
    ]
