"""Capacities: set functions behind Choquet integrals, kept by Möbius coefficients."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import check_array

from penchant._html import html_table
from penchant._validation import set_fields
from penchant.choquet._set_readings import (
    MAX_EXACT_ATTRIBUTES,
    CapacityComparison,
    MobiusField,
    exact_monotonicity,
    position_of,
    sampled_monotonicity,
)
from penchant.choquet.solver._monotone import project_monotone
from penchant.choquet.solver._set_functions import (
    count_attributes,
    mobius_transform,
    zeta_transform,
)
from penchant.exceptions import DataError
from penchant.kernels import list_subsets
from penchant.typing import ArrayLike, FloatArray, IntArray, RandomState

_MINIMA_AT_ONCE = 2**22  # 32 MB


@dataclass(frozen=True, repr=False, init=False)
class Capacity:
    r"""A set function mu on attributes, with mu of the empty set = 0.

    It gives a weight to every set of attributes, not only to single ones, so that
    attributes may support or replace each other. The Choquet integral aggregates
    the values of a row with these weights. It is kept by its Möbius coefficients
    m, with :math:`\mu(A) = \sum_{T \subseteq A} m(T)`; a k-additive capacity has
    none on sets of more than k attributes, so that n may be large. It need be
    neither monotone nor normalised: see `monotonicity`, `nearest_monotone` and
    `normalized`.

    Parameters
    ----------
    mobius : mapping from sets of int to float
        Möbius coefficients of non-empty sets of attribute positions; others are 0.
        Reading the attribute gives a new dict with frozenset keys.
    n : int
        Number of attributes.
    names : sequence of str, optional
        Names of the attributes.

    Examples
    --------
    >>> from penchant.models import Capacity
    >>> capacity = Capacity({(0,): 0.5, (1,): 0.2, (0, 1): 0.3}, n=2)
    >>> capacity.value({0, 1})
    1.0
    >>> capacity.choquet([[0.4, 0.8]]).round(3).tolist()
    [0.48]
    >>> capacity.shapley().round(3).tolist()
    [0.65, 0.35]
    """

    n: int
    names: tuple[str, ...] | None
    _coefficients: dict[frozenset[int], float] = field(init=False, compare=False)
    mobius: MobiusField = MobiusField()  # noqa: RUF009 - a descriptor is shared

    def __init__(
        self, mobius: Mapping[Any, float], n: int, names: Sequence[str] | None = None
    ) -> None:
        named = None if names is None else tuple(str(name) for name in names)
        set_fields(self, mobius=mobius, n=int(n), names=named)
        top = max((max(subset) for subset in self._coefficients), default=-1)
        low = min((min(subset) for subset in self._coefficients), default=0)
        if n < 1 or top >= n or low < 0:
            raise DataError(
                f"A capacity on n={n} attributes needs n >= 1 and sets of positions "
                f"from 0 to {n - 1}. Got positions {low} to {top}."
            )
        if named is not None and len(named) != n:
            raise DataError(
                f"names must have one entry per attribute ({n}). Got {len(named)}."
            )

    @classmethod
    def from_values(cls, values: ArrayLike, names: Sequence[str] | None = None) -> Self:
        """Make a capacity from its values on all sets.

        Parameters
        ----------
        values : array-like of shape (2^n,)
            mu(A) in binary order: {}, {0}, {1}, {0, 1}, {2}, ...; the first is 0.
        names : sequence of str, optional
            Names of the attributes.

        Returns
        -------
        Capacity
            With the coefficients of the Möbius transform that are not zero.
        """
        table = np.asarray(values, dtype=np.float64)
        if table.ndim != 1 or not np.isfinite(table).all() or table[0] != 0:
            raise DataError(
                "values must be a vector of finite numbers that begins with 0, the "
                f"value of the empty set. Got {table!r}."
            )
        n = count_attributes(table)
        subsets = list_subsets(n)
        found = zip(subsets, mobius_transform(table)[1:], strict=True)
        return cls({subset: m for subset, m in found if m != 0}, n, names)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make a capacity from what `to_dict` wrote."""
        mobius = {frozenset(members): weight for members, weight in data["mobius"]}
        return cls(mobius, data["n"], data["names"])

    def to_dict(self) -> dict[str, Any]:
        """Give a dict that the json module can write."""
        pairs = [[sorted(subset), m] for subset, m in self._coefficients.items()]
        names = None if self.names is None else list(self.names)
        return {"n": self.n, "names": names, "mobius": pairs}

    @property
    def k(self) -> int:
        """Size of the largest set with a coefficient other than 0."""
        return max((len(t) for t, m in self._coefficients.items() if m), default=0)

    @property
    def total(self) -> float:
        """Value of the set of all attributes."""
        return float(sum(self._coefficients.values()))

    def value(self, subset: Iterable[int | str]) -> float:
        """Give mu of a set of attributes, named by position or by name."""
        members = {position_of(i, self.n, self.names) for i in subset}
        inside = (m for t, m in self._coefficients.items() if t <= members)
        return float(sum(inside))

    def values(self) -> FloatArray:
        """Give mu of all sets in binary order, for at most 20 attributes.

        Returns
        -------
        ndarray of shape (2^n,)
            Entry A belongs to the set of the bits of A.
        """
        if self.n > MAX_EXACT_ATTRIBUTES:
            raise DataError(
                f"values needs at most {MAX_EXACT_ATTRIBUTES} attributes, because it "
                f"lists all sets. Got {self.n}; ask value(subset) for single ones."
            )
        mobius = np.zeros(1 << self.n)
        for subset, m in self._coefficients.items():
            mobius[sum(1 << i for i in subset)] = m
        return zeta_transform(mobius)

    def choquet(self, X: ArrayLike) -> FloatArray:
        """Give the Choquet integral of each row.

        Parameters
        ----------
        X : array-like of shape (n_items, n)
            Rows, with all attributes on one scale.

        Returns
        -------
        ndarray of shape (n_items,)
            Sum of m(T) min_T x over the sets T.
        """
        rows = check_array(X, dtype=np.float64)
        if rows.shape[1] != self.n:
            raise DataError(
                f"X must have one column per attribute ({self.n}). "
                f"Got {rows.shape[1]} columns."
            )
        total = np.zeros(rows.shape[0])
        for members, m in self._by_size():
            # Minima of all sets of one size at a time, for as many rows as fit into
            # memory.
            n_rows = max(1, _MINIMA_AT_ONCE // m.size)
            for start in range(0, rows.shape[0], n_rows):
                part = rows[start : start + n_rows]
                minima = part[:, members[:, 0]]
                for column in members.T[1:]:
                    np.minimum(minima, part[:, column], out=minima)
                total[start : start + n_rows] += minima @ m
        return total

    def shapley(self) -> FloatArray:
        """Give the importance of each attribute; they add up to `total`.

        Returns
        -------
        ndarray of shape (n,)
            Sum of ``m(T) / |T|`` over the sets T that hold the attribute.
        """
        shares = np.zeros(self.n)
        for members, m in self._by_size():
            np.add.at(shares, members, (m / members.shape[1])[:, np.newaxis])
        return shares

    def interaction(self) -> FloatArray:
        """Give how much each pair is worth together beyond its members.

        Returns
        -------
        ndarray of shape (n, n)
            Symmetric, with zeros on the diagonal: sum of ``m(T) / (|T| - 1)`` over the
            sets T that hold both. Positive: the two complete each other; negative:
            one can replace the other.
        """
        pairs = np.zeros((self.n, self.n))
        for members, m in self._by_size():
            size = members.shape[1]
            for a, b in combinations(range(size), 2):
                share = m / (size - 1)
                np.add.at(pairs, (members[:, a], members[:, b]), share)
        return pairs + pairs.T

    def interactions(self, max_order: int | None = None) -> dict[frozenset[int], float]:
        """Give the interaction indices of sets of every size up to `max_order`.

        Parameters
        ----------
        max_order : int, optional
            Largest size of a set; None: `k`.

        Returns
        -------
        dict from frozenset to float
            Sum of ``m(T) / (|T| - |S| + 1)`` over the sets T that hold S; for single
            attributes the Shapley value. Sets with no such T are left out.
        """
        top = self.k if max_order is None else max_order
        # From the sets that have a coefficient down to their parts: sparse capacities
        # of many attributes stay cheap.
        found: dict[frozenset[int], float] = {}
        for subset, m in self._coefficients.items():
            for size in range(1, min(top, len(subset)) + 1):
                for part in combinations(sorted(subset), size):
                    share = m / (len(subset) - size + 1)
                    found[frozenset(part)] = found.get(frozenset(part), 0.0) + share
        return found

    def monotonicity(
        self,
        *,
        tol: float = 1e-9,
        n_samples: int = 10_000,
        return_std: bool = False,
        random_state: RandomState = 0,
    ) -> Any:
        """Give the share of pairs (A, A + i) with mu(A) <= mu(A + i) (CH-5).

        It is exact up to 20 attributes; above, it is estimated from a sample.

        Parameters
        ----------
        tol : float, default=1e-9
            A fall of at most ``tol`` times the largest absolute value of mu (in the
            sample) counts as none.
        n_samples : int, default=10000
            Pairs to draw above 20 attributes.
        return_std : bool, default=False
            Whether to give the standard error as well; 0 where exact.
        random_state : int, RandomState, Generator or None, default=0
            Draws the sample.

        Returns
        -------
        float, or tuple of two floats
            The degree, 1 for a monotone capacity, and its standard error.
        """
        if self.n <= MAX_EXACT_ATTRIBUTES:
            degree, std = exact_monotonicity(self.values(), tol), 0.0
        else:
            degree, std = sampled_monotonicity(
                self.choquet, self.n, tol, n_samples, random_state
            )
        return (degree, std) if return_std else degree

    def orness(self) -> float:
        """Give the degree to which the integral is like a maximum (1), not minimum (0).

        The arithmetic mean has 1/2.
        """
        n, total = self.n, self._divisor("orness")
        # Where E min over T, 1/(|T| + 1), lies between those of minimum and maximum.
        shares = (
            m * (n - len(t)) / (len(t) + 1) for t, m in self._coefficients.items()
        )
        return float(sum(shares)) / (total * (n - 1))

    def veto(self) -> FloatArray:
        """Give the degree to which a bad value of each attribute spoils the whole.

        Returns
        -------
        ndarray of shape (n,)
            1 - n / (n - 1) E C(x) over uniform x with x_i = 0, for mu / mu(N).
            The mean over the attributes is 1 - `orness`.
        """
        total = self._divisor("veto")
        return 1 - self.n / (self.n - 1) * self._means_without(0) / total

    def favour(self) -> FloatArray:
        """Give the degree to which a good value of each attribute saves the whole.

        Returns
        -------
        ndarray of shape (n,)
            n / (n - 1) E C(x) - 1 / (n - 1) over uniform x with x_i = 1, for
            mu / mu(N). The mean over the attributes is `orness`.
        """
        total = self._divisor("favour")
        return (self.n * self._means_without(1) / total - 1) / (self.n - 1)

    def normalized(self) -> Self:
        """Give mu / mu(N), whose value on all attributes is 1."""
        total = self.total
        if total <= 0:
            raise DataError(
                f"Only a capacity with mu(N) > 0 can be normalised. Got {total:g}."
            )
        return type(self)(
            {t: m / total for t, m in self._coefficients.items()}, self.n, self.names
        )

    def nearest_monotone(self) -> Self:
        """Give the monotone capacity with the nearest Möbius coefficients.

        Nearest in the Euclidean norm, among capacities with the same k. A quadratic
        program; with k >= 3 by constraint generation, which is refused above 20
        attributes or 2000 coefficients.
        """
        k = max(self.k, 1)
        subsets = list_subsets(self.n, k)
        start = np.array([self._coefficients.get(t, 0.0) for t in subsets])
        projected = project_monotone(start, self.n, k)
        return type(self)(
            dict(zip(subsets, projected.tolist(), strict=True)), self.n, self.names
        )

    def compare(self, other: "Capacity") -> CapacityComparison:
        """Say how far another capacity on the same attributes is from this one."""
        if other.n != self.n:
            raise DataError(
                "Only capacities on equally many attributes can be compared. "
                f"Got {self.n} and {other.n}."
            )
        mine, theirs = self._coefficients, other.mobius
        gaps = [mine.get(t, 0.0) - theirs.get(t, 0.0) for t in {*mine, *theirs}]
        return CapacityComparison(
            distance=float(np.linalg.norm(gaps)),
            shapley=self.shapley() - other.shapley(),
            interaction=self.interaction() - other.interaction(),
        )

    def __repr__(self) -> str:
        return f"Capacity(n={self.n}, k={self.k}, total={self.total:.4g})"

    def _repr_html_(self) -> str:
        names = self.names or tuple(f"x{i}" for i in range(self.n))
        shares = [f"{share:.3f}" for share in self.shapley()]
        return html_table(("", "importance"), zip(names, shares, strict=True))

    def _by_size(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Give the sets of each size as rows of positions, with their coefficients."""
        for size in sorted({len(t) for t in self._coefficients}):
            sets = [t for t in self._coefficients if len(t) == size]
            members = np.array([sorted(t) for t in sets], dtype=np.int64)
            yield members, np.array([self._coefficients[t] for t in sets])

    def _means_without(self, worth: Literal[0, 1]) -> FloatArray:
        """Give E C(x) over uniform x with x_i fixed at `worth`, for each i."""
        means = np.empty(self.n)
        for i in range(self.n):
            # E min over uniform x_T is 1/(|T| + 1); x_i = 1 drops out of a minimum, x_i
            # = 0 makes it 0.
            free = {t: len(t - {i}) for t in self._coefficients if worth or i not in t}
            means[i] = sum(
                self._coefficients[t] / (size + 1) for t, size in free.items()
            )
        return means

    def _divisor(self, what: str) -> float:
        total = self.total
        if self.n < 2 or total == 0:
            raise DataError(
                f"{what} needs at least two attributes and mu(N) other than 0. "
                f"Got {self.n} attributes and mu(N) = {total:g}."
            )
        return total
