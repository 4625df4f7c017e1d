"""The chain of digests over each log, and the seal on its end.

An event carries a digest of itself and of the digest before it, so that a log cannot
change anywhere without its end changing too. The end, with what is known of the
participant, is sealed with a key that is not in the database: whoever can write to the
database alone cannot make another log look right. Both go with the participant.

Who takes part in a study stands in its register: a number of people and the sum of
their marks, sealed with the same key. It changes when somebody joins or is removed, not
with answers, so that people do not wait for each other. Whoever is removed from the
database, or put back, without penchant makes the people differ from the register for
good: those who join later are added to what it says.

The versions of a study's table are chained and sealed as logs are.
"""

import hashlib
import hmac
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from penchant.studies.store._database import KEY_VARIABLE, Database
from penchant.studies.store._tables import events, participants, registers, versions

AT = "%Y-%m-%d %H:%M:%S.%f"
"""A moment as SQLite keeps it."""

_EVENT = ("participant_id", "position", "kind", "at", "body")
_MODULUS = 2**256
_PERSON = ("study_id", "id", "label", "simulated", "created", "n_events")

VERSION = ("study_id", "number", "at", "note", "body")
"""What the digest of a version of a table is about."""


def add_digests(
    rows: Iterable[dict[str, Any]], previous: str, parts: tuple[str, ...] = _EVENT
) -> str:
    """Put digests into the rows of new events, and give the last one.

    Bodies are texts, as they are kept.
    """
    for row in rows:
        fields = {**row, "at": row["at"].strftime(AT)}
        previous = row["digest"] = digest_of(previous, fields, parts)
    return previous


def digest_of(
    previous: str, row: Mapping[str, Any], parts: tuple[str, ...] = _EVENT
) -> str:
    """Give the digest of an event as it is stored, which follows another."""
    return hashlib.sha256(_bytes(previous, *map(row.get, parts))).hexdigest()


def seal_of(key: bytes, person: Mapping[str, Any], head: str) -> str:
    """Give the seal on the end of a log, with the key of the participant's study."""
    created = person["created"]
    fields = {
        **person,
        "simulated": int(person["simulated"]),
        "created": created if isinstance(created, bytes) else created.strftime(AT),
    }
    return _sign(key, person["study_id"], *map(fields.get, _PERSON), head)


def new_register(key: bytes, study_id: str, people: Sequence[str]) -> dict[str, Any]:
    """Give the row that says who takes part in a study."""
    marks = sum(int(_sign(key, study_id, "mark", who), 16) for who in people)
    content = {"people": len(people), "marks": f"{marks % _MODULUS:064x}"}
    return {"study_id": study_id, **content, "seal": _seal(key, study_id, content)}


def register(
    connection: sa.Connection, key: bytes, study_id: str, who: str, *, leaves: bool
) -> None:
    """Write down that somebody joins a study or leaves it.

    Who joins or leaves the same study at this moment waits for this transaction.
    A register that is not as it was sealed stays so: a check finds it.
    """
    own = registers.c.study_id == study_id
    held = sa.select(registers).where(own).with_for_update()
    known = dict(connection.execute(held).mappings().first() or {})
    if not known or _seal(key, study_id, known) != known["seal"]:
        return
    sign = -1 if leaves else 1
    marks = int(known["marks"], 16) + sign * int(_sign(key, study_id, "mark", who), 16)
    after: dict[str, Any] = {
        "people": known["people"] + sign,
        "marks": f"{marks % _MODULUS:064x}",
    }
    after["seal"] = _seal(key, study_id, after)
    connection.execute(registers.update().where(own).values(after))


def _seal(key: bytes, study_id: str, register: Mapping[str, Any]) -> str:
    return _sign(key, study_id, "register", register["people"], register["marks"])


def _sign(key: bytes, study_id: str | bytes, *parts: Any) -> str:
    of_study = hmac.digest(key, _bytes(study_id), "sha256")
    return hmac.digest(of_study, _bytes(*parts), "sha256").hex()


def table_seal(key: bytes, version: Mapping[str, Any], head: str) -> str:
    """Give the seal on a version of a table, with the key of its study."""
    return _sign(key, version["study_id"], "table", version["number"], head)


def _bytes(*parts: Any) -> bytes:
    """Join what is stored; no text in a database has a NUL."""
    return b"\0".join(
        part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        for part in parts
    )


