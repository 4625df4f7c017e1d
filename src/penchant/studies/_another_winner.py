"""How much would have to change for a group to have another winner."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

import numpy as np

from penchant.data import DATE, Attribute, Items
from penchant.elicitation.groups import GroupLines
from penchant.typing import BoolArray, FloatArray

_ENDS = (0.05, 0.95)
_N_STEPS = 100
"""Values of an attribute that are tried, about so many over its range."""


@dataclass(frozen=True)
class Turn:
    """What puts another item first.

    Parameters
    ----------
    n : float
        How many people, or how many times as much some must count.
    first : int
        The item that is first then.
    """

    n: float
    first: int


@dataclass(frozen=True)
class MorePeople:
    """So many more people put another item first.

    Parameters
    ----------
    n : int
        How many more.
    like : int
        They think as, on average, those do now who like this item best.
    n_like : int
        How many these are.
    first : int
        The item that is first then.
    """

    n: int
    like: int
    n_like: int
    first: int


@dataclass(frozen=True)
class ValueChange:
    """What one value of an item must become.

    Parameters
    ----------
    attribute : str
        Its name.
    now : object
        The value.
    needed : tuple
        The nearest number or level at which another item is first, of levels without
        an order all; empty: none that the table has.
    sure : bool
        Whether it may be said: the 90 % range of what the change makes does not hold
        0, or, without such a value, no end of a range is enough.
    """

    attribute: str
    now: Any
    needed: tuple[Any, ...]
    sure: bool


@dataclass(frozen=True, eq=False)
class AnotherWinner:
    """How much would have to change for another winner.

    All of it is counted with the points that each person has now: answers that are
    not there are not predicted.

    Parameters
    ----------
    winner, rival : int
        The items that are first and second by their mean points.
    lead : float
        Points between them.
    left_out : Turn or None
        The fewest people whom to leave out; None: whoever stays, the winner stays.
    more : MorePeople or None
        The fewest people who must come; None: nobody likes another item best.
    person : Turn or None
        How many times as much one person must count, at least; None: no person alone
        can change it.
    kinds : tuple of Turn or None
        The same for each kind of people, in the order of `Group.segments`; below 1:
        they must count less. Empty if there are no clear kinds.
    winner_values, rival_values : tuple of ValueChange
        What each known value of the winner, or of the rival, must become.
    """

    winner: int
    rival: int
    lead: float
    left_out: Turn | None
    more: MorePeople | None
    person: Turn | None
    kinds: tuple[Turn | None, ...]
    winner_values: tuple[ValueChange, ...] = ()
    rival_values: tuple[ValueChange, ...] = ()


def another_winner(
    points: FloatArray,
    weights: FloatArray,
    order: Sequence[int],
    kinds: Sequence[BoolArray] = (),
) -> AnotherWinner | None:
    """Work out how people would have to change; None if there is one item only.

    Parameters
    ----------
    points : ndarray of shape (n_people, n_items)
        Expected points that each person gives.
    weights : ndarray of shape (n_people,)
        How much each counts.
    order : sequence of int
        The items that can win, by their weighted mean points, best first.
    kinds : sequence of ndarray of bool of shape (n_people,)
        Who is of which kind.

    Notes
    -----
    With ``d_pj = weight_p (points of the winner - points of j)``, item j is ahead of
    the winner if the sum of d_pj over people is below 0. Leaving out k people makes
    it smallest if they are those with the largest d_pj: the fewest are found for each
    j, and the least of these is the answer.
    """
    if len(order) < 2:
        return None
    winner, rivals = order[0], np.asarray(order[1:])
    gaps = weights[:, None] * (points[:, [winner]] - points[:, rivals])
    alone = [_counting(gaps, who) for who in np.eye(len(points), dtype=bool)]
    lead = float(gaps[:, 0].sum() / weights.sum())
    up = [turn for turn in alone if turn is not None and turn[0] > 1]
    return AnotherWinner(
        winner,
        order[1],
        lead,
        _named(_left_out(gaps), rivals),
        _more(points, gaps, winner, rivals),
        _named(min(up, default=None), rivals),
        tuple(_named(_counting(gaps, inside), rivals) for inside in kinds),
    )


def _named(turn: tuple[float, int] | None, rivals: Any) -> Turn | None:
    return None if turn is None else Turn(turn[0], int(rivals[turn[1]]))


def _left_out(gaps: FloatArray) -> tuple[float, int] | None:
    """Give the fewest people to leave out, and the place of who is first then."""
    rest = gaps.sum(axis=0) - np.cumsum(-np.sort(-gaps, axis=0), axis=0)
    ahead = rest[:-1] < 0  # somebody must stay
    n, rival = min(
        ((int(np.argmax(own)) + 1, j) for j, own in enumerate(ahead.T) if own.any()),
        default=(0, 0),
    )
    if not n:
        return None
    best = int(np.argmin(rest[n - 1]))
    return float(n), best if rest[n - 1, best] < rest[n - 1, rival] else rival


def _counting(gaps: FloatArray, inside: BoolArray) -> tuple[float, int] | None:
    """Give how many times as much some people must count, the nearest to once."""
    own, others = gaps[inside].sum(axis=0), gaps[~inside].sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = -others / own  # where both hands are equal
    up = np.where((own < 0) & (others >= 0), times, np.inf)
    down = np.where((own > 0) & (others < 0), times, -np.inf)
    if np.isfinite(up).any():
        return float(up.min()), int(up.argmin())
    if np.isfinite(down).any():
        return float(down.max()), int(down.argmax())
    return None


def _more(
    points: FloatArray, gaps: FloatArray, winner: int, rivals: Any
) -> MorePeople | None:
    """Find whose like would have to come in the smallest number."""
    behind, best = gaps.sum(axis=0), points.argmax(axis=1)
    found = []
    for item in rivals:
        like = points[best == item]
        if not len(like):
            continue
        gain = (like[:, rivals] - like[:, [winner]]).mean(axis=0)
        needed = [(floor(behind[j] / gain[j]) + 1, j) for j in np.flatnonzero(gain > 0)]
        n, first = min(needed)
        found.append(MorePeople(n, int(item), len(like), int(rivals[first])))
    return min(found, key=lambda each: each.n, default=None)


def values_needed(
    items: Items, item: int, margin: float, lines: GroupLines
) -> tuple[ValueChange, ...]:
    """Tell what each value of an item must become for its mean to pass a margin.

    Parameters
    ----------
    items : Items
        The alternatives.
    item : int
        The one that changes.
    margin : float
        Points that it must gain; below 0: lose.
    lines : GroupLines
        Through the points of the group.
    """
    own, found = items.values(item), []
    side = 1.0 if margin >= 0 else -1.0
    for attribute in items.attributes:
        now = own[attribute.name]
        tried = _tried(attribute, items.frame[attribute.name].dropna(), now)
        if not tried:
            continue
        gained = side * lines.change(item, attribute.name, tried)
        low, high = np.quantile(gained, _ENDS, axis=0)
        passing = np.flatnonzero(gained.mean(axis=0) > side * margin)
        if attribute.kind != "categorical":
            passing = passing[:1]
        sure = (low[passing] > 0).all() if passing.size else high.max() <= side * margin
        needed = tuple(tried[k] for k in passing)
        found.append(ValueChange(attribute.name, now, needed, bool(sure)))
    return tuple(found)


def _tried(attribute: Attribute, column: Any, now: Any) -> list[Any]:
    """Give other values, the nearest first; none if it is unknown or does not vary."""
    if now is None or now != now or column.nunique() < 2:
        return []
    if attribute.kind == "numeric":
        values = column.to_numpy(dtype=float)
        whole = attribute.unit == DATE or bool((values == np.round(values)).all())
        low, high = attribute.domain or (values.min(), values.max())
        grid = _grid(float(low), float(high), whole)
        grid = grid[np.argsort(np.abs(grid - now), kind="stable")]
        return [float(value) for value in grid if value != now]
    levels = [str(level) for level in attribute.levels]
    place = levels.index(str(now))
    order = sorted(range(len(levels)), key=lambda k: abs(k - place))
    return [levels[k] for k in order if k != place]


def _grid(low: float, high: float, whole: bool) -> FloatArray:
    """Give round numbers from low to high, and both ends."""
    rough = (high - low) / _N_STEPS
    size = 10.0 ** floor(log10(rough))
    step = next(k * size for k in (1, 2, 5, 10) if k * size >= rough * (1 - 1e-9))
    step = max(step, 1.0) if whole else step
    inside = np.arange(ceil(low / step), floor(high / step) + 1) * step
    return np.unique(np.round(np.concatenate([[low], inside, [high]]), 10))
