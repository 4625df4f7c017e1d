from collections.abc import Callable

import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.jobs import JobSettings, KeptModel, guess_target, work
from penchant.jobs import _work as module
from penchant.jobs._work import LostError
from penchant.learning import compare
from penchant.studies import SqlStore
from tests.jobs.conftest import FAST, flats, pairs

AddJob = Callable[..., str]


def test_a_job_leaves_what_the_library_gives(store: SqlStore, add_job: AddJob) -> None:
    job_id = add_job()
    job = store.claim_job("a", 60.0)
    assert job is not None
    assert (job.id, job.state) == (job_id, "running")
    work(store, job_id, "a")
    kept = KeptModel(store, store.get_job(job_id))
    again = compare(kept.items, kept.read.target, **FAST)
    assert [r.losses for r in kept.comparison.results] == [
        r.losses for r in again.results
    ]
    assert kept.shown == again.recommended.name
    assert set(kept.names) == {"linear", "choquet"}
    report = kept.report(kept.shown)
    assert report is not None
    assert report.target == "rating"
    assert report.parts
    # why a row: the exact form adds up, coalitions say what is left over
    frame = kept.items.frame.iloc[[3]]
    exact = kept.exact("linear", frame)
    assert exact is not None
    assert exact.gap == pytest.approx(0.0, abs=1e-9)
    assert exact.total == pytest.approx(kept.said("linear", frame)[0].value)
    way = kept.by_coalitions(kept.shown, 3)
    assert way is not None
    assert way.names == ("rent", "size", "noise")
    assert way.n_models
    assert way.total == pytest.approx(kept.said(kept.shown, frame)[0].value)
    rival = kept.rather_than("linear", 3, 4)
    assert rival is not None
    said = [each.value for each in kept.said("linear", kept.items.frame.iloc[[3, 4]])]
    assert sum(rival.values) == pytest.approx(np.subtract(*said))


def test_a_second_run_does_only_what_is_missing(
    store: SqlStore, add_job: AddJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = add_job()
    store.claim_job("a", 60.0)
    tell = store.tell_job
    seen: list[str] = []

    def cut(job: str, run: str, progress: object, parts: dict[str, bytes]) -> bool:
        told = tell(job, run, progress, parts)  # type: ignore[arg-type]
        seen.extend(parts)
        return told and "result linear" not in parts

    monkeypatch.setattr(store, "tell_job", cut)
    with pytest.raises(LostError):
        work(store, job_id, "a")
    assert seen == ["result linear", "model linear", "parts linear"]
    monkeypatch.setattr(store, "tell_job", tell)
    fitted: list[str] = []
    compared = module.compare

    def watched(*args: object, **options: object) -> object:
        callback = options["callback"]

        def tell_and_note(said: dict[str, object]) -> None:
            fitted.append(str(said["candidate"]))
            callback(said)  # type: ignore[operator]

        return compared(*args, **{**options, "callback": tell_and_note})  # type: ignore[arg-type]

    monkeypatch.setattr(module, "compare", watched)
    work(store, job_id, "a")
    assert set(fitted) == {"choquet"}
    parts = store.job_parts(job_id)
    assert {"comparison", "model linear", "model choquet"} <= set(parts)
    kept = KeptModel(store, store.get_job(job_id))
    whole = compare(kept.items, kept.read.target, **FAST)
    assert [r.losses for r in kept.comparison.results] == [
        r.losses for r in whole.results
    ]


def test_answers_with_a_table_and_without(store: SqlStore) -> None:
    table = flats(20)
    told = JobSettings(answers="pairs.csv", **{**FAST, "candidates": ("linear",)})
    both = {"table": table, "answers": pairs(table)}
    shown = {}
    for parts in (both, {"answers": both["answers"]}):
        job_id = store.add_job("Pairs", told.to_dict(), parts)
        store.queue_job(job_id)
        store.claim_job("a", 60.0)
        work(store, job_id, "a")
        store.end_job(job_id, "a", "done", {})
        kept = KeptModel(store, store.get_job(job_id))
        assert kept.comparison.kind == "comparisons"
        assert kept.by_coalitions("linear", 0) is None
        shown[len(parts)] = [part.names for part in kept.parts("linear")]
        assert kept.rather_than("linear", 0, 1) is not None
        assert len(kept.predicted_rows("linear")) == len(kept.items)
    assert set(shown[2]) <= {("rent",), ("size",), ("noise",), ("rating",)}
    assert shown[1] == [("alternative",)]


@pytest.mark.parametrize(
    ("header", "kind", "target"),
    [
        ("name,rent,size,noise,rating", "numbers", "rating"),
        ("name,score,size,noise,b", "numbers", "score"),
        ("name,a,size,noise,b", "numbers", "b"),
    ],
)
def test_the_target_is_guessed(header: str, kind: str, target: str) -> None:
    lines = flats(20).decode().splitlines()
    guess = guess_target("\n".join([header, *lines[1:]]).encode(), None, "t.csv")
    assert (guess.target, guess.kind) == (target, kind)
    assert guess.n_rows == 20
    assert [name for name, _ in guess.columns] == header.split(",")[1:]


def test_files_that_cannot_be_used_are_refused_with_their_rows() -> None:
    with pytest.raises(DataError, match="Choose a file"):
        guess_target(None, None)
    with pytest.raises(DataError, match="No known format"):
        guess_target(None, b"a,b\n1,2\n")
    with pytest.raises(DataError, match=r"[Rr]ow"):
        guess_target(flats(), b"winner,loser\nFlat 1,Nobody\n", "t.csv")
    with pytest.raises(DataError, match="rows"):
        guess_target(flats(), None, "t.csv", max_rows=5)


def test_settings_are_checked() -> None:
    told = JobSettings(target="a", up=("b",), candidates=("linear",))
    assert JobSettings.from_dict(told.to_dict()) == told
    for wrong in ({"kind": "odd"}, {"candidates": ("odd",)}, {"n_folds": 1}):
        with pytest.raises(DataError):
            JobSettings(**wrong)
