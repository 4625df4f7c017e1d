"""Array aliases, and the protocols through which layers meet."""

from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

__all__ = [
    "ArrayLike",
    "BoolArray",
    "FloatArray",
    "IntArray",
    "PosteriorModel",
    "RandomState",
    "UtilityModel",
]

ArrayLike: TypeAlias = npt.ArrayLike
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None


@runtime_checkable
class UtilityModel(Protocol):
    """Anything that gives every item a utility: larger is better."""

    def utility(self, X: Any) -> FloatArray:
        """Give the utility of each row of X."""
        ...


@runtime_checkable
class PosteriorModel(Protocol):
    """Anything that gives a joint Gaussian belief about the utilities of items."""

    def posterior(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Give the mean and the covariance of the utilities of the rows of X."""
        ...
