"""The demo study and its simulated people."""

import pytest

from penchant.studies import SqlStore, Study, add_demo, check_store, demo_in


def test_demo_has_marked_people_and_a_population_once(store: SqlStore) -> None:
    study_id = add_demo(store)
    people = store.list_participants(study_id)
    assert len(people) == 80
    assert all(person.simulated for person in people)
    assert all(person.label.startswith("Simulated") for person in people)
    model = store.latest_model(study_id)
    assert model is not None
    assert add_demo(store) == study_id
    assert len(store.list_participants(study_id)) == 80
    assert store.latest_model(study_id).id == model.id
    assert not check_store(store).problems
    study = Study(store, study_id)
    visitor = study.join()[0]
    assert not visitor.simulated
    assert study.participation(visitor.id).model == model.id
    simulated = study.participation(people[0].id)
    assert (len(simulated.answered), simulated.state, simulated.ignored) == (
        20,
        "finished",
        0,
    )


def test_each_language_has_a_demo_of_its_own(store: SqlStore) -> None:
    german = add_demo(store, "de")
    study = Study(store, german)
    assert study.record.name == "Wohnungen in der Stadt"
    assert [a.name for a in study.items.attributes][:2] == ["Miete", "Größe"]
    assert study.items.describe(0)["Lärm"] == "etwas Verkehr"
    first = store.list_participants(german)[0]
    assert (first.label, first.simulated) == ("Simuliert: Studium 1", True)
    assert store.latest_model(german) is not None
    assert demo_in("de", store.list_studies()) == german
    assert demo_in("en", store.list_studies()) is None


def test_demo_that_was_interrupted_is_completed(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, added = store.add_participant, []

    def fail_later(*arguments, **options):  # type: ignore[no-untyped-def]
        if len(added) == 10:
            raise KeyboardInterrupt
        added.append(options["label"])
        return add(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(store, "add_participant", fail_later)
        with pytest.raises(KeyboardInterrupt):
            add_demo(store)
    study_id = add_demo(store)
    labels = [person.label for person in store.list_participants(study_id)]
    assert len(labels) == len(set(labels)) == 80


def test_while_another_process_adds_people_the_study_is_there(store: SqlStore) -> None:
    from penchant.datasets import load_flats

    study_id = store.ensure_demo("Flats in town", load_flats())
    assert store.lease(f"demo {study_id}", "another process", 60)
    assert add_demo(store) == study_id
    assert store.list_participants(study_id) == []


def test_nobody_of_the_demo_looks_careless(store: SqlStore) -> None:
    study = Study(store, add_demo(store))
    group = study.group()
    assert group.n_voices == group.n_simulated > 50
    assert group.careless == ()
    assert group.in_front
