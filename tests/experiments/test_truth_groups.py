"""Groups whose tastes are known, on the smallest sample that shows something."""

import numpy as np

from experiments.truth import groups


def test_crowds_are_not_split_and_opposed_kinds_are_found() -> None:
    found = groups.run_kinds(2, 5, ("crowd", "opposed"), (30,))
    crowd, opposed = found["crowd 30"], found["opposed 30"]
    assert crowd["said_none"] == 1.0
    assert crowd["differ_wrong"] == 0.0
    assert crowd["tau"] > 0.5
    assert crowd["behind_true"] > 0.95
    assert opposed["said_none"] == 0.0
    assert opposed["membership"] > 0.9


def test_people_who_do_not_read_are_noticed() -> None:
    found = groups.run_careless(2, 5, names=("crowd",))
    flagged = found["careless crowd checks 2"]
    assert flagged["left"] == flagged["alternating"] == 1.0
    assert flagged["random"] > 0.5
    assert flagged["honest"] <= 0.05


def test_tastes_are_new_in_every_group_and_apart_where_they_should_be() -> None:
    drawn = [world.utilities for world, _, _ in groups.groups("opposed", 2, 0, n=4)]
    assert not np.allclose(drawn[0], drawn[1])
    for world, people, _ in groups.groups("opposed", 2, 0, n=4):
        assert set(world.kinds) == {0, 1}
        one, two = (world.utilities[world.kinds == k].mean(axis=0) for k in (0, 1))
        assert np.corrcoef(one, two)[0, 1] < 0.1
        assert all(len(person.answers) == groups.N_ANSWERS for person in people)
