"""Participation: where one person stands in a study, read from the log of events.

An event is a kind and a body of plain values. The kinds, and what their bodies hold:

joined : language, and model (or null), which the belief about the person starts from
consented : result, whether the person was told that the owner may see their result
described : when ("before" or "after" the choices), answers: what the person said to
    the owner's questions about people, by their names; null: left blank. What is said
    later of the same question counts
asked : question (its identifier), form, items, repeat; predicted (answer,
    probability, clear) where the answer was predicted and the question not chosen to
    learn; version, of the table, where it is not the first
dropped : question, which is not asked any more: it shows what cannot be had
answered : question, answer
because : question, attribute: the person says what the choice was mainly for. The last
    one counts, null takes it back; undoing the answer removes it
undone : question, the last that was answered
finished : reason; version, of the table, where it is not the first
weighed : weight, how often the owner counts the person in results; 0: not at all
left_out : out, whether that is 0 or 1; how it was written before there were weights
limits : limits, what an alternative must have for this person, as `Limits.to_dict`
    gives it. The last one counts

What a body holds beyond this is kept and not read, and what it lacks of the optional
entries is as before they were there: logs of any age can be read. A kind that is not
in this list was written by a newer version and may change what all the others mean, so
that the log is refused as a whole (`Participation.from_events`). Bodies have one
canonical form, `penchant.studies.store._plain.pack` (keys sorted, ASCII, no spaces): a
digest of an event does not depend on who wrote it, and a chain of digests can become a
column of the log without a change of the events.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from penchant.data import Limits
from penchant.exceptions import DataError, FormatError
from penchant.gp import Answer
from penchant.studies._about import MOMENTS, About, read_about
from penchant.studies._forms import FORMS, is_whole
from penchant.studies._limits import NO_LIMITS
from penchant.studies._settings import StudySettings
from penchant.typing import FloatArray

LARGEST_WEIGHT = 100.0
"""As often a person counts at most."""


class Prediction(NamedTuple):
    """What was predicted of the answer to a pair, before it was given.

    Parameters
    ----------
    answer : {"left", "right"}
        The side that is more likely to be chosen.
    probability : float
        How likely, if one of the sides is chosen.
    clear : bool
        Whether the pair was chosen because its answer seems clear, not at random.
    """

    answer: str
    probability: float
    clear: bool = False


@dataclass(frozen=True)
class OpenQuestion:
    """A question that waits for its answer.

    Parameters
    ----------
    id : str
        What an answer refers to.
    form : str
        What the person is to do with the items.
    items : tuple of int
        Positions in the table, in the order in which to show them.
    number : int
        Place in the conversation, counted from 1.
    repeat : bool
        Whether the same was asked before.
    predicted : Prediction or None
        Of a question that is there to see whether its answer is predicted correctly.
    version : int
        Which version of the table it was made from.
    """

    id: str
    form: str
    items: tuple[int, ...]
    number: int
    repeat: bool = False
    predicted: Prediction | None = None
    version: int = 1

    def to_event(self) -> tuple[str, dict[str, Any]]:
        """Give the event that says that this was asked."""
        body: dict[str, Any] = {
            "question": self.id,
            "form": self.form,
            "items": list(self.items),
            "repeat": self.repeat,
        }
        if self.predicted is not None:
            body["predicted"] = self.predicted._asdict()
        if self.version > 1:
            body["version"] = self.version
        return "asked", body


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question and what the person said to it.

    Parameters
    ----------
    question : str
        Identifier of the question.
    form : str
        What the person was to do with the items.
    items : tuple of int
        Positions in the table, in the order in which they were shown.
    answer : str, int, list or dict
        As `check_answer` gives it.
    repeat : bool
        Whether the same was asked before.
    because : str or None
        The attribute that the person named as the main reason.
    predicted : Prediction or None
        What was predicted, if anything was.
    """

    question: str
    form: str
    items: tuple[int, ...]
    answer: Any
    repeat: bool = False
    because: str | None = None
    predicted: Prediction | None = None

    @property
    def skipped(self) -> bool:
        """Whether the person passed over the question."""
        return bool(self.answer == "skip")

    @property
    def choice(self) -> tuple[int, int] | None:
        """The chosen item of a pair and the other one; None: none was chosen."""
        if self.form != "pair" or self.answer not in ("left", "right"):
            return None
        left, right = self.items
        return (left, right) if self.answer == "left" else (right, left)


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
    shows_result : bool
        Whether the person agreed that the owner may see their result.
    model : str or None
        The population model that the belief about this person starts from.
    about : tuple of (str, value)
        What the person said to questions about people, by name; blanks are left out.
    described : frozenset of str
        When such questions were put: "before" the choices, "after" them, or both.
    known : tuple or None
        What `about` was at the first question: the belief starts from it. None: there
        was no question yet.
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
    weight : float
        How often the owner counts the person in the results of the group.
    begun : bool
        Whether the person was asked anything.
    ignored : int
        Events that are unknown or make no sense where they stand.
    version : int
        The version of the table that the last question was made from, or that there
        was at the end.
    dropped : tuple of str
        Questions that were asked, but not any more when they were answered.
    limits : Limits
        What an alternative must have for this person.

    Examples
    --------
    >>> asked = {"question": "00c0ffee00c0ffee", "form": "pair", "items": [4, 7]}
    >>> told = {"question": "00c0ffee00c0ffee", "answer": "left"}
    >>> log = [("joined", {"language": "en"}), ("asked", asked), ("answered", told)]
    >>> now = Participation.from_events(log, n_items=10)
    >>> now.answered[0].items, now.open_question, now.ignored
    ((4, 7), None, 0)
    """

    n_items: int
    language: str = ""
    consented: bool = False
    shows_result: bool = False
    model: str | None = None
    about: About = ()
    described: frozenset[str] = frozenset()
    known: About | None = None
    answered: tuple[AnsweredQuestion, ...] = ()
    open_question: OpenQuestion | None = None
    finished: str = ""
    went_on: bool = False
    n_events: int = 0
    weight: float = 1.0
    begun: bool = False
    ignored: int = 0
    version: int = 1
    dropped: tuple[str, ...] = ()
    limits: Limits = NO_LIMITS

    @classmethod
    def from_events(
        cls, events: Iterable[tuple[str, Any]], n_items: int
    ) -> "Participation":
        """Read a log of (kind, body).

        No body, however strange, is an error; a kind that this version does not know
        is a FormatError.
        """
        now = cls(n_items)
        for kind, body in events:
            check_kind(kind)
            now = now.after(kind, body)
        return now

    def after(self, kind: str, body: Any) -> "Participation":
        """Give what one more event leads to."""
        read = _READERS.get(kind)
        after = None
        if read is not None and isinstance(body, Mapping):
            after = read(self, body)
        return self.moved(ignored=self.ignored + 1) if after is None else after

    def asks(self, asked: OpenQuestion) -> "Participation":
        """Give what it leads to that a question is put."""
        return self.moved(
            open_question=asked,
            finished="",
            went_on=self.went_on or bool(self.finished),
            begun=True,
            version=asked.version,
            known=self.features,
        )

    def says(self, asked: OpenQuestion, answer: Any) -> "Participation":
        """Give what it leads to that the open question gets an answer that fits."""
        told = AnsweredQuestion(
            asked.id,
            asked.form,
            asked.items,
            answer,
            asked.repeat,
            predicted=asked.predicted,
        )
        return self.moved(answered=(*self.answered, told), open_question=None)

    def moved(self, **changes: Any) -> "Participation":
        """Give what an event leads to that changes this."""
        return replace(self, n_events=self.n_events + 1, **changes)

    @property
    def left_out(self) -> bool:
        """Whether the owner does not count the person."""
        return self.weight == 0

    @property
    def features(self) -> About:
        """What is or will be known of the person at the first question."""
        return self.about if self.known is None else self.known

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

    def needs_consent(self, settings: StudySettings) -> bool:
        """Tell whether the person has to agree to something first.

        Who has begun is not asked later whether the owner may see the result.
        """
        asked = settings.has_consent or (settings.owner_sees and not self.begun)
        return asked and not self.consented

    def answer_to(self, question_id: str) -> AnsweredQuestion | None:
        """Give the living answer to a question; None if there is none."""
        found = (each for each in self.answered if each.question == question_id)
        return next(found, None)


def check_answer(form: str, items: tuple[int, ...], answer: Any) -> Any:
    """Return an answer that fits a question as plain values, or say what would fit.

    Parameters
    ----------
    form : str
        Form of the question.
    items : tuple of int
        The items of the question.
    answer : object
        "skip" fits every question. A pair takes "left", "right", "tie" or
        "neither"; best and worst a dict with the items "best" and "worst"; a rating
        a whole number from 1 to 5; a ranking the list of all items, best first.

    Raises
    ------
    DataError
        If it does not fit.
    """
    if isinstance(answer, str) and answer == "skip":
        return answer
    fitting = FORMS[form].fit(items, answer)
    if fitting is None:
        raise DataError(f"{FORMS[form].wanted} Got {answer!r}.")
    return fitting


def evidence(
    told: AnsweredQuestion,
    earlier: Sequence[AnsweredQuestion] = (),
    width: float | None = None,
) -> tuple[Answer, ...]:
    """Say what one answer means for the utilities of the items.

    Parameters
    ----------
    told : AnsweredQuestion
        A pair is one comparison or tie, or two items below what is acceptable. Of
        four items the best beats three and two more beat the worst. In a ranking
        each item beats the next. A rating beats the nearest earlier ratings that
        are lower, and ties with equal ones; the lowest is not acceptable.
    earlier : sequence of AnsweredQuestion
        What the same person answered before.
    width : float, optional
        How close items are that are rated alike; default: as in other ties.

    Returns
    -------
    tuple of Answer
        Empty if the question was skipped.

    Examples
    --------
    >>> told = AnsweredQuestion("q", "ranking", (3, 1, 2), [2, 3, 1])
    >>> [answer.items for answer in evidence(told)]
    [(2, 3), (3, 1)]
    """
    if told.skipped:
        return ()
    return tuple(FORMS[told.form].evidence(told, earlier, width))


def simulated_answer(
    form: str,
    items: tuple[int, ...],
    utilities: FloatArray,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    wrong: float = 0.0,
) -> Any:
    """Answer a question as a person with known utilities would.

    Parameters
    ----------
    form : str
        Form of the question.
    items : tuple of int
        Its items.
    utilities : ndarray of shape (n_items,)
        What all items are worth to the person.
    rng : Generator
        Draws the noise.
    noise : float, default=0.0
        Standard deviation of the noise in a difference of utilities.
    wrong : float, default=0.0
        Probability that the answer is that of somebody who likes the opposite.
    """
    felt = utilities[list(items)]
    felt = felt + noise * np.sqrt(0.5) * rng.standard_normal(len(items))
    if rng.random() < wrong:
        felt = -felt + 2.0 * utilities.mean()
    return FORMS[form].simulate(items, felt, utilities)


def _text(body: Mapping[str, Any], key: str) -> str | None:
    value = body.get(key)
    return value if isinstance(value, str) and value else None


Moved = Participation | None
"""Where an event leads; None: it makes no sense where it stands."""


def _joined(now: Participation, body: Mapping[str, Any]) -> Moved:
    if now.language:
        return None
    language = _text(body, "language") or "en"
    return now.moved(language=language, model=_text(body, "model"))


def _consented(now: Participation, body: Mapping[str, Any]) -> Moved:
    if now.consented:
        return None
    return now.moved(consented=True, shows_result=body.get("result") is True)


def _described(now: Participation, body: Mapping[str, Any]) -> Moved:
    when, answers = body.get("when"), body.get("answers")
    if when not in MOMENTS or not isinstance(answers, Mapping):
        return None
    about = {**dict(now.about), **read_about(answers)}
    said = tuple(each for each in about.items() if each[1] is not None)
    return now.moved(about=said, described=now.described | {when})


def _asked(now: Participation, body: Mapping[str, Any]) -> Moved:
    question, form = _text(body, "question"), _text(body, "form")
    items = body.get("items")
    known = form in FORMS and _are_items(items, form, now.n_items)
    if not known or question is None or now.open_question is not None:
        return None
    if now.answer_to(question) is not None:
        return None
    asked = OpenQuestion(
        question,
        str(form),
        tuple(items or ()),
        now.number,
        body.get("repeat") is True,
        _prediction(body.get("predicted")),
        _version(body),
    )
    return now.asks(asked)


def _version(body: Mapping[str, Any]) -> int:
    version: Any = body.get("version")
    return version if is_whole(version) and version >= 1 else 1


def _dropped(now: Participation, body: Mapping[str, Any]) -> Moved:
    asked = now.open_question
    if asked is None or body.get("question") != asked.id:
        return None
    return now.moved(open_question=None, dropped=(*now.dropped, asked.id))


def _prediction(body: Any) -> Prediction | None:
    """Read what was predicted; None if that is nothing."""
    if not isinstance(body, Mapping) or body.get("answer") not in ("left", "right"):
        return None
    chance = body.get("probability")
    if not isinstance(chance, float | int) or not 0.0 <= chance <= 1.0:
        return None
    return Prediction(body["answer"], float(chance), body.get("clear") is True)


def _are_items(items: Any, form: str | None, n_items: int) -> bool:
    if not isinstance(items, list | tuple) or not all(map(is_whole, items)):
        return False
    fewest, most = FORMS[str(form)].n_items
    inside = all(0 <= item < n_items for item in items)
    return inside and fewest <= len(items) <= most and len(set(items)) == len(items)


def _answered(now: Participation, body: Mapping[str, Any]) -> Moved:
    asked = now.open_question
    if asked is None or body.get("question") != asked.id:
        return None
    try:
        answer = check_answer(asked.form, asked.items, body.get("answer"))
    except DataError:
        return None
    return now.says(asked, answer)


def _because(now: Participation, body: Mapping[str, Any]) -> Moved:
    told = now.answer_to(str(body.get("question")))
    attribute = body.get("attribute")
    if told is None or told.choice is None:
        return None
    if attribute is not None and not _text(body, "attribute"):
        return None
    amended = replace(told, because=attribute)
    answered = (amended if each is told else each for each in now.answered)
    return now.moved(answered=tuple(answered))


def _undone(now: Participation, body: Mapping[str, Any]) -> Moved:
    if not now.answered or now.answered[-1].question != body.get("question"):
        return None
    return now.moved(answered=now.answered[:-1], open_question=None, finished="")


def _finished(now: Participation, body: Mapping[str, Any]) -> Moved:
    if now.finished:
        return None
    reason = _text(body, "reason") or "person"
    return now.moved(finished=reason, open_question=None, version=_version(body))


def is_weight(value: object) -> TypeGuard[float]:
    """Tell whether a person can count so often."""
    if isinstance(value, bool) or not isinstance(value, float | int):
        return False
    return 0.0 <= value <= LARGEST_WEIGHT


def _weighed(now: Participation, body: Mapping[str, Any]) -> Moved:
    weight = body.get("weight")
    return now.moved(weight=float(weight)) if is_weight(weight) else None


def _left_out(now: Participation, body: Mapping[str, Any]) -> Moved:
    out = body.get("out")
    return now.moved(weight=0.0 if out else 1.0) if isinstance(out, bool) else None


def _limits(now: Participation, body: Mapping[str, Any]) -> Moved:
    try:
        return now.moved(limits=Limits.from_dict(body.get("limits")))
    except DataError:
        return None


_READERS: dict[str, Callable[[Participation, Mapping[str, Any]], Moved]] = {
    "joined": _joined,
    "consented": _consented,
    "described": _described,
    "asked": _asked,
    "dropped": _dropped,
    "answered": _answered,
    "because": _because,
    "undone": _undone,
    "finished": _finished,
    "weighed": _weighed,
    "left_out": _left_out,
    "limits": _limits,
}


def check_kind(kind: str) -> None:
    """Refuse an event of a kind that this version does not know."""
    if kind not in _READERS:
        raise FormatError(
            f"The log has an event {kind!r}, which this version of penchant does not "
            f"know; it knows {', '.join(_READERS)}. Use the version that wrote it."
        )
