"""Features that rise step by step with an attribute, instead of all at once."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from penchant.rules._conditions import Condition, Conjunction, Vocabulary
from penchant.rules._features import Feature
from penchant.typing import FloatArray

__all__ = ["Ramp", "list_ramps"]


@dataclass(frozen=True)
class Ramp:
    """A feature that rises evenly from 0 at one value of an attribute to 1 at another.

    Parameters
    ----------
    attribute : int
        Index of the attribute.
    low, high : float
        Where it begins and where it ends, encoded as the items are; low < high.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import Ramp, Vocabulary
    >>> large = Ramp(0, 40.0, 80.0)
    >>> large.evaluate(np.array([[30.0], [50.0], [90.0]]))
    array([0.  , 0.25, 1.  ])
    >>> large.text(Vocabulary(("size",)))
    'size from 40 to 80'
    """

    attribute: int
    low: float
    high: float

    def evaluate(self, X: FloatArray) -> FloatArray:
        """Give how far each row of X is on the way; 0 where the value is unknown."""
        share = (X[:, self.attribute] - self.low) / (self.high - self.low)
        return np.nan_to_num(np.clip(share, 0.0, 1.0))

    def text(self, vocabulary: Vocabulary) -> str:
        """Write the ramp in the words and units of the data."""
        ends = (vocabulary.value_text(self.attribute, v) for v in (self.low, self.high))
        return f"{vocabulary.names[self.attribute]} from {' to '.join(ends)}"


def list_ramps(X: FloatArray, vocabulary: Vocabulary, n_knots: int) -> list[Feature]:
    """List the ramps between any two of some quantiles of each attribute.

    Categories, and attributes with two values in X, get the conditions that they are
    equal to a value instead; the first of two values is left out, as the other one
    tells the same.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Encoded items.
    vocabulary : Vocabulary
    n_knots : int
        Number of quantiles, the smallest and the largest value included.
    """
    features: list[Feature] = []
    shares = np.linspace(0.0, 1.0, n_knots)
    for i, column in enumerate(X.T):
        values = np.unique(column)  # an unknown value comes last, and once
        numbers = column[~np.isnan(column)]
        is_graded = vocabulary.kind(i) != "categorical" and np.unique(numbers).size > 2
        if is_graded:
            knots = np.unique(np.quantile(numbers, shares, method="inverted_cdf"))
            features += [Ramp(i, *ends) for ends in combinations(knots.tolist(), 2)]
            values = values[np.isnan(values)]
        elif values.size <= 2:
            values = values[1:]
        equal = (Condition(i, "=", value) for value in values.tolist())
        features += [Conjunction((condition,)) for condition in equal]
    return features
