import io
from datetime import UTC, datetime

import pandas as pd
import pytest

from penchant.data import Items
from penchant.exceptions import StudyNotFoundError
from penchant.studies import SqlStore, answers_csv, answers_frame

HOSTILE = ["=1+1", "<script>alert(1)</script>", '"a",\n"b"', "\u202eabc", "-2", "名 🏠"]


def asked(number: int, form: str, shown: list[int]) -> tuple[str, dict[str, object]]:
    return "asked", {"question": f"{number:016x}", "form": form, "items": shown}


def told(number: int, answer: object) -> tuple[str, dict[str, object]]:
    return "answered", {"question": f"{number:016x}", "answer": answer}


@pytest.fixture
def hostile_items() -> Items:
    return Items.from_frame(pd.DataFrame({"rent": range(6)}, index=HOSTILE))


def test_table_has_every_form_of_answer(store: SqlStore, hostile_items: Items) -> None:
    study_id = store.create_study("Flats", hostile_items)
    before = datetime.now(UTC)
    log = [
        *(asked(1, "pair", [3, 0]), told(1, "right")),
        ("because", {"question": f"{1:016x}", "attribute": "=rent"}),
        *(asked(2, "best-worst", [5, 4, 1]), told(2, {"best": 1, "worst": 5})),
        *(asked(3, "ranking", [2, 0, 1]), told(3, [1, 2, 0])),
        *(asked(4, "rating", [4]), told(4, 5)),
        *(asked(5, "pair", [1, 2]), told(5, "skip")),
        *(asked(6, "pair", [0, 2]), told(6, "left")),
        ("undone", {"question": f"{6:016x}"}),
        ("nonsense", {}),
    ]
    person, _ = store.add_participant(study_id, label="=cmd", events=log)
    store.add_participant(study_id)
    frame = answers_frame(store, study_id)
    assert frame["answer"].tolist() == [
        "right",
        "item_3 best, item_1 worst",
        "item_3 > item_1 > item_2",
        "5",
        "skip",
    ]
    assert frame["participant"].unique().tolist() == [person.id]
    assert frame["number"].tolist() == [1, 2, 3, 4, 5]
    assert frame["form"].tolist()[1:4] == ["best-worst", "ranking", "rating"]
    assert frame.loc[0, ["item_1", "item_2"]].tolist() == [HOSTILE[3], HOSTILE[0]]
    assert frame["item_3"].isna().tolist() == [True, False, False, True, True]
    assert frame["because"].dropna().to_dict() == {0: "=rent"}
    assert (frame["at"] >= before).all()
    assert not frame["simulated"].any()


def test_csv_cannot_run_in_a_spreadsheet(store: SqlStore, hostile_items: Items) -> None:
    study_id = store.create_study("Flats", hostile_items)
    log = []
    for number in range(len(HOSTILE)):
        log += [asked(number, "rating", [number]), told(number, 1)]
    store.add_participant(study_id, label="@SUM(A1)", events=log)
    text = answers_csv(store, study_id)
    table = pd.read_csv(io.StringIO(text), dtype=str)
    assert table["item_1"].tolist() == ["'=1+1", *HOSTILE[1:4], "'-2", HOSTILE[5]]
    assert table["label"].unique().tolist() == ["'@SUM(A1)"]
    moments = table["at"].map(datetime.fromisoformat)
    assert all(moment.tzinfo is not None for moment in moments)


def test_study_without_answers_has_an_empty_table(
    store: SqlStore, items: Items
) -> None:
    study_id = store.create_study("Flats", items)
    assert len(answers_frame(store, study_id)) == 0
    header = (
        "participant,label,simulated,number,question,form,answer,because,repeat,"
        "predicted,predicted_probability,at\n"
    )
    assert answers_csv(store, study_id) == header
    with pytest.raises(StudyNotFoundError):
        answers_frame(store, "0" * 32)
