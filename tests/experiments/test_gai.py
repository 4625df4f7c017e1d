"""What the scripts of the GAI paper measure, on the smallest samples."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from experiments.gai import figure1, hierarchy, table1, table2, table3
from experiments.gai._methods import METHODS
from experiments.gai._paired import paired_test
from experiments.gai._scores import Score, score, state_of
from experiments.gai._tasks import tasks


class TestPaired:
    def test_without_correction_it_is_the_paired_t_test(self) -> None:
        rng = np.random.default_rng(0)
        ours, theirs = rng.random(20), rng.random(20)
        ours[:5] = theirs[:5] - 0.1
        result = paired_test(ours, theirs, test_share=0.0)
        assert result.p == pytest.approx(ttest_rel(ours, theirs).pvalue)
        assert result.n_wins == int(sum(ours < theirs))

    def test_overlapping_training_sets_weaken_the_evidence(self) -> None:
        ours, theirs = [0.1, 0.2, 0.15], [0.3, 0.35, 0.4]
        plain = paired_test(ours, theirs, test_share=0.0)
        corrected = paired_test(ours, theirs, test_share=0.2)
        assert plain.p < corrected.p < 1.0
        assert plain.difference == corrected.difference == pytest.approx(-0.2)

    def test_equal_methods_are_not_different(self) -> None:
        result = paired_test([0.1, 0.2], [0.1, 0.2], test_share=0.2)
        assert (result.difference, result.n_wins, result.p) == (0.0, 0, 1.0)


class TestTable1:
    def test_true_utilities_run_from_0_to_1(self) -> None:
        quiet, noisy = table1.draw(3, of_range=False), table1.draw(3, of_range=True)
        truth = np.concatenate([quiet.y, quiet.u_test])
        # Noise of .05 in units of u is about 1e-4 of its range.
        assert truth.min() == pytest.approx(0.0, abs=1e-3)
        assert truth.max() == pytest.approx(1.0, abs=1e-3)
        np.testing.assert_array_equal(quiet.X, noisy.X)
        np.testing.assert_array_equal(quiet.u_test, noisy.u_test)
        spread = np.std(noisy.y - quiet.y)
        assert spread == pytest.approx(0.05, rel=0.3)
        assert (quiet.X.shape, quiet.X_test.shape) == ((70, 6), (150, 6))


class TestTable2:
    def test_score_is_the_error_on_the_held_out_rows(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.random((50, 3))
        y = X @ [1.0, 2.0, 3.0]
        exact = Score(*score("Linear Regression", "any", X, y, 0))
        y[rng.permutation(50)[:25]] += 1.0
        noisy = Score(*score("Linear Regression", "any", X, y, 0))
        assert exact.error == pytest.approx(0.0, abs=1e-12)
        assert 0.3 < noisy.error < 0.7

    def test_state_of_ours_differs_from_a_version(self) -> None:
        assert len(state_of("SMKGAI")) == 64
        assert state_of("SVR-RBF")[0].isdigit()

    def test_peers_are_run_where_the_claim_is_made(self) -> None:
        rows = {task.row: task for task in tasks()}
        methods = {row: table2._methods_for(task, False) for row, task in rows.items()}
        assert methods["ERA, honest"] == list(METHODS)
        assert "LightGBM" not in methods["ERA"]
        assert table2.UNROUNDED not in methods["CITY"]
        assert {"SMKGAI", "2-GAI", table2.MOST} <= set(methods["ERA"])

    def test_verdict_names_the_best_peer_and_readable_ones_ahead(self) -> None:
        task = next(task for task in tasks() if task.is_honest)
        errors = {table2.MOST: 0.103, "SVR-RBF": 0.100, "pyGAM": 0.102, "EBM": 0.2}
        scores = {name: [Score(error, 1.0)] * 2 for name, error in errors.items()}
        cell = table2._verdict(task, scores)
        assert cell.mean == pytest.approx(1.03)
        assert "best peer SVR-RBF; not within 2 %" in cell.note
        assert "not better than pyGAM" in cell.note
        assert "EBM" not in cell.note
        rounded = {**scores, table2.UNROUNDED: [Score(0.12, 1.0)] * 2}
        assert "not rounded: ratio 1.200" in table2._verdict(task, rounded).note


class TestFigure1:
    def test_hidden_splines_are_standardised(self) -> None:
        hidden = figure1.draw_utility(np.random.default_rng(0))
        X = np.full((2000, 6), 0.5)
        X[:, :2] = ((np.arange(2000) + 0.5) / 2000)[:, None]
        parts = hidden.decompose(X)
        assert tuple(parts) == figure1.FACTORS
        for factor in ((0,), (1,)):
            assert parts[factor].mean() == pytest.approx(0.0, abs=1e-6)
            assert parts[factor].std() == pytest.approx(1.0, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("script", [table3, figure1, hierarchy])
def test_quick_run(script) -> None:
    outcome = script.run(quick=True)
    assert outcome.measurements
    assert all(np.isfinite(cell.mean) for cell in outcome.measurements)
