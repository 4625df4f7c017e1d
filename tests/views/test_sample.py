"""The picture of a result on the first page is what the study says."""

from pathlib import Path
from typing import Any

import pytest

from penchant.studies import (
    LANGUAGES,
    SqlStore,
    Study,
    load_texts,
    store_url,
    study_template,
)
from penchant.views import sample_view
from penchant.views._sample import _BEST, _N_ANSWERS, _SHARES, _SURE

ANSWERS = (
    (39, 7, "left", "size"),
    (12, 39, "left", "price"),
    (15, 12, "right", "price"),
    (17, 12, "right", "price"),
    (9, 12, "right", "energy class"),
    (17, 0, "left", "size"),
    (12, 22, "left", "energy class"),
    (25, 12, "right", "price"),
    (12, 16, "left", "size"),
    (12, 31, "left", "price"),
    (12, 6, "left", "noise"),
    (9, 3, "left", "noise"),
    (12, 11, "left", "noise"),
    (13, 12, "right", "size"),
)
"""What a person was asked, chose, and named as the main reason.

Of the people of ``make_flats_population(n_users=10, random_state=5)`` the fourth, asked
as the app asks, naming what weighed most.
"""


def test_the_numbers_are_those_of_the_answers(tmp_path: Path) -> None:
    log: list[tuple[str, Any]] = [("joined", {"language": "en", "model": None})]
    for k, (first, second, answer, because) in enumerate(ANSWERS):
        asked = {"form": "pair", "items": [first, second], "repeat": False}
        log += [
            ("asked", {"question": str(k), **asked}),
            ("answered", {"question": str(k), "answer": answer}),
            ("because", {"question": str(k), "attribute": because}),
        ]
    with SqlStore(store_url(tmp_path)) as store:
        made = study_template("flats").create(store)
        study = Study(store, made, background=False)
        person = store.add_participant(made, simulated=True, events=log)[0].id
        n_answers = len(study.participation(person).answered)
        best, curves = study.ranking(person)[0], study.curves(person)
    assert n_answers == len(ANSWERS) == _N_ANSWERS
    assert best.name == _BEST
    # Draws differ from person to person.
    assert best.probability_best == pytest.approx(_SURE, abs=0.1)
    found = {
        curve.attribute: (curve.share, curve.share_low, curve.share_high)
        for curve in curves
    }
    for name, shares in _SHARES.items():
        assert found[name] == pytest.approx(shares, abs=0.1)
        assert (found[name][1] < 0.01) == (shares[1] == 0)  # "not sure"


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_in_every_language(language: str) -> None:
    texts = load_texts(language)
    view = sample_view(texts)
    assert view.counted[0].label == texts("table.flats.energy class")
    assert view.counted[-1].share == texts("numbers.not_sure")
    assert view.facts[0].label == texts("table.flats.price")
    assert texts.share(_SURE) in view.sure
