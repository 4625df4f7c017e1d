import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.data import Attribute, Extra, Items
from penchant.exceptions import DataError

TABLE = """name,rent,size,energy,furnished,floor
Lindenhof 12,780,47,B,yes,1
Rosenweg 40,850,52.5,C,no,3
Seestrasse 5,690,30,A,yes,0
"""


@pytest.fixture
def flats(tmp_path):
    path = tmp_path / "flats.csv"
    path.write_text(TABLE)
    energy = Attribute("energy", "ordinal", "down", ("A", "B", "C", "D"))
    return Items.from_csv(path, attributes=[energy])


def write(tmp_path, text, name="table.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


class TestReading:
    def test_names_types_and_directions_are_guessed(self, flats):
        assert flats.names == ("Lindenhof 12", "Rosenweg 40", "Seestrasse 5")
        guessed = {a.name: (a.kind, a.direction, a.domain) for a in flats.attributes}
        assert guessed == {
            "rent": ("numeric", "down", (690.0, 850.0)),
            "size": ("numeric", "up", (30.0, 52.5)),
            "energy": ("ordinal", "down", ("A", "B", "C", "D")),
            "furnished": ("ordinal", "unknown", ("no", "yes")),
            "floor": ("numeric", "unknown", (0.0, 3.0)),
        }

    @pytest.mark.parametrize(
        "text",
        [
            "a;b\n1,5;x\n2,5;y\n",
            "a\tb\n1.5\tx\n2.5\ty\n",
            "\ufeffa,b\n1.5,x\n2.5,y\n",
            'a,b\r\n"1.5",x\r\n2.5,y\r\n\r\n',
        ],
    )
    def test_separators_decimal_commas_and_marks(self, tmp_path, text):
        items = Items.from_csv(write(tmp_path, text), names=None)
        assert items.frame["a"].tolist() == [1.5, 2.5]

    def test_utf16_with_a_mark(self, tmp_path):
        items = Items.from_csv(write(tmp_path, "ä,b\n1,x\n2,y\n".encode("utf-16")))
        assert items.attributes[0].name == "ä"

    def test_other_encodings_on_request(self, tmp_path):
        path = write(tmp_path, "straße,b\n1,x\n2,y\n".encode("latin-1"))
        assert Items.from_csv(path).attributes[0].name == "straße"
        assert Items.from_csv(path).report.file.encoding == "Windows-1252"
        assert Items.from_csv(path, encoding="latin-1").attributes[0].name == "straße"
        with pytest.raises(
            DataError, match=r"Row 1: byte 4 is not valid UTF-8.*cp1252"
        ):
            Items.from_csv(path, encoding="utf-8")
        with pytest.raises(DataError, match=r"no encoding called 'klingon'"):
            Items.from_csv(path, encoding="klingon")

    def test_bytes_are_read_like_a_file(self):
        assert len(Items.from_csv(TABLE.encode())) == 3

    def test_blank_lines_do_not_shift_row_numbers(self, tmp_path):
        text = "name,a\nx,1\n\ny,2\nz,?!\nw,3\n"
        with pytest.raises(
            DataError, match=r"Row 5, column 'a': '[?]!' is not a number"
        ):
            Items.from_csv(write(tmp_path, text))

    def test_names_can_be_a_column_an_index_or_made_up(self):
        frame = pd.DataFrame({"code": ["x1", "x2"], "a": [1, 2]})
        assert Items.from_frame(frame, names="code").names == ("x1", "x2")
        assert Items.from_frame(frame[["a"]]).names == ("item 1", "item 2")
        assert Items.from_frame(frame[["a"]], names=["p", "q"]).names == ("p", "q")
        assert Items.from_frame(frame.set_index("code")).names == ("x1", "x2")
        with pytest.raises(DataError, match="no column 'b' to take the names"):
            Items.from_frame(frame, names="b")

    def test_a_telling_header_makes_numbers_names(self):
        frame = pd.DataFrame({"a": [1, 2], "ID": [7, 8]})
        assert Items.from_frame(frame).names == ("7", "8")


class TestGuessing:
    def guess(self, values, name="x"):
        frame = pd.DataFrame({"key": [f"k{i}" for i in range(len(values))]})
        frame[name] = values
        return Items.from_frame(frame, names="key").attributes[0]

    def test_booleans_are_ordered_levels(self):
        assert self.guess([True, False]).levels == ("False", "True")
        with_gap = self.guess(pd.Series([True, None, False], dtype=object))
        assert with_gap.levels == ("False", "True")

    def test_ordered_categoricals_keep_their_order(self):
        values = pd.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True)
        assert self.guess(values).domain == ("lo", "mid", "hi")
        assert self.guess(values).kind == "ordinal"

    def test_familiar_scales_are_ordinal_in_the_data_s_spelling(self):
        scale = self.guess(["High", "low", "High"])
        assert scale.kind == "ordinal"
        assert scale.levels == ("low", "medium", "High")
        assert self.guess(["bad", "good"]).direction == "up"

    def test_other_text_is_categorical(self):
        colour = self.guess(["red", "blue", "red"])
        assert (colour.kind, colour.levels) == ("categorical", ("blue", "red"))

    def test_an_empty_column_is_left_out(self):
        frame = pd.DataFrame({"name": ["a", "b"], "x": [None, None]})
        items = Items.from_frame(frame)
        assert items.attributes == ()
        doubt = items.report.column("x").doubts[0]
        assert str(doubt) == "Column 'x': the column is empty and was left out"

    def test_infinite_numbers_are_refused(self):
        with pytest.raises(DataError, match=r"Column 'x'.*finite"):
            self.guess([1.0, np.inf])

    def test_overrides_must_name_a_column(self):
        with pytest.raises(DataError, match=r"no column 'z'. The columns are: a"):
            Items.from_frame(pd.DataFrame({"a": [1, 2]}), attributes=[Attribute("z")])


