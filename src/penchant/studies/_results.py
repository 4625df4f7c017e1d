"""What a participant gets to see: ranking, curves, what belongs together, what-if."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.studies._talk import Talk
from penchant.typing import FloatArray

_ENDS = (0.05, 0.95)
"""Where a 90 % range begins and ends."""

_N_POINTS = 25
"""Values of a numeric attribute at which a curve is drawn."""

_N_CELLS = 9
"""Values of a numeric attribute on one side of a surface."""

_CLEARLY = 0.95
"""Probability with which an item is called clearly behind another."""

_EQUAL = 1e-9
"""Utilities that are closer than this are the same."""


@dataclass(frozen=True)
class Progress:
    """How far the asking has come.

    Parameters
    ----------
    number : int
        The question that is open or would come next, from 1; after the end, how
        many were answered.
    certainty : float
        Probability that the recommended item is the best one, or as good: not worse
        by more than the person calls equal.
    expected_regret : float
        What the recommended item loses against the best one, in expectation, in
        standard deviations of utility; the truth is probably less.
    expected_points : float
        The same in points.
    is_known : bool
        Whether there are answers enough to say how sure it is, or no more to get.
    done : bool
        Whether the asking has ended.
    reason : str
        Why: "sure", "budget", "exhausted" (nothing left to ask) or "person".
    can_undo : bool
        Whether there is an answer to take back.
    """

    number: int
    certainty: float
    expected_regret: float
    expected_points: float
    is_known: bool
    done: bool
    reason: str
    can_undo: bool

    def to_dict(self) -> dict[str, Any]:
        """Give the progress as plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class RankedItem:
    """An item in the ranking of one person.

    Parameters
    ----------
    item : int
        Position in the table.
    name : str
        Its name.
    place : int
        1 is the best.
    points : float
        0 for the item that is liked least, 100 for the one that is liked best.
    low, high : float
        Ends of the 90 % range; may lie below 0 or above 100.
    probability_best : float
        Probability that it is the best, or as good: that no item is better by more
        than the person calls equal.
    tier : int
        1 for the first items; another tier begins where it is 95 % sure of this item,
        and of each behind it, that the first of the tier before is better. 0: the
        person called the item not acceptable.
    """

    item: int
    name: str
    place: int
    points: float
    low: float
    high: float
    probability_best: float
    tier: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Give the item as plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Curve:
    """What the values of one attribute are worth.

    Parameters
    ----------
    attribute : str
        Its name.
    grid : tuple
        Numbers in the units of the data, or names of levels.
    points : ndarray of shape (n,)
        Worth of each value; on average over the domain it is 0.
    low, high : ndarray of shape (n,)
        Ends of the 90 % range.
    share, share_low, share_high : float
        How much of the differences between the items the attribute makes, with its
        90 % range; the shares of all attributes add up to 1.
    counts : bool
        Whether it may be said that the person cares about the attribute.
    """

    attribute: str
    grid: tuple[Any, ...]
    points: FloatArray
    low: FloatArray
    high: FloatArray
    share: float
    share_low: float = 0.0
    share_high: float = 1.0
    counts: bool = False


@dataclass(frozen=True, eq=False)
class Interaction:
    """What two attributes are worth together beyond each alone.

    Parameters
    ----------
    first, second : str
        The attributes.
    strength : float
        Points that their liked ends (and their disliked ends) get for being
        together rather than apart: positive is better together.
    sure : float
        Probability that what they make together is a twentieth of all differences or
        more.
    rows, columns : tuple
        Values of the first and of the second attribute.
    points, low, high : ndarray of shape (n_rows, n_columns)
        Worth of both together, with its 90 % range.
    """

    first: str
    second: str
    strength: float
    sure: float
    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    points: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Parts:
    """What each attribute adds to an item over the average one, or over a rival.

    ``base + points.sum() + rest`` is `total`.

    Parameters
    ----------
    names : tuple of str
        The attributes that vary.
    points, low, high : ndarray of shape (n_attributes,)
        What each adds, with the ends of its 90 % range.
    base : float
        Points of the average item, or of the rival.
    total : float
        Points of the item.
    chance : float
        Probability that the person likes it better than the average, or the rival.
    """

    names: tuple[str, ...]
    points: FloatArray
    low: FloatArray
    high: FloatArray
    base: float
    total: float
    chance: float

    @property
    def rest(self) -> float:
        """Points that it has beyond its attributes."""
        return self.total - self.base - float(self.points.sum())

    @property
    def decisive(self) -> tuple[str, ...]:
        """The fewest attributes that outweigh all that speaks against the item.

        Empty where all that speaks for it does not, or where the range of one that is
        needed holds 0: then nobody can say what decides.
        """
        order = np.argsort(-self.points, kind="stable")
        pros = [int(k) for k in order if self.points[k] > 0]
        against = -float(self.points[self.points < 0].sum())
        sums = np.cumsum(self.points[pros])
        enough = np.flatnonzero(sums > against)
        if not enough.size or against == 0.0:
            return ()
        needed = pros[: int(enough[0]) + 1]
        sure = bool((self.low[needed] > 0).all())
        return tuple(self.names[k] for k in needed) if sure else ()


