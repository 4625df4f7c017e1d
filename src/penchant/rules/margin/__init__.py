"""The margin program of rules, by column generation with a certified gap."""

from penchant.rules.margin._column_source import (
    ColumnSource,
    Priced,
    SampledSource,
    TableColumns,
)
from penchant.rules.margin._program import MarginRound, MarginSolution, solve_margin

__all__ = [
    "ColumnSource",
    "MarginRound",
    "MarginSolution",
    "Priced",
    "SampledSource",
    "TableColumns",
    "solve_margin",
]
