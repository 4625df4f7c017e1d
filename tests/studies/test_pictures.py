import io
import json
import random
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from PIL.ExifTags import Base

from penchant.data import Extra, Items
from penchant.exceptions import (
    DataError,
    FormatError,
    PictureNotFoundError,
)
from penchant.studies import (
    PictureRecord,
    SqlStore,
    backup,
    check_store,
    export_study,
    import_study,
    picture_cell,
    read_pictures,
    restore,
    store_url,
)
from penchant.studies import _pictures as pictures_module
from penchant.studies.store._tables import pictures as table


def drawn(
    colour: str = "red",
    size: tuple[int, int] = (40, 30),
    *,
    kind: str = "PNG",
    mode: str = "RGB",
    **options: object,
) -> bytes:
    file = io.BytesIO()
    Image.new(mode, size, colour).save(file, kind, **options)
    return file.getvalue()


def packed(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def opened(picture: PictureRecord) -> Image.Image:
    return Image.open(io.BytesIO(picture.body))


@pytest.fixture
def shown(items: Items) -> Items:
    """Items that name two pictures."""
    cells = ("img/A.JPG", "", "![Seen from below](b.png)")
    photo = Extra("photo", "picture", cells)
    return Items(items.frame, items.attributes, items.names, (photo,))


@pytest.mark.parametrize(
    ("cell", "name", "words"),
    [
        (" img/Laptop7.JPG ", "laptop7", ""),
        ("C:\\bilder\\a.b.png", "a.b", ""),
        ("laptop7", "laptop7", ""),
        ("![ Open ](x/y.webp)", "y", "Open"),
        ("v1.2", "v1.2", ""),
        ("e\u0301.gif", "é", ""),
    ],
)
def test_what_a_cell_names(cell: str, name: str, words: str) -> None:
    assert picture_cell(cell) == (name, words)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_pictures_are_written_anew(kind: str) -> None:
    (picture,) = read_pictures([("A.x", drawn(size=(2400, 600), kind=kind))])
    seen = opened(picture)
    assert (seen.format, seen.size) == ("WEBP", (1200, 300))
    assert (picture.width, picture.height, picture.name) == (1200, 300, "a.x")
    red, green, blue = seen.convert("RGB").getpixel((600, 150))
    assert red > 240
    assert green < 16
    assert blue < 16


def test_nothing_but_what_is_seen_is_kept() -> None:
    exif = Image.Exif()
    exif[Base.Orientation] = 6
    exif[Base.Make] = "A camera that tells"
    profile = b"a profile " * 20
    content = drawn(size=(40, 20), kind="JPEG", exif=exif, icc_profile=profile)
    assert b"camera" in content
    (picture,) = read_pictures([("a.jpg", content)])
    assert (picture.width, picture.height) == (20, 40)  # turned upright
    assert b"camera" not in picture.body
    assert b"profile" not in picture.body
    assert not opened(picture).getexif()


def test_what_is_clear_stays_clear() -> None:
    (picture,) = read_pictures([("a.png", drawn("#ff000000", mode="RGBA"))])
    assert opened(picture).convert("RGBA").getpixel((5, 5))[3] == 0
    (grey,) = read_pictures([("b.png", drawn("white", mode="L"))])
    assert opened(grey).mode == "RGB"


def test_an_archive_stands_for_what_is_in_it() -> None:
    members = {
        "photos/A.png": drawn("red"),
        "photos/b.gif": drawn("blue", kind="GIF"),
        "photos/read me.txt": b"hello",
        "__MACOSX/photos/A.png": b"x",
        ".hidden/c.png": b"x",
    }
    found = read_pictures([("p.zip", packed(members)), ("c.jpg", drawn(kind="JPEG"))])
    assert [picture.name for picture in found] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.png", b"hello", "'a.png' is no picture"),
        ("a.png", b"", "'a.png' is no picture"),
        ("a.svg", b"<svg onload='alert(1)'/>", "'a.svg' is no picture"),
        ("a.bmp", drawn(kind="BMP"), "'a.bmp' is no picture"),
        ("a.png", drawn()[:-30], "'a.png' is no picture"),
        ("p.zip", packed({"a.txt": b"x"}), "'p.zip' holds no pictures"),
        ("p.zip", b"PK\x03\x04damaged", "'p.zip' cannot be unpacked"),
    ],
)
def test_what_is_no_picture_is_refused(name: str, content: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_pictures([(name, content)])


def test_random_bytes_are_refused_and_nothing_else() -> None:
    chance = random.Random(0)
    for whole in (drawn(), drawn(kind="JPEG"), drawn(kind="WEBP"), drawn(kind="GIF")):
        for _ in range(60):
            content = bytearray(whole)
            for _ in range(chance.randrange(1, 9)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            try:
                read_pictures([("a", bytes(content))])
            except DataError:
                continue


@pytest.mark.parametrize("side", [7100, 20_000, 60_000])
def test_pictures_that_unpack_to_too_much_are_refused(side: int) -> None:
    plain = drawn("white", (1, 1), mode="1")
    start = plain.index(b"IHDR")
    sizes = side.to_bytes(4, "big") * 2
    head = b"IHDR" + sizes + plain[start + 12 : start + 17]
    crc = pictures_module.zlib.crc32(head).to_bytes(4, "big")
    bomb = plain[:start] + head + crc + plain[start + 21 :]
    with pytest.raises(DataError, match=r"pixels|is no picture"):
        read_pictures([("a.png", bomb)])


def test_archives_that_unpack_to_too_much_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = packed({f"{k}.png": b"" for k in range(2001)})
    with pytest.raises(DataError, match="holds 2,001 pictures"):
        read_pictures([("p.zip", many)])
    monkeypatch.setattr(pictures_module, "_MOST_UNPACKED", 5_000_000)
    large = packed({"a.png": b"\0" * 5_000_001})
    with pytest.raises(DataError, match="of 5 MB"):
        read_pictures([("p.zip", large)])


def test_two_pictures_of_one_name_are_refused() -> None:
    with pytest.raises(DataError, match=r"'x/a\.png' and 'A\.jpg'"):
        read_pictures([("x/a.png", drawn()), ("A.jpg", drawn(kind="JPEG"))])


def test_pictures_of_a_draft_become_those_of_its_study(
    any_store: SqlStore, shown: Items
) -> None:
    draft = any_store.add_draft("a.csv", b"x")
    found = read_pictures([("a.png", drawn()), ("b.png", drawn("blue"))])
    any_store.add_pictures(found, draft_id=draft)
    again = read_pictures([("A.gif", drawn("green", kind="GIF")), ("c.gif", drawn())])
    any_store.add_pictures(again, draft_id=draft)
    assert sorted(any_store.list_pictures(draft)) == ["a", "b", "c"]
    study = any_store.create_study("Flats", shown, draft_id=draft)
    heads = any_store.list_pictures(study)
    assert sorted(heads) == ["a", "b"]  # nothing names the third
    assert heads["a"].digest == again[0].digest
    assert any_store.get_picture(study, heads["b"].digest) == found[1]
    assert any_store.list_pictures(draft) == {}
    with pytest.raises(PictureNotFoundError):
        any_store.get_picture(study, again[1].digest)
    any_store.delete_study(study)
    with any_store.database.reading() as connection:
        assert connection.execute(table.select()).all() == []


@pytest.fixture
def study(any_store: SqlStore, shown: Items) -> str:
    found = read_pictures([("a.png", drawn()), ("b.png", drawn("blue"))])
    return any_store.create_study("Flats", shown, pictures=found)


def test_a_study_with_pictures_comes_back_equal(
    any_store: SqlStore, study: str, shown: Items, tmp_path: Path
) -> None:
    values = json.loads(json.dumps(export_study(any_store, study)))
    copy = import_study(any_store, values)
    before, after = any_store.dump_study(study), any_store.dump_study(copy)
    assert len(before.pictures) == 2
    assert after.pictures == before.pictures
    assert after.study.items == shown
    backup(any_store, tmp_path / "saved")
    with SqlStore(store_url(tmp_path / "other")) as other:
        assert restore(other, tmp_path / "saved") == 2
        back = other.dump_study(study)
        assert back.pictures == before.pictures
        assert back.study.items == shown
        assert check_store(other).ok


def test_exports_from_before_pictures_are_read(store: SqlStore, items: Items) -> None:
    values = export_study(store, store.create_study("Flats", items))
    del values["pictures"]
    assert store.dump_study(import_study(store, values)).pictures == ()


def test_a_damaged_picture_is_noticed(any_store: SqlStore, study: str) -> None:
    values = export_study(any_store, study)
    other = drawn("green")
    for change in (
        {"body": values["pictures"][1]["body"]},
        {"width": 7},
        {"name": 7},
        {"digest": None},
        {"body": "?"},
    ):
        first = {**values["pictures"][0], **change}
        wrong = {**values, "pictures": [first]}
        with pytest.raises(FormatError, match="damaged"):
            import_study(any_store, wrong)
    found = any_store.dump_study(study).pictures[0]
    digest = pictures_module.hashlib.sha256(other).hexdigest()
    foreign = replace(found, body=other, digest=digest)
    assert "cannot be read" in pictures_module.check_picture(foreign)
    assert check_store(any_store).ok
    with any_store.database.writing() as connection:
        connection.execute(table.update().values(body=found.body + b"x"))
    problems = [str(problem) for problem in check_store(any_store).problems]
    assert len(problems) == 2
    assert "picture 'a': its bytes have changed" in problems[0]
