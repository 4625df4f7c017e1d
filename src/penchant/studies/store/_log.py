"""Participants and their log in a database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from penchant.exceptions import ConflictError, ParticipantNotFoundError
from penchant.studies.store._chain import add_digests, register, seal_of
from penchant.studies.store._database import (
    Database,
    hold,
    link_digest,
    new_id,
    new_link,
)
from penchant.studies.store._plain import Moment, check_text, pack
from penchant.studies.store._records import (
    EventRecord,
    NewEvent,
    ParticipantRecord,
    StudyRecord,
)
from penchant.studies.store._studies import Studies, hold_study, no_study
from penchant.studies.store._tables import events, participants, studies

# A link goes in and never comes out again, and a seal is for checks alone.
_SHOWN = [column for column in participants.c if column.name not in ("link", "seal")]

# What every answer runs is built once: that takes longer than SQLite does.
_BY_LINK = sa.select(*_SHOWN).where(participants.c.link == sa.bindparam("key"))
_VISIT = sa.select(*_SHOWN, studies).join(studies)
_VISIT = _VISIT.where(participants.c.link == sa.bindparam("key"))
_BY_ID = sa.select(*_SHOWN).where(participants.c.id == sa.bindparam("key"))
_END = (
    sa.select(*_SHOWN, events.c.digest)
    .outerjoin(
        events,
        sa.and_(
            events.c.participant_id == participants.c.id,
            events.c.position == sa.bindparam("last"),
        ),
    )
    .where(participants.c.id == sa.bindparam("key"))
)
_TAKE = (
    participants.update()
    .where(
        participants.c.id == sa.bindparam("key"),
        participants.c.n_events == sa.bindparam("position"),
    )
    .values(n_events=sa.bindparam("length"), seal=sa.bindparam("end"))
)
_ADD = events.insert()


@dataclass(frozen=True)
class Log:
    """The part of a store that keeps participants and what they do."""

    database: Database
    studies: Studies

    def add_participant(
        self,
        study_id: str,
        *,
        label: str = "",
        simulated: bool = False,
        events: Sequence[NewEvent] = (),
    ) -> tuple[ParticipantRecord, str]:
        """Add a participant, with the first events of the log.

        Returns
        -------
        participant : ParticipantRecord
            As it is kept.
        token : str
            The secret part of the participant's link, 256 random bits. Only its
            SHA-256 is kept: it cannot be shown again.
        """
        check_text("The label of a participant", label)
        now = datetime.now(UTC)
        person = ParticipantRecord(
            new_id(), study_id, label, simulated, now, len(events)
        )
        rows = _event_rows(person.id, 0, events, now)
        token, link = new_link()
        seal = seal_of(self.database.key, vars(person), add_digests(rows, ""))
        kept = {**vars(person), "link": link, "seal": seal}
        with self.database.writing() as connection:
            hold_study(connection, study_id)
            connection.execute(participants.insert().values(kept))
            if rows:
                connection.execute(_ADD, rows)
            # Last: until this transaction ends, others who join wait here.
            register(connection, self.database.key, study_id, person.id, leaves=False)
        return person, token

    def find_participant(self, token: str) -> ParticipantRecord:
        """Return whom a link belongs to, or raise ParticipantNotFoundError."""
        return self._participant(_BY_LINK, link_digest(token))

    def find_visit(self, token: str) -> tuple[ParticipantRecord, StudyRecord]:
        """Return whom a link belongs to, and the study; or ParticipantNotFoundError."""
        found = self.database.read(_VISIT, key=link_digest(token))
        if not found:
            raise _nobody()
        row, size = tuple(found[0]), len(_SHOWN)
        return ParticipantRecord(*row[:size]), self.studies.record(row[size:])

    def get_participant(self, participant_id: str) -> ParticipantRecord:
        """Return one participant, or raise ParticipantNotFoundError."""
        return self._participant(_BY_ID, participant_id)

    def list_participants(self, study_id: str) -> list[ParticipantRecord]:
        """List the participants of a study in the order in which they joined."""
        query = (
            sa.select(*_SHOWN)
            .where(participants.c.study_id == study_id)
            .order_by(participants.c.created, participants.c.id)
        )
        return self.database.records(ParticipantRecord, query)

    def renew_link(self, participant_id: str) -> str:
        """Give a participant a new link, return its token; the old one is dead."""
        token, link = new_link()
        change = participants.update().where(participants.c.id == participant_id)
        if self.database.change(change.values(link=link)) != 1:
            raise _nobody()
        return token

    def remove_participant(self, participant_id: str) -> None:
        """Forget a participant with all answers, for good."""
        person = self.get_participant(participant_id)
        gone = participants.delete().where(participants.c.id == participant_id)
        with self.database.writing() as connection:
            key = self.database.key
            hold(connection, studies, person.study_id)
            if connection.execute(gone).rowcount != 1:
                raise _nobody()
            register(connection, key, person.study_id, person.id, leaves=True)

    def idle_participants(self, before: datetime) -> list[str]:
        """List the real people whose logs have not grown since a moment."""
        last = sa.select(sa.func.max(events.c.at)).where(
            events.c.participant_id == participants.c.id
        )
        moved = sa.func.coalesce(last.scalar_subquery(), participants.c.created)
        query = sa.select(participants.c.id).where(
            ~participants.c.simulated, moved < sa.literal(before, Moment)
        )
        return [row.id for row in self.database.read(query)]

    def append(
        self, participant_id: str, position: int, events: Sequence[NewEvent]
    ) -> None:
        """Add events to the end of a participant's log, all or none.

        Parameters
        ----------
        participant_id : str
            Whose log.
        position : int
            Where the first of them goes: the length of the log as the caller
            knows it.
        events : sequence of (kind, body)
            What happened; bodies are plain values for JSON.

        Raises
        ------
        ConflictError
            If the log has another length: somebody else wrote in between. Read
            the log again and decide again.
        ParticipantNotFoundError
            If there is no such participant.
        DataError
            If a kind or a body cannot be kept.
        """
        rows = _event_rows(participant_id, position, events, datetime.now(UTC))
        place = {"position": position, "length": position + len(rows)}
        known = {"key": participant_id, "last": position - 1}
        with self.database.writing() as connection:
            person = connection.execute(_END, known).mappings().first()
            if person is None:
                raise _nobody()
            head = add_digests(rows, person["digest"] or "")
            after = {**person, "n_events": place["length"]}
            end = seal_of(self.database.key, after, head)
            # Whoever raises the length first has the place; the others see it changed.
            taken = connection.execute(
                _TAKE, {"key": participant_id, "end": end, **place}
            )
            if taken.rowcount != 1:
                raise _refusal(connection, participant_id, position)
            if rows:
                connection.execute(_ADD, rows)

    def events(self, participant_id: str) -> list[EventRecord]:
        """Return the log of a participant, or raise ParticipantNotFoundError."""
        query = (
            sa.select(events)
            .where(events.c.participant_id == participant_id)
            .order_by(events.c.position)
        )
        log = self.database.records(EventRecord, query)
        if not log:
            self.get_participant(participant_id)
        return log

    def study_events(self, study_id: str) -> list[EventRecord]:
        """Return the logs of all participants of a study, in order of `id`."""
        query = (
            sa.select(events)
            .join(participants)
            .where(participants.c.study_id == study_id)
            .order_by(events.c.id)
        )
        log = self.database.records(EventRecord, query)
        if not log:
            self.count_events(study_id)
        return log

    def count_events(self, study_id: str) -> int:
        """Say how many events the logs of a study have together."""
        query = (
            sa.select(sa.func.coalesce(sa.func.sum(participants.c.n_events), 0))
            .select_from(studies.outerjoin(participants))
            .where(studies.c.id == study_id)
            .group_by(studies.c.id)
        )
        found = self.database.read(query)
        if not found:
            raise no_study()
        return int(found[0][0])

    def _participant(self, query: sa.Select[Any], key: str) -> ParticipantRecord:
        if (person := self.database.find(ParticipantRecord, query, key=key)) is None:
            raise _nobody()
        return person


def _event_rows(
    participant_id: str, position: int, events: Sequence[NewEvent], at: datetime
) -> list[dict[str, Any]]:
    rows = []
    for number, (kind, body) in enumerate(events, start=position):
        check_text("The kind of an event", kind)
        rows.append(
            {
                "participant_id": participant_id,
                "position": number,
                "kind": kind,
                "body": pack(body),
                "at": at,
            }
        )
    return rows


def _refusal(
    connection: sa.Connection, participant_id: str, position: int
) -> ConflictError | ParticipantNotFoundError:
    query = sa.select(participants.c.n_events)
    query = query.where(participants.c.id == participant_id)
    length = connection.execute(query).scalar()
    if length is None:
        return _nobody()
    return ConflictError(
        f"The log has {length} events, not {position}: something else was written "
        "in between. Read it again before you go on."
    )


def _nobody() -> ParticipantNotFoundError:
    return ParticipantNotFoundError(
        "Nobody takes part under this link. It may be mistyped, or the participant "
        "or the study was removed."
    )
