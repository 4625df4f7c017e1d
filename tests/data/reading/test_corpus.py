"""Small tables as people have them; `corpus/expected.json` says what must come out."""

import json
import math
from pathlib import Path

import pytest

from penchant.data import Items, inspect_table, read_table
from penchant.exceptions import AmbiguousColumnError, DataError

CORPUS = Path(__file__).parent / "corpus"
EXPECTED = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))
OF_FILES = ("sheet", "header_row", "encoding", "separator", "keep_totals")


def test_every_file_is_expected_and_there_are_enough():
    files = {path.name for path in CORPUS.iterdir()} - {"expected.json"}
    assert files == set(EXPECTED)
    assert len(files) >= 60


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_read_is_what_was_meant(name):
    expected = EXPECTED[name]
    options = expected.get("options", {})
    about_file = {k: v for k, v in options.items() if k in OF_FILES}
    table = read_table(CORPUS / name, **about_file)
    check_file(table.file, expected)
    about_columns = {k: v for k, v in options.items() if k not in OF_FILES}
    report = inspect_table(table, **about_columns)
    found = {c.name: [choice.label for choice in c.choices] for c in report.ambiguous}
    assert found == expected.get("ambiguous", {})
    for column, words in expected.get("converted", {}).items():
        assert words in " ".join(report.column(column).converted)
    if "error" in expected:
        with pytest.raises(DataError, match=expected["error"]):
            Items.read(CORPUS / name, **options)
        assert not report.ok
        return
    if found:
        with pytest.raises(AmbiguousColumnError) as error:
            Items.read(CORPUS / name, **options)
        assert error.value.column in found
        return
    items = Items.read(CORPUS / name, **options)
    assert items.report.to_dict() == report.to_dict()
    assert list(items.names) == expected.get("names", list(items.names))
    if expected.get("columns") == {}:
        assert items.attributes == ()
    for column, wanted in expected.get("columns", {}).items():
        check_column(items, column, wanted)


def check_file(file, expected):
    assert file.format == expected.get("format", file.format)
    assert file.encoding == expected.get("encoding", file.encoding)
    assert file.header_row == expected.get("header_row", file.header_row)
    assert list(file.sheets) == expected.get("sheets", list(file.sheets))
    if "left_out" in expected:
        found = {each.what: list(each.places) for each in file.left_out}
        assert found == expected["left_out"]


def check_column(items, name, wanted):
    read = items.report.column(name)
    roles = wanted.get("role", "attribute")
    assert read.role in ([roles] if isinstance(roles, str) else roles)
    if wanted.get("not_numeric"):
        assert read.attribute is None or read.attribute.kind != "numeric"
    assert read.reading == wanted.get("reading", read.reading)
    if "unit" in wanted:
        assert read.attribute.unit == wanted["unit"]
    if "levels" in wanted:
        assert list(read.attribute.levels) == wanted["levels"]
    if "shown" in wanted:
        shown = [items.describe(row)[name] for row in range(len(items))]
        assert shown == wanted["shown"]
    if "values" in wanted:
        values = items.frame[name].tolist()
        assert len(values) == len(wanted["values"])
        for value, meant in zip(values, wanted["values"], strict=True):
            if meant is None:
                assert math.isnan(value)
            else:
                assert value == meant