class TestBadInput:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "file is empty"),
            ("  \n ", "file is empty"),
            ("name,a\n", "at least 2 rows to choose between, not 0"),
            ("name,a\nx,1\n", "at least 2 rows to choose between, not 1"),
            ("name,a\nx,1\nx,2\n", "Row 3: the name 'x' stands in row 2 already"),
            ("name,a\nx,1\n,2\n", "Row 3: the item has no name"),
            ("a,b\n1,2\n3,4,5\n6,7\n", "Row 3: there are 3 cells.*header has 2"),
            ("a,b\n1,2,3\n3,4,5\n", "there are (3|more) cells|more cells"),
            ("name,a\nx,1\ny,two\nz,3\n", "Row 3, column 'a': 'two' is not a number"),
            (b"a,b\n1,\x00\n2,x\n", "Row 2: the file holds a zero byte"),
        ],
    )
    def test_a_bad_csv_file_names_the_place(self, tmp_path, text, message):
        with pytest.raises(DataError, match=message) as error:
            Items.from_csv(write(tmp_path, text), names=None)
        assert str(error.value).count("\n") == 0

    def test_a_missing_file(self, tmp_path):
        with pytest.raises(DataError, match=r"no file .*nothing.csv"):
            Items.from_csv(tmp_path / "nothing.csv")

    def test_a_file_of_200_mb_is_refused_before_it_is_read(self, tmp_path):
        path = tmp_path / "huge.csv"
        with path.open("wb") as file:
            file.truncate(200_000_000)
        with pytest.raises(DataError, match="200 MB; at most 100 MB"):
            Items.from_csv(path)

    def test_a_zip_bomb_is_refused_before_it_is_unpacked(self, tmp_path):
        path = tmp_path / "bomb.xlsx"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/worksheets/sheet1.xml", bytes(5_000_000))
        with pytest.raises(DataError, match="unpacks to 5 MB; at most 4 MB"):
            Items.from_xlsx(path, max_bytes=1_000_000)

    @pytest.mark.parametrize("content", [b"no archive", b"PK\x03\x04 broken"])
    def test_a_broken_workbook_is_refused(self, tmp_path, content):
        with pytest.raises(DataError, match="not an XLSX"):
            Items.from_xlsx(write(tmp_path, content, "x.xlsx"))

    def test_an_archive_that_is_no_workbook_is_refused(self, tmp_path):
        path = tmp_path / "other.xlsx"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("hello.txt", "hello")
        with pytest.raises(DataError, match="not a readable XLSX workbook"):
            Items.from_xlsx(path)

    def test_a_stray_cell_far_away_does_not_fill_the_memory(self, tmp_path):
        import openpyxl

        book = openpyxl.Workbook()
        for row in [["a"], [1], [2]]:
            book.active.append(row)
        book.active["XFD1048576"] = 3
        book.save(tmp_path / "t.xlsx")
        with pytest.raises(
            DataError, match="has 16,384 columns or more; at most 1,000"
        ):
            Items.from_xlsx(tmp_path / "t.xlsx")

    def test_headers_are_made_different_and_none_is_empty(self):
        items = Items.from_csv(b"a,,a\n1,2,3\n4,5,6\n")
        assert [a.name for a in items.attributes] == ["a", "column 2", "a (2)"]
        assert items.report.file.left_out[0].what == "same header"

    def test_rows_of_a_frame_with_text_index_are_counted(self):
        frame = pd.DataFrame({"a": [1, None], "b": [1, 2]}, ["x", "y"])
        assert [gap.row for gap in Items.from_frame(frame).missing()] == [1]
        with pytest.raises(DataError, match="Row 0, column 'b': 1 is outside"):
            Items.from_frame(frame, attributes=[Attribute("b", domain=(2, 3))])

    def test_html_in_a_name_is_text(self):
        frame = pd.DataFrame({"<b>a</b>": [1, 2]}, ["<script>alert(1)</script>", "y"])
        items = Items.from_frame(frame)
        assert items.names[0] == "<script>alert(1)</script>"
        page = items._repr_html_()
        assert "<script>" not in page
        assert "&lt;script&gt;" in page
        assert "<b>" not in page

    @pytest.mark.parametrize(
        ("attribute", "message"),
        [
            (Attribute("rent", domain=(0, 100)), "Row 2, column 'rent': .*outside"),
            (
                Attribute("energy", "ordinal", domain=("A", "B")),
                "Row 3, column 'energy': 'C' is not one of A, B",
            ),
            (Attribute("energy"), "Row 2, column 'energy': 'B' is not a finite"),
            (Attribute("energy", "ordinal"), r"'energy' needs its levels.*'A', 'B'"),
        ],
    )
    def test_values_must_fit_the_declared_attribute(self, attribute, message):
        with pytest.raises(DataError, match=message):
            Items.from_csv(TABLE.encode(), attributes=[attribute])

    def test_shapes_must_agree(self):
        frame = pd.DataFrame({"a": [1, 2]})
        with pytest.raises(DataError, match="2 names and 2 attributes"):
            Items(frame, (Attribute("a"), Attribute("b")), ("x", "y"))
        with pytest.raises(DataError, match="no column 'b'"):
            Items(frame, (Attribute("b"),), ("x", "y"))
        with pytest.raises(DataError, match="at least one row"):
            Items(frame.iloc[:0], (Attribute("a"),), ())


