"""Files that penchant 0.1.0 wrote: they load, and say today what they said then.

`make.py` shows how the files were made. They are never written anew.
"""

import json
import logging
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import penchant.models
from penchant.data import Items
from penchant.elicitation import Elicitor
from penchant.exceptions import ParticipantNotFoundError
from penchant.io import _classes, load, save
from penchant.models import Capacity, Posterior
from penchant.studies import SqlStore, Study, check_store, import_study, restore

FOLDER = Path(__file__).parent
MODELS = sorted(path.stem for path in (FOLDER / "models").glob("*.npz"))


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


# ---------------------------------------------------------------- fitted models


def outputs(model: Any, X: Any, methods: list[str]) -> dict[str, Any]:
    """Say what a model makes of items, as plain values; also used by `make.py`."""
    if "for_user" in methods:
        return {str(who): belief(model.for_user(who)) for who in X}
    items = Items.from_dict(X) if isinstance(X, dict) else X
    return {name: plain(getattr(model, name)(items)) for name in methods}


def belief(posterior: Posterior) -> dict[str, Any]:
    """Say what is believed of a person and some items, before and after an answer."""
    told = posterior.update(0, 2)
    parts = {
        "mean": posterior.mean,
        "variance": posterior.variance,
        "after": told.mean,
    }
    return {name: plain(values[:8]) for name, values in parts.items()}


def plain(value: Any) -> Any:
    return [part.tolist() for part in value] if type(value) is tuple else value.tolist()


