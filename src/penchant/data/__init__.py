"""What we know: alternatives, their attributes, and what people said of them."""

from penchant.data._attribute import DATE, Attribute
from penchant.data._comparisons import Comparisons, ItemPairs, check_items_exist
from penchant.data._extra import Extra
from penchant.data._items import Items
from penchant.data._limits import Limit, Limits, Relaxation
from penchant.data._ratings import BestWorst, Choices, Rankings, Ratings
from penchant.data._read_number import read_number
from penchant.data.answers._common import AnswerFile
from penchant.data.answers._read import read_answers
from penchant.data.answers._write import write_answers
from penchant.data.reading._problems import Problem, TableError
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
    "AnswerFile",
    "Attribute",
    "BestWorst",
    "Choice",
    "Choices",
    "ColumnReading",
    "Comparisons",
    "Extra",
    "FileReading",
    "ItemPairs",
    "Items",
    "LeftOut",
    "Limit",
    "Limits",
    "Problem",
    "Rankings",
    "Ratings",
    "ReadingReport",
    "Relaxation",
    "Table",
    "TableError",
    "TableReport",
    "check_items_exist",
    "inspect_table",
    "read_answers",
    "read_number",
    "read_table",
    "write_answers",
]
