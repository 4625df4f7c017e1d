"""What all participants want together: ranking, kinds of people, careless people."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from penchant._cached import cached_property
from penchant.data import Items
from penchant.elicitation import PersonSpace
from penchant.elicitation.groups import (
    Consensus,
    GroupBelief,
    GroupLines,
    Newcomer,
    PersonAnswers,
    believe_group,
    careless_kind,
    quantiles,
)
from penchant.gp import Answer
from penchant.studies._another_winner import (
    AnotherWinner,
    another_winner,
    values_needed,
)
from penchant.studies._participation import AnsweredQuestion, Participation, evidence
from penchant.studies._results import Curve, curves, weigh
from penchant.studies._talk import GRADE_WIDTH, Talk
from penchant.studies.store._records import ParticipantRecord
from penchant.typing import BoolArray, FloatArray, IntArray

FEW_PEOPLE = 20
"""Of fewer people, kinds that exist are often missed."""

_CLEARLY = 2.0
"""Standard errors by which an attribute weighs more before a segment is named by it."""

_CHECKS = 2


@dataclass(frozen=True, eq=False)
class Member:
    """A participant as the owner of the study sees it.

    Parameters
    ----------
    id : str
        Identifier of the participant.
    label : str
        What tells people apart; may be empty.
    simulated : bool
        Whether no real person is behind it.
    state : {"new", "asking", "finished"}
        Where the person stands.
    n_answers : int
        Answers that stand.
    favourite : int or None
        The recommended item; None: no answer yet.
    certainty : float
        Probability that it is the best one.
    told : PersonAnswers
        The answers, as evidence.
    weights : ndarray of shape (n_attributes,)
        Share of each attribute in the differences between the items.
    curves : tuple of Curve
        What the values of each attribute are worth; empty: no answer yet.
    met : ndarray of bool of shape (n_items,), optional
        Which items meet the limits of the person; None: all.
    weight : float
        How often the owner counts this person; 0: not at all.
    """

    id: str
    label: str
    simulated: bool
    state: str
    n_answers: int
    favourite: int | None
    certainty: float
    told: PersonAnswers
    weights: FloatArray
    curves: tuple[Curve, ...] = ()
    met: BoolArray | None = None
    weight: float = 1.0

    @property
    def left_out(self) -> bool:
        """Whether the owner does not count this person."""
        return self.weight == 0

    @property
    def counts(self) -> bool:
        """Whether the person takes part in what the group wants."""
        return self.favourite is not None and not self.left_out


@dataclass(frozen=True)
class GroupItem:
    """An item as a group of people sees it.

    Parameters
    ----------
    item : int
        Position in the table.
    name : str
        Its name.
    tier : int
        1 for items of which none is clearly behind the leader, and so on.
    place : int
        One more than the number of items in better tiers: equal in a tier.
    mean, low, high : float
        Mean of the points that people give it, and its 90 % range.
    deviation : float
        Expected standard deviation of its points between people.
    people_low, people_high : float
        Eight of ten people give it points between these.
    borda : float
        Mean share of the other items that it beats, times 100.
    misery : float
        Expected points from the person who likes it least.
    in_top : float
        Expected number of votes of people who have it among their first three.
    n_failed : int
        Number of people whose limits it fails; it counts for them all the same.
    """

    item: int
    name: str
    tier: int
    place: int
    mean: float
    low: float
    high: float
    deviation: float
    people_low: float
    people_high: float
    borda: float
    misery: float
    in_top: float = 0.0
    n_failed: int = 0


@dataclass(frozen=True, eq=False)
class Segment:
    """People who want something similar; everybody, if there are no clear kinds.

    Parameters
    ----------
    members : tuple of str
        Identifiers of those who surely belong to it.
    ranking : tuple of GroupItem
        The items as these people see them, best first.
    weights : dict from str to float
        Share of each attribute, the largest first.
    distinct : tuple of str
        Attributes that clearly weigh more than with the others, the largest gap
        first.
    curves : tuple of Curve
        Means of the curves; nine of ten people lie between low and high.
    """

    members: tuple[str, ...]
    ranking: tuple[GroupItem, ...]
    weights: dict[str, float]
    distinct: tuple[str, ...]
    curves: tuple[Curve, ...]

    @property
    def best(self) -> GroupItem:
        """The item that comes first."""
        return self.ranking[0]


@dataclass(frozen=True)
class Careless:
    """A person whose answers look like clicking without reading; for the owner only.

    Parameters
    ----------
    member : str
        Identifier.
    kind : {"left", "right", "alternating", "random", ""}
        What the answers look like; empty: the owner left the person out, and the
        answers alone do not show why.
    left_out : bool
        Whether the owner does not count this person.
    """

    member: str
    kind: str
    left_out: bool


@dataclass(frozen=True, eq=False)
class Group:
    """What all participants of a study want.

    Parameters
    ----------
    members : tuple of Member
        All participants, in order of joining.
    items : tuple of GroupItem
        Best tier first, then best mean; empty while nobody has answered.
    chance : float
        Probability that the first item is the best for the group, or as good.
    kinds : {"none", "lean", "two", "three"}
        No clear kinds of people; people lean to one of two sides; at least two
        kinds; three kinds, perhaps more.
    segments : tuple of Segment
        The largest first; everybody in one if there are no clear kinds.
    differ : GroupItem or None
        The one item on which opinions differ; None: that cannot be said of any.
    careless : tuple of Careless
        Whose answers look careless, and whom the owner left out.
    n_events : int
        Length of the log that this rests on.
    agreement : float
        How often two people put two items in the same order, expected; NaN for one
        person or one item.
    another_winner : AnotherWinner or None
        How much would have to change for another winner; None: there is one item at
        most, or nobody has answered.
    points : ndarray of shape (n_voices, n_items)
        Expected points that each person who counts gives each item of the table.
    """

    members: tuple[Member, ...]
    items: tuple[GroupItem, ...]
    chance: float
    kinds: str
    segments: tuple[Segment, ...]
    differ: GroupItem | None
    careless: tuple[Careless, ...]
    n_events: int
    agreement: float = float("nan")
    another_winner: AnotherWinner | None = None
    points: FloatArray = field(default_factory=lambda: np.empty((0, 0)), repr=False)

    @cached_property
    def voices(self) -> tuple[Member, ...]:
        """The people who count."""
        return tuple(member for member in self.members if member.counts)

    @property
    def n_voices(self) -> int:
        """Number of people who count."""
        return len(self.voices)

    @cached_property
    def votes(self) -> FloatArray:
        """How often each of them counts."""
        return np.array([member.weight for member in self.voices])

    @property
    def n_votes(self) -> float:
        """Number of votes of all people."""
        return float(self.votes.sum())

    @property
    def n_simulated(self) -> int:
        """Simulated people among them."""
        return sum(member.simulated for member in self.voices)

    @property
    def n_left_out(self) -> int:
        """People whom the owner left out."""
        return sum(each.left_out for each in self.careless)

    @property
    def n_between(self) -> int:
        """People who count and do not clearly belong to a segment."""
        return self.n_voices - sum(len(each.members) for each in self.segments)

    @property
    def in_front(self) -> tuple[GroupItem, ...]:
        """The first tier: none of these items is clearly behind the leader."""
        return tuple(item for item in self.items if item.tier == 1)


def make_member(
    record: ParticipantRecord,
    now: Participation,
    talk: Talk,
    met: BoolArray | None = None,
) -> Member:
    """Describe a participant by where they stand and what is believed of them."""
    voiced = any(not told.skipped for told in now.answered)
    return Member(
        id=record.id,
        label=record.label,
        simulated=record.simulated,
        state=now.state,
        n_answers=len(now.answered),
        favourite=talk.favourite if voiced else None,
        certainty=talk.recommendation.probability_best if voiced else 0.0,
        told=tell_group(now.answered, GRADE_WIDTH, pressed=not record.simulated),
        weights=weigh(talk),
        curves=tuple(curves(talk)) if voiced else (),
        met=met if now.limits else None,
        weight=now.weight,
    )


def tell_group(
    answered: Sequence[AnsweredQuestion],
    width: float | None = None,
    *,
    pressed: bool = True,
) -> PersonAnswers:
    """Give what one person said as evidence, with the sides that were chosen.

    Simulated people press nothing: their sides tell nothing of care.
    """
    answers: list[Answer] = []
    sides: list[bool | None] = []
    for k, told in enumerate(answered):
        found = evidence(told, answered[:k], width)
        side = None
        if pressed and told.form == "pair" and told.answer in ("left", "right"):
            side = told.answer == "left"
        answers += found
        sides += [side] * len(found)
    n_checks = sum(
        told.predicted is not None and told.predicted.clear for told in answered
    )
    return PersonAnswers(tuple(answers), tuple(sides), n_checks >= _CHECKS)


def make_group(
    members: Sequence[Member],
    newcomer: Newcomer,
    items: Items,
    n_events: int,
    allowed: IntArray | None = None,
    space: PersonSpace | None = None,
) -> Group:
    """Put people together.

    Parameters
    ----------
    members : sequence of Member
        All participants.
    newcomer : Newcomer
        What is believed of a person before the first question.
    items : Items
        The alternatives.
    n_events : int
        Length of the log.
    allowed : ndarray of int, optional
        The alternatives that can be had; default: all.
    space : PersonSpace, optional
        The features of the items; without it nothing is said of other values.
    """
    voices = [member for member in members if member.counts]
    if not voices:
        left = _careless(members, None)
        return Group(tuple(members), (), 0.0, "none", (), None, left, n_events)
    votes = np.array([member.weight for member in voices])
    told = [member.told for member in voices]
    found = believe_group(newcomer, told, votes=votes, among=allowed)
    shown = _Shown.of(items, allowed, voices)
    ranked = _ranked(found.everybody, found, found.points, votes, shown)
    return Group(
        members=tuple(members),
        items=ranked,
        chance=found.everybody.chance,
        kinds=found.statement,
        segments=_segments(voices, found, items, shown),
        differ=next(
            (each for each in ranked if each.item == shown.at(found.differ)), None
        ),
        careless=_careless(members, found),
        n_events=n_events,
        agreement=found.agreement,
        another_winner=_another_winner(votes, found, ranked, items, space, shown),
        points=shown.spread(found.points, np.nan),
    )


def _another_winner(
    votes: FloatArray,
    found: GroupBelief,
    ranked: Sequence[GroupItem],
    items: Items,
    space: PersonSpace | None,
    shown: "_Shown",
) -> AnotherWinner | None:
    """Tell how much would have to change for another winner."""
    order = [each.item for each in ranked]
    kinds = [found.kind == k for k in range(len(found.kinds))]
    points = shown.spread(found.points, -np.inf)  # what cannot be had is nobody's best
    turned = another_winner(points, votes, order, kinds)
    if turned is None or space is None:
        return turned
    lines = GroupLines.through(found.everybody.draws, space, among=shown.items)
    if lines is None:
        return turned
    return replace(
        turned,
        winner_values=values_needed(items, turned.winner, -turned.lead, lines),
        rival_values=values_needed(items, turned.rival, turned.lead, lines),
    )


def _careless(
    members: Sequence[Member], found: GroupBelief | None
) -> tuple[Careless, ...]:
    """List whose answers look careless, and who is left out, in order of joining."""
    voices = [member for member in members if member.counts]
    flags = [] if found is None else found.careless.tolist()
    flagged = {member.id for member, flag in zip(voices, flags, strict=False) if flag}
    listed = []
    for member in members:
        if member.id in flagged or member.left_out:
            kind = careless_kind(member.told.clicks)
            # Sides at random are read off the items, of which those left out tell none.
            shown = "" if kind == "random" and member.left_out else kind
            listed.append(Careless(member.id, shown, member.left_out))
    return tuple(listed)


class _Shown(NamedTuple):
    """The items of a group: where they stand, names, and people whom they fail."""

    items: IntArray
    names: tuple[str, ...]
    failed: IntArray

    @classmethod
    def of(
        cls, items: Items, allowed: IntArray | None, voices: Sequence[Member]
    ) -> "_Shown":
        failed = np.zeros(len(items), dtype=np.int64)
        for member in voices:
            failed += 0 if member.met is None else ~member.met
        where = np.arange(len(items)) if allowed is None else allowed
        return cls(where, items.names, failed)

    def at(self, place: int | None) -> int | None:
        return None if place is None else int(self.items[place])

    def spread(self, points: FloatArray, otherwise: float) -> FloatArray:
        """Put points of the items shown where they stand among all items."""
        table = np.full((len(points), len(self.names)), otherwise)
        table[:, self.items] = points
        return table


def _ranked(
    wanted: Consensus,
    found: GroupBelief,
    points: FloatArray,
    votes: FloatArray,
    shown: _Shown,
) -> tuple[GroupItem, ...]:
    """Put items in the order of what several people want."""
    n_items = shown.items.size
    beaten = n_items - rankdata(-points, axis=1)
    borda = 100.0 * np.average(beaten, axis=0, weights=votes) / max(n_items - 1, 1)
    ahead = np.searchsorted(np.sort(wanted.tier), wanted.tier)
    return tuple(
        GroupItem(
            item=int(shown.items[i]),
            name=shown.names[shown.items[i]],
            tier=int(wanted.tier[i]) + 1,
            place=int(ahead[i]) + 1,
            mean=float(wanted.mean[i]),
            low=float(wanted.low[i]),
            high=float(wanted.high[i]),
            deviation=float(found.deviation[i]),
            people_low=float(wanted.people_low[i]),
            people_high=float(wanted.people_high[i]),
            borda=float(borda[i]),
            misery=float(wanted.least[i]),
            in_top=float(found.in_top[i]),
            n_failed=int(shown.failed[shown.items[i]]),
        )
        for i in wanted.order
    )


def _segments(
    voices: Sequence[Member], found: GroupBelief, items: Items, shown: _Shown
) -> tuple[Segment, ...]:
    """Describe each kind of people, or everybody."""
    names = [attribute.name for attribute in items.attributes]
    weights = np.stack([member.weights for member in voices])
    segments = []
    for k, wanted in enumerate(found.kinds or (found.everybody,)):
        inside = found.kind == k
        people = [who for who, is_in in zip(voices, inside, strict=True) if is_in]
        votes = np.array([member.weight for member in people])
        own = np.average(weights[inside], axis=0, weights=votes)
        drawn = (member.curves for member in people)
        segments.append(
            Segment(
                members=tuple(member.id for member in people),
                ranking=_ranked(wanted, found, found.points[inside], votes, shown),
                weights={names[j]: float(own[j]) for j in np.argsort(-own)},
                distinct=_distinct(weights[inside], weights[~inside], names),
                curves=tuple(
                    _mean_curve(same, votes) for same in zip(*drawn, strict=True)
                ),
            )
        )
    return tuple(segments)


def _distinct(
    inside: FloatArray, outside: FloatArray, names: Sequence[str]
) -> tuple[str, ...]:
    """Name attributes that weigh more inside by at least two standard errors.

    Votes do not matter here: they tell nothing of how people differ.
    """
    if min(len(inside), len(outside)) < 2:
        return ()
    gap = inside.mean(axis=0) - outside.mean(axis=0)
    error = np.sqrt(
        inside.var(axis=0, ddof=1) / len(inside)
        + outside.var(axis=0, ddof=1) / len(outside)
    )
    clear = gap > np.maximum(_CLEARLY * error, 1e-9)
    return tuple(names[k] for k in np.argsort(-gap) if clear[k])


def _mean_curve(same: tuple[Curve, ...], votes: FloatArray) -> Curve:
    """Put the curves of several people for one attribute together."""
    points = np.stack([curve.points for curve in same])
    low, high = quantiles(points[None], votes, [0.05, 0.95])[:, 0]
    share = float(np.average([curve.share for curve in same], weights=votes))
    mean, first = np.average(points, axis=0, weights=votes), same[0]
    return Curve(first.attribute, first.grid, mean, low, high, share)
