"""Inquiry: people join a study, are asked, and answer; all of it is written down."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from penchant.data import Limits
from penchant.elicitation import Reason
from penchant.exceptions import (
    ConflictError,
    NotAnswerableError,
    ParticipantNotFoundError,
)
from penchant.studies import _results as results
from penchant.studies._about import PersonQuestion
from penchant.studies._asking import Asking, Decision
from penchant.studies._limits import WhatFits
from penchant.studies._participation import (
    AnsweredQuestion,
    OpenQuestion,
    Participation,
)
from penchant.studies._population import refit_and_log, refit_apart
from penchant.studies._settings import Taking
from penchant.studies._talk import Talk, memory
from penchant.studies.store._records import ParticipantRecord, StudyRecord, Who
from penchant.studies.store._store import Store

_MOST_TRIES = 20
"""Writes that others may overtake before it is an error."""


class Inquiry:
    """The asking in a study: people join, are asked and answer.

    All that is written into the log of a person goes through here; what it led to is
    read from a `Study`, which says what the parameters are.
    """

    def __init__(
        self, store: Store, study: str | StudyRecord, *, background: bool = True
    ) -> None:
        self.store = store
        self._background = background
        self._take(store.get_study(study) if isinstance(study, str) else study)

    def _take(self, record: StudyRecord) -> None:
        self.record: StudyRecord = record
        self.id = record.id
        self.items = record.items
        self.settings = record.settings
        self._memory = memory(self.store, record)

    def reload(self) -> None:
        """Read name, settings and alternatives again."""
        self._take(self.store.get_study(self.id))

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
        if reason := self.taking().reason:
            raise NotAnswerableError(f"{reason} Ask its owner.")
        offered = self.settings.languages
        chosen = language if language in offered else offered[0]
        joined = {"language": chosen, "model": self._latest_model()}
        return self.store.add_participant(
            self.id, label=label, simulated=simulated, events=[("joined", joined)]
        )

    def taking(self) -> Taking:
        """Say whether the study takes new people, and if not, why."""
        chosen, done = self.settings, 0
        if chosen.quota:  # the real people who have finished and count
            people = self.store.list_participants(self.id)
            standing = (self.participation(who) for who in people if not who.simulated)
            done = sum(bool(now.finished) and not now.left_out for now in standing)
        state = "open" if chosen.open else "closed"
        if chosen.quota and done >= chosen.quota:
            state = "full"
        if chosen.over:
            state = "over"
        return Taking(state, chosen.closing, chosen.quota, done)

    def _latest_model(self) -> str | None:
        """Give the model that those who join now start from."""
        helped = self.settings.help_each_other
        latest = self.store.latest_model(self.id) if helped else None
        return None if latest is None else latest.id

    def participation(self, participant: Who) -> Participation:
        """Give where a participant stands, or stood when the record was read.

        With a record, all that a page says is of one moment, whatever comes meanwhile.
        """
        record = participant
        if isinstance(record, str):
            record = self.store.get_participant(record)
        if record.study_id != self.id:
            raise ParticipantNotFoundError("This study has no such participant.")
        known = self._memory.places.get(record.id)
        if known is not None and known.n_events == record.n_events:
            return known
        events = self.store.events(record.id)[: record.n_events]
        log = ((each.kind, each.body) for each in events)
        now = Participation.from_events(log, len(self.items))
        self._memory.places.put(record.id, now)
        return now

    def consent(self, participant_id: str) -> None:
        """Write down that a participant agreed to the consent text."""
        self._write(participant_id, Asking.consent)

    def describe(
        self, participant_id: str, answers: Mapping[str, Any], when: str = "before"
    ) -> Participation:
        """Write down what a participant says to the owner's questions about people.

        What was said before the first choice is asked shapes the choices: people who
        are alike may like the same. The owner defines the questions in the settings
        (`StudySettings.about`).

        Parameters
        ----------
        participant_id : str
            Who answers.
        answers : mapping
            What is said, by names of the questions: a text, a number, an option, or
            a list of options; None or missing: left blank.
        when : {"before", "after"}, default="before"
            Which questions: those before or after the choices.

        Returns
        -------
        Participation
            Where the person stands after it.

        Raises
        ------
        DataError
            If an answer does not fit its question, or one is missing that is required.
        """
        told = partial(Asking.describe, answers=answers, when=when)
        return self._write(participant_id, told)

    def about_due(self, now: Participation) -> tuple[PersonQuestion, ...]:
        """Give the questions about a person that are to be put next; often none.

        Those before the choices until the first choice was asked, those after them
        once the asking has ended; each once.

        Parameters
        ----------
        now : Participation
            Where the person stands.
        """
        when = "after" if now.finished else "before" if now.known is None else ""
        due = when and when not in now.described
        return self.settings.about_now(when) if due else ()

    def ask(
        self, participant_id: str, now: Participation | None = None
    ) -> OpenQuestion | None:
        """Give the question that waits for an answer; None when the asking ended.

        The same until it is answered, in every process. Those who have begun may
        finish after the study has closed; others are refused by its date or quota.

        Parameters
        ----------
        participant_id : str
            Whom to ask.
        now : Participation, optional
            Where the person stands, if it has been read a moment ago.
        """
        if now is None:  # nothing was read a moment ago, and the table may be another
            self.reload()
            now = self.participation(participant_id)
        if not now.begun and (taking := self.taking()).is_over:
            raise NotAnswerableError(taking.reason)
        return self._write(participant_id, Asking.ask, now).open_question

    def tell(
        self,
        participant_id: str,
        question_id: str,
        answer: Any,
        now: Participation | None = None,
        *,
        because: str | None = None,
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
        because : str, optional
            The attribute that the choice was mainly for, see `because`.

        Returns
        -------
        Participation
            Where the person stands after it.

        Raises
        ------
        ConflictError
            If the question was answered differently, or is not the open one.
        DataError
            If the answer does not fit the question, or the reason the answer.
        """
        told = partial(
            Asking.answer, question_id=question_id, answer=answer, because=because
        )
        return self._write(participant_id, told, now)

    def because(
        self,
        participant_id: str,
        question_id: str,
        attribute: str | None,
        now: Participation | None = None,
    ) -> Participation:
        """Write down what a choice was mainly for; it counts from the next answer on.

        Parameters
        ----------
        participant_id : str
            Who says it.
        question_id : str
            A pair of which one was chosen.
        attribute : str or None
            One of `reasons_for`; None takes back what was said.
        now : Participation, optional
            Where the person stands, if it has been read a moment ago.

        Returns
        -------
        Participation
            Where the person stands after it. The open question stays the same.
        """
        said = partial(Asking.because, question_id=question_id, attribute=attribute)
        return self._write(participant_id, said, now)

    def reasons_for(self, told: AnsweredQuestion) -> tuple[str, ...]:
        """Give the attributes that a choice can be for; none if nothing was chosen."""
        wanted = self.settings.reasons
        return Reason.offered(self._memory.space, told.choice) if wanted else ()

    def set_limits(
        self,
        participant_id: str,
        limits: Limits,
        now: Participation | None = None,
    ) -> Participation:
        """Write down what an alternative must have for a person, at any time.

        What fails is neither asked nor recommended from then on; what was answered
        about it still teaches. An open question that shows it is replaced.

        Parameters
        ----------
        participant_id : str
            Who demands it.
        limits : Limits
            Replace those before; ``Limits()``: none.
        now : Participation, optional
            Where the person stands, if it has been read a moment ago.

        Raises
        ------
        DataError
            If they cannot be applied to the table, or nothing fits them.
        """
        return self._write(participant_id, partial(Asking.limit, limits=limits), now)

    def what_fits(self, limits: Limits) -> WhatFits:
        """Tell which alternatives fit limits of a person, and how to relax them."""
        return self._memory.fits_of(limits)

    def undo(self, participant_id: str) -> Participation:
        """Take the last answer back; give where the person stands after it."""
        return self._write(participant_id, Asking.undo)

    def finish(self, participant_id: str) -> None:
        """End the asking because the person wants to; no error if it has ended."""
        self._write(participant_id, Asking.finish)

    def go_on(self, participant_id: str) -> OpenQuestion | None:
        """Ask more after the end, until the person ends it; None: nothing is left."""
        return self._write(participant_id, Asking.go_on).open_question

    def _write(
        self,
        participant_id: str,
        decide: Callable[[Asking, Participation], Decision],
        now: Participation | None = None,
        *,
        teaches: bool = True,
    ) -> Participation:
        """Append what is decided from where a person stands, before anybody else.

        If this was the last answer of the person, learn from all.
        """
        if now is None:  # nothing was read a moment ago, and the table may be another
            self.reload()
        asking = Asking(self._memory, self.settings, participant_id)
        for _ in range(_MOST_TRIES):
            now = self.participation(participant_id) if now is None else now
            events, after = decide(asking, now)
            if not events:
                return now
            try:
                self.store.append(participant_id, now.n_events, events)
            except ConflictError:
                now = None  # another process was faster: read again, decide again
                continue
            self._memory.places.put(participant_id, after)
            helpful = self._background and self.settings.help_each_other
            if teaches and helpful and after.finished:
                self.refit()
            return after
        raise ConflictError(
            f"Others changed this conversation {_MOST_TRIES} times in a row. Try again."
        )

    def progress(
        self, participant: Who, now: Participation | None = None
    ) -> results.Progress:
        """Say how far the asking has come.

        Parameters
        ----------
        participant : str or ParticipantRecord
            Who is asked.
        now : Participation, optional
            Where the person stands, if it has been read a moment ago.
        """
        now = self.participation(participant) if now is None else now
        talk = self._memory.talk(participant, now)
        best = talk.recommendation
        return results.Progress(
            number=now.number - bool(now.finished),
            certainty=best.probability_best,
            expected_regret=best.expected_regret,
            expected_points=100.0 / talk.belief.scale[1] * best.expected_regret,
            is_known=talk.is_known or now.finished == "exhausted",
            done=bool(now.finished),
            reason=now.finished,
            can_undo=bool(now.answered),
        )

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
            refit_and_log(self.store, self.id)
        else:
            refit_apart(self.store, self.id, self._memory.fitting)

    def _talk(self, participant: Who, now: Participation | None = None) -> Talk:
        """Give what is believed of a participant."""
        now = self.participation(participant) if now is None else now
        return self._memory.talk(participant, now)
