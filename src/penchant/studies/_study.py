"""Study: ask people, learn from their answers, and tell what they want."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from penchant import explanation
from penchant.data import Limits
from penchant.elicitation import MainReason
from penchant.exceptions import (
    ConflictError,
    DataError,
    NotAnswerableError,
    ParticipantNotFoundError,
)
from penchant.studies import _results as results
from penchant.studies._about import PersonQuestion
from penchant.studies._asking import Asking, Decision
from penchant.studies._checks import Calibration
from penchant.studies._contradictions import Contradiction, contradictions
from penchant.studies._group import Group, Member, make_group, make_member
from penchant.studies._group_models import GroupModels, group_models
from penchant.studies._limits import NO_LIMITS, WhatFits
from penchant.studies._participation import (
    LARGEST_WEIGHT,
    AnsweredQuestion,
    OpenQuestion,
    Participation,
    is_weight,
)
from penchant.studies._population import (
    participations,
    pool,
    refit_and_log,
    refit_apart,
)
from penchant.studies._settings import Taking
from penchant.studies._start import Start
from penchant.studies._talk import Talk, memory
from penchant.studies.store._records import (
    ParticipantRecord,
    StudyRecord,
    Who,
)
from penchant.studies.store._store import Store
from penchant.studies.table._difference import TableChange
from penchant.studies.table._study_table import StudyTable

_MOST_TRIES = 20
"""Writes that others may overtake before it is an error."""


class Study:
    """A study in a store: ask participants, and read the results.

    Everything follows from the log of events in the store, so several `Study`
    objects, also in different processes, may serve the same participants at the
    same time. What one process has worked out it keeps for all its `Study` objects
    of the same store; losing it costs time only. All methods may be called from any
    thread.

    Parameters
    ----------
    store : Store
        Where the study is kept; who made it closes it.
    study : str or StudyRecord
        Which study: its identifier, or its record if that has been read a moment ago.
        Its participants are given in the same ways.
    background : bool, default=True
        Whether to learn from all answers in the background when somebody has
        finished. What is short-lived calls `refit` when it has the time.

    Attributes
    ----------
    record : StudyRecord
        The study as it was when this object was made, or at the last `reload`.
    id : str
        Identifier of the study.
    items : Items
        The alternatives, with those that are withdrawn.
    settings : StudySettings
        What the owner decided about the asking.

    Examples
    --------
    >>> import tempfile
    >>> from penchant.datasets import load_flats
    >>> from penchant.studies import SqlStore, Study, store_url
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SqlStore(store_url(folder)) as store:
    ...         study = Study(store, store.create_study("Flats", load_flats()))
    ...         person, link = study.join()
    ...         question = study.ask(person.id)
    ...         now = study.tell(person.id, question.id, "left")
    ...         places = study.ranking(person.id)
    ...         progress = study.progress(person.id, now)
    >>> question.form, progress.number, len(places)
    ('pair', 2, 40)
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

    @property
    def table(self) -> StudyTable:
        """The alternatives and their versions, to change them."""
        return StudyTable(self.store, self.id)

    def reload(self) -> None:
        """Read name, settings and alternatives again."""
        self._take(self.store.get_study(self.id))

    # Asking

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
        """Give where a participant stands."""
        record = participant
        if isinstance(record, str):
            record = self.store.get_participant(record)
        if record.study_id != self.id:
            raise ParticipantNotFoundError("This study has no such participant.")
        known = self._memory.places.get(record.id)
        if known is not None and known.n_events == record.n_events:
            return known
        log = ((each.kind, each.body) for each in self.store.events(record.id))
        now = Participation.from_events(log, len(self.items))
        self._memory.places.put(record.id, now)
        return now

    def news(self, participant: Who) -> tuple[TableChange, ...]:
        """Say what changed in the table since somebody was done; nothing before."""
        now = self.participation(participant)
        if not now.finished or now.version >= self.record.version:
            return ()
        return self.table.changes(now.version)

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
        return self._memory.space.differing(told.choice) if wanted else ()

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
        talk = self._talk(participant, now)
        regret = talk.recommendation.expected_regret
        return results.Progress(
            number=len(now.answered) + (0 if now.finished else 1),
            certainty=talk.certainty,
            expected_regret=regret,
            expected_points=100.0 / talk.belief.scale[1] * regret,
            is_known=talk.is_known or now.finished == "exhausted",
            done=bool(now.finished),
            reason=now.finished,
            can_undo=bool(now.answered),
        )

    def newcomer(self) -> Start:
        """Give what is believed of a new participant."""
        return self._memory.start(self._latest_model())

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
        known = participant if isinstance(participant, str) else participant.id
        now = self.participation(participant) if now is None else now
        return self._memory.talk(known, now)

    # Results for a participant

    def ranking(
        self, participant: Who, limits: Limits | None = None
    ) -> list[results.RankedItem]:
        """Rank the items, best first, with points, 90 % ranges and chances.

        Those that fit the limits of the person, or what they would be with others.
        """
        now = self.participation(participant)
        if limits is not None:
            now = replace(now, limits=limits)
        return results.ranking(self._talk(participant, now), self.items.names)

    def recommend(self, participant: Who, n: int = 1) -> list[results.RankedItem]:
        """Give the n items that the person will like best, best first."""
        return self.ranking(participant)[:n]

    def curves(self, participant: Who) -> list[results.Curve]:
        """Give what the values of each attribute are worth."""
        return results.curves(self._talk(participant))

    def interactions(self, participant: Who) -> list[results.Interaction]:
        """Give the pairs of attributes that matter together, strongest first."""
        return results.interactions(self._talk(participant))

    def explain(self, participant: Who, item: int | None = None) -> results.Parts:
        """Tell what each attribute adds to an item, in points with 90 % ranges.

        Without `item` it is the recommended one.
        """
        talk = self._talk(participant)
        return results.explain(talk, self._position(item, talk))

    def contrast(self, participant: Who, a: int, b: int) -> results.Parts:
        """Tell why item a is better or worse than item b, in points."""
        talk = self._talk(participant)
        return results.contrast(talk, self._position(a), self._position(b))

    def main_reason(self, participant: Who, item: int | None = None) -> MainReason:
        """Tell what speaks most for an item, as one or two attributes.

        No names: several things together. Without `item` it is the recommended one.
        """
        talk = self._talk(participant)
        return talk.belief.main_reason(self._position(item, talk))

    def noticed(self, participant: Who) -> float:
        """Give the points by which an item may be worse and still count as good."""
        return self._talk(participant).belief.noticed

    def flip(self, participant: Who, item: int, rival: int) -> explanation.Flip:
        """Tell the smallest change of an item that reverses its place to a rival."""
        places = self._position(item), self._position(rival)
        own, other = map(self._memory.row, places)
        changed = results.Changed(self._talk(participant), *places, own)
        return explanation.flip(changed, own, other)

    def support(
        self, participant: Who, item: int | None = None
    ) -> list[explanation.AnswerSupport]:
        """Tell which answers an item's lead rests on, in points, the most first.

        Without `item` it is the recommended one.
        """
        talk = self._talk(participant)
        where = self._position(item, talk)
        size = 100.0 / talk.belief.scale[1]
        return [
            replace(each, effect=size * each.effect, lead=size * each.lead)
            for each in explanation.support(talk, where)
        ]

    def contradictions(self, participant: Who) -> list[Contradiction]:
        """Find the answers that cannot all be right."""
        return contradictions(self.participation(participant).answered)

    def unsettled(self, participant: Who) -> tuple[int, ...]:
        """Give the items that a person called not acceptable and also preferred."""
        return self._talk(participant).belief.contradicts

    def what_if(
        self,
        participant: Who,
        values: Mapping[str, Any],
        base: int | None = None,
    ) -> results.WhatIf:
        """Say what an item with some values changed would be worth.

        Values of attributes are in the units of the data, or names of levels; without
        `base` the recommended item is changed.
        """
        talk = self._talk(participant)
        start = self._position(base, talk)
        return results.what_if(talk, self._memory.complete, start, values)

    def _position(self, item: int | None, talk: Talk | None = None) -> int:
        """Check the number of an item; None: the favourite of a talk."""
        if item is None and talk is not None:
            return talk.favourite
        if item is None or not 0 <= item < len(self.items):
            raise DataError(
                f"Items have the numbers 0 to {len(self.items) - 1}. Got {item}."
            )
        return int(item)

    # Results for the owner

    def group(self) -> Group:
        """Tell what all participants want: ranking, kinds of people, careless ones."""
        n_events = self.store.count_events(self.id)
        make = partial(self._group, n_events)
        return self._memory.worked_out("group", n_events, make)

    def _group(self, n_events: int) -> Group:
        records = self.store.list_participants(self.id)
        members = tuple(self.member(record) for record in records)
        here = {record.id for record in records}
        self._memory.members = {
            who: known for who, known in self._memory.members.items() if who in here
        }
        newcomer, space = self._memory.newcomer, self._memory.space
        allowed = self.what_fits(NO_LIMITS).allowed
        return make_group(members, newcomer, self.items, n_events, allowed, space)

    def weigh(self, participant_id: str, weight: float) -> None:
        """Say how often a participant counts in the results of the group.

        The person is asked and shown the same as before. It is an event of the log,
        which the owner can undo.

        Parameters
        ----------
        participant_id : str
            Who.
        weight : float
            From 0 (not at all) to 100; 1 is as everybody, 2 as two people who think
            the same. In the models of the whole group answers count so often.
        """
        if not is_weight(weight):
            raise DataError(
                f"A weight must be a number from 0 (left out) to {LARGEST_WEIGHT:g}. "
                f"Got {weight!r}.",
                "errors.weight",
                most=LARGEST_WEIGHT,
            )
        weighed = partial(Asking.weigh, weight=weight)
        self._write(participant_id, weighed, teaches=False)

    def leave_out(self, participant_id: str, out: bool = True) -> None:
        """Count a participant in the results no longer (weight 0), or again (1)."""
        self.weigh(participant_id, 0.0 if out else 1.0)

    def member(self, record: ParticipantRecord) -> Member:
        """Describe a participant; only those who went on are looked at again."""
        known = self._memory.members.get(record.id)
        if known is not None and known[0] == record.n_events:
            return known[1]
        now = self.participation(record)
        talk = self._memory.talk(record.id, now, keep=False)
        member = make_member(record, now, talk, self.what_fits(now.limits).met)
        self._memory.members[record.id] = (now.n_events, member)
        return member

    def known_careless(self) -> dict[str, str]:
        """Say whose answers looked careless, and how, when the group was last told.

        Nothing is worked out for it: empty until `group` was called in this process.
        """
        known = self._memory.results.get("group")
        listed = () if known is None else known[1].careless
        return {each.member: each.kind for each in listed if each.kind}

    def calibration(self) -> Calibration:
        """Count how often the answers of real people were predicted correctly."""
        place = self.store, self.id, len(self.items)
        count = partial(Calibration.of_study, *place)
        return self._memory.worked_out(
            "calibration", self.store.count_events(self.id), count
        )

    def group_models(self) -> GroupModels:
        """Fit rules and a sparse GAI model to the answers of all; takes seconds."""

        def fit() -> GroupModels:
            people = participations(self.store, self.id, len(self.items))
            return group_models(self._memory.complete, pool(people))

        return self._memory.worked_out("models", self.store.count_events(self.id), fit)
