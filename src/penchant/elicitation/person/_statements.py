"""What may be told about a person in points, with ranges, and when to say it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from penchant._cached import cached_property
from penchant.data import Items
from penchant.elicitation.person._utilities import Utilities
from penchant.typing import FloatArray

_REASON = 0.72
"""Probability with which a set of names must hold the main reason."""

_SHARE, _CARED, _HEARSAY = 0.05, 0.88, 0.9
"""Who is said to care about an attribute: its share is _SHARE with _CARED. Where only
earlier people speak for it, who is like them with _HEARSAY."""

_TOGETHER = 0.8
"""Probability of a share of _SHARE from which a pair of attributes may be told."""

_TAIL, _LIKE_TAIL = 0.05, 0.02
"""What 90 % ranges leave out at each end; those of points of people like earlier ones
leave out more, since these people differ less than was learned of them."""


class Ranges(NamedTuple):
    """Means with the ends of 90 % ranges, arrays of the same shape."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class MainReason:
    """What speaks most for an item.

    Parameters
    ----------
    attributes : tuple of str
        One or two names of which one is the main reason; none: several things
        together.
    probability : float
        Probability that the main reason is among them; without names, among the
        two likeliest.
    """

    attributes: tuple[str, ...]
    probability: float


class Together(NamedTuple):
    """Two attributes that count together, beyond each alone."""

    first: str
    second: str
    probability: float


