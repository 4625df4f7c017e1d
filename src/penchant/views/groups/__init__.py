"""What is shown of a group beside its ranking."""

from penchant.views.groups._another_winner import (
    AnotherWinnerView,
    another_winner_view,
)
from penchant.views.groups._readings import (
    ChoquetView,
    PairTable,
    choquet_view,
    curves_certificate,
    pair_tables,
)

__all__ = [
    "AnotherWinnerView",
    "ChoquetView",
    "PairTable",
    "another_winner_view",
    "choquet_view",
    "curves_certificate",
    "pair_tables",
]
