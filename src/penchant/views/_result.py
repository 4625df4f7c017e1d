"""The first layer of a result: what is best, how sure, why, and what counts."""

from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace as View

from penchant.data import Items
from penchant.elicitation import Elicitor, MainReason, PersonBelief, Question
from penchant.studies import (
    ParticipantRecord,
    Parts,
    RankedItem,
    Study,
    study_template,
)
from penchant.texts import Texts
from penchant.views._charts import Axis
from penchant.views._curves import LEAST_SHARE, count_row
from penchant.views._display import item_facts, show_name

_LEVELS = ((0.95, "almost"), (0.8, "likely"), (0.6, "probably"))
"""Words for a certainty of at least so much; below, nothing is decided."""

_FACTS = 8
_LONGEST_LABEL = 40

_MOST_IN_FRONT = 10
"""A tier of more than so many says nothing: the headline names who leads it."""

_SAID = (
    (39, 7, "left", "size"),
    (12, 39, "left", "price"),
    (15, 12, "right", "price"),
    (17, 12, "right", "price"),
    (9, 12, "right", "energy class"),
    (17, 0, "left", "size"),
    (12, 22, "left", "energy class"),
    (25, 12, "right", "price"),
    (12, 16, "left", "size"),
    (12, 31, "left", "price"),
    (12, 6, "left", "noise"),
    (9, 3, "left", "noise"),
    (12, 11, "left", "noise"),
    (13, 12, "right", "size"),
)
"""What a simulated person was asked of the example with flats, chose, and why.

Of the people of ``make_flats_population(n_users=10, random_state=5)`` the fourth, asked
as the app asks.
"""

_SAMPLE_FACTS, _SAMPLE_COUNTS = 3, 5


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


def sample_view(texts: Texts) -> View:
    """Show on the first page what a simulated person got, in a language."""
    template, belief = study_template("flats"), _sample()
    own = next(noun for noun in template.nouns if noun.language == texts.language)
    told, items = texts.about(own.singular, own.plural), template.table(texts)
    names = {
        english.name: attribute.name
        for english, attribute in zip(
            template.items.attributes, items.attributes, strict=True
        )
    }
    shares = zip(belief.space.names, *belief.shares(), strict=True)
    most = sorted(shares, key=lambda each: -each[1])[:_SAMPLE_COUNTS]
    axis = Axis(0.0, max(high for *_, high in most))
    certainty = belief.certainty
    return View(
        lead=told("result.lead", alternatives=told.number(len(items))),
        name=items.names[belief.favourite],
        facts=item_facts(items, belief.favourite, told, _SAMPLE_FACTS),
        certainty=round(100 * certainty, 1),
        sure=told("owner.home.picture_sure", share=told.share(certainty)),
        counted=tuple(
            count_row(
                names[name],
                (share, low, high),
                axis,
                "counts.tip",
                told,
                unsure=low < LEAST_SHARE,
            )
            for name, share, low, high in most
        ),
        words=told.count("owner.home.picture", len(_SAID)),
    )


@cache
def _sample() -> PersonBelief:
    """Learn from what was said: half a second, once."""
    elicitor = Elicitor(items=study_template("flats").items, random_state=0)
    for left, right, answer, because in _SAID:
        elicitor.tell(Question(left, right), answer, because=because)
    belief = elicitor.posterior
    assert isinstance(belief, PersonBelief)
    return belief
