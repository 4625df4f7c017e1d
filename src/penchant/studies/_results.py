"""What a participant gets to see: ranking, curves, what belongs together, what-if."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from penchant.data import Items
from penchant.elicitation import Forecast
from penchant.exceptions import DataError
from penchant.gp import FactorTerm
from penchant.studies._talk import Talk
from penchant.typing import FloatArray

__all__ = [
    "Curve",
    "Interaction",
    "Progress",
    "RankedItem",
    "WhatIf",
    "curves",
    "interactions",
    "ranking",
    "weigh",
    "what_if",
]

_Z = 1.6448536269514722
"""Half the width of a 90 % range in standard deviations."""

_N_POINTS = 25
"""Values of a numeric attribute at which a curve is drawn."""

_N_CELLS = 9
"""Values of a numeric attribute on one side of a surface."""

_EQUAL = 1e-9
"""Utilities that are closer than this are the same."""

_LEAST_STRENGTH = 2.0
"""Attributes that give fewer points together than this do not matter together."""


@dataclass(frozen=True)
class Progress:
    """How far the asking has come.

    Parameters
    ----------
    number : int
        The question that is open or would come next, from 1; after the end, how
        many were answered.
    certainty : float
        Probability that the recommended item is the best one.
    expected_regret : float
        What the recommended item loses against the best one, in expectation, in
        standard deviations of utility.
    about_left : Forecast or None
        How many more questions it takes; None: not known (yet).
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
    about_left: Forecast | None
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
        Probability that no other item is better.
    """

    item: int
    name: str
    place: int
    points: float
    low: float
    high: float
    probability_best: float

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
    share : float
        How much of the differences between the items the attribute makes; the
        shares of all attributes add up to 1.
    """

    attribute: str
    grid: tuple[Any, ...]
    points: FloatArray
    low: FloatArray
    high: FloatArray
    share: float


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
        Probability that the sign of `strength` is right.
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
    """Rank the items; of more than 2000 those that can be the best."""
    size = min(len(names), _rankable(talk))
    order = talk.moment.ranking(size)
    points = talk.scale.points(talk.posterior.mean)
    reach = _Z * talk.scale.amount(np.sqrt(talk.posterior.variance))
    return [
        RankedItem(
            item=item,
            name=names[item],
            place=place,
            points=float(points[item]),
            low=float(points[item] - reach[item]),
            high=float(points[item] + reach[item]),
            probability_best=talk.moment.best.chance(item),
        )
        for place, item in enumerate(order, start=1)
    ]


def _rankable(talk: Talk) -> int:
    few = talk.posterior.n_items <= 2000
    return talk.posterior.n_items if few else int(talk.moment.contenders.size)


def weigh(talk: Talk) -> FloatArray:
    """Give the share of each attribute in the differences between the items.

    What two attributes make together counts half for each.
    """
    weights = np.zeros(len(talk.utility.names))
    for factor, share in talk.utility.shares().items():
        weights[list(factor)] += share / len(factor)
    return weights


def curves(talk: Talk) -> list[Curve]:
    """Give the curve of every attribute that varies, in the order of the table."""
    weights = weigh(talk)
    found = []
    for i in _alone(talk):
        axis = talk.start.axis(i, _N_POINTS)
        points = np.zeros((len(axis.codes), len(talk.utility.names)))
        points[:, i] = axis.codes
        worth = _ranges(talk, *_function(talk, (i,), points))
        name = talk.utility.names[i]
        found.append(Curve(name, axis.values, *worth, float(weights[i])))
    return found


def _alone(talk: Talk) -> list[int]:
    """Give the attributes that vary."""
    return [factor[0] for factor in talk.utility.factors if len(factor) == 1]


