"""The benchmark of many answers does the work that it claims."""

import pytest

from benchmarks import bench_many_answers
from penchant.models import GaussianProcessRanker


def test_the_exact_reference_is_the_exact_model():
    pairs, labels = bench_many_answers.draw(60, seed=0)
    others, _ = bench_many_answers.draw(20, seed=1)
    model = GaussianProcessRanker(learn=False, approximation="none").fit(pairs, labels)
    expected = model.predict_proba(others)[:, 1]
    found = bench_many_answers.exact_chances(model, pairs, labels, others)
    assert found == pytest.approx(expected, abs=1e-6)


def test_fits_are_checked_against_the_exact_log_loss(monkeypatch):
    monkeypatch.setattr(bench_many_answers, "LIMITS", {510: 10.0})
    monkeypatch.setattr(bench_many_answers, "AS_EXACT", 510)
    with bench_many_answers.cases() as (budget,):
        assert "exact" in budget.name
        model = budget.ours()
    assert model.approximation_ == "nystrom"
    assert budget.check(model)