class TestEncoding:
    def test_domain_and_direction_decide(self):
        frame = pd.DataFrame({"p": [2.0, 4.0], "q": [2.0, 4.0], "c": ["r", "b"]})
        items = Items.from_frame(
            frame,
            attributes=[
                Attribute("p", direction="down", domain=(0, 4)),
                Attribute("q", direction="unknown", domain=(0, 8)),
                Attribute("c", "categorical", domain=("r", "g", "b")),
            ],
        )
        np.testing.assert_allclose(items.encode(), [[0.5, 0.25, 0], [0, 0.5, 1]])

    def test_a_constant_column_is_zero(self):
        items = Items.from_frame(pd.DataFrame({"a": [3, 3], "b": [1, 2]}))
        np.testing.assert_array_equal(items.encode()[:, 0], [0, 0])

    def test_taking_rows_keeps_domains(self, flats):
        part = flats.take([2, 0])
        assert part.names == ("Seestrasse 5", "Lindenhof 12")
        np.testing.assert_array_equal(part.encode(), flats.encode()[[2, 0]])

    @given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
    def test_always_within_the_unit_interval(self, values):
        items = Items.from_frame(
            pd.DataFrame({"a": values}), attributes=[Attribute("a", direction="down")]
        )
        encoded = items.encode()
        assert encoded.min() >= 0
        assert encoded.max() <= 1


