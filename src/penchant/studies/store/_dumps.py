"""Whole studies out of a database and into one."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from penchant.exceptions import FormatError
from penchant.studies.store._chain import add_digests, seal_of
from penchant.studies.store._database import Database, wrap_errors
from penchant.studies.store._pictures import PICTURE, insert_pictures
from penchant.studies.store._plain import as_json
from penchant.studies.store._records import (
    EventRecord,
    ModelRecord,
    ParticipantRecord,
    PictureRecord,
    StudyDump,
)
from penchant.studies.store._studies import (
    insert_study,
    no_study,
    read_version,
    study_record,
)
from penchant.studies.store._tables import (
    events,
    models,
    participants,
    pictures,
    studies,
    versions,
)


@dataclass(frozen=True)
class Dumps:
    """The part of a store that moves whole studies."""

    database: Database

    def dump_study(self, study_id: str) -> StudyDump:
        """Return everything about a study as it is at one moment."""
        chosen = sa.select(studies).where(studies.c.id == study_id)
        people = sa.select(participants).where(participants.c.study_id == study_id)
        log = sa.select(events).join(participants)
        log = log.where(participants.c.study_id == study_id)
        fitted = sa.select(models).where(models.c.study_id == study_id)
        seen = sa.select(*PICTURE).where(pictures.c.study_id == study_id)
        tables = sa.select(versions).where(versions.c.study_id == study_id)
        with self.database.reading() as connection:
            study = connection.execute(chosen).first()
            if study is None:
                raise no_study()
            found = connection.execute(tables.order_by(versions.c.number))
            history = tuple(map(read_version, found))
            if [each.number for each in history] != [*range(1, study.version + 1)]:
                raise FormatError(
                    f"The table of a study must have the versions 1 to {study.version}."
                    f" It has {', '.join(str(each.number) for each in history)}."
                )
            joined = connection.execute(
                people.order_by(participants.c.created, participants.c.id)
            )
            rows = [dict(row._mapping) for row in joined]
            links = tuple(row.pop("link") for row in rows)
            for row in rows:
                del row["seal"]
            happened = connection.execute(log.order_by(events.c.id))
            made = connection.execute(fitted.order_by(models.c.created, models.c.id))
            return StudyDump(
                study_record(lambda _, number: history[number - 1], tuple(study)),
                tuple(ParticipantRecord(**row) for row in rows),
                links,
                tuple(EventRecord(**row._mapping) for row in happened),
                tuple(ModelRecord(**row._mapping) for row in made),
                tuple(
                    PictureRecord(**row._mapping)
                    for row in connection.execute(seen.order_by(pictures.c.name))
                ),
                history,
            )

    def load_study(self, dump: StudyDump) -> None:
        """Keep everything about a study under the identifiers of the dump.

        Numbers of events are given anew, in the same order. Digests that are there
        stay as they are, so that a check finds what is wrong with a backup.

        Raises
        ------
        ConflictError
            If an identifier or a link is taken.
        """
        log = [
            {name: value for name, value in vars(event).items() if name != "id"}
            for event in dump.events
        ]
        heads = _chain(log)
        people = [
            {**vars(person), "link": link, "seal": self._seal(person, heads)}
            for person, link in zip(dump.participants, dump.links, strict=True)
        ]
        fitted = [vars(model) for model in dump.models]
        with self.database.writing() as connection:
            key = self.database.key
            joined = [person.id for person in dump.participants]
            insert_study(connection, dump.study, key, dump.versions, joined)
            tables = ((participants, people), (events, log), (models, fitted))
            for table, rows in tables:
                if rows:
                    connection.execute(table.insert(), rows)
            insert_pictures(connection, dump.pictures, study_id=dump.study.id)

    def _seal(self, person: ParticipantRecord, heads: dict[str, str]) -> str:
        return seal_of(self.database.key, vars(person), heads.get(person.id, ""))

    def copy_to(self, path: Path) -> bool:
        """Copy the database into a new file while it is in use.

        Returns
        -------
        bool
            False, and nothing is written, if the database is not a file.
        """
        if self.database.is_postgresql:
            return False
        with (
            wrap_errors(self.database.place),
            closing(self.database.engine.raw_connection()) as source,
            closing(sqlite3.connect(path)) as target,
        ):
            source.driver_connection.backup(target)  # type: ignore[union-attr]
            # One plain file: nothing beside it that could be forgotten.
            target.execute("PRAGMA journal_mode = DELETE")
        return True


def _chain(log: list[dict[str, Any]]) -> dict[str, str]:
    """Put digests into events that have none; give the last of each participant."""
    heads: dict[str, str] = {}
    for event in sorted(log, key=lambda event: event["position"]):
        if not event["digest"]:
            event["body"] = as_json(event["body"])
            add_digests([event], heads.get(event["participant_id"], ""))
        heads[event["participant_id"]] = event["digest"]
    return heads
