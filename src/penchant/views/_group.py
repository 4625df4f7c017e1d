"""What a whole group prefers, as the page and the report show it."""

import math
from collections.abc import Sequence
from itertools import groupby
from types import SimpleNamespace as View
from typing import Final

import numpy as np

from penchant.data import Items
from penchant.data.reading import write_csv_table
from penchant.elicitation.groups import quantiles
from penchant.studies import FEW_PEOPLE, Group, GroupItem, ranking_frame
from penchant.texts import Texts
from penchant.views._another_winner import another_winner_view
from penchant.views._charts import Axis, NumberRow, Numbers, Tick
from penchant.views._curves import count_row
from penchant.views._display import item_facts, show_name
from penchant.views._parts import Wanted, part_of
from penchant.views._segments import curve_views, in_front, segment_cards

_MOST_ROWS: Final = 200
"""The list ends here, so that a page stays small."""
_MOST_NAMED: Final = 10
_FACTS: Final = 4
_AXIS: Final = Axis(0.0, 100.0)
_AGREE: Final = ((0.8, "well"), (0.65, "fairly"), (0.55, "differ"), (0.0, "not"))
"""Words for how often two people put two alternatives in the same order."""


def group_view(
    group: Group, items: Items, texts: Texts, wanted: Wanted | None = None
) -> View:
    """Show what a group prefers.

    Parameters
    ----------
    group : Group
        With at least one person who answered.
    items : Items
        The alternatives.
    texts : Texts
        In the language of the owner, about the study.
    wanted : Wanted, optional
        Which part of the ranking; default: the first alternatives, for print.
    """
    cards = segment_cards(group, texts)
    shown: Sequence[GroupItem] = group.items[:_MOST_ROWS]
    part = None
    if wanted is not None:
        shown, part = part_of(
            group.items, lambda item: item.name, wanted, texts, anchor="common"
        )
    n_more = len(group.items) - len(shown)
    n_careless = sum(not each.left_out for each in group.careless)
    return View(
        lead=_lead(group, texts),
        title=_title(group, texts),
        sentence=_sentence(group, texts),
        agreement=agreement_view(group, texts),
        notes=_notes(group, texts),
        kinds=_kinds(group, texts),
        careless_note=texts.count("owner.group.careless_note", n_careless)
        if n_careless
        else "",
        careless=_careless(group, texts),
        segments=cards,
        tiers=tuple(
            _tier(group, items, list(same), cards, texts)
            for _, same in groupby(shown, key=lambda item: item.tier)
        ),
        people=texts.count("owner.study.n_people", group.n_voices),
        n_items=len(group.items),
        more=texts.count("owner.group.more", n_more) if n_more and part is None else "",
        ticks=tuple(
            Tick(_AXIS.place(value), texts.number(value)) for value in _AXIS.ticks()
        ),
        counted=_counted(group, items, texts),
        ways_hint=_ways_hint(group, texts),
        ways=_ways(shown, texts),
        curves=curve_views(group, cards, items, texts),
        another=another_winner_view(
            group, items, [(card.name, card.size) for card in cards], texts
        ),
        part=part,
    )


def _lead(group: Group, texts: Texts) -> str:
    of = texts.number(len(group.items))
    return texts.count("owner.group.answered", group.n_voices, alternatives=of)


def _title(group: Group, texts: Texts) -> str:
    front = group.in_front
    if len(front) == 1:
        return texts("owner.group.title", name=show_name(front[0].name))
    if len(front) > _MOST_NAMED or len(front) == len(group.items):
        return texts("owner.group.title_none")
    return texts("owner.group.titles", names=in_front(group.items, texts))


def _sentence(group: Group, texts: Texts) -> str:
    best = group.items[0]
    told = [
        texts(
            "owner.group.suits",
            name=show_name(best.name),
            points=texts.points(best.mean),
            chance=texts.share(group.chance),
        )
    ]
    if group.differ is not None:
        told.append(texts("owner.group.differ", name=show_name(group.differ.name)))
    return " ".join(told)


def agreement_view(group: Group, texts: Texts) -> View | None:
    """Say how far people agree; None where there is nobody to agree with."""
    if math.isnan(group.agreement):
        return None
    level = next(word for least, word in _AGREE if group.agreement >= least)
    same = round(100 * group.agreement)
    return View(
        words=texts(f"owner.group.agree_{level}"),
        hint=texts("owner.group.agree_hint", n=texts.number(same)),
        width=float(same),
    )


def _notes(group: Group, texts: Texts) -> tuple[str, ...]:
    notes = []
    if group.n_simulated == group.n_voices:
        notes.append(texts("owner.group.all_simulated"))
    elif group.n_simulated:
        notes.append(texts.count("owner.group.some_simulated", group.n_simulated))
    if np.any(group.votes != 1):
        votes = texts.number(group.n_votes)
        notes.append(texts("owner.group.weighted", votes=votes))
    if group.n_left_out:
        notes.append(texts.count("owner.group.left_out", group.n_left_out))
    return tuple(notes)


