"""Forms of questions: all that depends on what a person is asked to do with items."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

import numpy as np

from penchant.elicitation import Conversation, pair_evidence
from penchant.exceptions import DataError
from penchant.gp import Answer
from penchant.typing import FloatArray

if TYPE_CHECKING:
    from penchant.studies._participation import AnsweredQuestion
    from penchant.texts import Texts

FormName = Literal["pair", "best-worst", "rating", "ranking"]

Items: TypeAlias = tuple[int, ...]
Chosen: TypeAlias = tuple[Items, bool]
"""Items in the order in which to show them, and whether the same was asked before."""

_PAIR_ANSWERS = ("left", "right", "tie", "skip", "neither")
_PAIR_KEYS = {"1": "left", "2": "right", "0": "tie", "n": "neither"}

_N_SHOWN = 4
"""Items in a best-worst question or a ranking."""

_NUMBERS = re.compile(r"[0-9]+(?:[\s,]+[0-9]+)*", re.ASCII)

_GRADES = range(1, 6)
_N_COMPARED = 5
"""Earlier ratings with which a new one is compared."""

_SHARES = (0.2, 0.4, 0.6, 0.8)
"""Shares of the items that simulated people rate lower than 2, 3, 4 and 5."""


class Form(ABC):
    """What a person is asked to do with items.

    Attributes
    ----------
    n_items : (int, int)
        How many items may be shown, at least and at most.
    title, incomplete : str
        Keys of the texts that ask, and that say that something is missing.
    wanted : str
        What an answer must be, for those who send it by program.
    """

    n_items: ClassVar[tuple[int, int]] = (2, 20)
    title: ClassVar[str]
    incomplete: ClassVar[str]
    wanted: ClassVar[str]

    @abstractmethod
    def fit(self, items: Items, answer: Any) -> Any:
        """Give an answer as plain values; None if it does not fit."""

    @abstractmethod
    def evidence(
        self,
        told: "AnsweredQuestion",
        earlier: Sequence["AnsweredQuestion"],
        width: float | None,
    ) -> Iterable[Answer]:
        """Say what an answer means for the utilities of the items, see `evidence`."""

    @abstractmethod
    def choose(self, talk: Conversation) -> Chosen | None:
        """Choose the items of the next question; None if nothing is left to ask."""

    @abstractmethod
    def simulate(self, items: Items, felt: FloatArray, utilities: FloatArray) -> Any:
        """Answer as somebody to whom the items seem to be worth `felt`."""

    @abstractmethod
    def words(
        self, told: "AnsweredQuestion", names: Mapping[int, str], texts: "Texts"
    ) -> str:
        """Say in words what a person answered; items have names."""

    @abstractmethod
    def read_fields(self, items: Items, fields: Mapping[str, Any]) -> Any:
        """Give the answer that the fields of a page make, or raise DataError."""

    @abstractmethod
    def read_typed(self, items: Items, typed: str) -> Any:
        """Give the answer that somebody typed; None if it is none."""

    @abstractmethod
    def keys(self, names: Sequence[str], texts: "Texts") -> dict[str, str]:
        """Say what can be typed, and what it means."""


class _Pair(Form):
    """Which of two items is better; about equal and neither are answers, too."""

    n_items = (2, 2)
    title = "question.pair"
    incomplete = "question.incomplete_answer"
    wanted = f"An answer must be one of {', '.join(_PAIR_ANSWERS)}."

    def fit(self, items: Items, answer: Any) -> str | None:
        return answer if isinstance(answer, str) and answer in _PAIR_ANSWERS else None

    def evidence(self, told: "AnsweredQuestion", *_: Any) -> Iterable[Answer]:
        left, right = told.items
        return pair_evidence((left, right), told.answer)

    def choose(self, talk: Conversation) -> Chosen | None:
        if (asked := talk.question) is None:
            return None
        return (asked.left, asked.right), bool(asked.reason)

    def simulate(self, items: Items, felt: FloatArray, utilities: FloatArray) -> str:
        return "left" if felt[0] >= felt[1] else "right"

    def words(
        self, told: "AnsweredQuestion", names: Mapping[int, str], texts: "Texts"
    ) -> str:
        left, right = told.items if told.answer != "right" else told.items[::-1]
        key = "left" if told.answer == "right" else told.answer
        return texts(f"decided.pair_{key}", a=names[left], b=names[right])

    def read_fields(self, items: Items, fields: Mapping[str, Any]) -> str:
        return str(fields.get("answer", ""))

    def read_typed(self, items: Items, typed: str) -> str | None:
        return _PAIR_KEYS.get(typed)

    def keys(self, names: Sequence[str], texts: "Texts") -> dict[str, str]:
        meanings = (*names, texts("question.tie"), texts("question.neither"))
        return dict(zip(_PAIR_KEYS, meanings, strict=True))


class _Rating(Form):
    """How good one item is, from 1 (not acceptable) to 5."""

    n_items = (1, 1)
    title = "question.rating"
    incomplete = "question.incomplete_answer"
    wanted = f"An answer must be a whole number from 1 to {_GRADES[-1]}, or skip."

    def fit(self, items: Items, answer: Any) -> int | None:
        return int(answer) if is_whole(answer) and answer in _GRADES else None

    def evidence(
        self,
        told: "AnsweredQuestion",
        earlier: Sequence["AnsweredQuestion"],
        width: float | None,
    ) -> Iterable[Answer]:
        item, grade = told.items[0], told.answer
        rated = [
            (abs(other.answer - grade), -k, other.items[0], other.answer)
            for k, other in enumerate(earlier)
            if other.form == told.form and not other.skipped and other.items[0] != item
        ]
        for _, _, rival, given in sorted(rated)[:_N_COMPARED]:
            if given == grade:
                yield Answer("tie", (item, rival), width)
            else:
                better = grade > given
                yield Answer("comparison", (item, rival) if better else (rival, item))
        if grade == _GRADES[0]:
            yield Answer("below", (item,))

    def choose(self, talk: Conversation) -> Chosen | None:
        """Choose the less known item of the pair; no item twice, nor the only one."""
        if talk.setting.candidates.size < 2:
            return None
        seen = {told.items[0] for told in talk.told if len(told.items) == 1}
        question, variance = talk.question, talk.belief.variance
        pair = [] if question is None else [question.left, question.right]
        wanted = sorted(pair, key=lambda item: -variance[item]) + _likely(talk)
        item = next((item for item in wanted if item not in seen), None)
        return None if item is None else ((int(item),), False)

    def simulate(self, items: Items, felt: FloatArray, utilities: FloatArray) -> int:
        return 1 + int((np.quantile(utilities, _SHARES) < felt[0]).sum())

    def words(
        self, told: "AnsweredQuestion", names: Mapping[int, str], texts: "Texts"
    ) -> str:
        grade = texts.number(told.answer)
        return texts("decided.rating", a=names[told.items[0]], rating=grade)

    def read_fields(self, items: Items, fields: Mapping[str, Any]) -> int:
        return _whole(fields, "answer")

    def read_typed(self, items: Items, typed: str) -> int | None:
        return int(typed) if typed in map(str, _GRADES) else None

    def keys(self, names: Sequence[str], texts: "Texts") -> dict[str, str]:
        return {f"{n}": texts(f"question.rating_words.{n}") for n in _GRADES}


class _Set(Form):
    """Several items at a time."""

    def choose(self, talk: Conversation) -> Chosen | None:
        """Choose the pair that the policy asks and likely best items; no set twice."""
        question = talk.question
        if question is None:
            return None
        pair = [question.left, question.right]
        others = [item for item in _likely(talk) if item not in pair]
        size = min(_N_SHOWN - 2, len(others))
        asked = [set(told.items) for told in talk.told]
        for first in range(len(others) - size + 1):
            items = [*pair, *others[first : first + size]]
            if set(items) not in asked:
                rng = np.random.default_rng([talk.setting.seed, len(talk.told), 3])
                return tuple(int(item) for item in rng.permutation(items)), False
        return None

    def _typed(self, items: Items, typed: str) -> list[int]:
        """Give the items whose numbers were typed; none if they make no sense."""
        if not _NUMBERS.fullmatch(typed):
            return []
        parts = re.split(r"[\s,]+", typed)
        numbers = [int(part) for part in (parts if len(parts) > 1 else typed)]
        known = set(range(1, len(items) + 1))
        if len(set(numbers)) < len(numbers) or not known.issuperset(numbers):
            return []
        return [items[number - 1] for number in numbers]


class _BestWorst(_Set):
    """Which of several items is best, and which is worst."""

    title = "question.best_worst"
    incomplete = "question.incomplete"
    wanted = 'An answer must name two of the shown items as "best" and "worst".'

    def fit(self, items: Items, answer: Any) -> dict[str, int] | None:
        if not isinstance(answer, Mapping) or set(answer) != {"best", "worst"}:
            return None
        best, worst = answer["best"], answer["worst"]
        known = is_whole(best) and is_whole(worst) and {best, worst} <= set(items)
        return {"best": best, "worst": worst} if known and best != worst else None

    def evidence(self, told: "AnsweredQuestion", *_: Any) -> Iterable[Answer]:
        """Let the best beat all others, and those beat the worst."""
        best, worst = told.answer["best"], told.answer["worst"]
        duels = [(best, item) for item in told.items if item != best]
        duels += [(item, worst) for item in told.items if item not in (best, worst)]
        return (Answer("comparison", duel) for duel in duels)

    def simulate(
        self, items: Items, felt: FloatArray, utilities: FloatArray
    ) -> dict[str, int]:
        order = _best_first(items, felt)
        return {"best": order[0], "worst": order[-1]}

    def words(
        self, told: "AnsweredQuestion", names: Mapping[int, str], texts: "Texts"
    ) -> str:
        best, worst = names[told.answer["best"]], names[told.answer["worst"]]
        return texts("decided.best_worst", a=best, b=worst)

    def read_fields(self, items: Items, fields: Mapping[str, Any]) -> dict[str, int]:
        return {role: _whole(fields, role) for role in ("best", "worst")}

    def read_typed(self, items: Items, typed: str) -> dict[str, int] | None:
        named = self._typed(items, typed)
        return {"best": named[0], "worst": named[1]} if len(named) == 2 else None

    def keys(self, names: Sequence[str], texts: "Texts") -> dict[str, str]:
        size, best, worst = len(names), texts("question.best"), texts("question.worst")
        return {f"1 {size}": f"{best}: 1, {worst.lower()}: {size}"}


class _Ranking(_Set):
    """The order of several items, best first."""

    title = "question.ranking"
    incomplete = "question.incomplete_ranking"
    wanted = "An answer must list all of the shown items, best first, or be skip."

    def fit(self, items: Items, answer: Any) -> list[int] | None:
        if not isinstance(answer, list | tuple) or not all(map(is_whole, answer)):
            return None
        return list(answer) if sorted(answer) == sorted(items) else None

    def evidence(self, told: "AnsweredQuestion", *_: Any) -> Iterable[Answer]:
        """Let each item beat the next."""
        neighbours = zip(told.answer, told.answer[1:], strict=False)
        return (Answer("comparison", pair) for pair in neighbours)

    def simulate(
        self, items: Items, felt: FloatArray, utilities: FloatArray
    ) -> list[int]:
        return _best_first(items, felt)

    def words(
        self, told: "AnsweredQuestion", names: Mapping[int, str], texts: "Texts"
    ) -> str:
        ordered = ", ".join(names[item] for item in told.answer)
        return texts("decided.ranking", names=ordered)

    def read_fields(self, items: Items, fields: Mapping[str, Any]) -> list[int]:
        places = {item: _whole(fields, f"place-{item}") for item in items}
        if sorted(places.values()) != list(range(1, len(items) + 1)):
            raise DataError(
                f"Every alternative needs a place of its own from 1 to {len(items)}. "
                f"Got the places {sorted(places.values())}."
            )
        return sorted(items, key=places.__getitem__)

    def read_typed(self, items: Items, typed: str) -> list[int] | None:
        named = self._typed(items, typed)
        return named if len(named) == len(items) else None

    def keys(self, names: Sequence[str], texts: "Texts") -> dict[str, str]:
        places = " ".join(f"{place}" for place in range(len(names), 0, -1))
        return {places: texts("question.ranking")}


FORMS: Final[Mapping[str, Form]] = {
    "pair": _Pair(),
    "best-worst": _BestWorst(),
    "rating": _Rating(),
    "ranking": _Ranking(),
}
"""The forms by the names under which they are kept."""

QUESTION_FORMS: Final = tuple(FORMS)


def is_whole(value: Any) -> bool:
    """Tell whether a value is a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _whole(fields: Mapping[str, Any], name: str) -> int:
    text = str(fields.get(name, ""))
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise DataError(f"The field {name!r} must be a whole number. Got {text!r}.")
    return int(text)


def _best_first(items: Items, felt: FloatArray) -> list[int]:
    return [items[k] for k in np.argsort(-felt, kind="stable")]


def _likely(talk: Conversation) -> list[int]:
    """Give all allowed items, those first that are most likely to be the best."""
    order = np.argsort(-talk.best.probability, kind="stable")
    first = talk.best.items[order].tolist()
    candidates = talk.setting.candidates
    rest = np.argsort(-talk.belief.mean[candidates], kind="stable")
    return list(dict.fromkeys([*first, *candidates[rest].tolist()]))
