"""A population fitted in a process of its own is the same."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from penchant.datasets import load_flats, make_flats_population
from penchant.exceptions import PenchantError
from penchant.studies import NewEvent, SqlStore, store_url
from penchant.studies._fit_apart import fit_apart
from penchant.studies._population import fit, fit_as_told
from penchant.studies.store._packed_models import unpack_model

FLATS = load_flats()
ANSWERED = make_flats_population(6, n_comparisons=5, random_state=0).comparisons


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    with SqlStore(store_url(tmp_path)) as opened:
        yield opened


def answered_study(store: SqlStore, n_people: int = 6) -> str:
    study_id = store.create_study("Flats", FLATS)
    for user in range(n_people):
        log: list[NewEvent] = []
        for k in np.flatnonzero(ANSWERED.users == user):
            asked = {"question": f"{k:016x}", "form": "pair"}
            shown = [int(ANSWERED.winners[k]), int(ANSWERED.losers[k])]
            log.append(("asked", {**asked, "items": shown}))
            log.append(("answered", {"question": f"{k:016x}", "answer": "left"}))
        store.add_participant(study_id, events=log)
    return study_id


@pytest.mark.slow
def test_another_process_finds_the_same_model(store: SqlStore) -> None:
    study_id = answered_study(store)
    here, apart = (
        unpack_model(store.get_model(str(found)).body).for_user()
        for found in (
            fit(store, study_id),
            fit_apart(store.address, study_id),
        )
    )
    np.testing.assert_allclose(apart.mean, here.mean, atol=1e-6)
    np.testing.assert_allclose(apart.variance, here.variance, atol=1e-6)


@pytest.mark.parametrize(("n_people", "fits"), [(6, True), (4, False)])
def test_the_work_of_that_process(
    store: SqlStore, n_people: int, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_id = answered_study(store, n_people)
    told = json.dumps({"address": store.address, "study": study_id}).encode()
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(told)))
    monkeypatch.setattr(sys, "stdout", out)
    fit_as_told()
    latest = store.latest_model(study_id)
    assert (latest is not None) is fits
    assert out.getvalue() == ("" if latest is None else latest.id)


def test_a_process_that_fails_is_an_error(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(PenchantError, match="process that fits a population ended"):
        fit_apart(store.address, "0" * 32)
