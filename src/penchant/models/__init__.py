"""Estimators in the manner of scikit-learn."""

from penchant.models._domain import Domain, check_domain, check_items
from penchant.models._pairs import Pairs, RankerMixin, check_pairs

__all__ = [
    "Domain",
    "Pairs",
    "RankerMixin",
    "check_domain",
    "check_items",
    "check_pairs",
]
