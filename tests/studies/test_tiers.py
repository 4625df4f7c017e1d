"""One order and one number: the ranking of a person, and its tiers."""

import numpy as np
import pytest

from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, StudySettings


@pytest.mark.parametrize("n_answers", [2, 9])
def test_ranking_is_by_points_and_tiers_are_clearly_behind(
    store: SqlStore, n_answers: int
) -> None:
    flats = load_flats().take(range(14))
    study_id = store.create_study("Flats", flats, settings=StudySettings(max_regret=0))
    study = Study(store, study_id)
    person, _ = study.join()
    price = flats.frame["price"]
    for _ in range(n_answers):
        question = study.ask(person.id)
        assert question is not None
        left, right = question.items
        answer = "left" if price[left] < price[right] else "right"
        study.tell(person.id, question.id, answer)
    ranking = study.ranking(person.id)
    points = [each.points for each in ranking]
    assert points == sorted(points, reverse=True)
    tiers = [each.tier for each in ranking]
    assert tiers[0] == 1
    assert set(np.diff(tiers)) <= {0, 1}
    drawn = study._talk(person.id).belief.draws
    leaders = {each.tier: each.item for each in reversed(ranking)}

    def ahead(first: int, second: int) -> float:
        better = drawn.utilities[:, first] > drawn.utilities[:, second]
        return float(drawn.weights @ better)

    for each in ranking:
        if each.tier > 1:
            assert ahead(leaders[each.tier - 1], each.item) >= 0.95
    last = [each for each in ranking if each.tier == 1][-1]
    assert ahead(leaders[1], last.item) < 0.95
    assert study.noticed(person.id) > 0


def test_what_was_rejected_comes_last_without_a_tier(store: SqlStore) -> None:
    study_id = store.create_study("Flats", load_flats().take(range(6)))
    study = Study(store, study_id)
    person, _ = study.join()
    question = study.ask(person.id)
    assert question is not None
    study.tell(person.id, question.id, "neither")
    ranking = study.ranking(person.id)
    assert {each.item for each in ranking[-2:]} == set(question.items)
    assert [each.tier for each in ranking[-2:]] == [0, 0]
