"""Reading what a person answered from the fields of a form."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from penchant.exceptions import DataError
from penchant.studies import AnsweredQuestion, OpenQuestion

__all__ = ["INCOMPLETE", "read_answer"]

INCOMPLETE: Final = {
    "pair": "question.incomplete_answer",
    "best-worst": "question.incomplete",
    "rating": "question.incomplete_answer",
    "ranking": "question.incomplete_ranking",
}
"""Which text says what is missing in the answer to a question of each form."""


def read_answer(
    question: OpenQuestion | AnsweredQuestion, fields: Mapping[str, Any]
) -> Any:
    """Give the answer that the fields of a form make, as `Study.tell` takes it.

    Parameters
    ----------
    question : OpenQuestion or AnsweredQuestion
        What was asked.
    fields : mapping of str to str
        Names and values of the fields, as sent.

    Raises
    ------
    DataError
        If something is missing or does not fit.
    """
    if fields.get("answer") == "skip":
        return "skip"
    return _READERS[question.form](question.items, fields)


def _read_pair(_items: tuple[int, ...], fields: Mapping[str, Any]) -> str:
    return str(fields.get("answer", ""))


def _read_rating(_items: tuple[int, ...], fields: Mapping[str, Any]) -> int:
    return _whole(fields, "answer")


def _read_best_worst(
    _items: tuple[int, ...], fields: Mapping[str, Any]
) -> dict[str, int]:
    return {role: _whole(fields, role) for role in ("best", "worst")}


def _read_ranking(items: tuple[int, ...], fields: Mapping[str, Any]) -> list[int]:
    places = {item: _whole(fields, f"place-{item}") for item in items}
    if sorted(places.values()) != list(range(1, len(items) + 1)):
        raise DataError(
            f"Every alternative needs a place of its own from 1 to {len(items)}. "
            f"Got the places {sorted(places.values())}."
        )
    return sorted(items, key=places.__getitem__)


def _whole(fields: Mapping[str, Any], name: str) -> int:
    text = str(fields.get(name, ""))
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise DataError(f"The field {name!r} must be a whole number. Got {text!r}.")
    return int(text)


_READERS: Final[dict[str, Callable[[tuple[int, ...], Mapping[str, Any]], Any]]] = {
    "pair": _read_pair,
    "best-worst": _read_best_worst,
    "rating": _read_rating,
    "ranking": _read_ranking,
}
