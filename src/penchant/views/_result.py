"""The first layer of a result: what is best, how sure, why, and what counts."""

from collections.abc import Sequence
from types import SimpleNamespace as View

from penchant.data import Items
from penchant.elicitation import MainReason
from penchant.studies import ParticipantRecord, Parts, RankedItem, Study
from penchant.texts import Texts
from penchant.views._display import item_facts, show_name

_LEVELS = ((0.95, "almost"), (0.8, "likely"), (0.6, "probably"))
"""Words for a certainty of at least so much; below, nothing is decided."""

_FACTS = 8
_LONGEST_LABEL = 40

_MOST_IN_FRONT = 10
"""A tier of more than so many says nothing: the headline names who leads it."""


def best_view(
    study: Study,
    person: str | ParticipantRecord,
    ranking: Sequence[RankedItem],
    texts: Texts,
) -> View:
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
    points = texts.count("compare.points", max(1, round(study.noticed(person))))
    n = len(now.answered)
    chance_of = texts.count("result.chance_of", n, name=name, points=points)
    return View(
        lead=texts(
            "result.lead" if decided else "result.lead_open",
            alternatives=texts.number(n_items),
        ),
        title=name if decided else texts("result.early") if level == "early" else title,
        name=name,
        facts=item_facts(study.items, best.item, texts, _FACTS) if decided else (),
        sure=texts(
            f"result.level_{level}", share="" if sure is None else texts.share(sure)
        ),
        certainty=None if sure is None else round(100 * sure, 1),
        chance_of=chance_of if sure else "",
        loss="" if sure is None else loss,
        state=texts(state if state in texts.entries else "result.person"),
        can_go_on=now.finished != "exhausted",
        can_undo=bool(now.answered),
    )


def _level(certainty: float | None) -> str:
    """Give the words that fit a certainty; None: there are too few answers."""
    if certainty is None:
        return "early"
    return next((word for least, word in _LEVELS if certainty >= least), "open")


def reasons_view(
    study: Study,
    person: str | ParticipantRecord,
    ranking: Sequence[RankedItem],
    texts: Texts,
) -> tuple[View, ...]:
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
    reason = study.main_reason(person, best)
    words = reason_words(items, best, reason, texts)
    if reason.attributes:
        words = f"{words} {_worth(study.explain(person, best), reason, texts)}"
    against = ""
    if len(ranking) > 1:
        rival = ranking[1].item
        found = study.contrast(person, best, rival)
        against = _against(items, best, rival, found, texts)
    return (
        View(side="for" if reason.attributes else "open", words=words),
        View(
            side="against" if against else "open",
            words=against or texts("why.against_none"),
        ),
    )


def reason_words(items: Items, item: int, reason: MainReason, texts: Texts) -> str:
    """Say what speaks most for an alternative: one thing, one of two, or several."""
    if not reason.attributes:
        return texts("why.several")
    names = [attribute.name for attribute in items.attributes]
    values = dict(zip(names, texts.values(items, item), strict=True))
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
    key = "why.worth" if len(places) == 1 else "why.worth_two"
    return texts.count(key, points, lead=lead)


def _against(items: Items, item: int, rival: int, found: Parts, texts: Texts) -> str:
    """Say what surely speaks most against an alternative, beside the next best."""
    sure = [k for k in range(len(found.names)) if found.high[k] < 0]
    if not sure:
        return ""
    worst = min(sure, key=lambda k: found.points[k])
    attribute = next(a for a in items.attributes if a.name == found.names[worst])
    own, other = (
        show_name(texts.value(attribute, items.values(each)[attribute.name]), 40)
        for each in (item, rival)
    )
    return texts(
        "why.against",
        attribute=texts.sentence(show_name(attribute.name, _LONGEST_LABEL)),
        value=own,
        rival=other,
        name=show_name(items.names[rival]),
        points=texts.count("compare.points", max(1, round(-found.points[worst]))),
    )
