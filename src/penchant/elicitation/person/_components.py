"""Simple explanations of a person's answers: what each supposes, and its prior."""

from dataclasses import dataclass
from math import comb

import numpy as np

from penchant.elicitation.person._space import USUAL_NOISE, PersonSpace
from penchant.typing import BoolArray, FloatArray, IntArray

GRIDS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "curve": ((0.0, 0.3, 0.8), (0.45, 0.35, 0.2)),
    "pairs": ((0.0, 0.3, 0.7), (0.8, 0.12, 0.08)),
    "rest": ((0.002, 0.05, 0.2), (0.6, 0.25, 0.15)),
    "noise": ((0.1, 0.2, 0.4, 0.8), (0.25, 0.45, 0.2, 0.1)),
    "lapse": ((0.002, 0.01, 0.05), (0.4, 0.4, 0.2)),
    "width": ((0.02, 0.1, 0.3, 0.6), (0.3, 0.4, 0.2, 0.1)),
}
"""Values that a component can have, each with its prior probability."""

_NEAR = np.array([1.0, 0.5, 0.25])
"""Share of the variance among earlier people that one like them has: what such a
component has in place of a curve. It was learned from few answers each and, on tables,
is up to twice too large; of plain lists all of it counts."""

_LEVEL_MEAN, _LEVEL_VARIANCE = -0.5, 1.0
"""What is still acceptable, in standard deviations of utility over the items."""


