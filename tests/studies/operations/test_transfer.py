import copy
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penchant.data import Items
from penchant.exceptions import FormatError, OwnerNotFoundError
from penchant.studies import (
    SqlStore,
    StudySettings,
    answers_csv,
    check_store,
    export_study,
    import_study,
)

MODELS = Path(__file__).parents[2] / "golden" / "models"
MODEL = (MODELS / "population.npz").read_bytes()

HOSTILE = [
    "<script>alert(1)</script>",
    '=HYPERLINK("http://x")',
    "\u202eright to left\u200f",
    "x" * 10_000,
    "👩‍👩‍👧 e\u0301 名",
    "'; DROP TABLE studies; --",
    "line\nbreak\ttab\r",
    "{{ 7 * 7 }} {% raw %} %s %(x)s",
]

# Bodies as a client could send them: any JSON, any text, also NUL and half pairs.
texts = st.text(st.characters(), max_size=20)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=8,
)
known_keys = st.sampled_from(["question", "answer", "items", "form", "model", "repeat"])
likely = st.sampled_from(
    [
        "0" * 16,
        "1" * 16,
        "pair",
        "ranking",
        "left",
        "skip",
        [0, 1],
        [1, 0],
        [0, 9],
        True,
    ]
)
bodies = st.dictionaries(known_keys | texts, likely | plain, max_size=5)
kinds = st.sampled_from(
    ["joined", "consented", "asked", "answered", "because", "undone", "finished"]
)
logs = st.lists(st.tuples(kinds, bodies), max_size=12)


def through_json(values: Any) -> Any:
    return json.loads(json.dumps(values))


def without_names(values: dict[str, Any]) -> dict[str, Any]:
    """Leave out what an import gives anew."""
    values = copy.deepcopy(values)
    for entry in (values, *values["participants"], *values["models"]):
        del entry["id"]
    for event in values["events"]:
        if event["kind"] == "joined" and isinstance(event["body"].get("model"), str):
            event["body"]["model"] = "a model"
    return values


def test_import_gives_the_same_study_under_new_names(
    any_store: SqlStore, items: Items
) -> None:
    chosen = StudySettings(question="rating", intro="Hello")
    study_id = any_store.create_study("Flats", items, settings=chosen)
    model = any_store.add_model(study_id, MODEL, 2)
    start = ("joined", {"language": "en", "model": model})
    first, token = any_store.add_participant(study_id, label="Ann", events=[start])
    any_store.add_participant(study_id, simulated=True, events=[start])
    any_store.append(first.id, 1, [("consented", {})])
    exported = export_study(any_store, study_id)
    copy_id = import_study(any_store, through_json(exported))
    again = export_study(any_store, copy_id)
    assert without_names(again) == without_names(exported)
    copied = any_store.dump_study(copy_id)
    assert copied.study.settings == chosen
    assert copied.study.items == items
    assert copied.models[0].body == MODEL
    assert copied.events[0].body["model"] == copied.models[0].id != model
    assert not {p.id for p in copied.participants} & {first.id}
    assert any_store.find_participant(token).study_id == study_id
    assert check_store(any_store).ok


def test_export_holds_no_links(any_store: SqlStore, items: Items) -> None:
    study_id = any_store.create_study("Flats", items)
    _, token = any_store.add_participant(study_id)
    link = any_store.dump_study(study_id).links[0]
    text = json.dumps(export_study(any_store, study_id))
    assert token not in text
    assert link not in text


def test_import_belongs_to_whoever_imports(store: SqlStore, items: Items) -> None:
    ann = store.add_owner("ann", "hash")
    exported = export_study(store, store.create_study("Flats", items, owner=ann))
    bob = store.add_owner("bob", "hash")
    assert store.get_study(import_study(store, exported)).owner is None
    assert store.get_study(import_study(store, exported, owner=bob)).owner == bob
    with pytest.raises(OwnerNotFoundError):
        import_study(store, exported, owner="0" * 32)


def test_copy_of_the_demo_is_no_demo(store: SqlStore, items: Items) -> None:
    demo = store.ensure_demo("Demo", items)
    copied = store.get_study(import_study(store, export_study(store, demo)))
    assert not copied.demo
    assert store.ensure_demo("Demo", items) == demo


def test_hostile_texts_survive(any_store: SqlStore) -> None:
    frame = pd.DataFrame({name: range(len(HOSTILE)) for name in HOSTILE}, index=HOSTILE)
    hostile = Items.from_frame(frame)
    for text in HOSTILE:
        chosen = StudySettings(consent=text, intro=text)
        study_id = any_store.create_study(text, hostile, settings=chosen)
        any_store.add_participant(
            study_id, label=text, events=[("joined", {"language": text})]
        )
        exported = through_json(export_study(any_store, study_id))
        copied = any_store.dump_study(import_study(any_store, exported))
        assert copied.study.items == hostile
        assert copied.study.name == text
        assert copied.study.settings == chosen
        assert copied.participants[0].label == text
        assert copied.events[0].body == {"language": text}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(log=logs)
