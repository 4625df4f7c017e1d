"""How much would have to change for another winner, in words."""

from collections.abc import Sequence
from math import ceil, floor
from types import SimpleNamespace as View

from penchant.data import Attribute, Items
from penchant.studies import AnotherWinner, Group, MorePeople, Turn, ValueChange
from penchant.texts import Texts
from penchant.views._charts import NumberRow, Numbers
from penchant.views._display import show_name


def another_winner_view(
    group: Group, items: Items, kinds: Sequence[tuple[str, str]], texts: Texts
) -> View | None:
    """Say how much would have to change; None if there is nothing to say.

    Parameters
    ----------
    group : Group
        With at least one person who answered.
    items : Items
        The alternatives.
    kinds : sequence of (str, str)
        What each segment is called, and how many people it has.
    texts : Texts
        In the language of the owner, about the study.
    """
    found = group.another_winner
    if found is None:
        return None
    names = [show_name(name) for name in items.names]
    winner = names[found.winner]
    lead = texts.number(round(found.lead, 1))
    several = group.n_voices > 1
    told = [_left_out(found, group, names, texts)] if several else []
    if found.more is not None:
        told.append(_more(found.more, group, names, texts))
    if several:
        told.append(_person(found.person, names, texts))
    told += [
        _kind(turn, *kind, winner, names, texts)
        for turn, kind in zip(found.kinds, kinds, strict=False)
    ]
    ends = (
        ("another.winner_values", found.winner, found.winner_values),
        ("another.rival_values", found.rival, found.rival_values),
    )
    return View(
        lead=texts("another.lead", winner=winner, lead=lead, rival=names[found.rival]),
        people=tuple(told),
        values=tuple(
            (texts(key, name=names[item]), _values(changes, items, texts))
            for key, item, changes in ends
            if changes
        ),
    )


def _left_out(
    found: AnotherWinner, group: Group, names: Sequence[str], texts: Texts
) -> str:
    turn = found.left_out
    if turn is None:
        return texts("another.left_out_none", winner=names[found.winner])
    of = texts.number(group.n_voices)
    return texts.count("another.left_out", int(turn.n), all=of, name=names[turn.first])


def _more(more: MorePeople, group: Group, names: Sequence[str], texts: Texts) -> str:
    return texts.count(
        "another.more",
        more.n,
        like=names[more.like],
        m=texts.number(more.n_like),
        all=texts.number(group.n_voices),
        name=names[more.first],
    )


def _person(turn: Turn | None, names: Sequence[str], texts: Texts) -> str:
    if turn is None:
        return texts("another.person_none")
    return texts("another.person", times=_times(turn, texts), name=names[turn.first])


def _kind(
    turn: Turn | None,
    kind: str,
    size: str,
    winner: str,
    names: Sequence[str],
    texts: Texts,
) -> str:
    if turn is None:
        return texts("another.kind_none", kind=kind, size=size, winner=winner)
    key = "another.kind_more" if turn.n >= 1 else "another.kind_less"
    times, name = _times(turn, texts), names[turn.first]
    return texts(key, kind=kind, size=size, times=times, name=name)


def _times(turn: Turn, texts: Texts) -> str:
    """Write how many times, rounded so that it is enough."""
    away = ceil if turn.n >= 1 else floor
    return texts.number(away(10 * turn.n) / 10)


def _values(changes: Sequence[ValueChange], items: Items, texts: Texts) -> Numbers:
    attributes = {attribute.name: attribute for attribute in items.attributes}
    rows = []
    for change in changes:
        attribute = attributes[change.attribute]
        name, now = show_name(change.attribute, 40), texts.value(attribute, change.now)
        label = texts("why.part", attribute=name, value=show_name(now, 40))
        rows.append(NumberRow(label, (_needed(change, attribute, texts),)))
    return Numbers((texts("another.now"), texts("another.then")), tuple(rows))


def _needed(change: ValueChange, attribute: Attribute, texts: Texts) -> str:
    if not change.sure:
        return texts("numbers.not_sure")
    if not change.needed:
        return texts("another.none")
    words = [show_name(texts.value(attribute, value), 40) for value in change.needed]
    if attribute.kind != "numeric":
        return ", ".join(words)
    key = "another.at_least" if change.needed[0] > change.now else "another.at_most"
    return texts(key, value=words[0])
