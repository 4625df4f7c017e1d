"""The race of GaussianProcessRanker is about what its claim says."""

import numpy as np
import pytest

from benchmarks import bench_pairwise_gp
from benchmarks._measure import Budget
from benchmarks.peers import is_here


def test_answers_follow_the_utility_but_for_noise():
    for truth in ("linear", "interactions"):
        task = bench_pairwise_gp.make_task(truth, 300)
        assert task.X.shape == (600, 15)
        assert max(task.winners.max(), task.losers.max()) < 100
        right = task.utility[task.winners] > task.utility[task.losers]
        assert 0.75 < right.mean() < 0.98


def test_without_the_peer_our_own_times_are_left(monkeypatch):
    monkeypatch.setattr(bench_pairwise_gp, "is_here", lambda module: False)
    with bench_pairwise_gp.cases() as cases:
        ours = [case for case in cases if isinstance(case, Budget)]
        assert [case.seconds for case in ours] == [0.1, 0.1]
        assert all(case.check(case.ours()) for case in ours)
        rest = [case for case in cases if case not in ours]
        assert {case.needs for case in rest} == {"botorch"}


def test_no_worse_allows_for_chance_only():
    theirs = np.array([0.5, 0.6, 0.7, 0.8])
    noise = np.array([0.01, -0.02, 0.02, -0.015])
    assert bench_pairwise_gp.no_worse(theirs + noise, theirs)
    assert bench_pairwise_gp.no_worse(theirs + 0.1, theirs)
    assert not bench_pairwise_gp.no_worse(theirs - 0.1 + noise, theirs)


@pytest.mark.skipif(not is_here("botorch"), reason="needs botorch")
@pytest.mark.filterwarnings("ignore")  # those of the peer are not ours
def test_the_peer_learns_the_same_order():
    task = bench_pairwise_gp.make_task("linear", 100)
    assert task.correlation(bench_pairwise_gp.theirs(task)) > 0.7
