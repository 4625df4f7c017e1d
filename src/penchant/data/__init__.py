"""What we know: alternatives, their attributes, and what people said of them."""

from penchant.data._attribute import Attribute
from penchant.data._best_worst import BestWorst
from penchant.data._comparisons import Comparisons, ItemPairs, check_items_exist
from penchant.data._items import Items
from penchant.data._ratings import Choices, Rankings, Ratings
from penchant.data.answers._common import AnswerFile
from penchant.data.answers._read import read_answers
from penchant.data.answers._write import write_answers
from penchant.data.reading._problems import Problem
from penchant.data.reading._report import TableReport, inspect_table, read_table

__all__ = [
    "AnswerFile",
    "Attribute",
    "BestWorst",
    "Choices",
    "Comparisons",
    "ItemPairs",
    "Items",
    "Problem",
    "Rankings",
    "Ratings",
    "TableReport",
    "check_items_exist",
    "inspect_table",
    "read_answers",
    "read_table",
    "write_answers",
]
