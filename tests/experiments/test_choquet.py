"""The Choquet experiments: tests of two methods, tasks, and the cells without data."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from experiments._paired import corrected_t_test
from experiments.choquet import figure1, kernels, monotone
from experiments.choquet._methods import METHODS, REFERENCE
from experiments.choquet._p_values import holm
from experiments.choquet._tasks import Task, esl_suitable, monotone_tasks


@pytest.fixture
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a clean clone: the shared data are not here."""
    monkeypatch.setenv("PENCHANT_DATA", str(tmp_path / "nowhere"))


class TestCorrectedTTest:
    def test_without_overlap_it_is_the_paired_t_test(self) -> None:
        first, second = np.random.default_rng(0).normal(0.3, 1.0, size=(2, 15))
        expected = ttest_rel(first, second).pvalue
        assert corrected_t_test(first - second, 0.0) == pytest.approx(expected)

    def test_overlap_makes_it_more_careful(self) -> None:
        differences = [1.0, 2.0, 3.0, 2.0]
        # Mean 2, variance 2/3: t = 2 / sqrt(2/3 * (1/4 + 1/4)) = sqrt(12), and with
        # 3 degrees of freedom Student's distribution has a closed form.
        expected = 1 - 2 / np.pi * (np.arctan(2.0) + 0.4)
        assert corrected_t_test(differences, 0.25) == pytest.approx(expected)
        assert corrected_t_test(differences, 0.0) < expected

    def test_constant_differences(self) -> None:
        assert corrected_t_test([0.0, 0.0], 0.25) == 1.0
        assert corrected_t_test([1.0, 1.0], 0.25) == 0.0

    def test_holm_adjusts_step_by_step(self) -> None:
        # Smallest times 3; then times 2; the last is raised to its predecessor.
        assert holm([0.04, 0.01, 0.045]) == pytest.approx([0.08, 0.03, 0.08])
        assert holm([0.6, 0.7]).max() == 1.0


class TestTasks:
    def test_the_label_counts_differ_from_the_paper_s(self) -> None:
        task = esl_suitable()
        assert task.y is not None
        assert np.bincount(task.y).tolist() == [268, 220]  # the paper: 240 and 248

    def test_more_is_better(
        self, shared_data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PENCHANT_DATA", str(shared_data))
        tasks = {task.name: task for task in monotone_tasks()}
        sizes = {name: task.X.shape for name, task in tasks.items()}
        assert sizes == {
            "ESL": (488, 4),
            "SWD": (1000, 10),
            "LEV": (1000, 4),
            "ERA": (1000, 4),
            "car evaluation": (1728, 6),
            "DenBosch": (119, 8),
            "mammographic": (830, 5),
            "breast cancer": (683, 9),
            "CPU": (209, 6),
            "MPG": (392, 7),
        }
        for name in ("ESL", "car evaluation", "DenBosch", "CPU", "MPG"):
            task = tasks[name]
            signs = [np.corrcoef(column, task.y)[0, 1] for column in task.X.T]
            assert min(signs) > 0.0, name

    @pytest.mark.usefixtures("no_data")
    def test_cells_without_data_have_all_columns(self) -> None:
        assert len(figure1.run(quick=True).measurements) == 6
        cells = list(kernels.missing(Task("DenBosch", "classes")))
        assert len(cells) == 8
        assert {cell.note for cell in cells} == {"data not here"}
        absent = [task for task in monotone_tasks() if task.X is None]
        assert len(absent) == 6
        assert len(list(monotone.missing(absent[0]))) == 2 * len(METHODS)


class TestFold:
    def test_a_kernel_machine_learns_a_minimum(self) -> None:
        rng = np.random.default_rng(0)
        unit = rng.random((60, 3))
        y = (unit.min(axis=1) > 0.3).astype(int)
        machine = next(kernels.machines(unit))
        rows = np.arange(60)
        loss, degree, is_stopped = kernels.fold(machine, unit, y, rows, rows, 0)
        assert loss < 10.0
        assert 0.5 < degree <= 1.0
        assert not is_stopped

    def test_errors_of_grades(self) -> None:
        X = np.random.default_rng(0).random((90, 2))
        task = Task("toy", "grades", X, np.digitize(X.min(axis=1), [0.2, 0.4]))
        rows = np.arange(90)
        (mae, loss), remark = monotone.fold(task, REFERENCE, rows, rows)
        assert mae < 0.1
        assert 100 * mae == pytest.approx(loss)  # no error of two grades
        assert not remark.is_stopped
