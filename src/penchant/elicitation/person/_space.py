"""The space of a study's utilities: blocks of features, shared by all its people."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh

from penchant._cached import cached_property
from penchant.data import Attribute, Items
from penchant.elicitation.person._features import (
    AttributeFeatures,
    PairFeatures,
    learn_attributes,
    learn_pairs,
)
from penchant.exceptions import DataError
from penchant.gp import DenseCovariance, Posterior
from penchant.typing import BoolArray, FloatArray, IntArray

_N_POPULATION = 40
"""Leading directions in which earlier people differ."""

USUAL_NOISE = 0.2
"""Noise of answers, in standard deviations of utility; nobody is taken for better."""

_DENSE = 300
"""Items up to which all eigenvectors are worked out."""

_RIDGE = 0.005
"""Weight of the penalty where population features are split among attributes."""


@dataclass(frozen=True)
class Block:
    """Columns of the features that share a prior variance.

    Parameters
    ----------
    kind : {"line", "curve", "pair", "population", "level"}
        "level" is what a person still accepts: one column, 0 for every item.
    owners : tuple of int
        The attributes, as places among those that vary.
    columns : slice
    """

    kind: str
    owners: tuple[int, ...]
    columns: slice


@dataclass(frozen=True, eq=False)
class PersonSpace:
    """Utilities ``u = Phi theta + rest`` of the items of a study.

    Each block of Phi is centred and has mean squared row norm 1 over the items:
    a line and, for numbers, a curve per attribute; pairs of attributes beyond both;
    and the directions in which earlier people differ. `rest` is one coordinate per
    item. Made once and shared by all people of a study.

    An unknown value is 0 in all columns of its attribute, which is the average; what
    it may be worth is doubt about the item's own part (`unknown`).

    Parameters
    ----------
    items : Items
        The alternatives.
    singles : tuple of AttributeFeatures
        The attributes that vary.
    pairs : tuple of PairFeatures
    population : ndarray of shape (n_items, k) or None
        Leading eigenvectors of the earlier people's covariance, times the roots of
        their eigenvalues.
    population_mean : ndarray of shape (n_items,)
        What earlier people's utilities are on average; 0 without any.
    population_noise : float
        How noisy earlier people's answers are, at the same scale.
    posterior : Posterior or None
        Where the two come from.
    """

    items: Items
    singles: tuple[AttributeFeatures, ...]
    pairs: tuple[PairFeatures, ...]
    population: FloatArray | None
    population_mean: FloatArray
    population_noise: float
    posterior: Posterior | None = field(default=None, repr=False)

    @classmethod
    def from_items(
        cls, items: Items, population: Posterior | None = None
    ) -> "PersonSpace":
        """Learn the features of a table, and what earlier people add.

        Parameters
        ----------
        items : Items
            The alternatives; blanks are unknown.
        population : Posterior, optional
            The belief about a new person after earlier ones, over these items.
        """
        X = items.encode(missing="keep")
        singles = learn_attributes(X, items.attributes)
        pairs = learn_pairs(X, singles)
        factor, mean, noise = None, np.zeros(len(items)), USUAL_NOISE
        if population is not None:
            if population.n_items != len(items):
                raise DataError(
                    "The population must be about the same items. Got "
                    f"{population.n_items} for {len(items)} items."
                )
            factor, mean, noise = _leading(population)
        parts = (tuple(singles), tuple(pairs), factor, mean, noise)
        return cls(items, *parts, population)

    @cached_property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.items)

    @cached_property
    def own_scale(self) -> float:
        """What makes the mean square of the items' own, centred coordinates 1."""
        return float(1.0 / np.sqrt(max(1.0 - 1.0 / self.n_items, 0.5)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes that vary."""
        attributes = self.items.attributes
        return tuple(attributes[each.attribute].name for each in self.singles)

    def owner(self, name: str) -> int:
        """Give the place of an attribute among those that vary."""
        if name not in self.names:
            raise DataError(
                f"The attribute must be one that varies: {', '.join(self.names)}. "
                f"Got {name!r}."
            )
        return self.names.index(name)

    @cached_property
    def encoded(self) -> FloatArray:
        """The items as numbers in [0, 1], NaN where unknown."""
        return self.items.encode(missing="keep")

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks, in the order of their columns."""
        place = {id(each): k for k, each in enumerate(self.singles)}
        sizes: list[tuple[str, tuple[int, ...], int]]
        sizes = [("line", (k,), s.centre.size) for k, s in enumerate(self.singles)]
        sizes += [("curve", (k,), s.bends.shape[1]) for k, s in enumerate(self.singles)]
        for pair in self.pairs:
            both = (place[id(pair.first)], place[id(pair.second)])
            sizes.append(("pair", both, pair.directions.shape[1]))
        if self.population is not None:
            sizes.append(("population", (), self.population.shape[1]))
        sizes.append(("level", (), 1))
        found, start = [], 0
        for kind, owners, size in sizes:
            if size:
                found.append(Block(kind, owners, slice(start, start + size)))
                start += size
        return tuple(found)

    @cached_property
    def block_of(self) -> IntArray:
        """The block of each column, shape (n_columns,)."""
        sizes = [b.columns.stop - b.columns.start for b in self.blocks]
        return np.repeat(np.arange(len(sizes)), sizes)

    @cached_property
    def table(self) -> FloatArray:
        """Phi, shape (n_items, n_columns)."""
        parts = [self.features(self.encoded)]
        if self.population is not None:
            parts.append(self.population)
        parts.append(np.zeros((self.n_items, 1)))
        table = np.hstack(parts)
        table -= table.mean(axis=0)
        for block in self.blocks:
            if block.owners:
                table[~self.known[:, block.owners].all(axis=1), block.columns] = 0.0
        return table

    @cached_property
    def known(self) -> BoolArray:
        """Which values are known, (n_items, n_attributes), of attributes that vary."""
        return ~np.isnan(self.encoded[:, [each.attribute for each in self.singles]])

    @cached_property
    def incomplete(self) -> IntArray:
        """The attributes of which some values are unknown."""
        return np.flatnonzero(~self.known.all(axis=0))

    @cached_property
    def unknown(self) -> FloatArray:
        """Whose own parts vary together, shape (1 + n_incomplete, n_items).

        All items first, then those of which an attribute of `incomplete` is unknown.
        """
        blank = ~self.known[:, self.incomplete].T
        return np.vstack([np.ones(self.n_items), blank])

    def features(self, X: FloatArray) -> FloatArray:
        """Give lines, curves and pairs of encoded items."""
        parts = [s.lines(X[:, s.attribute]) for s in self.singles]
        parts += [s.curves(X[:, s.attribute]) for s in self.singles]
        parts += [pair.together(X) for pair in self.pairs]
        return np.hstack(parts) if parts else np.empty((len(X), 0))

    @cached_property
    def line_columns(self) -> IntArray:
        """The columns of lines and curves."""
        kinds = np.array([block.kind for block in self.blocks])[self.block_of]
        return np.flatnonzero(np.isin(kinds, ("line", "curve")))

    @cached_property
    def ownership(self) -> FloatArray:
        """How far each column belongs to each attribute, (n_attributes, n_columns).

        Lines and curves wholly, pairs by halves, others not at all.
        """
        shares = np.zeros((len(self.singles), self.block_of.size))
        for block in self.blocks:
            for owner in block.owners:
                shares[owner, block.columns] = 1.0 / len(block.owners)
        return shares

    @cached_property
    def population_columns(self) -> IntArray:
        """The columns of the population; none without one."""
        kinds = np.array([block.kind for block in self.blocks])[self.block_of]
        return np.flatnonzero(kinds == "population")

    @cached_property
    def split(self) -> tuple[FloatArray, FloatArray]:
        """How lines and curves make the population's features and its mean.

        Returns
        -------
        features : ndarray of shape (n_line_columns, n_population_columns)
        mean : ndarray of shape (n_line_columns,)
            Ridge regression over the items.
        """
        lines = self.table[:, self.line_columns]
        system = lines.T @ lines / self.n_items
        system[np.diag_indices_from(system)] += _RIDGE
        targets = [
            self.table[:, self.population_columns],
            self.population_mean[:, None],
        ]
        found = np.linalg.solve(system, lines.T @ np.hstack(targets) / self.n_items)
        split: FloatArray = np.asarray(found, dtype=np.float64)
        return split[:, :-1], split[:, -1]

    @cached_property
    def second_moments(self) -> FloatArray:
        """Products of columns, averaged over the items."""
        return np.asarray(self.table.T @ self.table / self.n_items)

    def columns_of(self, owners: tuple[int, ...]) -> IntArray:
        """Give the columns that are about these attributes only."""
        wanted = set(owners)
        mine = [bool(b.owners) and wanted.issuperset(b.owners) for b in self.blocks]
        return np.flatnonzero(np.array(mine)[self.block_of])

    def codes(self, owner: int, values: Sequence[Any]) -> FloatArray:
        """Encode values of an attribute, as `Items.encode` does."""
        attribute = self.items.attributes[self.singles[owner].attribute]
        if attribute.kind == "numeric":
            low, high = attribute.domain or (0.0, 1.0)
            share = (np.clip(np.asarray(values, dtype=float), low, high) - low) / (
                high - low
            )
        else:
            levels = attribute.levels
            places = [levels.index(str(value)) for value in values]
            share = np.array(places) / (len(levels) - 1)
        return np.asarray(1.0 - share if attribute.direction == "down" else share)

    def encode(self, rows: Items) -> FloatArray:
        """Encode imagined items by the domains of the study."""
        wanted: Sequence[Attribute] = self.items.attributes
        return rows.encode(missing="keep", attributes=wanted)


def _leading(population: Posterior) -> tuple[FloatArray, FloatArray, float]:
    """Give leading directions and mean of a population, scaled to 1, and its noise."""
    mean = population.mean - population.mean.mean()
    cov = population.prior_cov
    if isinstance(cov, DenseCovariance) or population.answers:
        factor = _leading_dense(population.cov)
    else:
        factor = cov.factor - cov.factor.mean(axis=0)
        left, sizes, _ = np.linalg.svd(factor, full_matrices=False)
        factor = (left * sizes)[:, :_N_POPULATION]
    size = np.sqrt((mean**2).mean() + (factor**2).sum(axis=1).mean())
    size = max(float(size), 1e-12)
    noise = max(population.noise / size, USUAL_NOISE)
    return factor / size, mean / size, noise


def _leading_dense(cov: FloatArray) -> FloatArray:
    centred = cov - cov.mean(axis=0)
    centred = centred - centred.mean(axis=1, keepdims=True)
    centred = 0.5 * (centred + centred.T)
    if len(cov) <= _DENSE:
        values, vectors = np.linalg.eigh(centred)
    else:
        start = np.ones(len(cov)) / np.sqrt(len(cov)) + np.linspace(0, 1, len(cov))
        values, vectors = eigsh(centred, k=_N_POPULATION, v0=start)
    kept = np.argsort(-values)[:_N_POPULATION]
    kept = kept[values[kept] > 1e-9 * max(values.max(), 1e-300)]
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
