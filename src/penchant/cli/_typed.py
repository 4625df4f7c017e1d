"""Answers as people type them: which keys a question has, and what they mean."""

import re
from typing import Any, Final

from penchant.data import Items
from penchant.studies import OpenQuestion
from penchant.texts import Texts

__all__ = ["FINISH", "PAUSE", "UNDO", "key_help", "read_answer"]

PAUSE: Final = "q"
UNDO: Final = "u"
FINISH: Final = "r"
_SKIP: Final = "s"
_PAIR: Final = {"1": "left", "2": "right", "0": "tie", "n": "neither"}
_NUMBERS = re.compile(r"[0-9]+(?:[\s,]+[0-9]+)*", re.ASCII)


def read_answer(question: OpenQuestion, typed: str) -> Any:
    """Give the answer that somebody typed; None if it is none to this question.

    Parameters
    ----------
    question : OpenQuestion
    typed : str
        A pair takes 1, 2, 0 or n; a rating 1 to 5; best-worst the numbers of the
        best and the worst; a ranking all numbers, best first; s skips.
    """
    if typed == _SKIP:
        return "skip"
    if question.form == "pair":
        return _PAIR.get(typed)
    if not _NUMBERS.fullmatch(typed):
        return None
    if question.form == "rating":
        return int(typed) if typed in ("1", "2", "3", "4", "5") else None
    return _chosen(question, typed)


def _chosen(question: OpenQuestion, typed: str) -> Any:
    parts = re.split(r"[\s,]+", typed)
    numbers = [int(part) for part in (parts if len(parts) > 1 else typed)]
    size = len(question.items)
    if len(set(numbers)) < len(numbers) or not all(1 <= n <= size for n in numbers):
        return None
    items = [question.items[number - 1] for number in numbers]
    if question.form == "ranking":
        return items if len(items) == size else None
    return {"best": items[0], "worst": items[1]} if len(items) == 2 else None


def key_help(question: OpenQuestion, items: Items, texts: Texts) -> list[str]:
    """Say what each key means, in the language of the person."""
    keys = {
        **_form_keys(question, items, texts),
        _SKIP: texts("question.skip"),
        UNDO: texts("question.undo"),
        FINISH: texts("question.enough"),
        PAUSE: texts("page.pause"),
    }
    return [f"{key}  {meaning}" for key, meaning in keys.items()]


def _form_keys(question: OpenQuestion, items: Items, texts: Texts) -> dict[str, str]:
    size = len(question.items)
    if question.form == "pair":
        first, second = (items.names[item] for item in question.items)
        return {
            "1": first,
            "2": second,
            "0": texts("question.tie"),
            "n": texts("question.neither"),
        }
    if question.form == "rating":
        return {f"{n}": texts(f"question.rating_words.{n}") for n in range(1, 6)}
    if question.form == "best-worst":
        best, worst = texts("question.best"), texts("question.worst")
        return {f"1 {size}": f"{best}: 1, {worst.lower()}: {size}"}
    places = [f"{place}" for place in range(size, 0, -1)]
    return {" ".join(places): texts("question.ranking")}