def assert_near(found: Any, stored: Any) -> None:
    """Compare plain values, numbers to 1e-10."""
    if isinstance(stored, dict):
        assert found.keys() == stored.keys()
        for key, value in stored.items():
            assert_near(found[key], value)
    elif isinstance(stored, list) and isinstance(stored[0], list):
        for part, value in zip(found, stored, strict=True):
            assert_near(part, value)
    elif isinstance(np.asarray(stored).flat[0], str):
        assert found == stored
    else:
        np.testing.assert_allclose(found, stored, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_a_fitted_model_predicts_what_it_did(name):
    model, stored = load(FOLDER / "models" / f"{name}.npz"), read(f"models/{name}.json")
    assert type(model).__name__ == stored["class"]
    expected = stored["outputs"]
    methods = ["for_user"] if "PopulationGP" in stored["class"] else list(expected)
    found = outputs(model, stored["X"], methods)
    if name == "population":
        # What is blank of a person counted as average; now it is unknown, see
        # tests/studies/test_about.py, and says less.
        blank = str({"age": None, "town": "c"})
        assert expected.pop(blank) != found.pop(blank)
    assert_near(found, expected)


def test_every_estimator_is_there():
    public = [getattr(penchant.models, name) for name in penchant.models.__all__]
    estimators = {
        cls.__name__
        for cls in public
        if isinstance(cls, type) and issubclass(cls, BaseEstimator)
    }
    assert estimators <= {read(f"models/{name}.json")["class"] for name in MODELS}


def classes(path: Path) -> set[str]:
    """Give the names of classes in a saved model."""
    with zipfile.ZipFile(path) as archive:
        text = archive.read("model.json").decode("ascii")
    return set(re.findall(r'"class": "([^"]*)"', text))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_is_saved_again_names_no_module(name, tmp_path):
    old, new = FOLDER / "models" / f"{name}.npz", tmp_path / "again.npz"
    save(load(old), new)
    public = {tag for tag in classes(old) if "._" not in tag}
    assert public <= classes(new)
    assert not [tag for tag in classes(new) if "_" in tag]
    save(load(new), tmp_path / "third.npz")
    assert (tmp_path / "third.npz").read_bytes() == new.read_bytes()


def test_every_old_tag_is_met():
    met = set().union(*(classes(FOLDER / "models" / f"{name}.npz") for name in MODELS))
    old = {tag for tag in met if "._" in tag}
    assert old == {f"penchant.{tag}" for tag in _classes._OLD_TAGS}


def test_a_capacity_and_a_belief_come_back():
    stored = read("values.json")
    capacity = Capacity.from_dict(stored["capacity"])
    assert_near(capacity.shapley().tolist(), stored["shapley"])
    posterior = Posterior.from_dict(stored["posterior"])
    assert len(posterior.answers) == stored["n_answers"]
    assert_near(belief(posterior), stored["belief"])


# ---------------------------------------------------------------- an elicitor


@pytest.fixture
def elicitor() -> Elicitor:
    return Elicitor.from_dict(read("elicitor.json")["state"])


def test_an_elicitor_keeps_every_answer_and_goes_on(elicitor):
    told = read("elicitor.json")["state"]["answers"]
    assert [[t.left, t.right, t.answer] for t in elicitor.answers] == told
    assert {answer for _, _, answer in told} == {
        "left",
        "right",
        "tie",
        "skip",
        "neither",
    }
    elicitor.tell(elicitor.ask(), "left")
    assert len(elicitor.answers) == len(told) + 1
    elicitor.undo(len(told) + 1)
    assert elicitor.answers == ()


def test_an_elicitor_asks_and_recommends_what_it_did(elicitor):
    stored = read("elicitor.json")
    assert elicitor.ask().to_dict() == stored["question"]
    for found, expected in zip(
        elicitor.recommend(3), stored["recommendations"], strict=True
    ):
        assert found.to_dict() == pytest.approx(expected, abs=1e-8)


# ---------------------------------------------------------------- studies

PLACES = ("database", "backup of SQLite", "backup of PostgreSQL", "export")


def conversation(study: Study, participant: str) -> dict[str, Any]:
    """Say where a participant stands; also used by `make.py`."""
    now = study.participation(participant)
    return {
        "study": study.record.name,
        "label": study.store.get_participant(participant).label,
        "answers": [[t.form, list(t.items), t.answer, t.repeat] for t in now.answered],
        "consented": now.consented,
        "finished": now.finished,
        "has_model": now.model is not None,
        "language": now.language,
        "n_events": now.n_events,
    }


def outlook(study: Study, participant: str) -> dict[str, Any]:
    """Say what follows: the result, this question and the next; as `conversation`.

    It writes to the store.
    """
    ranking = study.ranking(participant)
    asked = study.go_on(participant)
    assert asked is not None
    study.tell(participant, asked.id, an_answer(asked.form, asked.items))
    following = study.ask(participant)
    assert following is not None
    return {
        "ranking": [place.item for place in ranking],
        "points": [place.points for place in ranking],
        "question": sorted(asked.items),  # their order hangs on the identifier
        "next": sorted(following.items),
    }


def an_answer(form: str, items: tuple[int, ...]) -> Any:
    first, last = min(items), max(items)
    if form == "best-worst":
        return {"best": first, "worst": last}
    if form == "ranking":
        return sorted(items)
    return 4 if form == "rating" else "left" if items[0] == first else "right"


@pytest.fixture(params=PLACES)
def store(request, tmp_path) -> Iterator[SqlStore]:
    """Open what 0.1.0 left: a database, both kinds of backup, an exported study.

    A backup of SQLite is such a database.
    """
    path = tmp_path / "penchant.sqlite"
    if request.param == "database":
        shutil.copyfile(FOLDER / "studies.sqlite", path)
    with SqlStore(f"sqlite:///{path}") as opened:
        if request.param == "backup of SQLite":
            assert restore(opened, FOLDER / "studies.sqlite") == 4
        elif request.param == "backup of PostgreSQL":
            assert restore(opened, FOLDER / "backup.jsonl") == 4
        elif request.param == "export":
            import_study(opened, read("study.json"))
        yield opened


def people(store: SqlStore) -> list[tuple[Study, str, dict[str, Any]]]:
    """Give every participant, with what is stored of them."""
    found = []
    for record in store.list_studies():
        study = Study(store, record.id)
        for person in store.list_participants(record.id):
            key = f"{record.name}: {person.label}"
            found.append((study, person.id, read("studies.json")[key]))
    return found


def test_every_answer_is_kept_and_the_conversation_goes_on(store, caplog):
    assert check_store(store).ok
    caplog.set_level(logging.WARNING)
    kept = people(store)
    assert len(kept) in (8, 14)
    for study, person, stored in kept:
        assert conversation(study, person) == stored["conversation"]
        n_answers = len(stored["conversation"]["answers"])
        asked = study.go_on(person)
        now = study.tell(person, asked.id, an_answer(asked.form, asked.items))
        assert len(now.answered) == n_answers + 1
        assert now.open_question is not None
        ranked = {place.item for place in study.ranking(person)}
        assert ranked == set(range(len(study.items)))
        assert len(study.undo(person).answered) == n_answers
    assert caplog.records == []  # nobody starts from nothing


def test_links_open_as_before(store):
    for _, person, stored in people(store):
        if store.list_owners():  # an export holds neither owners nor links
            assert store.find_participant(stored["link"]).id == person
        else:
            with pytest.raises(ParticipantNotFoundError):
                store.find_participant(stored["link"])


def test_question_and_result_follow_from_old_answers(store):
    # What was stored of them rests on the belief of 0.1.0; today's is another one.
    for study, person, stored in people(store):
        found = outlook(study, person)
        assert sorted(found["ranking"]) == sorted(stored["outlook"]["ranking"])
        assert min(found["points"]) == pytest.approx(0.0, abs=1e-6)
        assert max(found["points"]) <= 100.0 + 1e-6
        assert found["question"] != found["next"]


def test_earlier_people_still_help_later_ones(store):
    for study in {study.id: study for study, _, _ in people(store)}.values():
        latest = store.latest_model(study.id)
        assert (latest is not None) == (study.record.name == "pair")
        if latest is not None:
            person, _ = study.join()
            study.consent(person.id)
            assert study.participation(person).model == latest.id
            assert study.ask(person.id) is not None
