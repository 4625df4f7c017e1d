"""Items as numbers: domains, encodings of attributes, and pairs of items."""

from penchant.encoding._domain import (
    Domain,
    as_days,
    check_domain,
    check_items,
    check_labelled_items,
    check_rated_items,
    known_attributes,
    takes_blanks,
)
from penchant.encoding._encoding import Encoding, make_encoding, make_kernels
from penchant.encoding._pairs import Pairs, RankerMixin, check_pairs

__all__ = [
    "Domain",
    "Encoding",
    "Pairs",
    "RankerMixin",
    "as_days",
    "check_domain",
    "check_items",
    "check_labelled_items",
    "check_pairs",
    "check_rated_items",
    "known_attributes",
    "make_encoding",
    "make_kernels",
    "takes_blanks",
]
