import pandas as pd
import pytest

from penchant.data import Items, inspect_table, read_table
from penchant.exceptions import DataError


def report(text):
    return inspect_table(read_table(text.encode(), "t.csv"))


def test_a_clean_table():
    found = report("name,price\na,1\nb,2\n")
    assert found.ok
    assert (found.n_rows, found.name_column) == (2, "name")
    assert found.to_dict()["attributes"][0]["direction"] == "down"
    assert found.to_dict()["problems"] == []


def test_every_problem_is_listed_errors_first():
    found = report("name,price,size\na,1,4\nb,x,\nc,2,6\nd,y,7\ne,3,8\n")
    assert not found.ok
    assert [str(problem) for problem in found.problems] == [
        "Row 3, column 'price': 'x' is not a number, but most cells are; "
        "correct or clear it",
        "Row 5, column 'price': 'y' is not a number, but most cells are; "
        "correct or clear it",
        "Row 3, column 'size': 1 of 5 cells is missing",
    ]


def test_one_row_is_too_few():
    assert "at least 2 rows" in str(report("a,b\n1,2\n").problems[0])


def test_constant_columns_and_free_text_are_doubts():
    texts = [f"text {i}" for i in range(60)]
    frame = pd.DataFrame({"key": [*range(60)], "note": texts, "one": [1] * 60})
    found = inspect_table(frame)
    assert found.ok
    messages = " ".join(str(problem) for problem in found.problems)
    assert "all values are 1" in messages
    assert "60 different texts in 60 rows are no levels" in messages


def test_the_ending_tells_the_format():
    with pytest.raises(DataError, match=r"'.pdf' are not read. Use .csv, .tsv, .xlsx"):
        read_table(b"x", "t.pdf")


def test_text_far_below_many_numbers_is_named():
    rows = "\n".join(f"a{k},{k}.5,{k:06d}" for k in range(60_000))
    content = f"name,size,code\n{rows}\nlast,lots,x\n".encode()
    with pytest.raises(DataError, match=r"Row 60002, column 'size': 'lots'"):
        Items.read(content)
    items = Items.read(content.replace(b"lots", b"7.5"))
    assert items.frame["size"].iloc[-1] == 7.5
    assert items.extra(0) == {"code": "000000"}
