"""Finding what a person means: the store, a study in it, a participant, an item."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penchant.cli._screen import plain
from penchant.exceptions import (
    DataError,
    NotFoundError,
    ParticipantNotFoundError,
    StudyNotFoundError,
)

if TYPE_CHECKING:
    from penchant.data import Items
    from penchant.studies import (
        ParticipantRecord,
        SqlStore,
        Store,
        Study,
        StudySummary,
    )

_LONGEST_NAME = 60
_MOST_LISTED = 10


@contextmanager
def open_store(data: str | None) -> Iterator["SqlStore"]:
    """Open the store that `--data` names, and close it."""
    from penchant.studies import SqlStore, store_url

    with SqlStore(store_url(data)) as store:
        yield store


def find_study(store: "Store", text: str) -> "Study":
    """Give the study that a text names, see `find_summary`."""
    from penchant.studies import Study

    return Study(store, find_summary(store, text).id)


@contextmanager
def open_study(data: str | None, text: str) -> Iterator["Study"]:
    """Open the store that `--data` names, and give the study that a text names."""
    with open_store(data) as store:
        yield find_study(store, text)


def find_summary(store: "Store", text: str) -> "StudySummary":
    """Give the study with this id, beginning of an id, or name.

    Raises
    ------
    StudyNotFoundError
        If there is none.
    NotFoundError
        If there are several; the message lists them.
    """
    wanted = text.strip()
    listed = store.list_studies()
    for study in listed:
        if study.id == wanted:
            return study
    found = [study for study in listed if wanted and _is_meant(study, wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise NotFoundError(
            f"{len(found)} studies are meant by {wanted!r}. Name one by its id:\n"
            + _lines([f"{study.id}  {_short(study.name)}" for study in found])
        )
    raise StudyNotFoundError(
        f"There is no study {wanted!r}. `penchant study list` shows all."
    )


def _is_meant(study: "StudySummary", wanted: str) -> bool:
    same_name = study.name.casefold() == wanted.casefold()
    return same_name or study.id.startswith(wanted.lower())


def secret_part(token: str) -> str:
    """Give the token of a link, or a token as it is."""
    return token.strip().rstrip("/").rpartition("/")[2]


def find_participant(study: "Study", token: str) -> "ParticipantRecord":
    """Give whom a token or a whole link of this study belongs to."""
    try:
        person = study.store.find_participant(secret_part(token))
    except ParticipantNotFoundError:
        person = None
    if person is None or person.study_id != study.id:
        # The same words for both: a link tells nothing about other studies.
        raise ParticipantNotFoundError(
            "No participant of this study has that link. `penchant ask` without "
            "--participant begins as a new one."
        )
    return person


def find_item(items: "Items", text: str) -> int:
    """Give the item with this name, or the only one whose name begins like this."""
    wanted = text.strip().casefold()
    names = [name.casefold() for name in items.names]
    for found in (
        [k for k, name in enumerate(items.names) if name == text],
        [k for k, name in enumerate(names) if name.strip() == wanted],
        [k for k, name in enumerate(names) if wanted and name.startswith(wanted)],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            listed = [_short(items.names[k]) for k in found]
            raise DataError(
                f"{len(found)} alternatives are meant by {text!r}. Write one in full:\n"
                + _lines(listed)
            )
    raise DataError(
        f"There is no alternative {text!r}. `penchant study show` lists all."
    )


def _short(name: str) -> str:
    return plain(name, _LONGEST_NAME)


def _lines(entries: Sequence[str]) -> str:
    shown = [f"  {entry}" for entry in entries[:_MOST_LISTED]]
    hidden = len(entries) - _MOST_LISTED
    return "\n".join([*shown, f"  and {hidden} more"] if hidden > 0 else shown)
