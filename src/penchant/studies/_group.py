"""What all participants want together: rankings, disagreement and segments."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from penchant.data import Items
from penchant.studies._participation import Participation
from penchant.studies._results import Curve, curves, weigh
from penchant.studies._talk import Talk
from penchant.studies.store._records import ParticipantRecord
from penchant.typing import FloatArray, IntArray

__all__ = [
    "SPLIT_SHARE",
    "Group",
    "GroupItem",
    "Member",
    "Segment",
    "group_items",
    "make_group",
    "make_member",
    "split_people",
]

SPLIT_SHARE = 0.3
"""An item is split if at least this share of the people have it in their best
quarter, and at least this share in their worst."""

_MOST_SEGMENTS = 3
_FEWEST_MEMBERS = 6
_FEWEST_IN_SEGMENT = 2
_LEAST_SILHOUETTE = 0.1
"""People who lie closer to other segments than this are not told apart."""


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
    points : ndarray of shape (n_items,)
        Expected utilities, from 0 for the worst item to 100 for the best.
    weights : ndarray of shape (n_attributes,)
        Share of each attribute in the differences between the items.
    curves : tuple of Curve
        What the values of each attribute are worth; empty: no answer yet.
    """

    id: str
    label: str
    simulated: bool
    state: str
    n_answers: int
    favourite: int | None
    certainty: float
    points: FloatArray
    weights: FloatArray
    curves: tuple[Curve, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether the person takes part in what the group wants."""
        return self.favourite is not None


@dataclass(frozen=True)
class GroupItem:
    """An item as a group of people sees it.

    Parameters
    ----------
    item : int
        Position in the table.
    name : str
        Its name.
    mean : float
        Mean of the points that people give it.
    borda : float
        Mean share of the other items that it beats, times 100.
    misery : float
        Points from the person who likes it least.
    place, borda_place, misery_place : int
        Places by the three, 1 is the best.
    disagreement : float
        Standard deviation of its points between people.
    in_best, in_worst : float
        Share of the people who have it in their best, or worst, quarter.
    split : bool
        Whether both shares are at least 0.3.
    """

    item: int
    name: str
    mean: float
    borda: float
    misery: float
    place: int
    borda_place: int
    misery_place: int
    disagreement: float
    in_best: float
    in_worst: float
    split: bool


@dataclass(frozen=True, eq=False)
class Segment:
    """People who want something similar.

    Parameters
    ----------
    members : tuple of str
        Identifiers.
    ranking : tuple of GroupItem
        The items as these people see them, best mean first.
    weights : dict from str to float
        Share of each attribute, the largest first.
    distinct : tuple of str
        Attributes that weigh more than with the others, the largest gap first.
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
        """The item with the best mean."""
        return self.ranking[0]


@dataclass(frozen=True, eq=False)
class Group:
    """What all participants of a study want.

    Parameters
    ----------
    members : tuple of Member
        All participants, in order of joining.
    items : tuple of GroupItem
        Best mean first; empty while nobody has answered.
    segments : tuple of Segment
        The largest first; one if people cannot be told apart.
    silhouette : float
        How well the segments are apart, from -1 to 1; 0 for a single one.
    n_events : int
        Length of the log that this rests on.
    """

    members: tuple[Member, ...]
    items: tuple[GroupItem, ...]
    segments: tuple[Segment, ...]
    silhouette: float
    n_events: int

    @property
    def n_voices(self) -> int:
        """People who answered."""
        return sum(member.counts for member in self.members)

    @property
    def n_simulated(self) -> int:
        """Simulated people among them."""
        return sum(member.counts and member.simulated for member in self.members)

    @property
    def splits(self) -> tuple[GroupItem, ...]:
        """Items that people are split about, the largest disagreement first."""
        found = (item for item in self.items if item.split)
        return tuple(sorted(found, key=lambda item: -item.disagreement))


def make_member(record: ParticipantRecord, now: Participation, talk: Talk) -> Member:
    """Describe a participant by where they stand and what is believed of them."""
    voiced = any(not told.skipped for told in now.answered)
    mean = talk.posterior.mean
    width = float(np.ptp(mean))
    points = (
        100.0 * (mean - mean.min()) / width if width > 0 else np.full(len(mean), 50)
    )
    return Member(
        id=record.id,
        label=record.label,
        simulated=record.simulated,
        state=now.state,
        n_answers=len(now.answered),
        favourite=talk.favourite if voiced else None,
        certainty=talk.certainty if voiced else 0.0,
        points=points,
        weights=weigh(talk),
        curves=tuple(curves(talk)) if voiced else (),
    )


def make_group(members: Sequence[Member], items: Items, n_events: int) -> Group:
    """Put people together.

    Parameters
    ----------
    members : sequence of Member
        All participants.
    items : Items
        The alternatives.
    n_events : int
        Length of the log.
    """
    voices = [member for member in members if member.counts]
    if not voices:
        return Group(tuple(members), (), (), 0.0, n_events)
    points = np.stack([member.points for member in voices])
    labels, silhouette = split_people(points)
    names = [attribute.name for attribute in items.attributes]
    segments = [
        _make_segment(
            [voices[k] for k in np.flatnonzero(labels == label)],
            [voices[k] for k in np.flatnonzero(labels != label)],
            items.names,
            names,
        )
        for label in np.unique(labels)
    ]
    segments.sort(key=lambda segment: -len(segment.members))
    ranked = group_items(points, items.names)
    return Group(tuple(members), ranked, tuple(segments), silhouette, n_events)


def group_items(points: FloatArray, names: Sequence[str]) -> tuple[GroupItem, ...]:
    """Rank items by what many people think of them.

    Parameters
    ----------
    points : ndarray of shape (n_people, n_items)
        What each person gives each item, from 0 to 100.
    names : sequence of str
        Names of the items.

    Returns
    -------
    tuple of GroupItem
        Best mean first.

    Examples
    --------
    >>> points = np.array([[100.0, 60.0, 0.0], [0.0, 60.0, 100.0]])
    >>> best = group_items(points, ["a", "b", "c"])[0]
    >>> best.name, best.mean, best.borda, best.misery
    ('b', 60.0, 50.0, 60.0)
    """
    n_items = points.shape[1]
    places = rankdata(-points, axis=1)
    quarter = max(n_items / 4.0, 1.0)
    mean, misery = points.mean(axis=0), points.min(axis=0)
    borda = 100.0 * (n_items - places).mean(axis=0) / max(n_items - 1, 1)
    by_place = [rankdata(-values, method="min") for values in (mean, borda, misery)]
    in_best = (places <= quarter).mean(axis=0)
    in_worst = (places > n_items - quarter).mean(axis=0)
    order = np.lexsort((-borda, -mean))
    return tuple(
        GroupItem(
            item=int(i),
            name=names[i],
            mean=float(mean[i]),
            borda=float(borda[i]),
            misery=float(misery[i]),
            place=int(by_place[0][i]),
            borda_place=int(by_place[1][i]),
            misery_place=int(by_place[2][i]),
            disagreement=float(points[:, i].std()),
            in_best=float(in_best[i]),
            in_worst=float(in_worst[i]),
            split=bool(min(in_best[i], in_worst[i]) >= SPLIT_SHARE),
        )
        for i in order
    )


def split_people(points: FloatArray) -> tuple[IntArray, float]:
    """Find groups of people who want something similar.

    k-means on standardised utilities, with 2 or 3 groups, whichever are better
    apart by their silhouette; one group for fewer than 6 people or where they are
    not apart.

    Parameters
    ----------
    points : ndarray of shape (n_people, n_items)

    Returns
    -------
    labels : ndarray of int of shape (n_people,)
    silhouette : float
    """
    centred = points - points.mean(axis=1, keepdims=True)
    scale = centred.std(axis=1, keepdims=True)
    rows = centred / np.where(scale > 0, scale, 1.0)
    labels, best = np.zeros(len(rows), dtype=np.int64), 0.0
    if len(rows) < _FEWEST_MEMBERS or len(np.unique(rows, axis=0)) <= _MOST_SEGMENTS:
        return labels, best
    for k in range(2, _MOST_SEGMENTS + 1):
        found = KMeans(k, n_init=10, random_state=0).fit_predict(rows)
        score = float(silhouette_score(rows, found))
        small = np.bincount(found).min() < _FEWEST_IN_SEGMENT
        if score > max(best, _LEAST_SILHOUETTE) and not small:
            labels, best = found.astype(np.int64), score
    return labels, best


def _make_segment(
    inside: Sequence[Member],
    outside: Sequence[Member],
    item_names: Sequence[str],
    names: Sequence[str],
) -> Segment:
    weights = np.mean([member.weights for member in inside], axis=0)
    others = weights
    if outside:
        others = np.mean([member.weights for member in outside], axis=0)
    gap = weights - others
    drawn = (member.curves for member in inside)
    return Segment(
        members=tuple(member.id for member in inside),
        ranking=group_items(np.stack([m.points for m in inside]), item_names),
        weights={names[k]: float(weights[k]) for k in np.argsort(-weights)},
        distinct=tuple(names[k] for k in np.argsort(-gap) if gap[k] > 0),
        curves=tuple(_mean_curve(same) for same in zip(*drawn, strict=True)),
    )


def _mean_curve(same: tuple[Curve, ...]) -> Curve:
    """Put the curves of several people for one attribute together."""
    points = np.stack([curve.points for curve in same])
    low, high = np.quantile(points, [0.05, 0.95], axis=0)
    share = float(np.mean([curve.share for curve in same]))
    first = same[0]
    return Curve(first.attribute, first.grid, points.mean(axis=0), low, high, share)
