"""The table of a study on its owner's page, and what changed in it, in words."""

from penchant.views.table._changes import change_words, some_changes
from penchant.views.table._page import (
    item_form,
    read_column,
    read_item,
    table_view,
)

__all__ = [
    "change_words",
    "item_form",
    "read_column",
    "read_item",
    "some_changes",
    "table_view",
]
