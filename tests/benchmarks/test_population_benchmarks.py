"""The population benchmark does the work that it claims."""

import numpy as np
import pytest

from benchmarks import bench_population


@pytest.mark.parametrize("shown", [4, None], ids=["lists", "pairs"])
def test_people_answer_as_often_as_claimed(shown, monkeypatch):
    monkeypatch.setattr(bench_population, "N_PAIRS", 6)
    past = bench_population.answers(7, 9, shown)
    assert np.bincount(past.users).tolist() == [6] * 7
    for user in range(7) if shown else []:
        own = past.of_user(user)
        assert len({*own.winners.tolist(), *own.losers.tolist()}) == shown
        assert own.n_duplicates == own.n_contradictions == 0
