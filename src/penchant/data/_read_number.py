"""One number or date of a column, as people type it into a field."""

import numpy as np

from penchant.data._attribute import DATE, Attribute
from penchant.data.reading._dates import read_dates
from penchant.data.reading._numbers import read_numbers
from penchant.data.reading._units import find_unit
from penchant.exceptions import DataError


def read_number(attribute: Attribute, text: str) -> float:
    """Read a number or a date of an attribute as people type it.

    Parameters
    ----------
    attribute : Attribute
        To its unit numbers with another unit are converted; of two ways to read a
        number ("1.200") that counts which is nearer to the middle of its domain.
    text : str
        Such as "900", "1,200 EUR", "1.200,50 €" or "2 h".
    """
    cell = str(text).strip().lstrip("<>=≤≥ ")
    if attribute.kind != "numeric":
        levels = ", ".join(attribute.levels)
        raise DataError(
            f"The limit of {attribute.name!r}: it holds levels. Say one_of: {levels}."
        )
    values: list[float] = []
    if attribute.unit == DATE:
        values = [float(each.values[0]) for each in read_dates([cell])]
    elif cell:
        found = read_numbers([cell], np.ones(1, dtype=np.int64), attribute.unit)
        values = [
            float(each.values[0])
            for each in found
            if _same_unit(each.unit, attribute.unit)
        ]
    values = [value for value in values if np.isfinite(value)]
    if not values:
        unit = f" in {attribute.unit}" if attribute.unit else ""
        kind = "a date" if attribute.unit == DATE else f"a number{unit}"
        raise DataError(
            f"The limit of {attribute.name!r} must be {kind}. Got {text!r}."
        )
    middle = float(np.mean(attribute.domain or values[:1]))
    return min(values, key=lambda value: abs(value - middle))


def _same_unit(typed: str, home: str) -> bool:
    """Tell whether a number was converted to the unit of a column, or has none.

    "900 EUR" will do where the unit is EUR/month, and any unit where there is none.
    """
    if not typed or not home or find_unit(typed) == find_unit(home):
        return True
    return find_unit(typed) == find_unit(home.partition("/")[0].strip())
