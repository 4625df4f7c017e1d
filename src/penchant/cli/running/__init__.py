"""Commands about a study that people are answering."""

from penchant.cli.running._running import (
    change,
    find_person,
    share,
    taking_values,
    taking_words,
    weigh,
)

__all__ = [
    "change",
    "find_person",
    "share",
    "taking_values",
    "taking_words",
    "weigh",
]
