"""Whole studies as plain values for JSON, and back."""

import base64
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from penchant.data import Items
from penchant.exceptions import FormatError, PenchantError
from penchant.studies._participation import check_kind
from penchant.studies._pictures import check_picture
from penchant.studies._settings import StudySettings
from penchant.studies.store._database import new_id, new_link
from penchant.studies.store._packed_models import unpack_model
from penchant.studies.store._plain import check_numbers, check_text, pack, unpack
from penchant.studies.store._records import (
    EventRecord,
    ModelRecord,
    ParticipantRecord,
    PictureRecord,
    StudyDump,
    StudyRecord,
    TableVersion,
)
from penchant.studies.store._store import Store

_FORMAT: Final = "penchant-study-1"
_ID = re.compile(r"[0-9a-f]{32}\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_LARGEST = 2**31 - 1


def export_study(store: Store, study_id: str) -> dict[str, Any]:
    """Give a whole study as plain values for JSON.

    The values hold all versions of the table with its pictures, the settings, every
    event of every participant and the fitted models, as they are at one moment. They
    hold nothing
    that opens the link of a participant.

    See Also
    --------
    import_study : Keep such a study again.
    """
    return dump_dict(store.dump_study(study_id), links=False)


def import_study(
    store: Store, values: Mapping[str, Any], *, owner: str | None = None
) -> str:
    """Keep a study that `export_study` gave as a new one; return its identifier.

    Everything gets new identifiers, so a study may be imported where it came from.
    The links of the participants do not come along (`Store.renew_link` makes new
    ones), and a copy of the demo is a study like others.

    Raises
    ------
    FormatError
        If the values are damaged or something else, or a model in them is not a
        population of reasonable size; nothing is kept then.
    """
    dump = _renamed(read_dump(values), owner)
    for version in dump.versions:
        check_numbers(version.items)
    for number, model in enumerate(dump.models, start=1):
        try:
            unpack_model(model.body)
        except FormatError as error:
            raise FormatError(
                f"Model {number} of the study is refused. {error}"
            ) from None
    store.load_study(dump)
    return dump.study.id


def duplicate_study(
    store: Store, study_id: str, *, name: str | None = None, participants: bool = False
) -> str:
    """Keep a copy of a study as a new one; return its identifier.

    Parameters
    ----------
    store : Store
        Where the study is.
    study_id : str
        Which study.
    name : str, optional
        Of the copy; None: the same.
    participants : bool, default=False
        Whether all people come along with their answers, all versions of the table
        and what was learned. Their links do not (`Store.renew_link` makes new ones).
        Otherwise the copy begins with the table as it is now.
    """
    dump = store.dump_study(study_id)
    if not participants:
        table = replace(dump.versions[-1], number=1, at=dump.study.created, note="")
        study = replace(dump.study, version=1)
        dump = StudyDump(study, (), (), (), (), dump.pictures, (table,))
    copy = _renamed(dump, dump.study.owner)
    if name is not None:
        check_text("The name of a study", name)
        copy = replace(copy, study=replace(copy.study, name=name))
    now = datetime.now(UTC)
    store.load_study(replace(copy, study=replace(copy.study, created=now)))
    return copy.study.id


def dump_dict(dump: StudyDump, *, links: bool) -> dict[str, Any]:
    """Give everything about a study as plain values, with or without links."""
    study = dump.study
    numbers = {person.id: number for number, person in enumerate(dump.participants)}
    return {
        "format": _FORMAT,
        "id": study.id,
        "name": study.name,
        "demo": study.demo,
        "created": study.created.isoformat(),
        "owner": study.owner,
        **({"share": study.share} if links and study.share else {}),
        "settings": study.settings.to_dict(),
        "items": dump.versions[-1].plain["items"],
        "versions": [
            _version_dict(version, study.version, with_digest=links)
            for version in dump.versions
        ],
        "pictures": [
            {**vars(picture), "body": _written(picture.body)}
            for picture in dump.pictures
        ],
        "models": [_model_dict(model) for model in dump.models],
        "participants": [
            _person_dict(person) | ({"link": link} if links else {})
            for person, link in zip(dump.participants, dump.links, strict=True)
        ],
        "events": [
            {
                "participant": numbers[event.participant_id],
                "kind": event.kind,
                "body": event.body,
                "at": event.at.isoformat(),
                **({"digest": event.digest} if links else {}),
            }
            for event in dump.events
        ],
    }


def read_dump(values: Mapping[str, Any]) -> StudyDump:
    """Read what `dump_dict` gave; participants without a link get a new one."""
    if not isinstance(values, Mapping) or values.get("format") != _FORMAT:
        raise FormatError(f"This is not an exported study: no {_FORMAT!r} in it.")
    try:
        study, versions = _read_study(values)
        models = [_read_model(study.id, entry) for entry in values["models"]]
        pictures = [_read_picture(entry) for entry in values.get("pictures", ())]
        people = [_read_person(study.id, entry) for entry in values["participants"]]
        links = [_read_link(entry) for entry in values["participants"]]
        events, lengths = _read_events(values["events"], [one.id for one in people])
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise FormatError(f"The exported study is damaged: {_reason(error)}") from None
    people = [
        replace(person, n_events=length)
        for person, length in zip(people, lengths, strict=True)
    ]
    return StudyDump(
        study,
        tuple(people),
        tuple(links),
        tuple(events),
        tuple(models),
        tuple(pictures),
        versions,
    )


def _reason(error: Exception) -> str:
    if isinstance(error, PenchantError):
        return str(error)
    if isinstance(error, KeyError):
        return f"{error} is missing."
    return f"{error}."


def _version_dict(
    version: TableVersion, current: int, *, with_digest: bool
) -> dict[str, Any]:
    """Give a version; the items of the current one stand with the study."""
    plain = {"at": version.at.isoformat(), "note": version.note}
    if version.number != current:
        plain["items"] = version.plain["items"]
    if with_digest:
        plain["digest"] = version.digest
    return {**plain, "withdrawn": list(version.withdrawn)}


def _read_versions(values: Mapping[str, Any]) -> tuple[TableVersion, ...]:
    """Read the versions of a table; files of older versions have one."""
    entries = values.get("versions") or [{"at": values["created"]}]
    found: list[TableVersion] = []
    for number, entry in enumerate(entries, start=1):
        last = number == len(entries)
        body = {
            "items": values["items"] if last else entry["items"],
            "withdrawn": list(entry.get("withdrawn", ())),
        }
        items = Items.from_dict(body["items"])
        withdrawn = tuple(map(_count, entry.get("withdrawn", ())))
        if withdrawn != tuple(sorted({*withdrawn})) or len(items) <= len(withdrawn):
            raise ValueError(f"version {number} of the table withdraws {withdrawn}")
        if any(each >= len(items) for each in withdrawn):
            raise ValueError(f"version {number} of the table withdraws {withdrawn}")
        if found and len(items) < len(found[-1].items):
            raise ValueError(f"version {number} of the table lacks alternatives")
        note = entry.get("note", "")
        check_text("The note on a table", note)
        digest = _matching(_DIGEST, entry["digest"]) if "digest" in entry else ""
        told = items, _moment(entry["at"]), withdrawn, note, digest, body
        found.append(TableVersion(number, *told))
    return tuple(found)


def _model_dict(model: ModelRecord) -> dict[str, Any]:
    return {
        "id": model.id,
        "n_events": model.n_events,
        "version": model.version,
        "created": model.created.isoformat(),
        "body": _written(model.body),
    }


def _written(body: bytes) -> str:
    return base64.b64encode(body).decode()


def _person_dict(person: ParticipantRecord) -> dict[str, Any]:
    return {
        "id": person.id,
        "label": person.label,
        "simulated": person.simulated,
        "created": person.created.isoformat(),
    }


def _read_study(
    values: Mapping[str, Any],
) -> tuple[StudyRecord, tuple[TableVersion, ...]]:
    check_text("The name of a study", values["name"])
    owner, versions = values["owner"], _read_versions(values)
    study = StudyRecord(
        _matching(_ID, values["id"]),
        values["name"],
        versions[-1].items,
        values["demo"] is True,
        _moment(values["created"]),
        StudySettings.from_dict(values["settings"]),
        None if owner is None else _matching(_ID, owner),
        versions[-1].number,
        versions[-1].withdrawn,
        _matching(_DIGEST, values["share"]) if "share" in values else "",
    )
    return study, versions


def _read_model(study_id: str, entry: Mapping[str, Any]) -> ModelRecord:
    return ModelRecord(
        _matching(_ID, entry["id"]),
        study_id,
        _count(entry["n_events"]),
        _moment(entry["created"]),
        base64.b64decode(entry["body"], validate=True),
        version=_count(entry.get("version", 1)),
    )


def _read_picture(entry: Mapping[str, Any]) -> PictureRecord:
    body = base64.b64decode(entry["body"], validate=True)
    sides = _count(entry["width"]), _count(entry["height"])
    picture = PictureRecord(entry["name"], entry["digest"], *sides, body)
    check_text("The name of a picture", picture.name)
    if problem := check_picture(picture):
        raise ValueError(f"the picture {picture.name!r}: {problem}")
    return picture


def _read_person(study_id: str, entry: Mapping[str, Any]) -> ParticipantRecord:
    check_text("The label of a participant", entry["label"])
    return ParticipantRecord(
        _matching(_ID, entry["id"]),
        study_id,
        entry["label"],
        entry["simulated"] is True,
        _moment(entry["created"]),
        0,
    )


def _read_link(entry: Mapping[str, Any]) -> str:
    return _matching(_DIGEST, entry["link"]) if "link" in entry else new_link()[1]


def _read_events(
    entries: list[Mapping[str, Any]], ids: list[str]
) -> tuple[list[EventRecord], list[int]]:
    """Give each participant's events the numbers 0, 1, ... in the file's order."""
    lengths = [0] * len(ids)
    events = []
    for number, entry in enumerate(entries):
        person = _count(entry["participant"])
        check_kind(entry["kind"])
        events.append(
            EventRecord(
                number,
                ids[person],
                lengths[person],
                entry["kind"],
                unpack(pack(entry["body"], sort_keys=False)),
                _moment(entry["at"]),
                _matching(_DIGEST, entry["digest"]) if "digest" in entry else "",
            )
        )
        lengths[person] += 1
    return events, lengths


def _matching(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.match(text):
        raise ValueError(f"{text!r} is not an identifier")
    return text


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise ValueError(f"{value!r} is not a count")
    return value


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} does not say its time zone")
    return moment.astimezone(UTC)


def _renamed(dump: StudyDump, owner: str | None) -> StudyDump:
    """Give everything new identifiers, also where events refer to a model."""
    study_id = new_id()
    people = {person.id: new_id() for person in dump.participants}
    models = {model.id: new_id() for model in dump.models}
    return StudyDump(
        replace(dump.study, id=study_id, owner=owner, demo=False, share=""),
        tuple(
            replace(person, id=people[person.id], study_id=study_id)
            for person in dump.participants
        ),
        tuple(new_link()[1] for _ in dump.participants),
        tuple(
            replace(
                event,
                participant_id=people[event.participant_id],
                body=_renamed_start(event, models),
                digest="",  # it is about the old identifiers
            )
            for event in dump.events
        ),
        tuple(
            replace(model, id=models[model.id], study_id=study_id)
            for model in dump.models
        ),
        dump.pictures,
        tuple(replace(version, digest="") for version in dump.versions),
    )


def _renamed_start(event: EventRecord, models: Mapping[str, str]) -> dict[str, Any]:
    start = event.body.get("model")
    if event.kind == "joined" and isinstance(start, str) and start in models:
        return {**event.body, "model": models[start]}
    return event.body