@dataclass(frozen=True)
class WhatIf:
    """What an imagined item would be worth.

    Parameters
    ----------
    values : dict
        The imagined item.
    points, low, high : float
        Its points, with the 90 % range.
    place : int
        Where it would stand among the items of the table.
    chance : float
        Probability that the person likes it better than the recommended item.
    base : int
        The item that it was made from.
    change : float
        Its points minus those of `base`.
    """

    values: dict[str, Any]
    points: float
    low: float
    high: float
    place: int
    chance: float
    base: int
    change: float

    def to_dict(self) -> dict[str, Any]:
        """Give the answer as plain values for JSON."""
        return asdict(self)


def ranking(talk: Talk, names: tuple[str, ...]) -> list[RankedItem]:
    """Rank the items by their mean points, those that were rejected last.

    Of more than 2000 items those that can be the best.
    """
    points, as_good = talk.belief.points(), _as_good(talk)
    rejected = talk.belief.rejected
    order = sorted(  # places and points come from the same draws
        talk.ranking(min(len(names), _rankable(talk))),
        key=lambda item: (item in rejected, -points.mean[item]),
    )
    tiers = _tiers(talk, [item for item in order if item not in rejected])
    return [
        RankedItem(
            item=item,
            name=names[item],
            place=place,
            points=float(points.mean[item]),
            low=float(points.low[item]),
            high=float(points.high[item]),
            probability_best=float(as_good[item]),
            tier=tiers.get(item, 0),
        )
        for place, item in enumerate(order, start=1)
    ]


def _tiers(talk: Talk, order: list[int]) -> dict[int, int]:
    """Give the tier of items in their order; the first of a tier leads it."""
    drawn, tiers = talk.belief.draws, {}
    tier, first = 1, 0
    while first < len(order):
        rest = order[first:]
        ahead = drawn.utilities[:, rest[:1]] > drawn.utilities[:, rest]
        level = np.flatnonzero(drawn.weights @ ahead < _CLEARLY)
        n_inside = int(level[-1]) + 1  # at least the leader itself
        tiers.update(dict.fromkeys(rest[:n_inside], tier))
        tier, first = tier + 1, first + n_inside
    return tiers


def _rankable(talk: Talk) -> int:
    few = talk.belief.n_items <= 2000
    return int(talk.setting.candidates.size if few else talk.contenders.size)


def _as_good(talk: Talk) -> FloatArray:
    """Give the probability of being the best, or as good, for every item.

    Those that are known to be worse, or were rejected, have none.
    """
    chances = np.zeros(talk.belief.n_items)
    contenders = talk.contenders
    chances[contenders] = talk.belief.all_as_good(contenders)
    return chances


def weigh(talk: Talk) -> FloatArray:
    """Give the share of each attribute in the differences between the items.

    What two attributes make together counts half for each.
    """
    space = talk.start.space
    weights = np.zeros(len(space.items.attributes))
    if space.singles:
        places = [single.attribute for single in space.singles]
        weights[places] = talk.belief.shares().mean
    return weights


def curves(talk: Talk) -> list[Curve]:
    """Give the curve of every attribute that varies, in the order of the table."""
    belief, names = talk.belief, talk.start.space.names
    if not names:
        return []
    shares, cared = belief.shares(), belief.cared_about()
    found = []
    for k, name in enumerate(names):
        grid = _grid(talk, name, _N_POINTS)
        worth = belief.curve(name, grid)
        share, low, high = (float(end[k]) for end in shares)
        counts = name in cared
        found.append(Curve(name, grid, *worth, share, low, high, counts))
    return found


def _grid(talk: Talk, name: str, n_points: int) -> tuple[Any, ...]:
    """Give the levels of an attribute, or so many equally spaced numbers."""
    attributes = talk.start.space.items.attributes
    attribute = next(each for each in attributes if each.name == name)
    if attribute.kind != "numeric":
        return tuple(attribute.levels)
    low, high = attribute.domain or (0.0, 1.0)
    return tuple(np.linspace(float(low), float(high), n_points).tolist())


