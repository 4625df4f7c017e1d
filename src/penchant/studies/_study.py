"""Study: ask people, learn from their answers, and tell what they want."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from penchant import explanation
from penchant.data import Limits
from penchant.elicitation import MainReason
from penchant.exceptions import DataError
from penchant.studies import _results as results
from penchant.studies._asking import Asking
from penchant.studies._checks import Calibration
from penchant.studies._contradictions import Contradiction, contradictions
from penchant.studies._group import Group, Member, make_group, make_member
from penchant.studies._group_models import GroupModels, group_models
from penchant.studies._inquiry import Inquiry
from penchant.studies._limits import NO_LIMITS
from penchant.studies._participation import LARGEST_WEIGHT, is_weight
from penchant.studies._population import participations, pool
from penchant.studies._start import Start
from penchant.studies._talk import Talk
from penchant.studies.store._records import ParticipantRecord, Who
from penchant.studies.table._difference import TableChange
from penchant.studies.table._study_table import StudyTable


class Study(Inquiry):
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

    @property
    def table(self) -> StudyTable:
        """The alternatives and their versions, to change them."""
        return StudyTable(self.store, self.id)

    def newcomer(self) -> Start:
        """Give what is believed of a new participant."""
        return self._memory.start(self._latest_model())

    def news(self, participant: Who) -> tuple[TableChange, ...]:
        """Say what changed in the table since somebody was done; nothing before."""
        now = self.participation(participant)
        if not now.finished or now.version >= self.record.version:
            return ()
        return self.table.changes(now.version)

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
