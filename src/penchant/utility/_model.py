"""What every learned GAI model can do, however it was learned."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from penchant.encoding import Encoding, check_items
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray
from penchant.utility._network import CompactGAI, Configuration, best_choices
from penchant.utility._parts import Factor, GAIUtility

_GRID_POINTS = {1: 21, 2: 11, 3: 7}
"""Points per numeric attribute in the tables of `to_dict`; 5 for larger factors."""


@dataclass(frozen=True, eq=False)
class FactorFunction:
    """A factor of a learned utility, as a function of values in the user's units.

    Call it with one array per attribute; they are broadcast against each other, so
    ``f(a[:, None], b[None, :])`` is the table over a grid.

    Parameters
    ----------
    attributes : tuple of int
        The factor.
    names : tuple of str
        Names of its attributes.
    utility : GAIUtility
    encoding : Encoding
    """

    attributes: Factor
    names: tuple[str, ...]
    utility: GAIUtility
    encoding: Encoding

    def __call__(self, *values: ArrayLike) -> FloatArray:
        """Evaluate the factor; the result has the broadcast shape of the values."""
        if len(values) != len(self.attributes):
            raise DataError(
                f"The factor of {', '.join(self.names)} takes {len(self.names)} "
                f"arrays, one per attribute. Got {len(values)}."
            )
        # Broadcast before encoding: a level may be text, which has no arithmetic.
        columns = np.broadcast_arrays(*values)
        encoded = [
            self.encoding.column(i, column.ravel())
            for i, column in zip(self.attributes, columns, strict=True)
        ]
        parts = self.utility.factor(self.attributes, np.stack(encoded, axis=1))
        return parts.reshape(columns[0].shape)


class GAIModel:
    """Mixin for estimators that learn a GAI utility.

    An estimator sets `encoding_` (an Encoding) and `utility_` (a GAIUtility in the
    user's units) in fit; what follows from these two comes from here.
    """

    encoding_: Encoding
    utility_: GAIUtility

    @property
    def factors_(self) -> tuple[Factor, ...]:
        """Sets of attribute indices, each sorted; by size, then by index."""
        check_is_fitted(self)
        return self.utility_.factors

    @property
    def factor_weights_(self) -> FloatArray:
        """The norm d_S of each factor (GAI-3), in the units of the utility."""
        check_is_fitted(self)
        return self.utility_.weights

    @property
    def variance_shares_(self) -> FloatArray:
        """The share of each factor in the variance of the utility."""
        check_is_fitted(self)
        # Factors have mean 0 over each attribute, so that their variances add up
        # (GAI-3).
        variance = self.utility_.variance
        return self.utility_.variances / (variance if variance > 0 else 1.0)

    @property
    def intercept_(self) -> float:
        """The mean utility over the domain."""
        check_is_fitted(self)
        return self.utility_.intercept

    def utility(self, X: Any) -> FloatArray:
        """Give the utility of items; larger is better.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
            Values outside the domain are clamped to it.

        Returns
        -------
        ndarray of shape (n_items,)
        """
        U = self._encoded(X)
        return self.utility_.utility(U)

    def decompose(self, X: Any) -> dict[Factor, FloatArray]:
        """Give the part that every factor has in the utility of items.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        dict of tuple of int to ndarray of shape (n_items,)
            The parts and `intercept_` add up to the utility.
        """
        U = self._encoded(X)
        return self.utility_.decompose(U)

    def _encoded(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return self.encoding_.transform(check_items(self, X, reset=False))

    def factor_function(
        self, factor: int | str | Sequence[int | str]
    ) -> FactorFunction:
        """Give one factor as a function, to draw it or to read it off.

        Parameters
        ----------
        factor : int, str or sequence of these
            Indices or names of the attributes of a factor.

        Returns
        -------
        FactorFunction
            Takes one array per attribute, in the user's units: those of the table
            after a fit with Items, those of X otherwise.
        """
        check_is_fitted(self)
        members = [factor] if isinstance(factor, int | str) else factor
        found = tuple(sorted(map(self.encoding_.position, members)))
        if found not in self.factors_:
            raise DataError(
                f"{found} is not a factor of this model. Its factors are: "
                f"{', '.join(map(str, self.factors_)) or 'none'}."
            )
        names = tuple(self.encoding_.names[i] for i in found)
        return FactorFunction(found, names, self.utility_, self.encoding_)

    def select(self, min_share: float = 0.01) -> Self:
        """Give a copy without the factors that explain little.

        Parameters
        ----------
        min_share : float, default=0.01
            Smallest share of the variance of the utility that a factor must have.

        Returns
        -------
        estimator
            Fitted; the certificate of the fit is about the model with all factors.
        """
        check_is_fitted(self)
        # A falling part may be outweighed by another: without that one the sum would
        # fall.
        if getattr(self, "monotone", None):
            raise DataError(
                "select would leave out parts that keep the utility monotone. Fit "
                "with monotone=None, or with a smaller C for fewer factors."
            )
        shares = zip(self.factors_, self.variance_shares_, strict=True)
        kept = [factor for factor, share in shares if share >= min_share]
        return self._with(self.utility_.restricted(kept))

    def compact(self) -> Self:
        """Give a copy with the maximal factors only (GAI-8).

        Every other factor is spread evenly over the maximal factors that contain
        it: the same utility as a GAI network, as it is stated in decision theory.
        Shares of variance then no longer add up to 1.

        Returns
        -------
        estimator
            Fitted.
        """
        check_is_fitted(self)
        compact = isinstance(self.utility_, CompactGAI)
        return copy(self) if compact else self._with(CompactGAI(self.utility_))

    def _with(self, utility: GAIUtility) -> Self:
        other = copy(self)
        other.utility_ = utility
        return other

    def best(
        self,
        domains: Sequence[Sequence[Any]] | Mapping[int | str, Sequence[Any]],
        n: int = 1,
    ) -> list[Configuration]:
        """Find the best items that can be put together from given values.

        Exact, by elimination on the graph of the factors: the cost is exponential
        in its treewidth only, not in the number of attributes (GAI-8).

        Parameters
        ----------
        domains : sequence or mapping
            For every attribute the values to choose from, in the user's units; or
            a mapping from names or indices to these. Attributes with levels may be
            left out of the mapping: all their levels are then allowed.
        n : int, default=1
            How many; fewer come back when there are fewer combinations.

        Returns
        -------
        list of Configuration
            Best first; each with `values` and `utility`.
        """
        check_is_fitted(self)
        if n < 1:
            raise DataError(f"n must be at least 1. Got {n}.")
        if not self.utility_.complete:
            raise DataError(
                "best needs all factors, and this dense model has more than it can "
                "list. Fit with a smaller max_order, or with sparse=True."
            )
        values = self._domains(domains)
        # The intercept is the same for all: it joins at the end.
        tables = {factor: self._table(factor, values) for factor in self.factors_}
        sizes = [len(column) for column in values]
        return [
            Configuration(
                tuple(column[k] for column, k in zip(values, choice, strict=True)),
                self.intercept_ + total,
            )
            for choice, total in best_choices(tables, sizes, n)
        ]

    def _table(self, factor: Factor, values: Sequence[Sequence[Any]]) -> FloatArray:
        """Evaluate a factor for all combinations of values of its attributes."""
        # Values are encoded once per attribute, not once per combination.
        axes = [self.encoding_.column(i, np.asarray(values[i])) for i in factor]
        grid = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")], axis=1)
        table: FloatArray = self.utility_.factor(factor, grid)
        return table.reshape([len(axis) for axis in axes])

    def _domains(self, domains: Any) -> list[list[Any]]:
        names = self.encoding_.names
        if isinstance(domains, Mapping):
            given = {self.encoding_.position(k): v for k, v in domains.items()}
        else:
            given = dict(enumerate(domains))
            if len(given) != len(names):
                raise DataError(
                    f"domains must have one entry per attribute ({len(names)}). "
                    f"Got {len(given)}."
                )
        values = []
        for i, name in enumerate(names):
            column = list(given[i]) if i in given else self._levels(i)
            if not column:
                raise DataError(f"domains must give values for attribute {name!r}.")
            values.append(column)
        return values

    def _levels(self, i: int) -> list[Any]:
        """Give the levels of an attribute; none if it is numeric."""
        encoding = self.encoding_
        has_levels = encoding.categories[i] is not None
        has_levels |= encoding.ordinal_levels(i) is not None
        return encoding.grid(i, 0) if has_levels else []

    def to_dict(self) -> dict[str, Any]:
        """Export the GAI network as plain values for JSON.

        Returns
        -------
        dict
            The intercept, the names of the attributes, and for every factor its
            attributes, weight, share of variance, the values of each attribute and
            the table of the factor over them: complete for attributes with levels,
            on an equally spaced grid for numeric ones.
        """
        check_is_fitted(self)
        rows = zip(
            self.factors_, self.factor_weights_, self.variance_shares_, strict=True
        )
        return {
            "format": "penchant-gai",
            "intercept": float(self.intercept_),
            "attributes": list(self.encoding_.names),
            "factors": [
                {**self._export(factor), "weight": float(w), "variance_share": float(v)}
                for factor, w, v in rows
            ],
        }

    def _export(self, factor: Factor) -> dict[str, Any]:
        n_points = _GRID_POINTS.get(len(factor), 5)
        every = range(len(self.encoding_.names))
        values = [
            self.encoding_.grid(i, n_points) if i in factor else [] for i in every
        ]
        return {
            "attributes": [self.encoding_.names[i] for i in factor],
            "values": [values[i] for i in factor],
            "table": self._table(factor, values).tolist(),
        }