def test_any_log_can_be_read_exported_and_imported(
    store: SqlStore, items: Items, log: list[tuple[str, dict[str, Any]]]
) -> None:
    study_id = store.create_study("Flats", items)
    person, _ = store.add_participant(study_id, events=log)
    assert [(e.kind, e.body) for e in store.events(person.id)] == log
    report = check_store(store)
    assert report.n_events == len(log)
    answers_csv(store, study_id)
    exported = export_study(store, study_id)
    copy_id = import_study(store, through_json(exported))
    assert without_names(export_study(store, copy_id)) == without_names(exported)
    store.delete_study(study_id)
    store.delete_study(copy_id)


def damage(path: tuple[Any, ...], value: Any) -> Any:
    def apply(values: dict[str, Any]) -> None:
        place: Any = values
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return apply


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), "penchant-study-99", "not an exported study"),
        (("id",), "../../etc", "not an identifier"),
        (("id",), None, "damaged"),
        (("name",), "a\0", "cannot be stored"),
        (("owner",), "x", "not an identifier"),
        (("items",), {}, "not a table of items"),
        (("items", "columns"), {"rent": [1]}, "damaged"),
        (("items", "attributes"), 3, "damaged"),
        (("settings", "question"), "duel", "form of the questions"),
        (("models", 0, "body"), "no base 64!", "damaged"),
        (("models", 0, "n_events"), 2**40, "not a count"),
        (("models", 0, "created"), "yesterday", "damaged"),
        (("models",), None, "damaged"),
        (("participants", 0, "label"), 7, "must be a text"),
        (("participants", 0, "created"), "2026-01-01T00:00:00", "time zone"),
        (("participants", 0), [], "damaged"),
        (("events", 0, "participant"), 5, "damaged"),
        (("events", 0, "participant"), -1, "not a count"),
        (("events", 0, "kind"), "a\0", "does not know"),
        (("events", 0, "kind"), "danced", "Use the version that wrote it"),
        (("events", 0, "body"), [], "must be a mapping"),
        (("events", 0, "at"), 3, "damaged"),
        (("events", 0), {}, "'participant' is missing"),
        (("events",), {}, None),
    ],
)
def test_damaged_export_is_refused_and_nothing_is_kept(
    store: SqlStore, items: Items, path: tuple[Any, ...], value: Any, said: str | None
) -> None:
    study_id = store.create_study("Flats", items)
    store.add_model(study_id, MODEL, 0)
    store.add_participant(study_id, events=[("joined", {})])
    exported = export_study(store, study_id)
    damage(path, value)(exported)
    if said is None:
        import_study(store, exported)  # no events are fine, however written
        return
    with pytest.raises(FormatError, match=said):
        import_study(store, exported)
    assert len(store.list_studies()) == 1


def packed(**members: bytes) -> bytes:
    """Put files into an archive, as small as they get."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return file.getvalue()


def nested(n_levels: int) -> bytes:
    tree = b'{"format": "penchant-model", "version": 1, "model": %s}'
    return packed(model_json=tree % (b"[" * n_levels + b"]" * n_levels))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"m", "not a model of penchant"),
        ((MODELS / "gai_ranker.npz").read_bytes(), "must be a PopulationGP"),
        (packed(model_json=b"{}", big_npy=bytes(150_000_000)), "unpacks to 150000"),
        (packed(model_json=b" " * 150_000_000), "unpacks to 150000000 bytes"),
        (nested(900), "nested more than 50 levels deep"),
        (nested(100_000), "nested more than 50 levels deep"),
        (nested(5), "cannot be read"),
    ],
    ids=["noise", "class", "size", "tree", "900", "many", "list"],
)
def test_models_that_are_none_of_ours_are_refused(
    store: SqlStore, items: Items, body: bytes, said: str
) -> None:
    study_id = store.create_study("Flats", items)
    store.add_model(study_id, body, 0)
    with pytest.raises(FormatError, match=said) as refused:
        import_study(store, export_study(store, study_id))
    assert str(refused.value).startswith("Model 1 of the study is refused. The model")
    assert "/tmp" not in str(refused.value)
    assert len(store.list_studies()) == 1


@pytest.mark.parametrize("values", [None, [], "text", {}, {"format": 1}])
def test_something_else_is_refused(store: SqlStore, values: Any) -> None:
    with pytest.raises(FormatError, match="not an exported study"):
        import_study(store, values)