class Statements(Utilities):
    """What is told of a person in points; see `PersonBelief`."""

    # ------------------------------------------------------------ points

    def points(self) -> Ranges:
        """Give the points of every item, each of shape (n_items,)."""
        (centre, span), drawn = self.scale, self.draws
        like = float(drawn.weights @ (drawn.like > 0.0)) if self.space.singles else 0.0
        return self._ranges(
            50.0 + 100.0 / span * (drawn.utilities - centre), _TAIL + _LIKE_TAIL * like
        )

    def _ranges(self, values: FloatArray, tail: float = _TAIL) -> Ranges:
        """Sum up draws, shape (n_draws, ...), which all count alike."""
        ends = (tail, 1.0 - tail)
        low, high = np.quantile(values, ends, axis=0, method="inverted_cdf")
        return Ranges(np.tensordot(self.draws.weights, values, 1), low, high)

    # ------------------------------------------------------------ attributes

    @cached_property
    def _coefficients(self) -> FloatArray:
        """Theta with the population's part split among lines and curves."""
        theta, space = self.draws.theta.copy(), self.space
        if space.population is not None:
            features, mean = space.split
            lines = space.line_columns
            theta[:, lines] += theta[:, space.population_columns] @ features.T
            theta[:, lines] += self.draws.like[:, None] * mean
        return theta

    def _parts(self, features: FloatArray) -> FloatArray:
        """Give the part of each attribute, (n_draws, n_attributes), of a row of Phi."""
        weighted = self.space.ownership * features
        return np.asarray(self._coefficients @ weighted.T)

    @cached_property
    def _share_draws(self) -> FloatArray:
        """Variance over the items of each attribute's part, as shares."""
        spread = np.array([self._spread(shares) for shares in self.space.ownership])
        spread = spread.reshape(-1, self.draws.weights.size).T
        return np.asarray(spread / np.maximum(spread.sum(axis=1), 1e-12)[:, None])

    def _spread(self, shares: FloatArray) -> FloatArray:
        """Give the variance over the items of some columns' sum, draw by draw."""
        columns = np.flatnonzero(shares)
        covariance = self.space.second_moments[np.ix_(columns, columns)]
        theta = self._coefficients[:, columns] * shares[columns]
        return np.asarray(((theta @ covariance) * theta).sum(axis=1))

    def shares(self) -> Ranges:
        """Give how much of the differences between items each attribute makes.

        Each of shape (n_attributes,), in the order of `space.names`.
        """
        return self._ranges(self._share_draws)

    def cared_about(self) -> tuple[str, ...]:
        """Give the attributes that may be listed as counting.

        Who may be like the earlier people or not would hear of what those care about,
        so that it must follow from the own answers, too. The draws of explanations
        without earlier people tell that: a second belief costs as much as the first.
        """
        if not self.space.singles:
            return ()
        drawn, counts = self.draws, self._share_draws >= _SHARE
        own = drawn.weights * (drawn.like == 0.0)
        said = (own @ counts) / max(own.sum(), 1e-12) >= _CARED
        like = own.sum() <= 1.0 - _HEARSAY
        listed = (drawn.weights @ counts >= _CARED) & (said | like)
        names = self.space.names
        order = np.argsort(-(drawn.weights @ self._share_draws), kind="stable")
        return tuple(names[k] for k in order if listed[k])

    def parts(self, item: int) -> Ranges:
        """Give what each attribute adds to an item over the average one, in points."""
        return self._in_points(self._parts(self.space.table[item]))

    def contrast(self, first: int, second: int) -> Ranges:
        """Give what each attribute adds to the first item over the second."""
        table = self.space.table
        return self._in_points(self._parts(table[first] - table[second]))

    def _in_points(self, values: FloatArray) -> Ranges:
        return self._ranges(100.0 / self.scale[1] * values)

    def main_reason(self, item: int | None = None) -> MainReason:
        """Give what speaks most for an item; default: for the favourite.

        The smallest set of attributes that holds the one with the largest part with
        probability .72, if it has one or two names.
        """
        if not self.space.singles:
            return MainReason((), 0.0)
        chance = self._top_chances(self.favourite if item is None else item)
        if not chance.any():
            return MainReason((), 0.0)
        order = np.argsort(-chance, kind="stable")
        sums = chance[order].cumsum()
        size = int((sums < _REASON - 1e-12).sum()) + 1
        if size > 2 or size > chance.size:
            return MainReason((), float(sums[: min(2, chance.size)][-1]))
        names = tuple(self.space.names[k] for k in order[:size])
        return MainReason(names, float(sums[size - 1]))

    def _top_chances(self, item: int) -> FloatArray:
        """Give the probability that each attribute's part of an item is the largest.

        An attribute of which the item has no value is no reason.
        """
        n, known = len(self.space.singles), self.space.known[item]
        if not known.any():
            return np.zeros(n)
        parts = self._parts(self.space.table[item])
        top = np.where(known, parts, -np.inf).argmax(axis=1)
        return np.bincount(top, self.draws.weights, minlength=n).astype(np.float64)

    def together(self) -> tuple[Together, ...]:
        """Give the pairs of attributes that may be told to count together."""
        found = []
        total = sum((self._spread(row) for row in self.space.ownership), 1e-12)
        for block in self.space.blocks:
            if block.kind == "pair":
                own = np.zeros(self.space.block_of.size)
                own[block.columns] = 1.0
                share = self._spread(own) / total
                chance = float(self.draws.weights @ (share >= _SHARE))
                if chance >= _TOGETHER:
                    a, b = (self.space.names[k] for k in block.owners)
                    found.append(Together(a, b, chance))
        return tuple(sorted(found, key=lambda each: -each.probability))

    def curve(self, attribute: str, values: Sequence[Any]) -> Ranges:
        """Give what values of an attribute are worth over the average, in points.

        Parameters
        ----------
        attribute : str
            One that varies.
        values : sequence
            Numbers in the units of the data, or names of levels.
        """
        owner = self.space.owner(attribute)
        single, codes = self.space.singles[owner], self.space.codes(owner, values)
        columns = self.space.columns_of((owner,))
        features = np.hstack([single.lines(codes), single.curves(codes)])
        return self._in_points(self._coefficients[:, columns] @ features.T)

    def surface(
        self, first: str, second: str, rows: Sequence[Any], columns: Sequence[Any]
    ) -> Ranges:
        """Give what two attributes are worth together, (n_rows, n_columns) each.

        Parameters
        ----------
        first, second : str
            The attributes.
        rows, columns : sequence
            Their values, in the units of the data or names of levels.
        """
        owners = (self.space.owner(first), self.space.owner(second))
        places = [self.space.singles[k].attribute for k in owners]
        X = np.full(
            (len(rows) * len(columns), len(self.space.items.attributes)), np.nan
        )
        X[:, places[0]] = np.repeat(self.space.codes(owners[0], rows), len(columns))
        X[:, places[1]] = np.tile(self.space.codes(owners[1], columns), len(rows))
        chosen_columns = self.space.columns_of(owners)
        features = self.space.features(X)[:, chosen_columns]
        worth = self._coefficients[:, chosen_columns] @ features.T
        return self._in_points(worth.reshape(len(worth), len(rows), len(columns)))

    def expect(self, rows: Items) -> FloatArray:
        """Give the expected utility that their attributes give items, (n_rows,)."""
        features = self.space.features(self.space.encode(rows))
        mean = self.draws.weights @ self._coefficients[:, : features.shape[1]]
        return np.asarray(features @ mean)

    def imagine(self, rows: Items, base: int | None = None) -> FloatArray:
        """Draw utilities of imagined items, shape (n_draws, n_rows).

        Parameters
        ----------
        rows : Items
            With the attributes of the study.
        base : int, optional
            The item that they are variations of: what it is worth beyond its
            attributes they are worth, too. Default: nothing.
        """
        features = self.space.features(self.space.encode(rows))
        width = features.shape[1]
        worth = self._coefficients[:, :width] @ features.T
        if base is not None:
            own = self._coefficients[:, :width] @ self.space.table[base, :width]
            worth = worth + (self.draws.utilities[:, base] - own)[:, None]
        return np.asarray(worth)
