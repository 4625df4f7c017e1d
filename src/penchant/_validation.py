"""Checks of plain arrays, and a way to warn, that several layers share."""

import os
import sys
import warnings
from typing import Any

import numpy as np

from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray

_INSIDE = ("penchant", "sklearn", "contextlib")


def frozen_array(values: ArrayLike, dtype: Any = None) -> Any:
    """Copy values into an array that nobody can write to."""
    array = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


def set_fields(instance: object, **values: Any) -> None:
    """Set fields of a frozen dataclass while it is being made."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def check_indices(values: ArrayLike, name: str) -> IntArray:
    """Return values as a read-only vector of item indices, all whole and >= 0."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(
            f"{name} must be one-dimensional. Got an array of shape {array.shape}."
        )
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        whole = array.dtype.kind == "f" and np.all(array == np.floor(array))
        if not whole:
            raise DataError(
                f"{name} must hold item indices (whole numbers). "
                f"Got values of type {array.dtype}."
            )
    if array.size and array.min() < 0:
        row = int(np.argmin(array))
        raise DataError(
            f"{name} must hold item indices >= 0. Got {array[row]} at position {row}."
        )
    return frozen_array(array, np.int64)


def check_weights(values: ArrayLike | None, size: int, name: str) -> FloatArray:
    """Return values as read-only finite weights >= 0; None means all ones."""
    array = np.ones(size) if values is None else np.asarray(values, dtype=np.float64)
    if array.shape != (size,):
        raise DataError(
            f"{name} must have one entry per row ({size}). Got shape {array.shape}."
        )
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if bad.size:
        raise DataError(
            f"{name} must be finite and >= 0. Got {array[bad[0]]} at position {bad[0]}."
        )
    return frozen_array(array)


def check_memory(need: float, what: str, advice: str) -> None:
    """Refuse work that would not fit into memory, before it starts.

    Parameters
    ----------
    need : float
        Bytes, about.
    what, advice : str
        Who needs them for what, and the option that helps: a sentence.
    """
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", ()):
        return  # Windows does not tell
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need > 0.8 * have:  # the rest is for whatever else runs
        raise DataError(
            f"{what} needs about {need / 2**30:.3g} GB of memory, and this machine has "
            f"{have / 2**30:.3g} GB. {advice}"
        )


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn about the line outside penchant and scikit-learn that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals["__name__"].startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
