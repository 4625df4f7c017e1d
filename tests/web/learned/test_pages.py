"""Pages about models learned from files, with jobs that are done at once."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from penchant.jobs import JobSettings, KeptModel, work
from penchant.studies import LANGUAGES, SqlStore
from tests.jobs.conftest import flats, pairs

Text = Callable[[str], str]
CANDIDATES = ("linear", "gai", "choquet", "rules", "boosting")


def classes() -> bytes:
    """Flats that are good or bad."""
    lines = flats(40).decode().splitlines()
    named = [line.rsplit(",", 1) for line in lines[1:]]
    rows = [f"{a},{'good' if float(b) > 50 else 'bad'}" for a, b in named]
    return "\n".join([lines[0].replace("rating", "verdict"), *rows]).encode()


def run(store: SqlStore, job_id: str, **changes: Any) -> None:
    """Do what a job asks for, as its process would."""
    told = JobSettings.from_dict(
        {**store.get_job(job_id).settings, "n_folds": 2, **changes}
    )
    if store.get_job(job_id).state != "waiting":
        store.queue_job(job_id, settings=told.to_dict())
    else:
        store.cancel_job(job_id)
        store.queue_job(job_id, settings=told.to_dict())
    store.claim_job("a", 60.0)
    work(store, job_id, "a")
    store.end_job(job_id, "a", "done", {})


@pytest.fixture
def upload_model(client: TestClient) -> Callable[..., Any]:
    def send(**files: bytes) -> Any:
        sent = {name: (f"{name}.csv", body) for name, body in files.items()}
        return client.post("/models", files=sent)

    return send


def id_of(response: Any) -> str:
    found = re.search(r"/models/([0-9a-f]{32})", str(response.url))
    assert found is not None
    return found[1]


def test_from_a_labelled_table_to_every_page(
    client: TestClient,
    store: SqlStore,
    upload_model: Callable[..., Any],
    text: Text,
) -> None:
    page = upload_model(table=classes())
    assert page.url.path.endswith("/start")
    words = text(page.text)
    assert "What is to be learned?" in words
    assert "As found (Classes" in words
    assert '<option value="3" selected>verdict</option>' in page.text
    job_id = id_of(page)
    page = client.post(
        f"/models/{job_id}/start",
        data={"name": "Flats", "target": "3", "kind": "auto", "use-0": "down"},
    )
    assert "Waiting for its turn" in page.text
    job = store.get_job(job_id)
    assert (job.state, job.settings["down"]) == ("waiting", ["rent"])
    run(store, job_id, candidates=CANDIDATES)
    base = f"/models/{job_id}"
    paths = ["", "/curves", "/curves?model=linear", "/importance", "/rules", "/why"]
    paths += ["/why?row=3&against=5", "/why?row=3&model=rules", "/what-if", "/rows"]
    paths += ["/what-if?row=2&v0=500&model=choquet", "/take"]
    for language in LANGUAGES:
        client.post("/language", data={"language": language, "page": "/"})
        for path in paths:
            page = client.get(base + path)
            assert page.status_code == 200, (path, page.text)
            assert not re.search(r"models\.[a-z_]+", text(page.text))
            assert len(re.findall("<h1", page.text)) == 1
            assert re.search("[Cc]erti|[Zz]erti", page.text)
        report = client.get(f"{base}/export/report.html").text
        assert f'lang="{language}"' in report
        assert not re.search(r"models\.[a-z_]+", report)
    assert "Ce qui détermine verdict" in report
    assert " et size " in text(client.get(f"{base}/rules").text)
    assert "in the chance of 1" not in client.get(f"{base}/why").text
    client.post("/language", data={"language": "en", "page": "/"})
    kept = KeptModel(store, store.get_job(job_id))
    importance = text(client.get(f"{base}/importance").text)
    assert f"less speaks for {kept.comparison.labels[-1]}" in importance
    assert "is better" not in importance
    words = text(client.get(base).text)
    assert "Boosted trees" in words
    assert f"{round(100 * kept.comparison[kept.shown].score)} of 100" in words
    rule = kept.model("rules").rules_[0].text
    shown = rule.replace("<=", "≤").replace(">=", "≥")
    assert shown in client.get(f"{base}/rules").text
    # files
    found = client.get(f"{base}/export/model.penchant")
    assert zipfile.is_zipfile(io.BytesIO(found.content))
    assert "What decides verdict" in client.get(f"{base}/export/report.html").text
    table = client.get(f"{base}/export/predictions.csv").text
    assert table.splitlines()[0].endswith(
        "name,prediction,chance of bad,chance of good"
    )
    assert len(table.splitlines()) == 41
    notebook = json.loads(client.get(f"{base}/export/notebook.ipynb").content)
    assert notebook["nbformat"] == 4
    assert client.get(f"{base}/export/table").content == classes()
    assert client.get(f"{base}/export/odd").status_code == 404
    # another one is shown first, once what it lacks is learned
    page = client.post(f"{base}/choose", data={"model": "choquet"})
    assert "Waiting for its turn" in page.text
    page = client.post(f"{base}/cancel")  # then the other is shown as before
    assert "Cancelled." in page.text
    assert "The most readable model" in page.text
    run(store, job_id)
    assert kept.shown != "choquet"
    assert "Chosen by you" in client.get(base).text
    # home and list; then it is gone
    assert base in client.get("/").text
    assert base in client.get("/models").text
    assert "deleted for good" in client.get(f"{base}/delete").text
    client.post(f"{base}/delete")
    assert client.get(base).status_code == 404
    assert store.job_parts(job_id) == []


def test_numbers_and_new_rows(
    client: TestClient,
    store: SqlStore,
    upload_model: Callable[..., Any],
    text: Text,
) -> None:
    job_id = id_of(upload_model(table=flats()))
    store.queue_job(job_id)
    run(store, job_id, candidates=("linear", "choquet"))
    base = f"/models/{job_id}"
    kept = KeptModel(store, store.get_job(job_id))
    page = client.post(f"{base}/rows", files={"table": ("new.csv", flats(3))})
    assert "What it says of 3 rows" in page.text
    said = kept.said(kept.shown, kept.items.frame.iloc[[0]])[0].value
    saved = client.post(
        f"{base}/rows",
        files={"table": ("new.csv", flats(3))},
        data={"format": "csv"},
    )
    first = saved.text.splitlines()[1].split(",")
    assert first[1] == "Flat 0"
    assert float(first[2]) == pytest.approx(said)
    page = client.post(f"{base}/rows", files={"table": ("new.csv", b"a,b\n1,2\n")})
    assert page.status_code == 422
    assert "needs the column" in page.text
    assert client.post(f"{base}/rows").status_code == 422
    why = client.get(f"{base}/why?row=5").text
    exact = kept.exact(kept.shown, kept.items.frame.iloc[[3]])
    assert exact is not None
    assert f"{exact.total:.4g}".replace("-", "\N{MINUS SIGN}") in why
    assert "Both ways" in why or "different columns first" in why
    for path in (
        "/why?row=42",
        "/why?row=1",
        "/why?row=2&against=99",
        "/why?model=odd",
    ):
        assert client.get(base + path).status_code == 422
    assert client.get(f"{base}/rules").status_code == 404
    assert client.get(f"{base}/what-if?v0=1e9").status_code == 422


def test_grades_rows_and_levels_are_told_as_the_file_has_them(
    client: TestClient,
    store: SqlStore,
    upload_model: Callable[..., Any],
    text: Text,
) -> None:
    """Rows are counted as a spreadsheet does, also where some were left out."""
    noises, grades = ("loud", "some", "quiet"), ("poor", "fair", "good")
    lines = [
        f"{noises[k % 3]},{(7 * k) % 50},{grades[min(k % 3, (k % 3 + k // 30))]}"
        for k in range(60)
    ]
    lines[3] = "loud,21,"  # row 5 of the file has no grade
    table = "\n".join(["noise,size,grade", *lines]).encode()
    job_id = id_of(upload_model(table=table))
    run(store, job_id, candidates=("linear", "choquet"), kind="grades")
    base = f"/models/{job_id}"
    words = text(client.get(f"{base}/why?row=6&model=linear").text)
    assert "row 6, by: Weights" in words
    assert "noise some" in words
    assert client.get(f"{base}/why?row=5").status_code == 422
    kept = KeptModel(store, store.get_job(job_id))
    assert kept.lines == (2, 3, 4, *range(6, 62))
    told = {
        kept.by_coalitions("linear", k).label: text(
            client.get(f"{base}/why?row={line}&model=linear").text
        )
        for k, line in enumerate(kept.lines[:9])
        if kept.by_coalitions("linear", k)
    }
    turned = "A higher score speaks for good rather than poor; the chance of {} may"
    assert {label: turned.format(label) in page for label, page in told.items()} == {
        label: label != "good" for label in told
    }
    assert "poor" in told
    # More noise is not better: the levels have names.
    assert "noise best: quiet" in text(client.get(f"{base}/importance").text)


def test_grades_that_are_numbers_are_explained(
    client: TestClient,
    store: SqlStore,
    upload_model: Callable[..., Any],
    text: Text,
) -> None:
    lines = [f"{(7 * k) % 50},{k % 5},{1 + (k % 5 + k // 30) // 2}" for k in range(60)]
    table = "\n".join(["size,stars,grade", *lines]).encode()
    job_id = id_of(upload_model(table=table))
    run(store, job_id, candidates=("linear",), kind="grades")
    pages = [client.get(f"/models/{job_id}/why?row={row}") for row in range(2, 9)]
    assert {page.status_code for page in pages} == {200}
    words = "A higher score speaks for 3 rather than 1"
    assert any(words in text(page.text) for page in pages)


def test_answers_alone_and_with_a_table(
    client: TestClient,
    store: SqlStore,
    upload_model: Callable[..., Any],
    text: Text,
) -> None:
    page = upload_model(answers=pairs(flats(12)))
    assert "60 answers, read as: pairs" in page.text
    page = upload_model(answers=pairs(flats(12)), table=flats(12))
    job_id = id_of(page)
    client.post(f"/models/{job_id}/start", data={"name": "Pairs", "use-3": "skip"})
    run(store, job_id, candidates=("linear",))
    base = f"/models/{job_id}"
    assert "Right order" in client.get(base).text
    for path in ("/curves", "/why?row=2", "/why?row=3&against=2", "/what-if"):
        page = client.get(base + path)
        assert page.status_code == 200, page.text
    assert "Why Flat" in client.get(f"{base}/why?row=3&against=2").text


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "Choose a file"),
        ({"table": b"\x00\x01"}, "at least one to learn"),
        ({"answers": b"a,b\n1,2\n"}, "No known format"),
        ({"answers": b"winner,loser\nA\n"}, "ow 2"),
    ],
)
def test_bad_files_are_refused_with_a_sentence(
    client: TestClient, files: dict[str, bytes], words: str
) -> None:
    sent = {name: (f"{name}.csv", body) for name, body in files.items()}
    page = client.post("/models", files=sent or None)
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert words in page.text


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([""] * 20, "Column 'y' is empty"),
        (["7.5"] * 20, "The target 'y' is 7.5 in all rows"),
        (["7.5", "8", "9"], "at least 10 answers or rows"),
        ([f"u{k}" for k in range(200)], "'y' must have 2 to 50"),
        (["no"] * 19 + ["yes"], "is no in all rows but one"),
        (["1.5", "2"] * 9 + ["good", "3"], "Row 20, column 'y': 'good'"),
    ],
)
def test_a_target_that_cannot_be_learned_is_named(
    client: TestClient,
    upload_model: Callable[..., Any],
    text: Text,
    values: list[str],
    words: str,
) -> None:
    lines = ["x,z,y", *(f"{k},{k % 7},{value}" for k, value in enumerate(values))]
    page = upload_model(table="\n".join(lines).encode())
    if page.status_code == 200:  # it is found once somebody says what the target is
        path = f"/models/{id_of(page)}/start"
        page = client.post(path, data={"name": "x", "target": "2", "kind": "auto"})
    assert page.status_code == 422
    assert words in text(page.text).replace("&#39;", "'")


def test_progress_cancelling_and_going_on(
    client: TestClient, store: SqlStore, upload_model: Callable[..., Any], text: Text
) -> None:
    job_id = id_of(upload_model(table=flats()))
    base = f"/models/{job_id}"
    wrong = client.post(f"{base}/start", data={"name": "", "target": "3"})
    assert wrong.status_code == 422
    assert "needs a name" in wrong.text
    wrong = client.post(f"{base}/start", data={"name": "x", "target": "9"})
    assert wrong.status_code == 422
    looked = client.post(
        f"{base}/start", data={"name": "x", "target": "2", "look": "yes"}
    )
    assert "As found (Classes" in looked.text
    client.post(f"{base}/start", data={"name": "Flats", "target": "3"})
    store.claim_job("a", 60.0)
    told = {"step": "comparing", "candidate": "gai", "fold": 2, "share": 0.31}
    store.tell_job(job_id, "a", {**told, "seconds_left": 130.0}, {"result gai": b"{}"})
    page = client.get(base)
    words = text(page.text)
    assert "Comparing: Curves and pairs, part 2 of 5 held out" in words
    assert "31 % done" in words
    assert "about 2 minutes left" in words
    assert 'http-equiv="refresh"' in page.text
    assert "data-again" in page.text
    page = client.post(f"{base}/cancel")
    assert "Cancelled" in page.text
    assert "data-again" not in page.text
    page = client.post(f"{base}/resume")
    assert "Waiting for its turn" in page.text
    assert client.post(f"{base}/resume").status_code == 409
    store.claim_job("b", 60.0)
    values = {"memory": 3.0, "minutes": 45, "runs": 3, "reason": "SIGKILL"}
    for problem in ("memory", "time", "killed", "lost", "fault"):
        told = {"error": "x", "problem": problem, "values": values}
        store.end_job(job_id, "b", "failed", told)
        assert 'role="alert"' in client.get(base).text
        store.queue_job(job_id)
        store.claim_job("b", 60.0)
    store.end_job(job_id, "b", "failed", {"error": "Row 3 is odd."})
    assert "Row 3 is odd." in client.get(base).text
    # what is learned is changed: nothing of the other target is kept
    page = client.post(f"{base}/start", data={"name": "Flats", "target": "2"})
    assert id_of(page) != job_id
    assert client.get(base).status_code == 404
    assert store.job_parts(id_of(page)) == ["table"]
    assert client.get(f"/models/{id_of(page)}/curves").status_code == 409
