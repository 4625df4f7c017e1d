"""The first layer of a result: what is best, how sure, why, and what counts."""

from collections.abc import Sequence
from dataclasses import dataclass

from penchant.data import Items
from penchant.elicitation import MainReason
from penchant.studies import ParticipantRecord, Parts, RankedItem, Study
from penchant.texts import Texts
from penchant.views._display import Fact, item_facts, item_values, show_name

_LEVELS = ((0.95, "almost"), (0.8, "likely"), (0.6, "probably"))
"""Words for a certainty of at least so much; below, nothing is decided."""

_FACTS = 8
_LONGEST_LABEL = 40

_MOST_IN_FRONT = 10
"""A tier of more than so many says nothing: the headline names who leads it."""


@dataclass(frozen=True)
class BestView:
    """What suits the person best, in words.

    Parameters
    ----------
    lead, title : str
        The headline: one alternative, or how many are in front.
    name : str
        The alternative with the most points, which the headline names if it may.
    facts : tuple of Fact
        Its values; none where the headline does not name it.
    sure : str
        How certain that is, in words and as a number.
    certainty : float or None
        In percent, for the meter; None before three answers.
    chance_of, loss : str
        What it is the chance of, and what there is to lose; empty before three answers.
    state : str
        Whether the questions are at an end, and why.
    can_go_on, can_undo : bool
        What the person may do.
    """

    lead: str
    title: str
    name: str
    facts: tuple[Fact, ...]
    sure: str
    certainty: float | None
    chance_of: str
    loss: str
    state: str
    can_go_on: bool
    can_undo: bool


def best_view(
    study: Study,
    person: str | ParticipantRecord,
    ranking: Sequence[RankedItem],
    texts: Texts,
) -> BestView:
    """Show what suits a person best.

    Parameters
    ----------
    study : Study
    person : str or ParticipantRecord
        The participant.
    ranking : sequence of RankedItem
        What `Study.ranking` gives for them.
    texts : Texts
        In the language of the person.
    """
    best, now = ranking[0], study.participation(person)
    progress = study.progress(person, now)
    sure = best.probability_best if progress.is_known else None
    level = _level(sure)
    decided = level not in ("early", "open")
    name, n_items = show_name(best.name), study.what_fits(now.limits).n_allowed
    n_front = sum(each.tier == 1 for each in ranking)
    title = texts.count("result.in_front", n_front)
    if n_front > _MOST_IN_FRONT:
        title = texts("result.leads", name=name)
    state = f"result.{now.finished}" if now.finished else "result.unfinished"
    loss = texts.count("result.loss", max(1, round(progress.expected_points)))
    return BestView(
        texts(
            "result.lead" if decided else "result.lead_open",
            alternatives=texts.number(n_items),
        ),
        name if decided else texts("result.early") if level == "early" else title,
        name,
        item_facts(study.items, best.item, texts, _FACTS) if decided else (),
        texts(f"result.level_{level}", share="" if sure is None else texts.share(sure)),
        None if sure is None else round(100 * sure, 1),
        _chance_of(study, person, name, len(now.answered), texts) if sure else "",
        "" if sure is None else loss,
        texts(state if state in texts.entries else "result.person"),
        now.finished != "exhausted",
        bool(now.answered),
    )


def _level(certainty: float | None) -> str:
    """Give the words that fit a certainty; None: there are too few answers."""
    if certainty is None:
        return "early"
    return next((word for least, word in _LEVELS if certainty >= least), "open")


def _chance_of(
    study: Study, person: str | ParticipantRecord, name: str, n: int, texts: Texts
) -> str:
    points = texts.count("compare.points", max(1, round(study.noticed(person))))
    return texts.count("result.chance_of", n, name=name, points=points)


@dataclass(frozen=True)
class Reason:
    """A reason in a sentence, and whether it speaks for, against, or stays open."""

    side: str
    words: str


def reasons_view(
    study: Study,
    person: str | ParticipantRecord,
    ranking: Sequence[RankedItem],
    texts: Texts,
) -> tuple[Reason, ...]:
    """Say what speaks most for the first alternative, and what against it.

    Parameters
    ----------
    study : Study
    person : str or ParticipantRecord
        The participant.
    ranking : sequence of RankedItem
        What `Study.ranking` gives for them.
    texts : Texts
        In the language of the person.
    """
    items, best = study.items, ranking[0].item
    found, reason = study.explain(person, best), study.main_reason(person, best)
    words = reason_words(items, best, reason, texts)
    if reason.attributes:
        words = f"{words} {_worth(found, reason, texts)}"
    side = "for" if reason.attributes else "open"
    rival = ranking[1].item if len(ranking) > 1 else None
    against = None
    if rival is not None:
        against = _against(items, best, rival, study.contrast(person, best, rival))
    if against is not None:
        words_against = texts("why.against", **_values(items, against, texts))
    else:
        words_against = texts("why.against_none")
    return (
        Reason(side, words),
        Reason("against" if against else "open", words_against),
    )


def reason_words(items: Items, item: int, reason: MainReason, texts: Texts) -> str:
    """Say what speaks most for an alternative: one thing, one of two, or several."""
    if not reason.attributes:
        return texts("why.several")
    names = [attribute.name for attribute in items.attributes]
    values = dict(zip(names, item_values(items, item, texts), strict=True))
    told = [
        texts("why.part", attribute=show_name(name, _LONGEST_LABEL), value=values[name])
        for name in reason.attributes
    ]
    share = texts.share(reason.probability)
    if len(told) == 1:
        return texts("why.one", part=told[0], share=share)
    return texts("why.two", a=told[0], b=told[1], share=share)


def _worth(found: Parts, reason: MainReason, texts: Texts) -> str:
    """Say on how many points a reason rests, where that is sure."""
    places = [found.names.index(name) for name in reason.attributes]
    if any(found.low[k] <= 0 for k in places) or found.total <= found.base:
        return ""
    points = round(float(found.points[places].sum()))
    lead = texts.count("compare.points", round(found.total - found.base))
    return texts.count("why.worth", points, lead=lead)


@dataclass(frozen=True)
class _Against:
    """An attribute that speaks for the next best."""

    attribute: str
    item: int
    rival: int
    points: float


def _against(items: Items, item: int, rival: int, found: Parts) -> _Against | None:
    """Find what surely speaks most against an alternative, beside the next best."""
    sure = [k for k in range(len(found.names)) if found.high[k] < 0]
    if not sure:
        return None
    worst = min(sure, key=lambda k: found.points[k])
    return _Against(found.names[worst], item, rival, -float(found.points[worst]))


def _values(items: Items, found: _Against, texts: Texts) -> dict[str, str]:
    attribute = next(a for a in items.attributes if a.name == found.attribute)
    value, rival = (
        show_name(texts.value(attribute, items.values(item)[attribute.name]), 40)
        for item in (found.item, found.rival)
    )
    return {
        "attribute": texts.sentence(show_name(attribute.name, _LONGEST_LABEL)),
        "value": value,
        "rival": rival,
        "name": show_name(items.names[found.rival]),
        "points": texts.count("compare.points", max(1, round(found.points))),
    }