def interactions(talk: Talk) -> list[Interaction]:
    """Give the pairs of attributes that may be told to matter together."""
    found = []
    for first, second, sure in talk.belief.together():
        rows, columns = (_grid(talk, name, _N_CELLS) for name in (first, second))
        worth = talk.belief.surface(first, second, rows, columns)
        ends = [_ends(talk, name) for name in (first, second)]
        corners = talk.belief.surface(first, second, *ends).mean
        strength = float(corners[0, 0] + corners[1, 1] - corners[0, 1] - corners[1, 0])
        found.append(Interaction(first, second, strength, sure, rows, columns, *worth))
    return sorted(found, key=lambda each: -abs(each.strength))


def _ends(talk: Talk, name: str) -> tuple[Any, Any]:
    """Give the values of an attribute that are liked best and least."""
    grid = _grid(talk, name, _N_POINTS)
    mean = talk.belief.curve(name, grid).mean
    return grid[int(mean.argmax())], grid[int(mean.argmin())]


def explain(talk: Talk, item: int) -> Parts:
    """Tell what each attribute adds to an item over the average one."""
    centre, span = talk.belief.scale
    average = 50.0 - 100.0 / span * centre  # utilities are centred
    total = float(talk.belief.points().mean[item])
    likes = talk.belief.draws.utilities[:, item] > 0.0
    chance = float(talk.belief.draws.weights @ likes)
    worth = talk.belief.parts(item) if talk.start.space.singles else _nothing()
    return Parts(talk.start.space.names, *worth, average, total, chance)


def contrast(talk: Talk, a: int, b: int) -> Parts:
    """Tell what each attribute adds to item a over item b."""
    points = talk.belief.points().mean
    worth = talk.belief.contrast(a, b) if talk.start.space.singles else _nothing()
    drawn = talk.belief.draws
    chance = drawn.weights @ (drawn.utilities[:, a] > drawn.utilities[:, b])
    ends = float(points[b]), float(points[a])
    return Parts(talk.start.space.names, *worth, *ends, float(chance))


def _nothing() -> tuple[FloatArray, FloatArray, FloatArray]:
    none = np.zeros(0)
    return none, none, none


def what_if(talk: Talk, items: Items, base: int, values: Mapping[str, Any]) -> WhatIf:
    """Say what an item with some values changed would be worth.

    Parameters
    ----------
    talk : Talk
        What is believed of the person.
    items : Items
        The alternatives, without gaps.
    base : int
        The item to change.
    values : mapping from attribute to value
        In the units of the data, or names of levels.
    """
    belief = talk.belief
    imagined, changed = _imagine(items, base, values)
    drawn = belief.draws.utilities[:, base]
    if changed:
        before = belief.imagine(items.take([base]), base)[:, 0]
        drawn = drawn + belief.imagine(imagined, base)[:, 0] - before
    weights, means = belief.draws.weights, belief.draws.weights @ belief.draws.utilities
    centre, span = belief.scale
    points = 50.0 + 100.0 / span * (drawn - centre)
    ahead = drawn > belief.draws.utilities[:, talk.favourite]
    order = np.argsort(points)
    ends = np.searchsorted(np.cumsum(weights[order]), _ENDS).clip(max=order.size - 1)
    same = base == talk.favourite and not changed
    return WhatIf(
        values=imagined.values(0),
        points=float(weights @ points),
        low=float(points[order[ends[0]]]),
        high=float(points[order[ends[1]]]),
        place=1
        + int((means[talk.setting.candidates] > weights @ drawn + _EQUAL).sum()),
        chance=0.5 if same else float(weights @ ahead),
        base=base,
        change=float(weights @ points) - float(belief.points().mean[base]),
    )


def _imagine(items: Items, base: int, values: Mapping[str, Any]) -> tuple[Items, bool]:
    """Give an item with some values changed, and whether any is."""
    unknown = sorted(set(values) - set(items.frame.columns))
    if unknown:
        raise DataError(
            f"There is no attribute {unknown[0]!r}. The attributes are: "
            f"{', '.join(items.frame.columns)}."
        )
    own = items.values(base)
    if own | dict(values) == own:
        return items.take([base]), False
    frame = pd.DataFrame([own | dict(values)], columns=items.frame.columns)
    return Items(frame, items.attributes, ("imagined",)), True


@dataclass(frozen=True, eq=False)
class Changed:
    """What a person expects of an item whose values change, beside a rival.

    For `penchant.explanation.flip`, which puts both into one table.

    Parameters
    ----------
    talk : Talk
        What is believed of the person.
    item, rival : int
        The two.
    row : Items
        The item, without gaps.
    """

    talk: Talk
    item: int
    rival: int
    row: Items

    def utility(self, rows: Items) -> FloatArray:
        """Give the expected utility of rows; what the item has beside them stays."""
        belief = self.talk.belief
        means = belief.draws.weights @ belief.draws.utilities
        worth = belief.expect(rows) + means[self.item] - belief.expect(self.row)[0]
        if rows.names == ("item", "rival"):
            worth[1] = means[self.rival]
        return np.asarray(worth)