class TestMissing:
    @pytest.fixture
    def gaps(self):
        rows = ["a,500,,red", "b,,low,", "c,700,high,red", "d,900,high,?"]
        text = "\n".join(["name,rent,class,colour", *rows])
        return Items.from_csv(text.encode())

    def test_gaps_are_kept_and_reported(self, gaps):
        places = [(gap.row, gap.column) for gap in gaps.missing()]
        assert places == [(0, "class"), (1, "rent"), (1, "colour"), (3, "colour")]
        assert gaps.describe(1) == {"rent": "", "class": "low", "colour": ""}

    def test_values_of_one_item(self, gaps):
        assert gaps.values(2) == {"rent": 700.0, "class": "high", "colour": "red"}
        values = gaps.values(1)
        assert (values["class"], list(values)) == ("low", ["rent", "class", "colour"])
        assert np.isnan(values["rent"])
        assert values["colour"] != values["colour"]

    def test_rows_are_those_of_a_table_checked_anew(self, gaps):
        part = gaps.take([3, 1])
        assert part == Items(gaps.frame.iloc[[3, 1]], gaps.attributes, ("d", "b"))
        assert np.array_equal(
            part.encode(missing="keep"),
            gaps.encode(missing="keep")[[3, 1]],
            equal_nan=True,
        )
        with pytest.raises(DataError, match="'d' stands in row"):
            gaps.take([3, 3])
        with pytest.raises(DataError, match="at least one row"):
            gaps.take([])

    def test_what_is_encoded_can_be_changed_by_its_owner(self, gaps):
        first = gaps.encode(missing="keep")
        first[:] = 7.0
        assert not (gaps.encode(missing="keep") == 7.0).any()

    def test_encoding_refuses_gaps_unless_told(self, gaps):
        with pytest.raises(DataError, match=r"Row 0, column 'class'.*4 in all.*impute"):
            gaps.encode(missing="refuse")
        assert np.isnan(gaps.encode()).sum() == 4
        with pytest.raises(DataError, match="'refuse' or 'keep'"):
            gaps.encode(missing="ignore")

    def test_filling_with_the_middle(self, gaps):
        filled = gaps.impute("middle")
        assert filled.frame["rent"].tolist() == [500, 700, 700, 900]
        assert filled.frame["class"].iloc[0] == "high"
        assert filled.frame["colour"].iloc[1] == "red"

    def test_filling_with_the_worst_needs_a_direction(self, gaps):
        rent = gaps.attributes[0]
        assert rent.direction == "down"
        with pytest.raises(DataError, match="'class' has no direction"):
            gaps.impute("worst")
        only_rent = Items(gaps.frame[["rent"]], (rent,), gaps.names)
        assert only_rent.impute("worst").frame["rent"].iloc[1] == 900

    def test_dropping_rows(self, gaps):
        assert gaps.impute("drop").names == ("c",)
        with pytest.raises(DataError, match="'middle', 'worst' or 'drop'"):
            gaps.impute("zero")

    def test_a_column_without_any_value(self):
        attribute = Attribute("a", domain=(0, 1))
        frame = pd.DataFrame({"a": [None, None]}, dtype=float)
        items = Items(frame, (attribute,), ("x", "y"))
        with pytest.raises(DataError, match="no value to fill"):
            items.impute()
        with pytest.raises(DataError, match="no value is known"):
            Items(frame, (Attribute("a"),), ("x", "y"))


TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")),
    min_size=1,
    max_size=8,
).filter(lambda text: text.strip() and text.strip() not in ("NA", "?", "N/A", "nan"))


@st.composite
def tables(draw):
    n = draw(st.integers(2, 6))
    names = draw(st.lists(TEXT.map(str.strip), min_size=n, max_size=n, unique=True))
    header = draw(st.lists(TEXT.map(str.strip), min_size=2, max_size=2, unique=True))
    numbers = st.one_of(st.none(), st.floats(-1e9, 1e9))
    levels = st.sampled_from(["=1+1", "@x", "-5", "'=q", "plain", "01", None])
    frame = pd.DataFrame(
        {
            header[0]: draw(st.lists(numbers, min_size=n, max_size=n)),
            header[1]: draw(st.lists(levels, min_size=n, max_size=n)),
        }
    )
    attributes = (
        Attribute(header[0], "numeric", "down", (-1e9, 1e9), unit="€"),
        Attribute(
            header[1], "categorical", domain=("=1+1", "@x", "-5", "'=q", "plain", "01")
        ),
    )
    return Items(frame, attributes, names)


class TestRoundTrips:
    @given(tables())
    def test_csv_json_and_xlsx_lose_nothing(self, tmp_path_factory, items):
        folder = tmp_path_factory.mktemp("items")
        items.to_csv(folder / "t.csv")
        assert Items.from_csv(folder / "t.csv") == items
        items.to_json(folder / "t.json")
        assert Items.from_json(folder / "t.json") == items
        items.to_xlsx(folder / "t.xlsx")
        assert Items.from_xlsx(folder / "t.xlsx") == items

    def test_formulas_are_neutralised_in_csv(self):
        frame = pd.DataFrame({"=cmd()": ["+x", "-y", "@a"]}, ["=1", "\tb", "\rc"])
        text = Items.from_frame(frame).to_csv()
        cells = [
            cell.strip('"') for line in text.split("\n") for cell in line.split(",")
        ]
        assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and cell]

    def test_formulas_are_text_in_xlsx(self, tmp_path):
        import openpyxl

        frame = pd.DataFrame({"a": ["=1+1", "x"]}, ["=HYPERLINK()", "y"])
        Items.from_frame(frame).to_xlsx(tmp_path / "t.xlsx")
        sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").worksheets[0]
        assert sheet["A2"].data_type == "s"
        assert sheet["B2"].data_type == "s"

    def test_a_foreign_workbook_is_guessed(self, tmp_path):
        import openpyxl

        book = openpyxl.Workbook()
        for row in [
            ["city", "cost", "warm"],
            ["Rom", 3, True],
            [],
            ["Kiel", 2.5, False],
        ]:
            book.active.append(row)
        book.save(tmp_path / "t.xlsx")
        items = Items.from_xlsx(tmp_path / "t.xlsx")
        assert items.names == ("Rom", "Kiel")
        assert items.frame["cost"].tolist() == [3, 2.5]
        assert items.attributes[1].levels == ("False", "True")

    def test_an_empty_sheet(self, tmp_path):
        import openpyxl

        openpyxl.Workbook().save(tmp_path / "t.xlsx")
        with pytest.raises(DataError, match="first sheet is empty"):
            Items.from_xlsx(tmp_path / "t.xlsx")

    def test_control_characters_do_not_fit_into_xlsx(self, tmp_path):
        items = Items.from_frame(pd.DataFrame({"a": [1, 2]}, ["x\x01", "y"]))
        with pytest.raises(DataError, match="control characters"):
            items.to_xlsx(tmp_path / "t.xlsx")

    def test_foreign_json_is_refused(self, tmp_path):
        with pytest.raises(DataError, match="not valid JSON"):
            Items.from_json(write(tmp_path, "{", "t.json"))
        with pytest.raises(DataError, match="not a table of items"):
            Items.from_json(write(tmp_path, "[1]", "t.json"))

    def test_a_broken_description_beside_the_file_is_named(self, tmp_path):
        write(tmp_path, json.dumps({"attributes": 3}), "t.attributes.json")
        with pytest.raises(DataError, match=r"t\.attributes\.json does not describe"):
            Items.from_csv(write(tmp_path, TABLE, "t.csv"))

    def test_a_column_called_name_is_no_trouble(self):
        frame = pd.DataFrame({"name": ["a", "a"], "x": [1, 2]}, ["p", "q"])
        items = Items.from_frame(frame)
        assert Items.from_csv(items.to_csv().encode(), names="name_").names == (
            "p",
            "q",
        )

    def test_xlsx_to_memory(self, flats):
        file = io.BytesIO()
        flats.to_xlsx(file)
        assert Items.from_xlsx(file.getvalue()) == flats


