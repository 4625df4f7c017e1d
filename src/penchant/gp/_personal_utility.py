"""One person's utility over the attributes: curves and surfaces with their bands."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant._cached import cached_property
from penchant.encoding import Encoding
from penchant.exceptions import DataError
from penchant.gp._hierarchical import DenseHierarchy, LowRankHierarchy
from penchant.gp._item_prior import ItemPrior, find_rows
from penchant.gp._kernels import AnovaItemKernel
from penchant.gp._known_directions import Known, add_directions
from penchant.gp._population import PopulationGP
from penchant.gp._posterior import Posterior
from penchant.kernels import UnivariateKernel
from penchant.typing import ArrayLike, FloatArray
from penchant.utility import Factor

LARGEST = 500
"""Curves rest on at most so many items; of more, every k-th is taken."""


@dataclass(frozen=True, eq=False)
class FactorTerm:
    """Sums of values of one factor: ``coef @ f_S(points)``.

    Parameters
    ----------
    factor : tuple of int
        The attributes S.
    points : ndarray of shape (n_points, n_attributes)
        Encoded items; only the columns of the factor are read.
    coef : ndarray of shape (n_sums, n_points)
    """

    factor: Factor
    points: FloatArray
    coef: FloatArray


class PersonalUtility:
    """What one person's utility looks like between the items that were asked about.

    The population's item kernel makes a utility ``u(x) = sum_S f_S(x) + rest(x)``
    with one function per attribute and per pair of attributes, and a rest for what
    an item is worth beyond its attributes. Given the utilities of the known items,
    every f_S is Gaussian with a mean that is linear in them (METHODS.md section 6);
    averaged over the belief about the person, so is every curve, with its band. Known
    directions of attributes (Items) are used: of two imagined items that differ only
    in such an attribute, the better one is known.

    Parameters
    ----------
    population : PopulationGP
        Fitted with features of the items, ``prior="hierarchical"`` and
        ``item_kernel="anova"``.
    posterior : Posterior
        Belief about the person, over the items of the fit in their order.

    Attributes
    ----------
    encoding : Encoding
        Names of the attributes, and how their values become numbers.
    factors : tuple of tuple of int
        Single attributes and groups of them, by size.

    Examples
    --------
    >>> from penchant.datasets import load_flats, make_flats_population
    >>> from penchant.models import PersonalUtility, PopulationGP
    >>> flats = load_flats()
    >>> earlier = make_flats_population(n_users=50, random_state=0)
    >>> population = PopulationGP().fit(flats, earlier.comparisons)
    >>> utility = PersonalUtility(population, population.for_user())
    >>> cheap_and_dear, _ = utility.curve("price", [500, 1400])
    >>> bool(cheap_and_dear[0] > cheap_and_dear[1])
    True
    """

    def __init__(self, population: PopulationGP, posterior: Posterior) -> None:
        if posterior.n_items != population.n_items_:
            raise DataError(
                f"The posterior must be about the {population.n_items_} items of the "
                f"population. Got one about {posterior.n_items} items."
            )
        step = -(-posterior.n_items // LARGEST)  # rounded up
        chosen = np.arange(0, posterior.n_items, step)
        belief = posterior.take(chosen) if step > 1 else posterior
        prior = _item_prior(population, chosen)
        self.encoding: Encoding = _encoding(population)
        self._kernel = _anova(prior)
        self._population = population
        self._n_real = len(chosen)
        self._known = add_directions(
            Known(prior, belief.mean, belief.cov), self.encoding
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return self.encoding.names

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Single attributes and groups of them, by size, then by index."""
        return self._kernel.factors()

    @property
    def items(self) -> FloatArray:
        """The encoded items that the curves rest on, (n_items, n_attributes).

        The real ones come first, then imagined ones for known directions.
        """
        return self._prior.items

    @property
    def _prior(self) -> ItemPrior:
        return self._known.prior

    def encode(self, X: Any) -> FloatArray:
        """Encode items as the population does, (n, n_attributes)."""
        return self._population._encode_items(X)

    def utility(self, X: Any, return_std: bool = False) -> Any:
        """Give the expected utility of items, known or imagined; larger is better.

        Parameters
        ----------
        X : Items or array-like of shape (n, n_attributes)
        return_std : bool, default=False
            Whether to give the standard deviations, too.

        Returns
        -------
        mean : ndarray of shape (n,)
        deviation : ndarray of shape (n,)
            If `return_std`. That of an imagined item includes what it may be worth
            beyond its attributes.
        """
        if not return_std:
            return self._prior.weights(self.encode(X)) @ self._known.mean
        mean, cov = self.posterior(X)
        return mean, np.sqrt(np.maximum(np.diagonal(cov), 0.0))

    def posterior(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Give the joint belief about the utilities of items.

        Parameters
        ----------
        X : Items or array-like of shape (n, n_attributes)

        Returns
        -------
        mean : ndarray of shape (n,)
        cov : ndarray of shape (n, n)
        """
        weights, rest = self._prior.regression(self.encode(X))
        cov = weights @ self._known.cov @ weights.T + rest
        return weights @ self._known.mean, cov

    def position(self, row: FloatArray) -> int | None:
        """Give which of `items` an encoded item is; None: none of the real ones."""
        place = int(find_rows(row[None], self.items[: self._n_real])[0])
        return None if place < 0 else place

    def curve(
        self, attribute: int | str, values: ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Give the function of one attribute alone.

        Parameters
        ----------
        attribute : int or str
        values : array-like of shape (n,)
            Values in the units of the data, or names of levels.

        Returns
        -------
        mean, deviation : ndarray of shape (n,)
            The function is 0 on average over the domain.
        """
        i = self.encoding.position(attribute)
        return self._table((i,), [values])

    def surface(
        self, first: int | str, second: int | str, *values: ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Give what two attributes are worth together beyond each alone.

        Parameters
        ----------
        first, second : int or str
            Different attributes.
        *values : array-like of shape (n,) and (m,)
            Values of the first and of the second attribute.

        Returns
        -------
        mean, deviation : ndarray of shape (n, m)
        """
        i, j = self.encoding.position(first), self.encoding.position(second)
        rows, columns = (np.asarray(each, dtype=object) for each in values)
        shape = (len(rows), len(columns))
        grid = {i: np.repeat(rows, shape[1]), j: np.tile(columns, shape[0])}
        factor = (min(i, j), max(i, j))
        mean, deviation = self._table(factor, [grid[k] for k in factor])
        return mean.reshape(shape), deviation.reshape(shape)

    def _table(
        self, factor: Factor, values: list[Any]
    ) -> tuple[FloatArray, FloatArray]:
        """Give mean and deviation of one factor at values of its attributes."""
        if factor not in self.factors:
            names = " and ".join(self.names[i] for i in factor)
            raise DataError(f"The utility has no part for {names}.")
        columns = [
            self.encoding.column(i, list(each))
            for i, each in zip(factor, values, strict=True)
        ]
        points = np.zeros((len(columns[0]), len(self.names)))
        points[:, factor] = np.stack(columns, axis=1)
        term = FactorTerm(factor, points, np.eye(len(points)))
        mean, cov = self.combine([term], np.zeros((len(points), len(self.items))))
        return mean, np.sqrt(np.maximum(np.diagonal(cov), 0.0))

    def decompose(self, X: Any) -> dict[Factor, FloatArray]:
        """Give the expected part of every factor in the utility of items.

        Parameters
        ----------
        X : Items or array-like of shape (n, n_attributes)

        Returns
        -------
        dict of tuple of int to ndarray of shape (n,)
            What an item is worth beyond its attributes is no part of it.
        """
        U = self.encode(X)
        grams = self._kernel.factor_grams(U, self.items)
        scale, weights = self._prior.scale, self._weights
        return {factor: scale * gram @ weights for factor, gram in grams}

    def shares(self) -> dict[Factor, float]:
        """Give the share of each factor in the variance over the known items."""
        grams = self._kernel.factor_grams(self.items[: self._n_real], self.items)
        spread = {factor: float(np.var(gram @ self._weights)) for factor, gram in grams}
        total = sum(spread.values())
        return {
            factor: each / total if total else 0.0 for factor, each in spread.items()
        }

    def combine(
        self, terms: Iterable[FactorTerm], direct: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Give the joint belief about sums of factor values and item utilities.

        Parameters
        ----------
        terms : iterable of FactorTerm
            All with the same number of sums.
        direct : ndarray of shape (n_sums, n_items)
            How often the utility of each of `items` counts in each sum.

        Returns
        -------
        mean : ndarray of shape (n_sums,)
        cov : ndarray of shape (n_sums, n_sums)

        Notes
        -----
        With B the prior covariance of the sums with the utilities u of the items, K
        that of u and P that of the sums, the sums given u are
        ``N(BK^-1 u, P - BK^-1 B')``; u is ``N(m, C)``.
        """
        cross = np.zeros_like(direct)
        own = np.zeros((len(direct), len(direct)))
        for term in terms:
            cross += term.coef @ self._gram(term.factor, term.points, self.items)
            gram = self._gram(term.factor, term.points, term.points)
            own += term.coef @ gram @ term.coef.T
        learned = self._prior.solve(cross.T).T
        weights = learned + direct
        cov = own - learned @ cross.T + weights @ self._known.cov @ weights.T
        return weights @ self._known.mean, cov

    def expect(self, factor: Factor, points: FloatArray) -> FloatArray:
        """Give the expected part of one factor at encoded items, shape (n_points,)."""
        gram = self._gram(factor, points, self.items)
        return np.asarray(gram @ self._weights)

    def _gram(self, factor: Factor, U: FloatArray, V: FloatArray) -> FloatArray:
        """Give the prior covariance of one factor's part."""
        size = self._prior.scale * self._kernel.order_weights[len(factor) - 1]
        parts = [self._kernels[i].k0(U[:, i], V[:, i]) for i in factor]
        product: FloatArray = size * np.multiply.reduce(parts)
        return product

    @cached_property
    def _kernels(self) -> dict[int, UnivariateKernel]:
        return dict(zip(self._kernel.attributes, self._kernel.kernels, strict=True))

    @cached_property
    def _weights(self) -> FloatArray:
        """K^-1 m, with the prior covariance K and the mean m of the known items."""
        return self._prior.solve(self._known.mean)


def _item_prior(population: PopulationGP, chosen: Any) -> ItemPrior:
    """Give what features tell of the chosen items."""
    model = population.model_
    if isinstance(model, DenseHierarchy) and model.items is not None:
        prior = model.items
        if len(chosen) == len(prior.items):
            return prior
        items = prior.items[chosen]
        return ItemPrior(
            items, prior.kernel, prior.nugget, prior.scale, prior.parameters
        )
    if isinstance(model, LowRankHierarchy):
        items = model.items[chosen]
        return ItemPrior(items, model.kernel, model.residual, 1.0, np.empty(0))
    raise DataError(
        "Curves need features of items: fit PopulationGP with X_items and "
        "prior='hierarchical'."
    )


def _anova(prior: ItemPrior) -> AnovaItemKernel:
    if not isinstance(prior.kernel, AnovaItemKernel):
        raise DataError("Curves need item_kernel='anova'. Got 'rbf'.")
    return prior.kernel


def _encoding(population: PopulationGP) -> Encoding:
    encoding = population.item_encoding_
    assert encoding is not None  # there is a prior of items
    return encoding