def _kinds(group: Group, texts: Texts) -> str:
    """Say what may be said about kinds of people, and no more."""
    if group.n_voices == 1:
        return ""
    told = [texts(f"owner.group.kinds_{group.kinds}")]
    if group.kinds == "none" and group.n_voices < FEW_PEOPLE:
        told.append(texts("owner.group.kinds_few"))
    if group.n_between:
        told.append(texts.count("owner.group.between", group.n_between))
    return " ".join(told)


def _careless(group: Group, texts: Texts) -> tuple[View, ...]:
    numbers = {member.id: k for k, member in enumerate(group.members, start=1)}
    labels = {member.id: show_name(member.label) for member in group.members}
    return tuple(
        View(
            id=each.member,
            name=labels[each.member]
            or texts("owner.study.person_number", number=numbers[each.member]),
            reason=texts(f"owner.group.careless_{each.kind or 'unknown'}"),
            left_out=each.left_out,
        )
        for each in group.careless
    )


def _tier(
    group: Group,
    items: Items,
    shown: Sequence[GroupItem],
    cards: Sequence[View],
    texts: Texts,
) -> View:
    number = shown[0].tier
    size = sum(item.tier == number for item in group.items)
    said = [texts.count("owner.n_alternatives", size)]
    if number == 1:
        title = texts("ranking.front")
        if size > 1:
            said.append(texts("owner.group.no_order"))
    else:
        title = texts("ranking.tier", number=texts.number(number))
        leader = next(item for item in group.items if item.tier == number - 1)
        said.append(texts("owner.group.behind", name=show_name(leader.name)))
    rows = tuple(_row(group, items, item, cards, texts) for item in shown)
    return View(title=title, sentence="; ".join(said), rows=rows)


def _row(
    group: Group,
    items: Items,
    item: GroupItem,
    cards: Sequence[View],
    texts: Texts,
) -> View:
    name = show_name(item.name)
    top = texts(
        "owner.group.top",
        n=texts.number(round(item.in_top)),
        all=texts.number(round(group.n_votes)),
    )
    seen = [_of(segment.ranking, item) for segment in group.segments]
    seen = seen if len(seen) > 1 else []
    words = texts(
        "owner.group.row",
        name=name,
        place=texts.number(item.place),
        mean=texts.points(item.mean),
        low=texts.points(item.people_low),
        high=texts.points(item.people_high),
        top=top,
    )
    by_segment = [
        f"{card.name} {texts.points(own.mean)}"
        for card, own in zip(cards, seen, strict=False)
    ]
    return View(
        place=texts.number(item.place),
        name=name,
        points=texts.points(item.mean),
        top=top,
        facts=item_facts(items, item.item, texts, _FACTS),
        mean=_AXIS.place(item.mean),
        low=_AXIS.place(item.people_low),
        high=_AXIS.place(item.people_high),
        marks=tuple(
            View(shape=shape, at=_AXIS.place(own.mean))
            for shape, own in enumerate(seen)
        ),
        differ=item is group.differ,
        words="; ".join([words, *by_segment]),
        item=item.item,
        failed=texts.count("owner.group.failed", item.n_failed)
        if item.n_failed
        else "",
    )


def _of(ranked: Sequence[GroupItem], item: GroupItem) -> GroupItem:
    return next(each for each in ranked if each.item == item.item)


def _counted(group: Group, items: Items, texts: Texts) -> tuple[View, ...]:
    """Show how much attributes count: the mean, and the range of most people."""
    weights = np.stack([member.weights for member in group.voices])
    mean = np.average(weights, axis=0, weights=group.votes)
    low, high = quantiles(weights[None], group.votes, [0.1, 0.9])[:, 0]
    axis = Axis(0.0, float(max(high.max(), mean.max())) or 1.0)
    return tuple(
        count_row(
            items.attributes[k].name,
            (float(mean[k]), float(low[k]), float(high[k])),
            axis,
            "owner.group.count",
            texts,
        )
        for k in np.argsort(-mean, kind="stable")
    )


def _ways_hint(group: Group, texts: Texts) -> str:
    """Say whether other ways to count put another alternative first."""
    first = group.items[0]
    others = []
    for way in ("borda", "misery"):
        best = max(group.items, key=lambda item: float(getattr(item, way)))
        if getattr(best, way) > getattr(first, way):
            name = show_name(best.name)
            others.append(texts(f"owner.group.first_by_{way}", name=name))
    return " ".join(others) or texts("owner.group.first_by_all")


def _ways(ranked: Sequence[GroupItem], texts: Texts) -> Numbers:
    heads = ["alternative", "place", "mean", "range", "in_top", "deviation"]
    heads += ["borda", "misery"]
    return Numbers(
        tuple(texts(f"owner.group.{head}") for head in heads),
        tuple(
            NumberRow(
                show_name(each.name),
                (
                    texts.number(each.place),
                    texts.points(each.mean),
                    texts.span(each.low, each.high),
                    texts.number(round(each.in_top)),
                    texts.points(each.deviation),
                    texts.points(each.borda),
                    texts.points(each.misery),
                ),
            )
            for each in ranked
        ),
    )


def ranking_csv(group: Group) -> str:
    """Give the common ranking as CSV; no text can run as a formula."""
    return write_csv_table(ranking_frame(group).round(3), None) or ""
