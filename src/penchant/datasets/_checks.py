"""Checks of what the generators of data are given."""

import numpy as np

from penchant.exceptions import DataError
from penchant.typing import RandomState


def check_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator: the one given, or one seeded by what was given."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def check_at_least(name: str, value: int, low: int) -> None:
    """Refuse a size that is no whole number or too small."""
    if not isinstance(value, int | np.integer) or value < low:
        raise DataError(f"{name} must be a whole number >= {low}. Got {value!r}.")


def check_noise(noise: float) -> None:
    """Refuse a standard deviation below 0."""
    if not 0 <= noise < np.inf:
        raise DataError(f"noise must be a standard deviation >= 0. Got {noise!r}.")
