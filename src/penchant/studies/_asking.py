"""What comes next in the log of a participant: a question, a check, or the end."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.data import Limits
from penchant.elicitation import Reason
from penchant.exceptions import ConflictError, DataError, NotAnswerableError
from penchant.studies._about import MOMENTS, check_about
from penchant.studies._forms import FORMS
from penchant.studies._participation import (
    OpenQuestion,
    Participation,
    Prediction,
    check_answer,
)
from penchant.studies._settings import StudySettings
from penchant.studies._talk import Memory, Talk
from penchant.studies.store._records import NewEvent

_MOST = 3
"""Checks of one person: questions whose answers are predicted."""

_AT_END = 2
"""Checks after the last question, if the owner wants them."""

_FIRST = 6
"""The first question that can be a check: the first five answers teach most."""

_TRIES = 50
"""Random pairs that are looked at before there is no check."""

_EXTREMES = 12
"""Items at each end of the ranking among which the clearest pair is looked for."""

Predicted = tuple[tuple[int, int], Prediction]
"""Two items in the order in which to show them, and what is predicted."""

Decision = tuple[list[NewEvent], Participation]
"""What to write into a log, and where the person stands after it."""


@dataclass(frozen=True, eq=False)
class Asking:
    """Decides what to write into the log of one participant, given where they stand.

    Each decision gives the events, often none, and where the person stands after them:
    what was made here a moment ago is not read back from its event.

    Parameters
    ----------
    memory : Memory
        What is kept about the study.
    settings : StudySettings
        What the owner decided.
    participant_id : str
        Whose log.
    """

    memory: Memory
    settings: StudySettings
    participant_id: str

    def consent(self, now: Participation) -> Decision:
        """Keep that the person agreed."""
        if now.consented:
            return [], now
        return _keep(
            now, "consented", {"result": True} if self.settings.owner_sees else {}
        )

    def describe(
        self, now: Participation, answers: Mapping[str, Any], when: str
    ) -> Decision:
        """Keep what a person says to the questions about people."""
        self._check_consent(now)
        if when not in MOMENTS:
            raise DataError(f"when must be one of {', '.join(MOMENTS)}. Got {when!r}.")
        asked = self.settings.about_now(when)
        said = {"when": when, "answers": check_about(asked, answers)}
        events, after = _keep(now, "described", said)
        same = (after.about, after.described) == (now.about, now.described)
        return ([], now) if same else (events, after)

    def ask(self, now: Participation) -> Decision:
        """Ask the next question or end the asking, unless a question is open."""
        self._check_consent(now)
        self._check_described(now)
        return self._next(now)

    def _check_described(self, now: Participation) -> None:
        if now.known is not None or "before" in now.described:
            return
        blank = [q.name for q in self.settings.about_now("before") if q.required]
        if blank:
            raise NotAnswerableError(
                "Questions about the participant come first: "
                f"{', '.join(blank)}. Answer them by describe."
            )

    def _check_consent(self, now: Participation) -> None:
        if now.needs_consent(self.settings):
            raise NotAnswerableError(
                "The participant has not agreed to the consent text yet."
            )

    def answer(
        self,
        now: Participation,
        question_id: str,
        answer: Any,
        because: str | None = None,
    ) -> Decision:
        """Keep an answer, and what comes next; nothing if it was given before."""
        asked = now.open_question
        if asked is None or asked.id != question_id:
            return self._not_open(now, question_id, answer, because)
        fitting = check_answer(asked.form, asked.items, answer)
        told: list[NewEvent] = [
            ("answered", {"question": question_id, "answer": fitting})
        ]
        now = now.says(asked, fitting)
        if because is not None:
            why, now = self.because(now, question_id, because)
            told += why
        more, now = self._next(now)
        return told + more, now

    def _not_open(
        self, now: Participation, question_id: str, answer: Any, because: str | None
    ) -> Decision:
        """Go on where the same was said before, or the question was dropped."""
        before = now.answer_to(question_id)
        if before is None and question_id in now.dropped:
            return self._next(now)  # its page was older than the limits
        if before is None:
            raise ConflictError(
                "This question is not open any more. Reload the page to see the one "
                "that is."
            )
        if check_answer(before.form, before.items, answer) != before.answer:
            raise ConflictError(
                "This question was answered before, and differently. Take that answer "
                "back to change it."
            )
        return ([], now) if because is None else self.because(now, question_id, because)

    def because(
        self, now: Participation, question_id: str, attribute: str | None
    ) -> Decision:
        """Keep what a choice was mainly for, or that the person takes this back."""
        told = now.answer_to(question_id)
        if told is None:
            raise ConflictError(
                "This question has no answer to give a reason for. Reload the page to "
                "see where you are."
            )
        known, wanted = self.memory.space, self.settings.reasons
        offered = Reason.offered(known, told.choice) if wanted else ()
        if attribute is not None and attribute not in offered:
            raise DataError(
                "A reason must be an attribute in which the chosen alternative differs "
                f"from the other: {', '.join(offered) or 'here is none'}. "
                f"Got {attribute!r}."
            )
        if told.because == attribute:
            return [], now
        return _keep(now, "because", {"question": question_id, "attribute": attribute})

    def undo(self, now: Participation) -> Decision:
        """Take the last answer back, and ask the same again."""
        if not now.answered:
            raise NotAnswerableError("There is no answer to take back.")
        back, now = _keep(now, "undone", {"question": now.answered[-1].question})
        more, now = self._next(now)
        return back + more, now

    def limit(self, now: Participation, limits: Limits) -> Decision:
        """Keep what an alternative must have; a question that fails it goes."""
        self._check_consent(now)
        self.memory.check_limits(limits)
        if limits == now.limits:
            return [], now
        if not (self.settings.own_limits or limits == Limits()):
            raise DataError(
                "In this study nobody sets must-haves of their own.",
                "errors.own_limits",
            )
        kept, now = _keep(now, "limits", {"limits": limits.to_dict()})
        if now.open_question is None:
            return kept, now
        more, now = self._next(now)
        return kept + more, now

    def weigh(self, now: Participation, weight: float) -> Decision:
        """Keep how often the owner counts the person."""
        if now.weight == weight:
            return [], now
        return _keep(now, "weighed", {"weight": float(weight)})

    def finish(self, now: Participation) -> Decision:
        """End the asking because the person wants to."""
        return ([], now) if now.finished else self._end(now, "person")

    def go_on(self, now: Participation) -> Decision:
        """Ask more after the end."""
        self._check_consent(now)
        if not now.finished:
            return self._next(now)
        question = self._question(now, self.memory.talk(self.participant_id, now))
        if question is None:
            return [], now
        return [question.to_event()], now.asks(question)

    def _next(self, now: Participation) -> Decision:
        """Decide what follows where no question is open: a question or the end."""
        asked = now.open_question
        if asked is not None and not self.memory.can_be_asked(asked.items, now.limits):
            gone, now = _keep(now, "dropped", {"question": asked.id})
            more, now = self._next(now)
            return gone + more, now
        if now.finished or asked is not None:
            return [], now
        talk, settings = self.memory.talk(self.participant_id, now), self.settings
        at_end = _AT_END if settings.end_checks else 0
        reason = ""
        if not now.went_on:  # after the person went on, nothing is enough
            regret = talk.recommendation.expected_regret if talk.is_known else np.inf
            if regret <= settings.max_regret:
                reason = "sure"
            elif len(now.answered) >= max(settings.max_questions - at_end, 1):
                reason = "budget"
        question = self._last(now, talk) if reason else self._question(now, talk)
        if question is None:
            return self._end(now, reason or "exhausted")
        return [question.to_event()], now.asks(question)

    def _end(self, now: Participation, reason: str) -> Decision:
        """End the asking; later versions of the table are news to the person."""
        version = self.memory.version
        told = {"version": version} if version > 1 else {}
        return _keep(now, "finished", {"reason": reason, **told})

    def _question(self, now: Participation, talk: Talk) -> OpenQuestion | None:
        check = choose_check(now, talk, self.settings)
        if check is not None:
            return self._checking(now, check)
        form = self.settings.question
        found = FORMS[form].choose(talk)
        if found is None:
            return None
        items, repeat = found
        told = secrets.token_hex(8), form, items, now.number, repeat
        return OpenQuestion(*told, version=self.memory.version)

    def _last(self, now: Participation, talk: Talk) -> OpenQuestion | None:
        """Give what is asked though enough is known."""
        check = end_check(now, talk, self.settings)
        return None if check is None else self._checking(now, check)

    def _checking(self, now: Participation, check: Predicted) -> OpenQuestion:
        items, predicted = check
        told = secrets.token_hex(8), "pair", items, now.number, False, predicted
        return OpenQuestion(*told, version=self.memory.version)


def _keep(now: Participation, kind: str, body: dict[str, Any]) -> Decision:
    """Keep one event."""
    return [(kind, body)], now.after(kind, body)


def choose_check(
    now: Participation, talk: Talk, settings: StudySettings
) -> Predicted | None:
    """Predict the next answer, if it is the turn of a check; None: it is not.

    One in every `check_every` questions is one, which one is up to chance; its items
    are drawn at random from the pairs that were not asked, so that what is predicted is
    not chosen to be easy, nor to be informative.
    """
    every = settings.check_every
    most = _MOST - _AT_END if settings.end_checks else _MOST
    if not every or sum(each.predicted is not None for each in now.answered) >= most:
        return None
    block, place = divmod(now.number - 1, every)
    first = min(_FIRST, every) - 1 if block == 0 else 0
    seed = talk.setting.seed
    turn = np.random.default_rng([seed, block, 5]).integers(first, every)
    if place != turn:
        return None
    rng = np.random.default_rng([seed, now.number, 6])
    allowed = talk.setting.candidates
    for _ in range(_TRIES if allowed.size > 1 else 0):
        pair = allowed[rng.choice(allowed.size, 2, replace=False)]
        left, right = (int(item) for item in pair)
        if _is_open(talk, left, right):
            return _predict(talk, left, right)
    return None


def end_check(
    now: Participation, talk: Talk, settings: StudySettings
) -> Predicted | None:
    """Predict the answer to the clearest pair that was not asked; None: no more."""
    asked = sum(bool(each.predicted and each.predicted.clear) for each in now.answered)
    left = settings.max_questions - len(now.answered)
    if not settings.end_checks or now.went_on or asked >= _AT_END or left <= 0:
        return None
    mean, allowed = talk.belief.mean, talk.setting.candidates
    order = allowed[np.argsort(-mean[allowed], kind="stable")].tolist()
    found = [
        _predict(talk, better, worse)
        for better in order[:_EXTREMES]
        for worse in order[-_EXTREMES:]
        if better != worse and _is_open(talk, better, worse)
    ]
    if not found:
        return None
    pair, _ = max(found, key=lambda each: each[1].probability)
    sides = np.random.default_rng([talk.setting.seed, now.number, 7])
    pair, predicted = _predict(talk, *(pair if sides.random() < 0.5 else pair[::-1]))
    return pair, predicted._replace(clear=True)


def _is_open(talk: Talk, a: int, b: int) -> bool:
    """Tell whether two items were not compared, and neither is known to be worse."""
    past, known = talk.history, talk.setting.known
    pair = (min(a, b), max(a, b))
    if pair in past.asked or pair in past.resting:
        return False
    if known is None:
        return True
    return a not in known.dominators(b) and b not in known.dominators(a)


def _predict(talk: Talk, left: int, right: int) -> Predicted:
    chance = talk.belief.probability(left, right)
    side = "left" if chance >= 0.5 else "right"
    likely = round(max(chance, 1.0 - chance), 4)
    return (left, right), Prediction(side, likely)
