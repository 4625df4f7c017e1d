"""The results as a workbook: opened again by our reader and by openpyxl."""

import io
from datetime import datetime

import numpy as np
import openpyxl
import pandas as pd
import pytest

from penchant.data import Items
from penchant.studies import (
    SqlStore,
    Study,
    StudySettings,
    ranking_frame,
    study_workbook,
)

SHEETS = [
    "ranking",
    "people",
    "utilities",
    "weights",
    "segments",
    "segment ranking",
    "answers",
    "alternatives",
]


@pytest.fixture
def study(store: SqlStore) -> Study:
    frame = pd.DataFrame(
        {
            "offer": ["=1+1", "+cmd", "-2", "@sum", "plain", "Zoë"],
            "price": [10.5, 20, 30, 40, 50, np.nan],
            "=danger": ["a", "b", "a", "b", "a", "b"],
        }
    )
    items = Items.from_frame(frame, names="offer")
    settings = StudySettings(max_regret=0.0)
    study_id = store.create_study("Offers", items, settings=settings)
    made = Study(store, study_id, background=False)
    for label in ("=HYPERLINK(1)", "Ada", "nobody"):
        who = made.join(label)[0].id
        for _ in range(0 if label == "nobody" else 4):
            question = made.ask(who)
            assert question is not None
            made.tell(who, question.id, "left")
    return made


def test_every_sheet_opens_again_with_numbers_as_numbers(study: Study) -> None:
    content = study_workbook(study)
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert book.sheetnames == SHEETS
    for sheet in book:
        assert sheet.freeze_panes == "B2"
        assert all(3 <= d.width <= 60 for d in sheet.column_dimensions.values())
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f"
                if isinstance(cell.value, str) and cell.value[:1] in "=+-@":
                    assert cell.data_type == "s"
                    assert cell.quotePrefix
    group = study.group()
    ranking = pd.read_excel(io.BytesIO(content), "ranking")
    expected = ranking_frame(group)
    assert ranking["alternative"].tolist() == expected["alternative"].tolist()
    assert ranking["mean"].to_numpy() == pytest.approx(expected["mean"].to_numpy())
    utilities = pd.read_excel(io.BytesIO(content), "utilities")
    assert utilities[list(study.items.names)].to_numpy() == pytest.approx(group.points)
    weights = pd.read_excel(io.BytesIO(content), "weights")
    assert weights[["price", "=danger"]].sum(axis=1).to_numpy() == pytest.approx(1.0)
    people = pd.read_excel(io.BytesIO(content), "people")
    assert people["counts"].tolist() == [1, 1, 0]
    assert people["label"].tolist() == ["=HYPERLINK(1)", "Ada", "nobody"]
    answers = book["answers"]
    heads = [cell.value for cell in answers[1]]
    assert answers.max_row == 1 + 8
    assert isinstance(answers.cell(2, heads.index("at") + 1).value, datetime)
    again = Items.read(content, "study.xlsx", sheet="alternatives", names="name")
    assert again.names == study.items.names
    assert again.values(0)["price"] == 10.5


def test_before_anybody_answered_the_sheets_are_there(store: SqlStore) -> None:
    items = Items.from_frame(pd.DataFrame({"price": [1, 2, 3]}))
    content = study_workbook(Study(store, store.create_study("New", items)))
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert book.sheetnames == SHEETS
    assert [sheet.max_row for sheet in book][:7] == [1] * 7