def test_looking_up_and_showing(flats):
    assert flats.index("Rosenweg 40") == 1
    with pytest.raises(DataError, match="no item called 'x'"):
        flats.index("x")
    assert repr(flats) == "Items(3 rows: rent, size, energy, furnished, floor)"
    assert flats != 3
    assert "Lindenhof 12" in flats._repr_html_()


def test_long_tables_show_their_beginning():
    items = Items.from_frame(pd.DataFrame({"a": range(30)}))
    assert "30 rows in all" in items._repr_html_()


class TestExtras:
    def items(self):
        frame = pd.DataFrame({"rent": [500.0, 900.0, 700.0]})
        photo = Extra("photo", "picture", ("a.jpg", "", "c.jpg"))
        return Items(frame, (Attribute("rent"),), ("a", "b", "c"), (photo,))

    def test_they_go_with_their_rows(self):
        items = self.items()
        assert items.extra(2) == {"photo": "c.jpg"}
        part = items.take([2, 0])
        assert part.extras[0].values == ("c.jpg", "a.jpg")
        assert part != Items(part.frame, part.attributes, part.names)
        assert items.impute().extras == items.extras

    def test_they_are_kept_as_plain_values(self):
        items = self.items()
        assert Items.from_dict(json.loads(json.dumps(items.to_dict()))) == items
        plain = Items(items.frame, items.attributes, items.names)
        assert "extras" not in plain.to_dict()

    def test_they_must_fit_the_table(self):
        items = self.items()
        with pytest.raises(DataError, match="'x' has 1 values for 3 items"):
            Items(
                items.frame,
                items.attributes,
                items.names,
                (Extra("x", "link", ("a",)),),
            )
        with pytest.raises(DataError, match="Two columns are called 'rent'"):
            Items(
                items.frame,
                items.attributes,
                items.names,
                [Extra("rent", "text", "abc")],
            )
        with pytest.raises(DataError, match="role of column 'x' must be one of"):
            Extra("x", "attribute", ())
        with pytest.raises(DataError, match="name, role and values"):
            Extra.from_dict({"name": "x"})


def test_a_list_of_names_has_no_attributes():
    names = Items(pd.DataFrame(index=range(3)), (), ("a", "b", "c"))
    assert names.encode().shape == (3, 0)
    assert Items.from_dict(names.to_dict()) == names
    assert names.take([1, 2]).names == ("b", "c")
    assert names.describe(0) == {}
