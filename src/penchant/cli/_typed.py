"""Answers as people type them: which keys a question has, and what they mean."""

from typing import Any, Final

from penchant.data import Items
from penchant.studies import FORMS, OpenQuestion
from penchant.texts import Texts

__all__ = ["FINISH", "PAUSE", "UNDO", "key_help", "read_answer"]

PAUSE: Final = "q"
UNDO: Final = "u"
FINISH: Final = "r"
_SKIP: Final = "s"


def read_answer(question: OpenQuestion, typed: str) -> Any:
    """Give the answer that somebody typed; None if it is none to this question.

    Parameters
    ----------
    question : OpenQuestion
    typed : str
        What the form takes, see `key_help`; s skips.
    """
    if typed == _SKIP:
        return "skip"
    return FORMS[question.form].read_typed(question.items, typed)


def key_help(question: OpenQuestion, items: Items, texts: Texts) -> list[str]:
    """Say what each key means, in the language of the person."""
    names = [items.names[item] for item in question.items]
    keys = {
        **FORMS[question.form].keys(names, texts),
        _SKIP: texts("question.skip"),
        UNDO: texts("question.undo"),
        FINISH: texts("question.enough"),
        PAUSE: texts("page.pause"),
    }
    return [f"{key}  {meaning}" for key, meaning in keys.items()]
