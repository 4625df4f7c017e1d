"""Generators of features: what rules may be made of (PRL-7)."""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import numpy as np
from scipy import sparse

from penchant.exceptions import DataError
from penchant.rules._conditions import (
    ALWAYS,
    Conjunction,
    Relation,
    Vocabulary,
    list_conditions,
)
from penchant.rules._conjunction_search import SearchedFeatures
from penchant.rules._features import (
    Feature,
    FeatureList,
    FeatureSet,
    HistogramFeatures,
    JoinedFeatures,
)
from penchant.rules._monomials import Monomial, PowerFeatures, ProductFeatures
from penchant.rules._ramps import list_ramps
from penchant.typing import FloatArray

__all__ = [
    "AlwaysTrue",
    "Conjunctions",
    "GeneratorSum",
    "Monomials",
    "Ramps",
    "RuleGenerator",
    "make_generator",
    "takes_unknown",
]

_MOST_VALUES = 2**25
"""Monomials times items up to which those of degree 3 or more are listed."""


@runtime_checkable
class RuleGenerator(Protocol):
    """What makes features out of items; write your own to learn other rules.

    A generator has one method. Most return a `FeatureList` of objects with a method
    `evaluate` and a method `text`; one that has too many features for a list derives
    its own set from `FeatureSet`, with a method `price` that finds the best of them.
    """

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Give all features on the items of a fit.

        Parameters
        ----------
        X : ndarray or CSR array of shape (n_items, n_features)
            Encoded items.
        vocabulary : Vocabulary
            Kinds and names of the attributes.

        Returns
        -------
        FeatureSet
        """
        ...


class _Addable:
    """Generators can be added: the sum has the features of both."""

    def __add__(self, other: RuleGenerator) -> "GeneratorSum":
        mine = self.parts if isinstance(self, GeneratorSum) else (self,)
        theirs = other.parts if isinstance(other, GeneratorSum) else (other,)
        return GeneratorSum((*mine, *theirs))


@dataclass(frozen=True)
class AlwaysTrue(_Addable):
    """The rule that always holds: the bias of a classifier (PRL-6)."""

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Give the one feature."""
        return FeatureList([ALWAYS], X)


