"""Asking: the conversations of a study, written to the log before anything else."""

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from penchant.data import Items
from penchant.elicitation import Forecast
from penchant.exceptions import (
    ConflictError,
    NotAnswerableError,
    ParticipantNotFoundError,
)
from penchant.studies._beliefs import Talk
from penchant.studies._forecasts import find_table
from penchant.studies._participation import Participation
from penchant.studies._population import is_due, refit_and_log
from penchant.studies._questions import OpenQuestion, check_answer
from penchant.studies._results import Progress
from penchant.studies._settings import StudySettings
from penchant.studies._shared import shared
from penchant.studies.store._records import ParticipantRecord, StudyRecord, Who
from penchant.studies.store._store import NewEvent, Store

__all__ = ["Asking"]

_REST = 4.0
"""How long nothing is fitted after a fit in the background, relative to it."""

_MOST_TRIES = 20
"""Writes that others may overtake before it is an error."""


class Asking:
    """The part of a study that talks to participants; see `Study`."""

    def __init__(self, store: Store, study_id: str) -> None:
        self.store = store
        self.record: StudyRecord = store.get_study(study_id)
        self._shared = shared(store, self.record)

    @property
    def id(self) -> str:
        """Identifier of the study."""
        return self.record.id

    @property
    def items(self) -> Items:
        """The alternatives."""
        return self.record.items

    @property
    def settings(self) -> StudySettings:
        """What the owner decided about the asking."""
        return self.record.settings

    def reload(self) -> None:
        """Read name and settings again."""
        self.record = self.store.get_study(self.id)

    def join(
        self, label: str = "", language: str = "", *, simulated: bool = False
    ) -> tuple[ParticipantRecord, str]:
        """Add a participant.

        Parameters
        ----------
        label : str
            What tells people apart; may be empty.
        language : str
            Code of the language; one that the study does not offer becomes its
            first.
        simulated : bool
            Whether no real person is behind it.

        Returns
        -------
        participant : ParticipantRecord
            As it is kept.
        token : str
            The secret part of the participant's link; it cannot be shown again.
        """
        if not self.settings.open:
            raise NotAnswerableError(
                "This study does not take new participants any more. Ask its owner."
            )
        offered = self.settings.languages
        chosen = language if language in offered else offered[0]
        model = None
        if self.settings.help_each_other:
            latest = self.store.latest_model(self.id)
            model = None if latest is None else latest.id
        joined = {"language": chosen, "model": model}
        return self.store.add_participant(
            self.id, label=label, simulated=simulated, events=[("joined", joined)]
        )

    def participation(self, participant: Who) -> Participation:
        """Give where a participant stands.

        Parameters
        ----------
        participant : str or ParticipantRecord
            The identifier, or the record if it has been read a moment ago.
        """
        record = participant
        if isinstance(record, str):
            record = self.store.get_participant(record)
        if record.study_id != self.id:
            raise ParticipantNotFoundError("This study has no such participant.")
        known = self._shared.places.get(record.id)
        if known is not None and known.n_events == record.n_events:
            return known
        log = self.store.events(record.id)
        now = Participation.of(((e.kind, e.body) for e in log), len(self.items))
        self._shared.places.put(record.id, now)
        return now

    def consent(self, participant_id: str) -> None:
        """Write down that a participant agreed to the consent text."""
        self._write(
            participant_id,
            lambda now: [] if now.consented else [("consented", {})],
        )

    def ask(
        self, participant_id: str, now: Participation | None = None
    ) -> OpenQuestion | None:
        """Give the question that waits for an answer; None when the asking ended.

        The same until it is answered, in every process.

        Parameters
        ----------
        participant_id : str
            Whom to ask.
        now : Participation, optional
            Where the person stands, if it has been read a moment ago.
        """

        def asked(now: Participation) -> list[NewEvent]:
            self._check_consent(now)
            return self._next(participant_id, now)

        return self._write(participant_id, asked, now).open_question

    def _check_consent(self, now: Participation) -> None:
        if self.settings.consent and not now.consented:
            raise NotAnswerableError(
                "The participant has not agreed to the consent text yet."
            )

    def tell(
        self,
        participant_id: str,
        question_id: str,
        answer: Any,
        now: Participation | None = None,
    ) -> Participation:
        """Write down an answer; when this returns, it is on disk.

        Parameters
        ----------
        participant_id : str
            Who answers.
        question_id : str
            The open question. To say the same again about a question that was
            answered is no error and changes nothing.
        answer : str, int, list or dict
            See `check_answer`.
        now : Participation, optional
            Where the person stands, if it has been read a moment ago.

        Returns
        -------
        Participation
            Where the person stands after it.

        Raises
        ------
        ConflictError
            If the question was answered differently, or is not the open one.
        DataError
            If the answer does not fit the question.
        """
        return self._write(
            participant_id,
            lambda now: self._answer(participant_id, now, question_id, answer),
            now,
        )

    def _answer(
        self, participant_id: str, now: Participation, question_id: str, answer: Any
    ) -> list[NewEvent]:
        before = now.answer_to(question_id)
        if before is not None:
            if check_answer(before.form, before.items, answer) == before.answer:
                return []
            raise ConflictError(
                "This question was answered before, and differently. Take that answer "
                "back to change it."
            )
        asked = now.open_question
        if asked is None or asked.id != question_id:
            raise ConflictError(
                "This question is not open any more. Reload the page to see the one "
                "that is."
            )
        fitting = check_answer(asked.form, asked.items, answer)
        told: NewEvent = ("answered", {"question": question_id, "answer": fitting})
        return [told, *self._next(participant_id, now.after(*told))]

    def undo(self, participant_id: str) -> Participation:
        """Take the last answer back; the same is asked again.

        Returns
        -------
        Participation
            Where the person stands after it.
        """

        def undone(now: Participation) -> list[NewEvent]:
            if not now.answered:
                raise NotAnswerableError("There is no answer to take back.")
            back: NewEvent = ("undone", {"question": now.answered[-1].question})
            return [back, *self._next(participant_id, now.after(*back))]

        return self._write(participant_id, undone)

    def finish(self, participant_id: str) -> None:
        """End the asking because the person wants to; no error if it has ended."""
        self._write(
            participant_id,
            lambda now: [] if now.finished else [("finished", {"reason": "person"})],
        )

    def go_on(self, participant_id: str) -> OpenQuestion | None:
        """Ask more after the end, until the person ends it; None: nothing is left."""

        def more(now: Participation) -> list[NewEvent]:
            self._check_consent(now)
            if not now.finished:
                return self._next(participant_id, now)
            question = self._question(participant_id, now)
            return [] if question is None else [question.to_event()]

        return self._write(participant_id, more).open_question

    def _write(
        self,
        participant_id: str,
        decide: Callable[[Participation], Sequence[NewEvent]],
        now: Participation | None = None,
    ) -> Participation:
        """Append what is decided from where a person stands, before anybody else."""
        for _ in range(_MOST_TRIES):
            now = self.participation(participant_id) if now is None else now
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
            self._shared.places.put(participant_id, now)
            if now.finished and self.settings.help_each_other:
                self.refit()
            return now
        raise ConflictError(
            f"Others changed this conversation {_MOST_TRIES} times in a row. Try again."
        )

    def _next(self, participant_id: str, now: Participation) -> list[NewEvent]:
        """Decide what follows where no question is open: a question or the end."""
        if now.finished or now.open_question is not None:
            return []
        reason = self._stop_reason(participant_id, now)
        question = None if reason else self._question(participant_id, now)
        if question is None:
            return [("finished", {"reason": reason or "exhausted"})]
        return [question.to_event()]

    def _stop_reason(self, participant_id: str, now: Participation) -> str:
        """Say why enough was asked; after the person went on, nothing is enough."""
        if now.went_on:
            return ""
        talk = self._talk(participant_id, now)
        if now.answered and talk.expected_regret <= self.settings.max_regret:
            return "sure"
        return "budget" if len(now.answered) >= self.settings.max_questions else ""

    def _question(self, participant_id: str, now: Participation) -> OpenQuestion | None:
        form = self.settings.question
        found = self._talk(participant_id, now).next_items(form)
        if found is None:
            return None
        items, repeat = found
        return OpenQuestion(secrets.token_hex(8), form, items, now.number, repeat)

    def _talk(self, participant: Who, now: Participation | None = None) -> Talk:
        """Give what is believed of a participant."""
        now = self.participation(participant) if now is None else now
        known = participant if isinstance(participant, str) else participant.id
        return self._shared.beliefs.talk(known, now)

    def progress(
        self, participant_id: str, now: Participation | None = None
    ) -> Progress:
        """Say how far the asking has come.

        `about_left` is None until conversations with simulated people have told how
        long it takes, which happens once in the background; `prepare` waits for it.

        Parameters
        ----------
        participant_id : str
            Who is asked.
        now : Participation, optional
            Where the person stands, if it has been read a moment ago.
        """
        now = self.participation(participant_id) if now is None else now
        talk = self._talk(participant_id, now)
        left: Forecast | None = None
        if not now.finished and not now.went_on:
            table = find_table(talk.start, self.settings)
            if table is not None:
                most = self.settings.max_questions - len(now.answered)
                left = table.forecast(talk.expected_regret, most)
        return Progress(
            number=len(now.answered) + (0 if now.finished else 1),
            certainty=talk.certainty,
            expected_regret=talk.expected_regret,
            about_left=left,
            done=bool(now.finished),
            reason=now.finished,
            can_undo=bool(now.answered),
        )

    def prepare(self) -> None:
        """Work out what the first participants would otherwise wait for."""
        latest = self.store.latest_model(self.id)
        model = None
        if latest is not None and self.settings.help_each_other:
            model = latest.id
        find_table(self._shared.beliefs.start(model), self.settings, wait=True)

    def refit(self, wait: bool = False) -> None:
        """Learn from all answers what people have in common, if there is enough new.

        In a process of its own, and over all servers one at a time. Those who join
        later start from the new model.

        Parameters
        ----------
        wait : bool, default=False
            Whether to do it here and return when it is done.
        """
        if wait:
            if is_due(self.store, self.id):
                refit_and_log(self.store, self.id, self.items)
        elif not self._shared.fitting.locked() and is_due(self.store, self.id):
            threading.Thread(
                target=self._refit_apart, name=f"refit {self.id}", daemon=True
            ).start()

    def _refit_apart(self) -> None:
        """Refit, then rest: where many answer, fits shall not follow one another."""
        with self._shared.fitting:
            began = time.perf_counter()
            refit_and_log(self.store, self.id, self.items, apart=True)
            time.sleep(_REST * (time.perf_counter() - began))
