import json
from pathlib import Path
from typing import Any

import pytest

from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, export_study, store_url, study_notebook


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    with SqlStore(store_url(tmp_path / "data")) as store:
        flats = load_flats().take(range(10))
        study = Study(store, store.create_study("Flats", flats))
        for number in range(6):
            person, _ = study.join(f"Person {number}")
            for turn in range(4):
                question = study.ask(person.id)
                assert question is not None
                side = "left" if (number + turn) % 2 else "right"
                study.tell(person.id, question.id, side)
        path = tmp_path / "it's a study.json"
        path.write_text(json.dumps(export_study(store, study.id)), encoding="utf-8")
    return path


def test_code_of_the_notebook_runs(
    exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(exported.parent)
    notebook = json.loads(json.dumps(study_notebook(exported.name)))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        assert {"cell_type", "id", "metadata", "source"} <= set(cell)
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    try:
        assert len(names["people"]) == 6
        assert names["ranking"]["place"].tolist() == list(range(1, 11))
        assert names["group"].n_voices == 6
        assert set(names["curves"]["attribute"]) <= set(
            names["study"].items.frame.columns
        )
        assert names["figure"].axes
        assert names["rules"]
    finally:
        pyplot.close("all")
        names["store"].close()
        names["folder"].cleanup()


def test_cells_have_names_of_their_own() -> None:
    cells = study_notebook("study.json")["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
