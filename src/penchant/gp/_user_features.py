"""What is known of people, as numbers: rows of a table of users."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray


@dataclass(frozen=True, eq=False)
class UserEncoding:
    """How columns of a table of people become numbers.

    A column of numbers stays as it is. Of any other column each level becomes a
    column of 0 and 1. What is missing, or a level that was not seen in training,
    counts as average.

    Parameters
    ----------
    names : tuple of str
        The columns of the table.
    levels : tuple of (tuple or None)
        The levels of each column that is not numeric.
    center, scale : ndarray of shape (n_features,)
        Mean of each number; its standard deviation, or 1 for columns of 0 and 1.
    """

    names: tuple[str, ...]
    levels: tuple[tuple[Any, ...] | None, ...]
    center: FloatArray
    scale: FloatArray

    @classmethod
    def from_features(cls, X_users: Any) -> "UserEncoding":
        """Learn the encoding from a table of shape (n_users, n_columns)."""
        frame = _as_frame(X_users)
        levels = tuple(_levels(frame[name]) for name in frame)
        blank = cls(tuple(frame), levels, np.empty(0), np.empty(0))
        numbers = blank._expand(frame)
        center = pd.DataFrame(numbers).mean().fillna(0.0).to_numpy()
        spread = np.where(np.isnan(numbers), center, numbers).std(axis=0)
        # A column of 0 and 1 keeps its unit: over a small deviation rare levels would
        # weigh most.
        binary = np.isin(numbers, (0.0, 1.0)).all(axis=0)
        scale = np.where(binary | (spread == 0), 1.0, spread)
        return cls(tuple(frame), levels, center, scale)

    @property
    def n_features(self) -> int:
        """Number of numbers that describe a person."""
        return len(self.center)

    def numbers(self, X_users: Any) -> FloatArray:
        """Give people as numbers, shape (n_users, n_features).

        Parameters
        ----------
        X_users : array-like or DataFrame of shape (n_users, n_columns)
            Or one person: a sequence of n_columns values, or a mapping by name.
        """
        numbers = self._expand(self._check(X_users))
        return np.where(np.isnan(numbers), self.center, numbers)

    def standardised(self, X_users: Any, *, blank: float = 0.0) -> FloatArray:
        """Give people as numbers whose mean over the training people is 0.

        What is missing, or a level that was not seen, becomes `blank`.
        """
        numbers = self._expand(self._check(X_users))
        # 0 is the average person, from whom every feature takes its part.
        known = (numbers - self.center) / self.scale
        return np.where(np.isnan(numbers), blank, known)

    def _check(self, X_users: Any) -> pd.DataFrame:
        if isinstance(X_users, Mapping | pd.Series):
            X_users = pd.DataFrame([dict(X_users)])
        if not isinstance(X_users, pd.DataFrame):
            rows = np.asarray(X_users, dtype=object)
            if rows.ndim == 1:
                rows = rows[None, :]
            if rows.ndim != 2 or rows.shape[1] != len(self.names):
                raise DataError(
                    f"A person is described by {len(self.names)} values "
                    f"({', '.join(self.names[:5])}, ...). Got shape {rows.shape}."
                )
            return pd.DataFrame(rows, columns=list(self.names))
        missing = [name for name in self.names if name not in X_users]
        if missing:
            raise DataError(
                f"The table of people lacks the columns {', '.join(missing)}."
            )
        return X_users[list(self.names)]

    def _expand(self, frame: pd.DataFrame) -> FloatArray:
        """Give numbers, with NaN for what is not known."""
        if not any(self.levels):
            return _to_numbers(frame)
        parts = []
        for name, levels in zip(self.names, self.levels, strict=True):
            column = frame[name]
            if levels is None:
                parts.append(_to_numbers(column)[:, None])
                continue
            # Compared as objects: a level may be a number, a text or a truth value.
            values = column.to_numpy(dtype=object)
            known = np.array([value in levels for value in values])
            block = np.array([[value == level for level in levels] for value in values])
            parts.append(np.where(known[:, None], block, np.nan))
        return np.concatenate(parts, axis=1)


def _as_frame(X_users: Any) -> pd.DataFrame:
    if isinstance(X_users, pd.DataFrame):
        return X_users.set_axis([str(name) for name in X_users], axis=1)
    rows: ArrayLike = np.asarray(X_users)
    if np.ndim(rows) != 2 or np.shape(rows)[1] == 0:
        raise DataError(
            "X_users must be a table with one row per person. "
            f"Got shape {np.shape(rows)}."
        )
    names = [f"t{k}" for k in range(np.shape(rows)[1])]
    return pd.DataFrame(rows, columns=names).infer_objects()


def _levels(column: pd.Series) -> tuple[Any, ...] | None:
    """Give the levels of a column, None if it holds numbers."""
    if pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
        return None
    values = column[column.notna()].unique().tolist()
    return tuple(sorted(values, key=str))


def _to_numbers(table: Any) -> FloatArray:
    """Give one or more columns as numbers, with NaN for what is missing."""
    try:
        numbers: FloatArray = table.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise DataError(
            "This part of the description of people must be numbers, or missing: "
            f"{error}."
        ) from error
    if np.isinf(numbers).any():
        raise DataError("Numbers that describe people must be finite. Got an infinity.")
    return numbers
