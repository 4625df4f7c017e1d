"""What is shown of a group beside its ranking."""

from penchant.views.groups._another_winner import (
    another_winner_view,
)
from penchant.views.groups._readings import (
    choquet_view,
    curves_certificate,
    pair_tables,
)

__all__ = [
    "another_winner_view",
    "choquet_view",
    "curves_certificate",
    "pair_tables",
]