@dataclass(frozen=True)
class Chain:
    """The part of a store that finds logs which are not as they were written."""

    database: Database

    def broken_logs(
        self, study_id: str
    ) -> Iterator[tuple[str | None, int | None, str]]:
        """Find where the logs of a study differ from what was written.

        Yields
        ------
        participant_id : str or None
            Whose log; None: it is about who takes part.
        position : int or None
            Where; None: at its end.
        text : str
            What is wrong.
        """
        own = participants.c.study_id == study_id
        log = sa.select(*self._raw(events.c)).join(participants).where(own)
        log = log.order_by(events.c.participant_id, events.c.position)
        people = sa.select(*self._raw(participants.c)).where(own)
        known = sa.select(registers).where(registers.c.study_id == study_id)
        with self.database.reading() as connection:
            rows = map(_mapping, connection.execute(log))
            logs = {
                who: list(each)
                for who, each in groupby(rows, lambda row: row["participant_id"])
            }
            sealed = list(map(_mapping, connection.execute(people)))
            register = dict(connection.execute(known).mappings().first() or {})
        there = [_text(person["id"]) for person in sealed]
        if new_register(self.database.key, study_id, there) != register:
            yield None, None, self._who_is_missing(register, len(there))
        for person in sealed:
            yield from self._check(person, logs.get(person["id"], []))

    def broken_tables(self, study_id: str) -> Iterator[str]:
        """Find versions of a study's table that differ from what was written."""
        query = sa.select(*self._raw(versions.c))
        query = query.where(versions.c.study_id == study_id)
        head = ""
        with self.database.reading() as connection:
            rows = list(map(_mapping, connection.execute(query.order_by("number"))))
        for expected, row in enumerate(rows, start=1):
            found = digest_of(head, row, VERSION)
            head = _text(row["digest"])
            sealed = table_seal(self.database.key, row, head) == _text(row["seal"])
            if row["number"] != expected or found != head or not sealed:
                text = f"version {expected} of the table is not as it was written"
                yield f"{text}, or {self._other_key()}"
                return

    def _check(
        self, person: Mapping[str, Any], log: list[dict[str, Any]]
    ) -> Iterator[tuple[str, int | None, str]]:
        who, head = _text(person["id"]), ""
        for event in log:
            if digest_of(head, event) != _text(event["digest"]):
                place = event["position"]
                text = "this event, or the one before, is not as it was written"
                yield who, place if isinstance(place, int) else None, text
                return
            head = _text(event["digest"])
        if seal_of(self.database.key, person, head) != _text(person["seal"]):
            text = "the log does not end as it was sealed: it was changed without the "
            yield who, None, f"{text}key of this store, or {self._other_key()}"

    def _other_key(self) -> str:
        """Say what to look for if the key is not the one that sealed everything."""
        url = self.database.engine.url
        if self.database.is_postgresql or os.environ.get(KEY_VARIABLE):
            return f"the store has another key: {KEY_VARIABLE} must be as it was then"
        name = Path(url.database or "").name
        return (
            f"the store has another key: whoever copies {name} must copy {name}.key, "
            "too, and put both in place together"
        )

    def _who_is_missing(self, register: Mapping[str, Any], n_people: int) -> str:
        if not register:
            return "the register of who takes part is gone"
        return (
            f"{n_people} people take part, and the register says "
            f"{register['people']}, or others: somebody was removed or added without "
            f"penchant, or {self._other_key()}"
        )

    def _raw(self, columns: Iterable[sa.Column[Any]]) -> list[sa.ColumnElement[Any]]:
        """Select what is stored, bit by bit, where reading might hide a difference."""
        return [
            column
            if isinstance(column.type, sa.Integer)
            else self._bytes_of(column).label(column.name)
            for column in columns
        ]

    def _bytes_of(self, column: sa.Column[Any]) -> sa.ColumnElement[Any]:
        if not self.database.is_postgresql:
            return sa.cast(sa.type_coerce(column, sa.Text), sa.LargeBinary)
        if isinstance(column.type, sa.Boolean):
            return sa.cast(column, sa.Integer)
        text: sa.ColumnElement[Any] = sa.cast(column, sa.Text)
        if column.name in ("at", "created"):
            text = sa.func.to_char(column, "YYYY-MM-DD HH24:MI:SS.US")
        return sa.func.convert_to(text, "UTF8")


def _mapping(row: sa.Row[Any]) -> dict[str, Any]:
    return dict(row._mapping)


def _text(stored: Any) -> str:
    return stored.decode("ascii", "replace") if isinstance(stored, bytes) else stored
