"""What is too large or hostile is refused by a sentence, before any work."""

import io
import zipfile

import openpyxl
import pytest

from penchant.data import Items, inspect_table, read_table
from penchant.exceptions import AmbiguousColumnError, DataError

ODS = "application/vnd.oasis.opendocument.spreadsheet"


def grid(rows, columns):
    line = ",".join(["1"] * columns)
    head = ",".join(f"c{i}" for i in range(columns))
    return "\n".join([head, *[line] * rows]).encode()


def changed(name, text):
    """Put a text into a small workbook, in the place of one of its files."""
    book = openpyxl.Workbook()
    for row in (["name", "x"], ["a", 1], ["b", 2]):
        book.active.append(row)
    plain, other = io.BytesIO(), io.BytesIO()
    book.save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(other, "w", 8) as new:
        for member in old.namelist():
            new.writestr(member, text if member == name else old.read(member))
    return other.getvalue()


def sheet(body, head=""):
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    text = f'{head}<worksheet xmlns="{space}"><sheetData>{body}</sheetData></worksheet>'
    return changed("xl/worksheets/sheet1.xml", text)


def ods(row):
    uri = "urn:oasis:names:tc:opendocument:xmlns"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", ODS)
        archive.writestr(
            "content.xml",
            f'<o:d xmlns:o="{uri}:office:1.0" xmlns:t="{uri}:table:1.0">'
            f'<t:table t:name="x">{row}</t:table></o:d>',
        )
    return file.getvalue()


CELL = '<t:table-cell o:value-type="float" o:value="1"'
ENTITY = '<!DOCTYPE x [<!ENTITY a "aaaa">]>'


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (grid(2, 30_000), "t.csv", "30,000 columns or more; at most 200"),
        (grid(25_000, 2), "t.csv", "25,000 rows or more; at most 20,000"),
        (grid(12_500, 200), "t.csv", "cells or more; at most 1,500,000"),
        (b'name,b\n"' + b"x\n" * 200_000 + b'",1\n', "t.csv", "quote missing"),
        (b'a,b\n"x\ny",1\n' * 25_000, "t.csv", "rows or more"),
        (sheet("<row>" + "<c><v>1</v></c>" * 300 + "</row>"), "t.xlsx", "300 columns"),
        (sheet("<row/>" * 20_001), "t.xlsx", "20,001 rows or more"),
        (sheet("", ENTITY), "t.xlsx", "defines XML entities"),
        (sheet("&b;"), "t.xlsx", "not a readable XLSX workbook"),
        (sheet('<row r="99999999999"><c><v>1</v></c></row>'), "t.xlsx", "damaged"),
        (sheet(" " * 3_000_000), "t.xlsx", "more than 2,000,000 characters"),
        (
            ods(f'<t:table-row t:number-rows-repeated="999999">{CELL}/></t:table-row>'),
            "t.ods",
            "999,999 rows",
        ),
        (
            ods(
                f'<t:table-row>{CELL} t:number-columns-repeated="9999"/></t:table-row>'
            ),
            "t.ods",
            "9,999 columns",
        ),
        (ods("<t:table-row>"), "t.ods", "not a readable ODS"),
        (b"[" * 100_000, "t.json", "nested too deeply"),
        (b'[{"a":1}, 3]', "t.json", "list of objects"),
        (b'{"a": [1], "b": [1, 2]}', "t.json", "same length"),
        (b'[{"a": 1,', "t.json", "not valid JSON"),
        (b"<table>" + b"<tr><td>1" * 20_001, "t.html", "rows or more"),
        (b"<html><p>nothing</p></html>", "t.html", "no table on this page"),
        (b"\xd0\xcf\x11\xe0 old", "t.xls", "old format XLS"),
        (b"PAR1 broken", "t.parquet", "not a readable Parquet"),
        (b"PK broken", "t.xlsx", "damaged or locked"),
        (b"plain text", "t.xlsx", "not an XLSX"),
    ],
)
def test_it_is_refused_by_a_sentence(content, name, message):
    with pytest.raises(DataError, match=message):
        read_table(content, name)


def test_limits_can_be_set():
    with pytest.raises(DataError, match="at most 2 are read"):
        read_table(grid(3, 1), "t.csv", max_rows=2)
    assert len(read_table(grid(25_000, 2), "t.csv", max_rows=30_000).cells) == 25_000


def test_choices_tell_how_to_choose():
    content = b"name;preis\na;1.299\nb;2.499\n"
    with pytest.raises(AmbiguousColumnError, match="in 2 ways: decimal point") as error:
        Items.from_csv(content)
    assert "readings={'preis': 'decimal comma'}" in str(error.value)
    for choice in inspect_table(read_table(content)).column("preis").choices:
        items = Items.from_csv(content, **choice.option)
        shown = float(choice.example.partition("→ ")[2])
        assert items.frame["preis"].iloc[0] == shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"roles": {"x": "king"}}, "role of column 'x' must be one of"),
        ({"roles": {"z": "shown"}}, "no column 'z'"),
        ({"readings": {"x": "day first"}}, "cannot be read as 'day first'"),
        ({"roles": {"x": "name", "name": "name"}}, "Only one column can give"),
    ],
)
def test_wrong_wishes_are_named(options, message):
    with pytest.raises(DataError, match=message):
        Items.from_csv(b"name,x\na,5 GB\nb,6 GB\n", **options)


def test_roles_and_round_trip(tmp_path):
    text = b"name,photo,note,when,x\na,a.jpg,n,2024-03-01,1.5\nb,b.jpg,m,2024-04-01,2\n"
    items = Items.from_csv(text, roles={"note": "text"})
    assert [(e.name, e.role) for e in items.extras] == [
        ("photo", "picture"),
        ("note", "text"),
    ]
    items.to_csv(tmp_path / "t.csv")
    assert "2024-03-01" in (tmp_path / "t.csv").read_text()
    assert Items.from_csv(tmp_path / "t.csv") == items
    items.to_xlsx(tmp_path / "t.xlsx")
    assert Items.from_xlsx(tmp_path / "t.xlsx") == items
