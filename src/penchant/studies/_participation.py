"""Participation: where one person stands in a study, read from the log of events."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from penchant.exceptions import DataError
from penchant.studies._forms import FORMS, is_whole
from penchant.studies._questions import AnsweredQuestion, OpenQuestion, check_answer

__all__ = ["Participation"]


@dataclass(frozen=True)
class Participation:
    """Where one person stands: a pure function of the log.

    Parameters
    ----------
    n_items : int
        Number of alternatives in the study.
    language : str
        Code of the language the person chose; empty: none yet.
    consented : bool
        Whether the person agreed to the consent text.
    model : str or None
        The population model that the belief about this person starts from.
    answered : tuple of AnsweredQuestion
        Answers that were not taken back, in order.
    open_question : OpenQuestion or None
        The question that waits for an answer.
    finished : str
        Why the asking ended: "sure", "budget", "exhausted" or "person"; empty
        while it goes on.
    went_on : bool
        Whether the person asked for more questions after the end.
    n_events : int
        Length of the log: the position of the next event.
    ignored : int
        Events that are unknown or make no sense where they stand.

    Examples
    --------
    >>> asked = {"question": "00c0ffee00c0ffee", "form": "pair", "items": [4, 7]}
    >>> told = {"question": "00c0ffee00c0ffee", "answer": "left"}
    >>> log = [("joined", {"language": "en"}), ("asked", asked), ("answered", told)]
    >>> now = Participation.of(log, n_items=10)
    >>> now.answered[0].items, now.open_question, now.ignored
    ((4, 7), None, 0)
    """

    n_items: int
    language: str = ""
    consented: bool = False
    model: str | None = None
    answered: tuple[AnsweredQuestion, ...] = ()
    open_question: OpenQuestion | None = None
    finished: str = ""
    went_on: bool = False
    n_events: int = 0
    ignored: int = 0

    @classmethod
    def of(cls, events: Iterable[tuple[str, Any]], n_items: int) -> Self:
        """Read a log of (kind, body); no event, however strange, is an error."""
        now = cls(n_items)
        for kind, body in events:
            now = now.after(kind, body)
        return now

    def after(self, kind: str, body: Any) -> Self:
        """Give what one more event leads to."""
        read = _READERS.get(kind)
        changes = None
        if read is not None and isinstance(body, Mapping):
            changes = read(self, body)
        if changes is None:
            changes = {"ignored": self.ignored + 1}
        return replace(self, n_events=self.n_events + 1, **changes)

    @property
    def number(self) -> int:
        """Place of the question that is or will be asked next, from 1."""
        return len(self.answered) + 1

    @property
    def state(self) -> str:
        """Either "new" (no answer yet), "asking" or "finished"."""
        if self.finished:
            return "finished"
        return "asking" if self.answered else "new"

    def answer_to(self, question_id: str) -> AnsweredQuestion | None:
        """Give the living answer to a question; None if there is none."""
        found = (each for each in self.answered if each.question == question_id)
        return next(found, None)


def _text(body: Mapping[str, Any], key: str) -> str | None:
    value = body.get(key)
    return value if isinstance(value, str) and value else None


Changes = dict[str, Any] | None


def _joined(now: Participation, body: Mapping[str, Any]) -> Changes:
    if now.language:
        return None
    return {"language": _text(body, "language") or "en", "model": _text(body, "model")}


def _consented(now: Participation, _body: Mapping[str, Any]) -> Changes:
    return None if now.consented else {"consented": True}


def _asked(now: Participation, body: Mapping[str, Any]) -> Changes:
    question, form = _text(body, "question"), _text(body, "form")
    items = body.get("items")
    known = form in FORMS and _are_items(items, form, now.n_items)
    if not known or question is None or now.open_question is not None:
        return None
    if now.answer_to(question) is not None:
        return None
    asked = OpenQuestion(
        question, str(form), tuple(items or ()), now.number, body.get("repeat") is True
    )
    went_on = now.went_on or bool(now.finished)
    return {"open_question": asked, "finished": "", "went_on": went_on}


def _are_items(items: Any, form: str | None, n_items: int) -> bool:
    if not isinstance(items, list | tuple) or not all(map(is_whole, items)):
        return False
    fewest, most = FORMS[str(form)].n_items
    inside = all(0 <= item < n_items for item in items)
    return inside and fewest <= len(items) <= most and len(set(items)) == len(items)


def _answered(now: Participation, body: Mapping[str, Any]) -> Changes:
    asked = now.open_question
    if asked is None or body.get("question") != asked.id:
        return None
    try:
        answer = check_answer(asked.form, asked.items, body.get("answer"))
    except DataError:
        return None
    told = AnsweredQuestion(asked.id, asked.form, asked.items, answer, asked.repeat)
    return {"answered": (*now.answered, told), "open_question": None}


def _undone(now: Participation, body: Mapping[str, Any]) -> Changes:
    if not now.answered or now.answered[-1].question != body.get("question"):
        return None
    return {"answered": now.answered[:-1], "open_question": None, "finished": ""}


def _finished(now: Participation, body: Mapping[str, Any]) -> Changes:
    if now.finished:
        return None
    return {"finished": _text(body, "reason") or "person", "open_question": None}


_READERS: dict[str, Callable[[Participation, Mapping[str, Any]], Changes]] = {
    "joined": _joined,
    "consented": _consented,
    "asked": _asked,
    "answered": _answered,
    "undone": _undone,
    "finished": _finished,
}
