"""The logs of participants: what comes next in them, and how far they have come."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant._cached import LRUCache
from penchant.data import Limits
from penchant.exceptions import (
    ConflictError,
    DataError,
    NotAnswerableError,
    ParticipantNotFoundError,
)
from penchant.studies._about import MOMENTS, check_about
from penchant.studies._checks import (
    Foretold,
    budget,
    choose_check,
    end_check,
)
from penchant.studies._participation import OpenQuestion, Participation, check_answer
from penchant.studies._settings import StudySettings
from penchant.studies._talk import Memory, Talk, reasons_for
from penchant.studies.store._records import NewEvent, StudyRecord, Who
from penchant.studies.store._store import Store

_MOST_TRIES = 20
"""Writes that others may overtake before it is an error."""


@dataclass(frozen=True, eq=False)
class Log:
    """Where the participants of one study stand.

    Parameters
    ----------
    store : Store
        Where the events are kept.
    study : StudyRecord
        Which study.
    places : LRUCache
        Where participants stood when this process last looked.
    """

    store: Store
    study: StudyRecord
    places: LRUCache[str, Participation]

    def read(self, participant: Who) -> Participation:
        """Give where a participant stands."""
        record = participant
        if isinstance(record, str):
            record = self.store.get_participant(record)
        if record.study_id != self.study.id:
            raise ParticipantNotFoundError("This study has no such participant.")
        known = self.places.get(record.id)
        if known is not None and known.n_events == record.n_events:
            return known
        log = self.store.events(record.id)
        now = Participation.from_events(
            ((e.kind, e.body) for e in log), len(self.study.items)
        )
        self.places.put(record.id, now)
        return now

    def write(
        self,
        participant_id: str,
        decide: Callable[[Participation], Sequence[NewEvent]],
        now: Participation | None = None,
    ) -> Participation:
        """Append what is decided from where a person stands, before anybody else."""
        for _ in range(_MOST_TRIES):
            now = self.read(participant_id) if now is None else now
            events = decide(now)
            if not events:
                return now
            try:
                self.store.append(participant_id, now.n_events, events)
            except ConflictError:
                now = None  # another process was faster: read again, decide again
                continue
            for kind, body in events:
                now = now.after(kind, body)
            self.places.put(participant_id, now)
            return now
        raise ConflictError(
            f"Others changed this conversation {_MOST_TRIES} times in a row. Try again."
        )


@dataclass(frozen=True, eq=False)
class Asking:
    """Decides what to write into the log of one participant, given where they stand.

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

    def consent(self, now: Participation) -> list[NewEvent]:
        """Keep that the person agreed."""
        if now.consented:
            return []
        return [("consented", {"result": True} if self.settings.owner_sees else {})]

    def describe(
        self, now: Participation, answers: Mapping[str, Any], when: str
    ) -> list[NewEvent]:
        """Keep what a person says to the questions about people."""
        self._check_consent(now)
        if when not in MOMENTS:
            raise DataError(f"when must be one of {', '.join(MOMENTS)}. Got {when!r}.")
        asked = self.settings.about_now(when)
        event: NewEvent = (
            "described",
            {"when": when, "answers": check_about(asked, answers)},
        )
        after = now.after(*event)
        same = (after.about, after.described) == (now.about, now.described)
        return [] if same else [event]

    def ask(self, now: Participation) -> list[NewEvent]:
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
    ) -> list[NewEvent]:
        """Keep an answer, and what comes next; nothing if it was given before."""
        before = now.answer_to(question_id)
        if before is not None:
            if check_answer(before.form, before.items, answer) == before.answer:
                named = because is not None
                return self.because(now, question_id, because) if named else []
            raise ConflictError(
                "This question was answered before, and differently. Take that answer "
                "back to change it."
            )
        if question_id in now.dropped:  # its page was older than the limits
            return self._next(now)
        asked = now.open_question
        if asked is None or asked.id != question_id:
            raise ConflictError(
                "This question is not open any more. Reload the page to see the one "
                "that is."
            )
        fitting = check_answer(asked.form, asked.items, answer)
        told: list[NewEvent] = [
            ("answered", {"question": question_id, "answer": fitting})
        ]
        now = now.after(*told[0])
        if because is not None:
            told += self.because(now, question_id, because)
            now = now.after(*told[-1])
        return [*told, *self._next(now)]

    def because(
        self, now: Participation, question_id: str, attribute: str | None
    ) -> list[NewEvent]:
        """Keep what a choice was mainly for, or that the person takes this back."""
        told = now.answer_to(question_id)
        if told is None:
            raise ConflictError(
                "This question has no answer to give a reason for. Reload the page to "
                "see where you are."
            )
        offered = reasons_for(self.memory.space, told) if self.settings.reasons else ()
        if attribute is not None and attribute not in offered:
            raise DataError(
                "A reason must be an attribute in which the chosen alternative differs "
                f"from the other: {', '.join(offered) or 'here is none'}. "
                f"Got {attribute!r}."
            )
        if told.because == attribute:
            return []
        return [("because", {"question": question_id, "attribute": attribute})]

    def undo(self, now: Participation) -> list[NewEvent]:
        """Take the last answer back, and ask the same again."""
        if not now.answered:
            raise NotAnswerableError("There is no answer to take back.")
        back: NewEvent = ("undone", {"question": now.answered[-1].question})
        return [back, *self._next(now.after(*back))]

    def limit(self, now: Participation, limits: Limits) -> list[NewEvent]:
        """Keep what an alternative must have; a question that fails it goes."""
        self._check_consent(now)
        self.memory.check_limits(limits)
        if limits == now.limits:
            return []
        kept: NewEvent = ("limits", {"limits": limits.to_dict()})
        waits = now.open_question is not None
        return [kept, *(self._next(now.after(*kept)) if waits else [])]

    def finish(self, now: Participation) -> list[NewEvent]:
        """End the asking because the person wants to."""
        return [] if now.finished else [self._end("person")]

    def go_on(self, now: Participation) -> list[NewEvent]:
        """Ask more after the end."""
        self._check_consent(now)
        if not now.finished:
            return self._next(now)
        question = self._question(now, self.memory.talk(self.participant_id, now))
        return [] if question is None else [question.to_event()]

    def _next(self, now: Participation) -> list[NewEvent]:
        """Decide what follows where no question is open: a question or the end."""
        asked = now.open_question
        if asked is not None and not self.memory.can_be_asked(asked.items, now.limits):
            gone: NewEvent = ("dropped", {"question": asked.id})
            return [gone, *self._next(now.after(*gone))]
        if now.finished or asked is not None:
            return []
        talk, settings = self.memory.talk(self.participant_id, now), self.settings
        reason = ""
        if not now.went_on:  # after the person went on, nothing is enough
            regret = talk.recommendation.expected_regret if talk.is_known else np.inf
            if regret <= settings.max_regret:
                reason = "sure"
            elif len(now.answered) >= budget(settings):
                reason = "budget"
        question = self._last(now, talk) if reason else self._question(now, talk)
        if question is None:
            return [self._end(reason or "exhausted")]
        return [question.to_event()]

    def _end(self, reason: str) -> NewEvent:
        """End the asking; later versions of the table are news to the person."""
        version = self.memory.version
        told = {"version": version} if version > 1 else {}
        return "finished", {"reason": reason, **told}

    def _question(self, now: Participation, talk: Talk) -> OpenQuestion | None:
        check = choose_check(now, talk, self.settings)
        if check is not None:
            return self._checking(now, check)
        form = self.settings.question
        found = talk.next_items(form)
        if found is None:
            return None
        items, repeat = found
        told = secrets.token_hex(8), form, items, now.number, repeat
        return OpenQuestion(*told, version=self.memory.version)

    def _last(self, now: Participation, talk: Talk) -> OpenQuestion | None:
        """Give what is asked though enough is known."""
        check = end_check(now, talk, self.settings)
        return None if check is None else self._checking(now, check)

    def _checking(self, now: Participation, check: Foretold) -> OpenQuestion:
        items, predicted = check
        told = secrets.token_hex(8), "pair", items, now.number, False, predicted
        return OpenQuestion(*told, version=self.memory.version)
