"""Statements that raise AssertionError with a sentence when they do not hold."""

import re
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone

from penchant.typing import ArrayLike, BoolArray, FloatArray


def require(condition: Any, message: str) -> None:
    """Raise AssertionError unless the condition holds."""
    if not condition:
        raise AssertionError(message)


def require_error(
    kinds: type[Exception], pattern: str, action: Callable[[], Any], case: str
) -> None:
    """Require that an action raises one of the kinds, with a message that fits."""
    try:
        action()
    except kinds as error:
        fits = re.search(pattern, str(error), re.IGNORECASE)
        require(fits, f"{case}: the message must match {pattern!r}. Got: {error}")
    except Exception as error:
        raise AssertionError(
            f"{case}: must raise {kinds.__name__}. Got {type(error).__name__}: {error}"
        ) from error
    else:
        raise AssertionError(f"{case}: must raise {kinds.__name__}. Nothing was raised")


def require_same_utility(a: ArrayLike, b: ArrayLike, case: str) -> None:
    """Require equal utilities up to a constant and to 1e-6 of their range."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    require(first.shape == second.shape, f"{case}: shapes {first.shape, second.shape}")
    worst = float(np.max(np.abs((first - first[0]) - (second - second[0]))))
    allowed = 1e-6 * float(np.ptp(first)) + 1e-12
    require(
        worst <= allowed,
        f"{case}: utility differences must agree to {allowed:.2g}. "
        f"They differ by {worst:.2g}",
    )


def fresh(ranker: Any) -> Any:
    """Clone a ranker and fix its random state, if it has one."""
    copy = clone(ranker)
    if "random_state" in copy.get_params(deep=False):
        copy.set_params(random_state=0)
    return copy


def accepts_sample_weight(ranker: Any) -> bool:
    """Tell whether fit takes sample_weight."""
    return "sample_weight" in signature(ranker.fit).parameters


def clear_differences(model: Any, pairs: FloatArray) -> BoolArray:
    """Mark the pairs whose utilities differ by more than rounding."""
    first, second = (np.asarray(model.utility(pairs[:, side])) for side in (0, 1))
    scale = np.ptp(np.concatenate([first, second]))
    return np.abs(first - second) > 1e-9 * scale
