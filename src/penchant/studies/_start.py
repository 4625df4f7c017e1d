"""What is believed of a person before the first question."""

import hashlib
from dataclasses import astuple, dataclass, field
from typing import Any, cast

import numpy as np

from penchant._cached import cached_property
from penchant.data import Comparisons, Items
from penchant.elicitation import Dominance, tell_known
from penchant.encoding import Encoding
from penchant.gp import (
    Covariance,
    DenseCovariance,
    LapsePosterior,
    LowRankCovariance,
    PopulationGP,
    Posterior,
)
from penchant.typing import FloatArray, IntArray

__all__ = ["Axis", "Start", "complete"]

_NOISE = 0.2
"""People answer no more carefully than this, in standard deviations of utility."""

_DIRECTED = 0.4
"""Share of the variance of utility that directions explain, if nobody has answered."""


def complete(items: Items) -> Items:
    """Give the items as models take them: gaps are filled from the middle."""
    return items.impute("middle") if items.missing() else items


@dataclass(frozen=True, eq=False)
class Axis:
    """Values of one attribute, as people read them and as models take them.

    Parameters
    ----------
    values : tuple
        Numbers in the units of the data, or names of levels.
    codes : ndarray of shape (n,)
        The same, encoded.
    """

    values: tuple[Any, ...]
    codes: FloatArray


@dataclass(frozen=True, eq=False)
class Start:
    """What is believed of a person before the first question.

    Parameters
    ----------
    population : PopulationGP
        What was learned of earlier people, or the prior alone.
    posterior : LapsePosterior
        The belief about a new person, with what the directions of the attributes
        tell.
    known : Dominance or None
        What need not be asked.
    order : ndarray of int of shape (n_items,)
        Items by popularity.
    unit : float
        Standard deviation of utility over the items that is expected of a person.
    """

    population: PopulationGP
    posterior: LapsePosterior
    known: Dominance | None
    order: IntArray
    unit: float
    _axes: dict[tuple[int, int], Axis] = field(
        default_factory=dict, init=False, repr=False
    )

    def axis(self, attribute: int, n_points: int) -> Axis:
        """Give the values at which a function of an attribute is drawn.

        The levels of an attribute, or so many equally spaced numbers.
        """
        key = (attribute, n_points)
        if key not in self._axes:
            encoding = cast(Encoding, self.population.item_encoding_)
            grid = encoding.grid(attribute, n_points)
            self._axes[key] = Axis(tuple(grid), encoding.column(attribute, grid))
        return self._axes[key]

    @cached_property
    def fingerprint(self) -> str:
        """The same text for the same belief, in whatever study."""
        digest = hashlib.sha256(str(self.posterior.noise).encode())
        parts = (self.posterior.mean, *astuple(self.posterior.prior_cov))
        for part in parts:
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    @classmethod
    def from_items(
        cls, items: Items, population: PopulationGP | None = None
    ) -> "Start":
        """Start from a population; None: nobody has answered yet.

        Parameters
        ----------
        items : Items
            The alternatives.
        population : PopulationGP, optional
            Fitted on these items.
        """
        if population is None:
            population = _nobody(items)
            mean, cov = _directed(items, population.for_user())
            noise = _NOISE
        else:
            prior = population.for_user()
            mean, cov = prior.prior_mean, prior.prior_cov
            noise = max(population.noise_, _NOISE)
        posterior = LapsePosterior(
            mean, cov, noise=noise, tie_width=population.tie_width
        )
        known = Dominance.from_table(len(items), items, None, None)
        unit = float(np.sqrt(posterior.variance.mean() + np.var(mean)))
        order = np.argsort(-mean, kind="stable")
        told = cast(LapsePosterior, tell_known(posterior, known))
        return cls(population, told, known, order, max(unit, 1e-9))


def _nobody(items: Items) -> PopulationGP:
    """Give the population that nothing is known of."""
    nobody = Comparisons([], [])
    fitted: PopulationGP = PopulationGP(optimize=False).fit(complete(items), nobody)
    return fitted


def _directed(items: Items, prior: Posterior) -> tuple[FloatArray, Covariance]:
    """Add to a prior that people want more of what is declared to be good.

    A part of the utility is ``sum_k w_k x_k`` over the attributes with a direction,
    x_k in [0, 1] with 1 the better end, and w_k independent and exponential: their
    mean equals their standard deviation, so that nobody knows which ones matter.
    """
    directed = [a.direction != "unknown" for a in items.attributes]
    X = complete(items).encode()[:, directed]
    X = X - X.mean(axis=0)
    size = float((X.sum(axis=1) ** 2 + (X**2).sum(axis=1)).mean())
    if size <= 0.0:
        return prior.prior_mean, prior.prior_cov
    mean = np.sqrt(_DIRECTED / size) * X.sum(axis=1)
    slopes = np.sqrt(_DIRECTED / size) * X
    return mean, _mixed(prior.prior_cov, slopes)


def _mixed(cov: Covariance, slopes: FloatArray) -> Covariance:
    """Give ``(1 - share) cov + slopes slopes'``."""
    rest = 1.0 - _DIRECTED
    if isinstance(cov, DenseCovariance):
        return DenseCovariance(rest * cov.matrix + slopes @ slopes.T)
    factor = np.column_stack([np.sqrt(rest) * cov.factor, slopes])
    return LowRankCovariance(factor, rest * cov.diagonal)
