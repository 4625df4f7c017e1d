"""Earlier participants help later ones: one fit at a time, beliefs stay."""

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.datasets import load_flats, make_flats_population
from penchant.exceptions import DataError
from penchant.models import PopulationGP
from penchant.studies import SqlStore, Study, StudySettings, simulated_answer, store_url
from penchant.studies import _population as population
from penchant.studies._population import (
    is_due,
    participations,
    pool,
    refit,
    refit_and_log,
)
from penchant.studies.store._packed_models import unpack_model

FLATS = load_flats().take(range(10))
PEOPLE = make_flats_population(8, random_state=2).utilities[:, :10]


@pytest.fixture
def study(store: SqlStore) -> Study:
    settings = StudySettings(max_questions=4, help_each_other=True)
    return Study(store, store.create_study("Flats", FLATS, settings=settings))


def take_part(study: Study, utilities: np.ndarray, n: int = 4) -> str:
    rng = np.random.default_rng(0)
    who = study.join()[0].id
    for _ in range(n):
        question = study.ask(who)
        told = simulated_answer(question.form, question.items, utilities, rng)
        study.tell(who, question.id, told)
    return who


def test_fewer_than_five_people_are_no_population(study: Study) -> None:
    assert not is_due(study.store, study.id)
    for utilities in PEOPLE[:4]:
        take_part(study, utilities, 3)
    assert not is_due(study.store, study.id)  # no process is started in vain
    assert refit(study.store, study.id) is None
    take_part(study, PEOPLE[4], 3)
    assert is_due(study.store, study.id)
    added = refit(study.store, study.id)
    assert added is not None
    assert study.store.latest_model(study.id).id == added
    assert not is_due(study.store, study.id)
    assert refit(study.store, study.id) is None


def test_those_who_join_later_start_from_the_model_and_the_others_do_not(
    study: Study,
) -> None:
    for utilities in PEOPLE[:5]:
        take_part(study, utilities, 3)
    early = take_part(study, PEOPLE[5], 2)
    before = study.ranking(early)
    study.refit(wait=True)
    model = study.store.latest_model(study.id)
    assert model is not None
    assert study.ranking(early) == before
    fresh = Study(study.store, study.id)
    assert fresh.ranking(early) == before
    late = study.join()[0].id
    assert study.participation(late).model == model.id
    assert study.participation(early).model is None
    body = study.store.get_model(model.id).body
    believed = unpack_model(body).for_user()
    earlier = study._talk(late).start.space.posterior
    assert np.array_equal(earlier.mean, believed.mean)
    alone = StudySettings(help_each_other=False)
    study.store.update_study(study.id, settings=alone)
    study.reload()
    assert study.participation(study.join()[0].id).model is None


@pytest.mark.slow
def test_finishing_starts_a_fit_in_the_background(study: Study) -> None:
    for utilities in PEOPLE[:5]:
        assert study.store.latest_model(study.id) is None
        take_part(study, utilities, 4)
        for thread in threading.enumerate():
            if thread.name == f"refit {study.id}":
                thread.join()
    assert study.store.latest_model(study.id) is not None


def test_of_two_at_once_one_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = store_url(tmp_path)
    with SqlStore(url) as one, SqlStore(url) as two:
        study = Study(one, one.create_study("Flats", FLATS))
        for utilities in PEOPLE[:5]:
            take_part(study, utilities, 3)
        inside, fits = threading.Barrier(2), []
        real = PopulationGP.fit

        def slow(self: PopulationGP, *arguments: Any) -> PopulationGP:
            fits.append(threading.get_ident())
            inside.wait(30)  # the other one has tried by now
            return real(self, *arguments)

        monkeypatch.setattr(PopulationGP, "fit", slow)
        added: list[str | None] = []
        first = threading.Thread(target=lambda: added.append(refit(one, study.id)))
        first.start()
        while not fits:
            pass
        assert refit(two, study.id) is None
        inside.wait(30)
        first.join()
        assert len(fits) == 1
        assert added == [one.latest_model(study.id).id]


def test_an_error_in_the_background_is_logged_and_gives_the_lease_back(
    study: Study, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(people: Any, largest: float) -> None:
        raise DataError("these answers are strange")

    for utilities in PEOPLE[:5]:
        take_part(study, utilities, 3)
    with monkeypatch.context() as patch:
        patch.setattr(population, "pool", fail)
        refit_and_log(study.store, study.id)
    assert "could not be fitted" in caplog.text
    assert refit(study.store, study.id) is not None


def test_answers_of_everybody_become_comparisons_of_users(study: Study) -> None:
    people = [take_part(study, utilities, 3) for utilities in PEOPLE[:2]]
    study.undo(people[1])
    question = study.ask(people[1])
    study.tell(people[1], question.id, "neither")
    everybody = participations(study.store, study.id, len(FLATS))
    assert list(everybody) == people
    pooled = pool(everybody)
    assert pooled.users.tolist() == [0, 0, 0, 1, 1]
    assert pool({}).users.size == 0


def test_how_likely_people_are_like_earlier_ones_is_learned(study: Study) -> None:
    study = Study(study.store, study.id, background=False)
    first, second = PEOPLE[0], -PEOPLE[0]
    for _ in range(5):
        take_part(study, first)
    study.refit(wait=True)
    model = study.store.latest_model(study.id).id
    assert study.newcomer().like_earlier == pytest.approx(0.7)  # nobody to learn from
    others = [take_part(study, second) for _ in range(4)]
    study.refit(wait=True)
    latest = study.store.latest_model(study.id).id
    assert latest != model
    chances = [study._talk(who).belief.like_others for who in others]
    assert max(chances) < 0.7
    expected = (1.4 + sum(chances)) / 6
    assert study.newcomer().like_earlier == pytest.approx(expected)
    late = study.join()[0].id
    assert study._talk(late).belief.like_earlier == pytest.approx(expected)
    assert study._talk(others[0]).belief.like_earlier == pytest.approx(0.7)


def test_a_fit_that_was_killed_holds_others_up_for_a_minute_at_most(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    take = study.store.lease

    def lease(name: str, holder: str, seconds: float) -> bool:
        asked.append(seconds)
        return take(name, holder, seconds)

    def fit_for_long(*_: object) -> None:
        while len(asked) < 4:  # the lease is short, so it is asked for again
            time.sleep(0.001)

    assert population._LEASE <= 60.0
    monkeypatch.setattr(study.store, "lease", lease)
    monkeypatch.setattr(population, "_LEASE", 0.03)
    monkeypatch.setattr(population, "is_due", lambda *_: True)
    monkeypatch.setattr(population, "fit", fit_for_long)
    population.refit(study.store, study.id)
    assert set(asked) == {0.03}
    assert take(f"refit {study.id}", "somebody else", 1.0)
