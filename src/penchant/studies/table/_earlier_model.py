"""What earlier people tell of a table that has changed since."""

from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Attribute, Items
from penchant.studies.table._difference import cells
from penchant.typing import IntArray


def in_terms_of(old: Items, new: Items) -> tuple[Items, IntArray]:
    """Give the rows of a later table by the columns of an earlier one.

    Parameters
    ----------
    old : Items
        The table that a model was fitted on.
    new : Items
        A later version: the same alternatives in the same places, and perhaps more.

    Returns
    -------
    rows : Items
        As `new`, with the attributes of `old`: numbers are clamped to its domains,
        levels that it does not have are blank.
    places : ndarray of int of shape (n_items,)
        Which of `old` a row is; -1 where it is new, or has other values.
    """
    now = cells(new)
    columns = {
        attribute.name: _column(attribute, old, now) for attribute in old.attributes
    }
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(new)), dtype=object)
    rows = Items(frame, old.attributes, new.names)
    before, after = old.encode(), rows.encode()[: len(old)]
    same = (before == after) | (np.isnan(before) & np.isnan(after))
    places = np.full(len(new), -1)
    places[: len(old)] = np.where(same.all(axis=1), np.arange(len(old)), -1)
    return rows, places


def _column(attribute: Attribute, old: Items, now: pd.DataFrame) -> Any:
    if attribute.name not in now:  # it is not compared any more
        return old.frame[attribute.name].astype(object).reindex(now.index)
    column = now[attribute.name]
    if attribute.kind != "numeric":
        return column.where(column.isin(attribute.levels), None)
    return pd.to_numeric(column, errors="coerce").clip(*attribute.domain or ())
