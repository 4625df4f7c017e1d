"""What we know: alternatives, their attributes, and what people said of them."""

from penchant.data._attribute import DATE, Attribute
from penchant.data._comparisons import Comparisons, ItemPairs, check_items_exist
from penchant.data._extra import Extra
from penchant.data._items import Items
from penchant.data._ratings import Choices, Rankings, Ratings
from penchant.data.reading._problems import Problem
from penchant.data.reading._report import (
    Choice,
    ColumnReading,
    FileReading,
    LeftOut,
    ReadingReport,
    TableReport,
)
from penchant.data.reading._table import Table, inspect_table, read_table

__all__ = [
    "DATE",
    "Attribute",
    "Choice",
    "Choices",
    "ColumnReading",
    "Comparisons",
    "Extra",
    "FileReading",
    "ItemPairs",
    "Items",
    "LeftOut",
    "Problem",
    "Rankings",
    "Ratings",
    "ReadingReport",
    "Table",
    "TableReport",
    "check_items_exist",
    "inspect_table",
    "read_table",
]