@dataclass(frozen=True)
class GeneratorSum(_Addable):
    """The features of several generators.

    Parameters
    ----------
    parts : tuple of RuleGenerator
    """

    parts: tuple[RuleGenerator, ...]

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Join the features of all."""
        return JoinedFeatures([part.bind(X, vocabulary) for part in self.parts])


@dataclass(frozen=True)
class Conjunctions(_Addable):
    """Conditions such as ``price <= 900``, and several of them at once.

    None is listed: up to degree 2 all are priced by histograms, above the best ones are
    found by branch and bound.

    Parameters
    ----------
    degree : int, default=2
        Largest number of conditions in a rule.
    relations : tuple of {"<=", ">=", "=", "!="} or None, default=None
        None: "<=" and ">=" for numbers and ordered levels; "=" and "!=" for
        categories; "=" for attributes with two values.
    max_thresholds : int or "auto", default=20
        Largest number of thresholds per attribute, at evenly spaced quantiles; round
        numbers between the values of the items. "auto": 8, or all up to 20.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import Conjunctions, Vocabulary
    >>> X = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, 1.0]])
    >>> features = Conjunctions(2).bind(X, Vocabulary(("size", "balcony")))
    >>> best = features.price(np.array([[-1.0], [2.0], [-1.0]]), n_best=1)
    >>> features.feature(best.keys[0]).text(Vocabulary(("size", "balcony")))
    'size >= 2 and size <= 3'
    """

    degree: int = 2
    relations: tuple[Relation, ...] | None = None
    max_thresholds: int | Literal["auto"] = 20

    def __post_init__(self) -> None:
        _check_degree(self.degree)
        if self.max_thresholds != "auto" and self.max_thresholds < 1:
            raise DataError(
                f"max_thresholds must be at least 1. Got {self.max_thresholds!r}."
            )
        strays = set(self.relations or ()) - set(get_args(Relation))
        if strays or self.relations == ():
            raise DataError(
                f"relations must be some of {', '.join(get_args(Relation))}. "
                f"Got {self.relations!r}."
            )

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """List conditions, and prepare to price conjunctions of them."""
        items = _dense(X, "Rules")
        conditions = list_conditions(
            items, vocabulary, self.relations, self.max_thresholds
        )
        if self.degree <= 2:
            return HistogramFeatures(items, conditions, with_pairs=self.degree == 2)
        covers = np.array([condition.holds(items) for condition in conditions])
        return SearchedFeatures(
            covers.reshape(-1, len(items)),
            self.degree,
            lambda numbers: Conjunction.merge(conditions[j] for j in numbers),
        )


@dataclass(frozen=True)
class Ramps(_Addable):
    """Graded rules such as ``size from 40 to 80``: the larger, the more it holds.

    A ramp is 0 up to one quantile of an attribute, 1 from another one on, and rises
    evenly between them. Categories, and attributes with two values, have conditions
    instead.

    Parameters
    ----------
    n_knots : int, default=5
        Number of quantiles, the smallest and the largest value included.
    """

    n_knots: int = 5

    def __post_init__(self) -> None:
        if self.n_knots < 2:
            raise DataError(f"n_knots must be at least 2. Got {self.n_knots!r}.")

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """List the ramps of all attributes."""
        items = _dense(X, "Ramps")
        return FeatureList(list_ramps(items, vocabulary, self.n_knots), items)


@dataclass(frozen=True)
class Monomials(_Addable):
    """Products of attributes up to a degree; conjunctions if attributes are 0 or 1.

    Each monomial is scaled to a largest size of 1. Degree 1 takes sparse tables;
    degree 2 is never materialised; higher degrees are listed, but those of 0/1
    attributes, of which the best are found by branch and bound.

    Parameters
    ----------
    degree : int, default=2
        Number of factors.
    standardize : bool or "auto", default="auto"
        Whether to subtract the mean of each attribute (of the distinct items of the
        fit) first. "auto": if a value lies outside [-1, 1]; never for sparse tables.
    homogeneous : bool, default=False
        Whether to leave out monomials of a lower degree. For 0/1 attributes these are
        products too, as ``x * x`` is ``x``.
    """

    degree: int = 2
    standardize: bool | Literal["auto"] = "auto"
    homogeneous: bool = False

    def __post_init__(self) -> None:
        _check_degree(self.degree)

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Choose how the monomials are priced, by degree and values."""
        _check_numbers(vocabulary)
        if sparse.issparse(X) and self.degree == 1:
            return PowerFeatures(X, np.zeros(X.shape[1]))
        items = _dense(X, "Monomials of degree 2 or more")
        if self.degree > 1 and bool(np.isin(items, (0, 1)).all()):
            return SearchedFeatures(items.T == 1, self.degree, _binary_monomial)
        centers = self._centers(items)
        if self.degree == 1:
            return PowerFeatures(items, centers)
        if self.degree == 2:
            return ProductFeatures(items, centers, self.homogeneous)
        return self._listed(items, centers)

    def _centers(self, items: FloatArray) -> FloatArray:
        wanted = self.standardize
        if wanted == "auto":
            wanted = bool(np.abs(items).max(initial=0.0) > 1)
        return items.mean(axis=0) if wanted else np.zeros(items.shape[1])

    def _listed(self, items: FloatArray, centers: FloatArray) -> FeatureSet:
        n_items, d = items.shape
        count = comb(d + self.degree, self.degree) - 1
        if count * n_items > _MOST_VALUES:
            raise DataError(
                f"{count} monomials of {d} attributes up to degree {self.degree} are "
                f"too many to be listed for {n_items} items. Use degree=2, or 0/1 "
                "attributes."
            )
        degrees = range(self.degree if self.homogeneous else 1, self.degree + 1)
        shifted = items - centers
        features = []
        for degree in degrees:
            for chosen in combinations_with_replacement(range(d), degree):
                size = np.abs(shifted[:, chosen].prod(axis=1)).max()
                if size > 0:
                    middle = tuple(float(centers[i]) for i in chosen)
                    features.append(Monomial(chosen, middle, float(1 / size)))
        return FeatureList(features, items)


def make_generator(
    generator: str | RuleGenerator, degree: int, *, with_bias: bool, is_few: bool
) -> RuleGenerator:
    """Resolve the parameters of an estimator; few rules need few thresholds."""
    if not isinstance(generator, str):
        if not isinstance(generator, RuleGenerator):
            raise DataError(
                "generator must be 'rules', 'monomials' or an object with a method "
                f"bind(X, vocabulary). Got {generator!r}."
            )
        return generator
    made = (
        Conjunctions(degree, max_thresholds="auto" if is_few else 20)
        if generator == "rules"
        else Monomials(degree)
    )
    return GeneratorSum((made, AlwaysTrue())) if with_bias else made


def takes_unknown(generator: Any) -> bool:
    """Tell whether a generator takes NaN as a value of its own."""
    parts = generator.parts if isinstance(generator, GeneratorSum) else (generator,)
    known = (Conjunctions, AlwaysTrue)
    return all(part == "rules" or isinstance(part, known) for part in parts)


def _binary_monomial(numbers: tuple[int, ...]) -> Feature:
    return Monomial(numbers, (0.0,) * len(numbers), is_binary=True)


def _check_degree(degree: int) -> None:
    if degree < 1:
        raise DataError(f"degree must be at least 1. Got {degree!r}.")


def _check_numbers(vocabulary: Vocabulary) -> None:
    for attribute in vocabulary.attributes or ():
        if attribute.kind == "categorical" and len(attribute.levels) > 2:
            raise DataError(
                f"Monomials need numbers, and {attribute.name!r} is categorical with "
                f"{len(attribute.levels)} levels. Use generator='rules'."
            )


def _dense(X: Any, what: str) -> FloatArray:
    if sparse.issparse(X):
        raise DataError(
            f"{what} need a dense table. Got a sparse one; use X.toarray(), or "
            "generator='monomials' with degree=1."
        )
    items: FloatArray = X
    return items