@dataclass(frozen=True, eq=False)
class PriorMoments:
    """Gaussian priors of theta, and how answers are given, one per component.

    Parameters
    ----------
    mean : ndarray of shape (n_components, n_columns)
    block : ndarray of shape (n_components, n_blocks)
        Variance of every column of a block.
    rest : ndarray of shape (n_components, 1 + n_incomplete)
        Variance of every item's own part, and what it is more where an attribute is
        unknown, see `PersonSpace.unknown`.
    like : ndarray of shape (n_components,)
        1 where the earlier people's mean is added, else 0.
    width, noise, lapse : ndarray of shape (n_components,)
        How wide indifference is, how noisy and how careless answers are.
    """

    mean: FloatArray
    block: FloatArray
    rest: FloatArray
    like: FloatArray
    width: FloatArray
    noise: FloatArray
    lapse: FloatArray

    def take(self, index: IntArray) -> "PriorMoments":
        """Keep some components."""
        return PriorMoments(*(part[index] for part in vars(self).values()))

    def join(self, other: "PriorMoments") -> "PriorMoments":
        """Append the other's components."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return PriorMoments(*map(np.concatenate, pairs))


@dataclass(frozen=True, eq=False)
class Components:
    """What each of M components supposes about the person.

    Parameters
    ----------
    matters : ndarray of bool of shape (M, n_attributes)
        The attributes that matter, at least one.
    grid : ndarray of int of shape (M, 6)
        Places in `GRIDS`: how bent (or, like earlier people, how near to them), how far
        pairs and the items' own part count, how noisy and how careless answers are,
        how wide indifference is.
    like : ndarray of bool of shape (M,)
        Whether the person is like earlier people.
    """

    matters: BoolArray
    grid: IntArray
    like: BoolArray

    @classmethod
    def draw(
        cls, space: PersonSpace, n: int, like: float, rng: np.random.Generator
    ) -> "Components":
        """Draw from the prior; `like` is the probability of being like others.

        P(m attributes matter) is proportional to min(m, 3), uniform within a size.
        Grid values and kinds are stratified, which spares rare ones from chance.
        """
        d = len(space.singles)
        matters = np.zeros((n, d), dtype=bool)
        if d:
            odds = np.minimum(np.arange(1, d + 1), 3.0)
            sizes = 1 + _strata(odds / odds.sum(), n, rng)
            order = rng.random((n, d)).argsort(axis=1).argsort(axis=1)
            matters = order < sizes[:, None]
        columns = [_strata(np.array(prior), n, rng) for _, prior in GRIDS.values()]
        share = like if space.population is not None else 0.0
        kind = _strata(np.array([1.0 - share, share]), n, rng).astype(bool)
        return cls(matters, np.column_stack(columns), kind)

    def __len__(self) -> int:
        return len(self.like)

    def value(self, name: str) -> FloatArray:
        """Give one of the values on grids, shape (M,)."""
        place = list(GRIDS).index(name)
        return np.array(GRIDS[name][0])[self.grid[:, place]]

    def _noise(self, space: PersonSpace) -> FloatArray:
        """Give the noise of answers; people like others are about as noisy as those.

        The grid tells how far from the usual noise, and half as far (in doublings)
        from that of earlier people, which was learned from many answers.
        """
        factor = self.value("noise") / USUAL_NOISE
        alike = space.population_noise * np.sqrt(factor)
        return np.where(self.like, alike, USUAL_NOISE * factor)

    def take(self, index: IntArray) -> "Components":
        """Keep some components, also several times."""
        return Components(self.matters[index], self.grid[index], self.like[index])

    def join(self, other: "Components") -> "Components":
        """Append the other's components."""
        return Components(
            np.concatenate([self.matters, other.matters]),
            np.concatenate([self.grid, other.grid]),
            np.concatenate([self.like, other.like]),
        )

    def moved(
        self, space: PersonSpace, like: float, rng: np.random.Generator
    ) -> tuple["Components", FloatArray]:
        """Propose one change to each component.

        Flip or swap an attribute, redraw a grid value, or redraw the kind.

        Returns
        -------
        proposal : Components
        log_ratio : ndarray of shape (M,)
            Logarithm of prior times proposal, new over old; minus infinity for
            what cannot be.
        """
        n, d = self.matters.shape
        kinds = np.asarray(rng.random(n))
        flips, ratio = self._flipped(rng) if d else (self.matters, np.zeros(n))
        change: BoolArray = np.less(kinds, 0.5)
        redrawn = self.grid.copy()
        which = rng.integers(len(GRIDS), size=n)
        for place, (_, prior) in enumerate(GRIDS.values()):
            mine = np.flatnonzero(~change & (which == place))
            redrawn[mine, place] = rng.choice(len(prior), size=mine.size, p=prior)
        kind = self.like
        if space.population is not None:
            anew: BoolArray = np.greater(kinds, 0.9)
            kind = np.where(anew, np.less(rng.random(n), like), self.like)
        matters = np.where(change[:, None], flips, self.matters)
        return Components(matters, redrawn, kind), np.where(change, ratio, 0.0)

    def _flipped(self, rng: np.random.Generator) -> tuple[BoolArray, FloatArray]:
        """Flip one attribute of each component, or swap one in and one out."""
        n, d = self.matters.shape
        rows, changed = np.arange(n), self.matters.copy()
        noise = rng.random((n, d))
        inside = np.where(self.matters, noise, -1.0).argmax(axis=1)
        outside = np.where(self.matters, -1.0, noise).argmax(axis=1)
        swap, full = rng.random(n) < 0.5, self.matters.all(axis=1)
        single = noise.argmax(axis=1)
        swapped = swap & ~full  # nothing to swap with: the component stays
        changed[rows[swapped], inside[swapped]] = False
        changed[rows[swapped], outside[swapped]] = True
        changed[rows[~swap], single[~swap]] ^= True
        sizes = np.arange(1, d + 1)
        chances = [-np.inf, *(np.log(min(m, 3) / comb(d, m)) for m in sizes)]
        log_prior = np.array(chances)
        ratio = log_prior[changed.sum(axis=1)] - log_prior[self.matters.sum(axis=1)]
        # an empty set cannot be; it is replaced so that all that follows is finite
        empty = ~changed.any(axis=1)
        changed[empty] = self.matters[empty]
        return changed, np.where(empty, -np.inf, ratio)

    def moments(self, space: PersonSpace) -> PriorMoments:
        """Give the prior of theta under each component.

        Every attribute that matters has the same variance, of which a share `curve`
        is on its curve; pairs of them share `pairs`, the items' own part has `rest`.
        Directed lines have mean sqrt(v/2) and variance v/2. Where a value is unknown,
        what it is worth is in the item's own part, with the attribute's variance.
        """
        n, blocks = len(self), space.blocks
        block = np.zeros((n, len(blocks)))
        curve, rest = self.value("curve"), self.value("rest")
        owned = self._owned(space)
        is_pair = np.array([b.kind == "pair" for b in blocks])
        n_pairs = owned[:, is_pair].sum(axis=1)
        pairs = np.where(n_pairs > 0, self.value("pairs"), 0.0)
        size = np.maximum(self.matters.sum(axis=1), 1)
        each = (1.0 - pairs) * (1.0 - rest) / size
        together = pairs * (1.0 - rest) / np.maximum(n_pairs, 1)
        curved = {b.owners[0] for b in blocks if b.kind == "curve"}
        mean = np.zeros((n, space.block_of.size))
        for k, b in enumerate(blocks):
            if b.kind == "line":
                share = curve if b.owners[0] in curved else 0.0
                variance = owned[:, k] * each * (1.0 - share)
                if space.singles[b.owners[0]].directed:
                    variance = variance / 2
                    mean[:, b.columns] = np.sqrt(variance)[:, None]
                block[:, k] = variance
            elif b.kind == "curve":
                block[:, k] = owned[:, k] * each * curve
            elif b.kind == "pair":
                block[:, k] = owned[:, k] * together
            elif b.kind == "population":
                near = _NEAR[self.grid[:, 0]] if space.singles else 1.0
                block[:, k] = self.like * near
            else:
                block[:, k] = _LEVEL_VARIANCE
                mean[:, b.columns] = _LEVEL_MEAN
        alone = not space.singles
        own = np.where(~self.like & alone, 1.0, rest)
        more = self.matters[:, space.incomplete] * (each * ~self.like)[:, None]
        own = np.column_stack([own, more])
        return PriorMoments(
            mean,
            block,
            own,
            self.like.astype(np.float64),
            self.value("width"),
            self._noise(space),
            self.value("lapse"),
        )

    def _owned(self, space: PersonSpace) -> FloatArray:
        """Tell which blocks of attributes count, shape (M, n_blocks)."""
        starts = [b.columns.start for b in space.blocks]
        owners = (space.ownership[:, starts] > 0).astype(np.float64)
        without = ~self.matters @ owners  # owners of the block that do not matter
        counts = (without == 0) & owners.any(axis=0) & ~self.like[:, None]
        return np.asarray(counts, dtype=np.float64)


def _strata(shares: FloatArray, n: int, rng: np.random.Generator) -> IntArray:
    """Draw n places by shares, as evenly as n allows, in random order."""
    points = (np.arange(n) + rng.random()) / n
    places = np.searchsorted(np.cumsum(shares), points)
    drawn = np.minimum(places, len(shares) - 1)
    return np.asarray(rng.permutation(drawn), dtype=np.int64)
