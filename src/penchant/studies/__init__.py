"""Studies: alternatives, participants, answers, and where they are kept."""

from penchant.studies._demo import add_demo
from penchant.studies._location import store_url
from penchant.studies._sql import SqlStore
from penchant.studies._store import (
    Draft,
    Store,
    StudyRecord,
    StudySummary,
)

__all__ = [
    "Draft",
    "SqlStore",
    "Store",
    "StudyRecord",
    "StudySummary",
    "add_demo",
    "store_url",
]