def _function(
    talk: Talk, factor: tuple[int, ...], points: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give mean and deviation of what some attributes are worth at encoded points."""
    term = FactorTerm(factor, points, np.eye(len(points)))
    direct = np.zeros((len(points), len(talk.utility.items)))
    mean, cov = talk.utility.combine([term], direct)
    return mean, np.sqrt(np.maximum(np.diagonal(cov), 0.0))


def _ranges(
    talk: Talk, mean: FloatArray, deviation: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    points, reach = talk.scale.amount(mean), _Z * talk.scale.amount(deviation)
    return points, points - reach, points + reach


def interactions(talk: Talk) -> list[Interaction]:
    """Give the pairs of attributes that matter together, the strongest first."""
    alone = _alone(talk)
    ends = {i: _ends(talk, i) for i in alone}
    found = []
    for i, j in combinations(alone, 2):
        if (i, j) in talk.utility.factors:
            term = _synergy(talk, i, j, ends)
            strength = _expected(talk, term)
            if abs(strength) >= _LEAST_STRENGTH:
                found.append(_surface(talk, i, j, strength, _sure(talk, term)))
    return sorted(found, key=lambda each: -abs(each.strength))


def _ends(talk: Talk, i: int) -> tuple[float, float]:
    """Give the encoded values of an attribute that are liked best and least."""
    codes = talk.start.axis(i, _N_POINTS).codes
    points = np.zeros((len(codes), len(talk.utility.names)))
    points[:, i] = codes
    mean = talk.utility.expect((i,), points)
    return float(codes[mean.argmax()]), float(codes[mean.argmin()])


def _synergy(
    talk: Talk, i: int, j: int, ends: dict[int, tuple[float, float]]
) -> FactorTerm:
    """Give the sum f(++) + f(--) - f(+-) - f(-+) of two attributes."""
    points = np.zeros((4, len(talk.utility.names)))
    points[:, i] = np.repeat(ends[i], 2)
    points[:, j] = np.tile(ends[j], 2)
    return FactorTerm((i, j), points, np.array([[1.0, -1.0, -1.0, 1.0]]))


def _expected(talk: Talk, term: FactorTerm) -> float:
    """Give the expectation of one sum, in points."""
    sums = term.coef @ talk.utility.expect(term.factor, term.points)
    return float(talk.scale.amount(sums)[0])


def _sure(talk: Talk, term: FactorTerm) -> float:
    """Say how sure the sign of one sum is."""
    direct = np.zeros((1, len(talk.utility.items)))
    mean, cov = talk.utility.combine([term], direct)
    deviation = np.sqrt(max(float(cov[0, 0]), 1e-300))
    return float(ndtr(abs(mean[0]) / deviation))


def _surface(talk: Talk, i: int, j: int, strength: float, sure: float) -> Interaction:
    rows, columns = (talk.start.axis(k, _N_CELLS) for k in (i, j))
    shape = (len(rows.codes), len(columns.codes))
    points = np.zeros((shape[0] * shape[1], len(talk.utility.names)))
    points[:, i] = np.repeat(rows.codes, shape[1])
    points[:, j] = np.tile(columns.codes, shape[0])
    worth = _ranges(talk, *_function(talk, (i, j), points))
    return Interaction(
        talk.utility.names[i],
        talk.utility.names[j],
        strength,
        sure,
        rows.values,
        columns.values,
        *(each.reshape(shape) for each in worth),
    )


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
    both = _imagine(items, base, values, beside=talk.favourite)
    mean, cov = talk.utility.posterior(both)
    points = float(talk.scale.points(mean)[0])
    reach = _Z * float(talk.scale.amount(np.sqrt(max(cov[0, 0], 0.0))))
    own = float(talk.scale.points(talk.posterior.mean[base]))
    return WhatIf(
        values=both.values(0),
        points=points,
        low=points - reach,
        high=points + reach,
        place=1 + int((talk.posterior.mean > mean[0] + _EQUAL).sum()),
        chance=_chance(mean, cov),
        base=base,
        change=points - own,
    )


def _imagine(
    items: Items, base: int, values: Mapping[str, Any], *, beside: int
) -> Items:
    """Give an item with some values changed, and beside it one as it is."""
    unknown = sorted(set(values) - set(items.frame.columns))
    if unknown:
        raise DataError(
            f"There is no attribute {unknown[0]!r}. The attributes are: "
            f"{', '.join(items.frame.columns)}."
        )
    names = ("imagined", "beside")
    own = items.values(base)
    if own | dict(values) == own:
        return items.with_rows(items.frame.iloc[[base, beside]], names)
    rows = [own | dict(values), items.values(beside)]
    frame = pd.DataFrame(rows, columns=items.frame.columns)
    return Items(frame, items.attributes, names)


def _chance(mean: FloatArray, cov: FloatArray) -> float:
    """Give the probability that the first of two utilities is larger."""
    spread = float(cov[0, 0] + cov[1, 1] - 2.0 * cov[0, 1])
    if spread <= _EQUAL:  # the same item
        return 0.5
    return float(ndtr((mean[0] - mean[1]) / np.sqrt(spread)))
