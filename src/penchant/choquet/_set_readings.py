"""What capacities of every kind share: coefficients, names and monotonicity."""

from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from penchant.choquet.solver._set_functions import count_attributes, marginal_gains
from penchant.exceptions import DataError
from penchant.typing import FloatArray, RandomState

MAX_EXACT_ATTRIBUTES = 20  # a million sets, 8 MB


class MobiusField:
    """Checks coefficients once and hands out copies, so that nobody can change them."""

    def __get__(self, instance: Any, owner: type) -> dict[frozenset[int], float]:
        if instance is None:
            raise AttributeError("mobius has no default")
        return dict(instance._coefficients)

    def __set__(self, instance: Any, value: Mapping[Any, float]) -> None:
        if "_coefficients" in vars(instance):
            raise FrozenInstanceError("cannot assign to field 'mobius'")
        coefficients: dict[frozenset[int], float] = {}
        for subset, weight in value.items():
            members = frozenset(int(i) for i in subset)
            if not members or not np.isfinite(weight):
                raise DataError(
                    "mobius must give finite numbers to non-empty sets of attributes. "
                    f"Got {weight!r} for the set {sorted(members)}."
                )
            coefficients[members] = coefficients.get(members, 0.0) + float(weight)
        vars(instance)["_coefficients"] = coefficients


@dataclass(frozen=True)
class CapacityComparison:
    """How one capacity differs from another.

    Attributes
    ----------
    distance : float
        Euclidean distance of the Möbius coefficients.
    shapley : ndarray of shape (n,)
        Importance in the first minus importance in the second.
    interaction : ndarray of shape (n, n)
        The same for the pairwise interactions.
    """

    distance: float
    shapley: FloatArray
    interaction: FloatArray


def position_of(attribute: int | str, n: int, names: tuple[str, ...] | None) -> int:
    """Give the position of an attribute that was named by position or by name."""
    if isinstance(attribute, str):
        if names is None or attribute not in names:
            raise DataError(
                f"There is no attribute called {attribute!r}. Known: {names or ()}."
            )
        return names.index(attribute)
    if not 0 <= attribute < n:
        raise DataError(
            f"Attributes have the positions 0 to {n - 1}. Got {attribute!r}."
        )
    return int(attribute)


def exact_monotonicity(values: FloatArray, tol: float) -> float:
    """Count all pairs (A, A + i) with mu(A) <= mu(A + i) (CH-5)."""
    n = count_attributes(values)
    # Values are sums of up to 2^n coefficients: a fall of rounding size is none.
    slack = tol * np.abs(values).max()
    risen = sum(np.count_nonzero(marginal_gains(values, i) >= -slack) for i in range(n))
    return float(risen / (n * 2 ** (n - 1)))


def sampled_monotonicity(
    integrate: Callable[[FloatArray], FloatArray],
    n: int,
    tol: float,
    n_samples: int,
    random_state: RandomState,
) -> tuple[float, float]:
    """Estimate the degree of CH-5 from random pairs (A, A + i).

    The standard error adds two rises and two falls to the sample (Agresti and
    Coull), so that it is not zero when all pairs agree.
    """
    generator = (
        random_state
        if isinstance(random_state, np.random.Generator)
        else np.random.default_rng(check_random_state(random_state).randint(2**31))
    )
    # The integral of a 0/1 row is the capacity of the set of its ones.
    sets = (generator.random((n_samples, n)) < 0.5).astype(np.float64)
    chosen = (np.arange(n_samples), generator.integers(n, size=n_samples))
    sets[chosen] = 0
    without = integrate(sets)
    sets[chosen] = 1
    with_it = integrate(sets)
    slack = tol * max(np.abs(without).max(), np.abs(with_it).max())
    risen = np.count_nonzero(with_it - without >= -slack)
    centre = (risen + 2) / (n_samples + 4)
    std = np.sqrt(centre * (1 - centre) / (n_samples + 4))
    return float(risen / n_samples), float(std)
