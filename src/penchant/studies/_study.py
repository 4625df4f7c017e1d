"""Study: ask people, learn from their answers, and tell what they want."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.explanation import (
    AnswerSupport,
    Attribution,
    Flip,
    Reasons,
    contrast,
    explain,
    flip,
    reasons,
    support,
)
from penchant.studies._asking import Asking
from penchant.studies._beliefs import Talk
from penchant.studies._contradictions import Contradiction, contradictions
from penchant.studies._group import (
    Group,
    Member,
    make_group,
    make_member,
)
from penchant.studies._group_models import GroupModels, group_models
from penchant.studies._population import participations, pool
from penchant.studies._results import (
    Curve,
    Interaction,
    RankedItem,
    WhatIf,
    curves,
    interactions,
    ranking,
    what_if,
)
from penchant.studies.store._records import ParticipantRecord, Who

__all__ = ["Study"]


class Study(Asking):
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
    study_id : str
        Which study.

    Attributes
    ----------
    record : StudyRecord
        The study as it was when this object was made, or at the last `reload`.

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

    # Results for a participant

    def ranking(self, participant: Who) -> list[RankedItem]:
        """Rank the items, best first, with points, 90 % ranges and chances."""
        return ranking(self._talk(participant), self.items.names)

    def recommend(self, participant: Who, n: int = 1) -> list[RankedItem]:
        """Give the n items that the person will like best, best first."""
        return self.ranking(participant)[:n]

    def curves(self, participant: Who) -> list[Curve]:
        """Give what the values of each attribute are worth."""
        return curves(self._talk(participant))

    def interactions(self, participant: Who) -> list[Interaction]:
        """Give the pairs of attributes that matter together, strongest first."""
        return interactions(self._talk(participant))

    def explain(self, participant: Who, item: int | None = None) -> Attribution:
        """Tell what each attribute adds to an item, in points with error bars.

        Parameters
        ----------
        participant : str or ParticipantRecord
            Whose points.
        item : int, optional
            Which item; None: the recommended one.
        """
        talk = self._talk(participant)
        row = self._row(talk.favourite if item is None else item)
        return _in_points(talk, explain(talk.utility, row))

    def contrast(self, participant: Who, a: int, b: int) -> Attribution:
        """Tell why item a is better or worse than item b, in points."""
        talk = self._talk(participant)
        found = contrast(talk.utility, self._row(a), self._row(b))
        return _in_points(talk, found)

    def reasons(self, participant: Who, a: int, b: int) -> Reasons:
        """Tell what speaks for item a rather than b, what against, what decides."""
        return reasons(self.contrast(participant, a, b))

    def flip(self, participant: Who, item: int, rival: int) -> Flip:
        """Tell the smallest change of an item that reverses its place to a rival."""
        talk = self._talk(participant)
        return flip(talk.utility, self._row(item), self._row(rival))

    def support(self, participant: Who, item: int | None = None) -> list[AnswerSupport]:
        """Tell which answers an item's lead rests on, in points, the most first.

        Parameters
        ----------
        participant : str or ParticipantRecord
            Whose answers.
        item : int, optional
            Which item; None: the recommended one.
        """
        talk = self._talk(participant)
        where = self._position(talk.favourite if item is None else item)
        amount = talk.scale.amount
        return [
            replace(each, effect=amount(each.effect), lead=amount(each.lead))
            for each in support(talk, where)
        ]

    def contradictions(self, participant: Who) -> list[Contradiction]:
        """Find the answers that cannot all be right."""
        return contradictions(self.participation(participant).answered)

    def what_if(
        self,
        participant: Who,
        values: Mapping[str, Any],
        base: int | None = None,
    ) -> WhatIf:
        """Say what an item with some values changed would be worth.

        Parameters
        ----------
        participant : str or ParticipantRecord
            To whom.
        values : mapping from attribute to value
            In the units of the data, or names of levels.
        base : int, optional
            The item to change; None: the recommended one.
        """
        talk = self._talk(participant)
        start = self._position(talk.favourite if base is None else base)
        return what_if(talk, self._shared.complete, start, values)

    def _position(self, item: int) -> int:
        if not 0 <= item < len(self.items):
            raise DataError(
                f"Items have the numbers 0 to {len(self.items) - 1}. Got {item}."
            )
        return int(item)

    def _row(self, item: int) -> Items:
        return self._shared.row(self._position(item))

    # Results for the owner

    def group(self) -> Group:
        """Tell what all participants want: rankings, disagreement, segments."""
        n_events = self.store.count_events(self.id)
        known = self._shared.group
        if known is not None and known.n_events == n_events:
            return known
        records = self.store.list_participants(self.id)
        members = tuple(self._member(record) for record in records)
        found = make_group(members, self.items, n_events)
        self._shared.group = found
        return found

    def _member(self, record: ParticipantRecord) -> Member:
        """Describe a participant; only those who went on are looked at again."""
        known = self._shared.members.get(record.id)
        if known is not None and known[0] == record.n_events:
            return known[1]
        now = self.participation(record.id)
        talk = self._shared.beliefs.talk(record.id, now, keep=False)
        member = make_member(record, now, talk)
        self._shared.members[record.id] = (now.n_events, member)
        return member

    def group_models(self) -> GroupModels:
        """Fit rules and a sparse GAI model to the answers of all; takes seconds."""
        n_events = self.store.count_events(self.id)
        known = self._shared.models
        if known is not None and known[0] == n_events:
            return known[1]
        people = participations(self.store, self.id, len(self.items))
        found = group_models(self._shared.complete, pool(people))
        self._shared.models = (n_events, found)
        return found


def _in_points(talk: Talk, found: Attribution) -> Attribution:
    """Turn contributions to utility to contributions in points."""
    scale = talk.scale
    factor = 100.0 / scale.span
    return replace(
        found,
        values=scale.amount(found.values),
        base=scale.points(found.base),
        predictions=scale.points(found.predictions),
        std=None if found.std is None else factor * found.std,
        cov=None if found.cov is None else factor**2 * found.cov,
    )
