"""The pages on which an owner changes the table while people answer."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from penchant.data import Items
from penchant.studies import SqlStore, Study, StudyTable, check_store


@pytest.fixture
def study_id(store: SqlStore, flats: bytes) -> str:
    return store.create_study("Flats", Items.from_csv(flats))


@pytest.fixture
def table(store: SqlStore, study_id: str) -> StudyTable:
    return StudyTable(store, study_id)


@pytest.fixture
def send(client: TestClient, table: StudyTable) -> Callable[..., Any]:
    """Send a form of the table, with the version that is in use."""

    def post(path: str, version: int | None = None, **fields: Any) -> Any:
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        now = table.current.number if version is None else version
        place = f"/studies/{table.study_id}/table/{path}"
        return client.post(place, data={"version": now, **fields})

    return post


def form_of(client: TestClient, path: str) -> dict[str, str]:
    """Give what a form of an alternative would send unchanged."""
    page = client.get(path).text
    found = dict(re.findall(r'name="([^"]+)" type="text"[^>]*? value="([^"]*)"', page))
    for name, body in re.findall(
        r'<select id="[^"]+" name="([^"]+)">(.*?)</select>', page, re.S
    ):
        chosen = re.search(r"<option selected>([^<]*)", body)
        found[name] = chosen[1] if chosen else ""
    return found


def test_one_cell_is_corrected(
    client: TestClient, send: Callable[..., Any], table: StudyTable
) -> None:
    path = f"/studies/{table.study_id}/table/item?item=1"
    form = form_of(client, path)
    assert form["name"] == "High Street 1"
    assert form["value-0"] == "900"
    sent = form | {"value-0": "950", "note": "typing error", "version": "1"}
    answer = client.post(path, data=sent, follow_redirects=False)
    assert answer.status_code == 303
    (change,) = table.changes()
    assert (change.kind, change.item, change.after) == ("value", "High Street 1", "950")
    page = client.get(answer.headers["location"]).text
    assert "High Street 1: rent corrected from 900 to 950" in page
    assert "typing error" in page


def test_what_is_wrong_is_said_beside_what_was_sent(
    client: TestClient, table: StudyTable
) -> None:
    path = f"/studies/{table.study_id}/table/item?item=1"
    sent = form_of(client, path) | {"value-0": "dear", "version": "1"}
    answer = client.post(path, data=sent)
    assert answer.status_code == 422
    assert "is not a finite number" in answer.text
    assert 'value="dear"' in answer.text
    assert table.current.number == 1
    late = sent | {"value-0": "950", "version": "7"}
    assert "was changed since this page was made" in client.post(path, data=late).text
    assert client.get(path.replace("=1", "=99")).status_code == 422


def test_a_new_alternative_with_gaps(
    client: TestClient, send: Callable[..., Any], table: StudyTable
) -> None:
    assert client.get(f"/studies/{table.study_id}/table/item").status_code == 200
    sent = {"name": "Hill 2", "value-0": "640", "value-1": ""}
    assert send("item", **sent).status_code == 200
    assert table.current.items.names[-1] == "Hill 2"
    again = send("item", **sent)
    assert again.status_code == 422
    assert "Hill 2" in again.text


def test_withdrawing_and_restoring(
    client: TestClient, send: Callable[..., Any], table: StudyTable
) -> None:
    page = send("standing", item="2", do="withdraw").text
    assert "1 alternative is withdrawn: Kiln Row 7" in page
    assert table.current.withdrawn == (2,)
    overview = client.get(f"/studies/{table.study_id}").text
    assert re.search(r"Kiln Row 7 <span class=\"tag\">withdrawn", overview)
    send("standing", item="2", do="restore")
    assert table.current.withdrawn == ()
    assert send("standing", item="9", do="withdraw").status_code == 422
    assert send("standing", 1, item="1", do="withdraw").status_code == 422


def test_columns(send: Callable[..., Any], table: StudyTable) -> None:
    same = {"role": "compared", "kind": "numeric", "unit": ""}
    page = send("column", column="0", direction="up", **same | {"unit": "EUR"}).text
    assert "rent: better is more (was: less)" in page
    assert "rent: unit EUR (was: none)" in page
    noise = {"role": "compared", "kind": "ordinal", "direction": "up", "unit": ""}
    send("column", column="2", levels="busy\nquiet", **noise)
    assert table.current.items.attributes[2].levels == ("busy", "quiet")
    send("column", column="3", role="shown")
    assert [extra.name for extra in table.current.items.extras] == ["view"]
    send("column", column="3", role="left out")
    assert table.current.items.extras == ()
    assert send("column", column="0", direction="up", **same | {"unit": "EUR"})
    wrong = send("column", column="2", levels="busy", **noise)
    assert wrong.status_code == 422
    assert "is not one of busy" in wrong.text
    assert send("column", column="77").status_code == 422


def test_a_corrected_table_is_looked_at_before_it_is_taken(
    send: Callable[..., Any], table: StudyTable
) -> None:
    paste = "name,rent,floor\nKiln Row 7,710,2\nHill 2,640,1\n"
    refused = send("upload", paste=paste)
    assert refused.status_code == 422
    assert "not in the new table" in refused.text
    looked = send("upload", paste=paste, missing="withdraw").text
    assert "Kiln Row 7: rent corrected from 700 to 710" in looked
    assert "2 alternatives are withdrawn" in looked
    assert table.current.number == 1
    draft = re.search(r'name="draft" value="([^"]+)"', looked)
    assert draft is not None
    taken = {"draft": draft[1], "missing": "withdraw", "note": "spring"}
    assert send("take", 9, **taken).status_code == 422
    assert send("take", **taken).status_code == 200
    assert table.current.withdrawn == (0, 1)
    assert table.current.note == "spring"
    assert send("upload", paste=paste, missing="keep").status_code == 422
    assert check_store(table.store).ok


def test_who_is_in_the_middle_goes_on_and_who_finished_is_told(
    client: TestClient, send: Callable[..., Any], store: SqlStore, study_id: str
) -> None:
    study = Study(store, study_id, background=False)
    _, done = study.join("done")
    client.get(f"/p/{done}")
    client.post(f"/p/{done}/finish")
    person, middle = study.join("middle")
    page = client.get(f"/p/{middle}").text
    asked = study.participation(person.id).open_question
    assert asked is not None
    gone = asked.items[0]
    send("standing", item=str(gone), do="withdraw")
    fresh = client.get(f"/p/{middle}").text
    name = study.items.names[gone]
    assert name in page
    assert f"<h2>{name}" not in fresh
    late = client.post(
        f"/p/{middle}/answer",
        data={"question": asked.id, "answer": "left"},
        follow_redirects=False,
    )
    assert late.status_code == 303  # the old page leads on, without an error
    result = client.get(f"/p/{done}/result").text
    assert "Since your answers the table has changed" in result
    assert f"1 alternative is withdrawn: {name}" in result
    assert "Since your answers" not in client.get(f"/p/{middle}/result").text


def test_a_copy_with_and_without_people(
    client: TestClient, store: SqlStore, study_id: str
) -> None:
    Study(store, study_id).join("Ann")
    StudyTable(store, study_id).withdraw("Kiln Row 7")
    for people, n in (("yes", 1), ("no", 0)):
        made = client.post(
            f"/studies/{study_id}/copy",
            data={"participants": people},
            follow_redirects=False,
        ).headers["location"]
        copied = store.get_study(made.rpartition("/")[2])
        assert copied.name == "Copy of Flats"
        assert copied.withdrawn == (2,)
        assert copied.version == 1 + n
        assert len(store.list_participants(copied.id)) == n
    assert check_store(store).ok
