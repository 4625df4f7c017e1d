"""Pictures belong to one study or draft, by name, up to a size."""

from hashlib import sha256

import pytest

from penchant.data import Items
from penchant.exceptions import (
    DataError,
    DraftNotFoundError,
    PictureNotFoundError,
    StudyNotFoundError,
)
from penchant.studies import SqlStore
from penchant.studies.store import _pictures
from penchant.studies.store._records import PictureHead, PictureRecord


def picture(name: str, body: bytes) -> PictureRecord:
    return PictureRecord(name, sha256(body).hexdigest(), 4, 3, body)


def test_studies_have_their_own_pictures(store: SqlStore, items: Items) -> None:
    one, other = (store.create_study(name, items) for name in ("Flats", "Cars"))
    red, green = picture("a", b"red"), picture("a", b"green")
    store.add_pictures([red, picture("b", b"blue")], study_id=one)
    store.add_pictures([green], study_id=other)
    assert store.list_pictures(other) == {"a": PictureHead("a", green.digest, 4, 3)}
    assert store.get_picture(other, green.digest) == green
    with pytest.raises(PictureNotFoundError):
        store.get_picture(other, red.digest)
    again = picture("a", b"white")
    store.add_pictures([again], study_id=one)  # only that of the same name goes
    assert sorted(store.list_pictures(one)) == ["a", "b"]
    assert store.get_picture(one, again.digest) == again
    with pytest.raises(PictureNotFoundError):
        store.get_picture(one, red.digest)
    assert store.get_picture(other, green.digest) == green


def test_pictures_need_somebody_to_belong_to(store: SqlStore) -> None:
    found = [picture("a", b"red")]
    with pytest.raises(DraftNotFoundError):
        store.add_pictures(found, draft_id="0" * 32)
    with pytest.raises(StudyNotFoundError):
        store.add_pictures(found, study_id="0" * 32)


def test_too_many_pictures_are_refused_as_a_whole(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_pictures, "MOST_BYTES", 10)
    draft, another = (store.add_draft("a.csv", b"x") for _ in range(2))
    store.add_pictures([picture("a", b"123"), picture("b", b"1234567")], draft_id=draft)
    with pytest.raises(DataError, match="in all"):
        store.add_pictures([picture("c", b"1"), picture("d", b"")], draft_id=draft)
    assert sorted(store.list_pictures(draft)) == ["a", "b"]
    store.add_pictures([picture("a", b"1")], draft_id=draft)  # in place of the other
    store.add_pictures([picture("a", b"1234567890")], draft_id=another)


def test_a_study_takes_over_what_its_table_names(store: SqlStore, items: Items) -> None:
    drafts = [store.add_draft("a.csv", b"x") for _ in range(2)]
    named = [picture(f"p{k}", b"%d" % k) for k in range(1_100)]
    store.add_pictures([*named, picture("other", b"o")], draft_id=drafts[0])
    store.add_pictures([picture("p0", b"not this one")], draft_id=drafts[1])
    study = store.create_study("Flats", items)
    with store.database.writing() as connection:
        names = {each.name for each in named}
        _pictures.take_over_pictures(connection, drafts[0], study, names)
    heads = store.list_pictures(study)
    assert {name: head.digest for name, head in heads.items()} == {
        each.name: each.digest for each in named
    }
    assert list(store.list_pictures(drafts[0])) == ["other"]
    assert list(store.list_pictures(drafts[1])) == ["p0"]
