"""Tables and their players: attributes of one or more columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.explanation._shapley import members


@dataclass(frozen=True)
class Players:
    """The attributes of a table, each with its columns.

    Parameters
    ----------
    names : tuple of str
    columns : tuple of tuple of int
        The columns of each player; together all columns, each once.
    """

    names: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.names)

    def columns_of(self, mask: int) -> list[int]:
        """Give the columns of a set of players, in the order of the table."""
        return sorted(c for player in members(mask) for c in self.columns[player])

    def names_of(self, mask: int) -> list[str]:
        """Give the names of a set of players."""
        return [self.names[player] for player in members(mask)]

    def describe(self, table: Any) -> pd.DataFrame:
        """Give one column per player, for people to read.

        A one-hot block shows the name of its column that is on; any other block
        shows all its values.
        """
        frame = frame_of(table)
        shown = [self._cells(frame, columns) for columns in self.columns]
        described = pd.concat(shown, axis="columns")
        return described.set_axis(list(self.names), axis="columns")

    def _cells(self, frame: pd.DataFrame, columns: Sequence[int]) -> pd.Series:
        block = frame.iloc[:, list(columns)]
        if len(columns) == 1:
            return block.iloc[:, 0]
        if is_one_hot(block):
            labels = np.array([str(label) for label in block.columns], dtype=object)
            hot = labels[block.to_numpy(np.float64).argmax(axis=1)]
            return pd.Series(hot, frame.index)
        texts = [", ".join(map(str, row)) for row in block.to_numpy(object)]
        return pd.Series(texts, frame.index, dtype=object)


def is_one_hot(block: pd.DataFrame) -> bool:
    """Tell whether in each row one column is 1 and the others are 0."""
    if not all(pd.api.types.is_numeric_dtype(kind) for kind in block.dtypes):
        return False
    values = block.to_numpy(np.float64)
    return bool(np.isin(values, (0.0, 1.0)).all() and (values.sum(axis=1) == 1).all())


def as_table(X: Any) -> Any:
    """Return Items and data frames as they are, and all else as a 2-D array."""
    if isinstance(X, Items | pd.DataFrame):
        return X
    if hasattr(X, "toarray"):
        raise DataError(
            "Explanations need a dense table. Got a sparse matrix; pass X.toarray()."
        )
    array = np.asarray(X)
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(
            "X must be a table with one row per item and at least one column. "
            f"Got an array of shape {array.shape}."
        )
    return array


def frame_of(table: Any) -> pd.DataFrame:
    """Give a table as a data frame whose index and columns name rows and columns."""
    if isinstance(table, Items):
        return table.frame.set_axis(list(table.names), axis="index")
    if isinstance(table, pd.DataFrame):
        return table
    names = [f"x{column}" for column in range(table.shape[1])]
    return pd.DataFrame(table, columns=names).infer_objects()


def take_columns(table: Any, columns: Sequence[int]) -> Any:
    """Give a table of some columns, of the same kind."""
    if isinstance(table, Items):
        kept = [table.attributes[column] for column in columns]
        return Items(table.frame.iloc[:, list(columns)], tuple(kept), table.names)
    if isinstance(table, pd.DataFrame):
        return table.iloc[:, list(columns)]
    return table[:, list(columns)]


def check_players(players: Mapping[str, Sequence[Any]] | None, table: Any) -> Players:
    """Make players of named blocks of columns; all other columns stand alone.

    Parameters
    ----------
    players : mapping from str to sequence of (int or label), or None
        Columns by position or by name.
    table : ndarray, DataFrame or Items

    Returns
    -------
    Players
        In the order of their first columns.
    """
    labels = list(frame_of(table).columns)
    blocks: list[tuple[tuple[int, ...], str]] = []
    owner: dict[int, str] = {}
    for name, entries in (players or {}).items():
        entries = [entries] if isinstance(entries, str | int) else list(entries)
        columns = tuple(sorted({_position(entry, labels) for entry in entries}))
        if not columns:
            raise DataError(f"Player {name!r} needs at least one column. Got none.")
        for column in columns:
            if column in owner:
                raise DataError(
                    f"Column {labels[column]!r} must belong to one player. Got both "
                    f"{owner[column]!r} and {name!r}."
                )
            owner[column] = str(name)
        blocks.append((columns, str(name)))
    alone = (c for c in range(len(labels)) if c not in owner)
    blocks += [((column,), str(labels[column])) for column in alone]
    columns_in_order, names = zip(*sorted(blocks), strict=True)
    return Players(tuple(names), tuple(columns_in_order))


def _position(entry: Any, labels: list[Any]) -> int:
    """Find a column by its position or its name."""
    is_number = isinstance(entry, int | np.integer) and not isinstance(entry, bool)
    if is_number and 0 <= entry < len(labels):
        return int(entry)
    if not is_number and entry in labels:
        return labels.index(entry)
    raise DataError(
        f"players must name columns of the table, by position (0 to "
        f"{len(labels) - 1}) or by name. Got {entry!r}."
    )
