"""The harness of the benchmarks: measuring, storing, rendering."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks._command import (
    HERE,
    UnknownBenchmarkError,
    find_benchmarks,
    main,
    run_benchmark,
)
from benchmarks._measure import Budget, Case, Timing, Waits, compare, measure, spend
from benchmarks._report import load_results, render_page


def burn(seconds: float) -> float:
    """Use the processor for so long."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


def case(ours: float, theirs: float, at_most: float = 1.0) -> Case:
    return Case("burning", lambda: burn(ours), lambda: burn(theirs), "a peer", at_most)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A benchmark whose claim does not hold."""

    @contextmanager
    def cases() -> Iterator[list[Case]]:
        yield [case(0.02, 0.01, at_most=1.5)]

    module = ModuleType("benchmarks.bench_toy", "We burn less.\n\nMore words.")
    module.cases = cases  # type: ignore[attr-defined]
    monkeypatch.setattr("benchmarks._command.find_benchmarks", lambda names: [module])
    return module


class TestCompare:
    def test_ratio_is_ours_to_theirs(self) -> None:
        figures = compare(case(0.03, 0.01, at_most=2.0), n_repeats=3)
        # Each side burns a known CPU time, overrun by less than a scheduler's tick.
        assert figures["cpu_ratio"] == pytest.approx(3.0, rel=0.2)
        assert not figures["holds"]
        assert figures["ours"]["cpu_best"] >= 0.03
        assert figures["ours"]["wall_best"] >= 0.029
        assert figures["repeats"] == 3

    def test_a_claim_that_holds(self) -> None:
        assert compare(case(0.01, 0.03), n_repeats=2)["holds"]

    def test_waiting_is_wall_time_not_cpu_time(self) -> None:
        idle = Case("idle", lambda: time.sleep(0.05), lambda: burn(0.05), "a peer", 1.0)
        figures = compare(idle, n_repeats=2)
        assert figures["ours"]["cpu_best"] < 0.025 < figures["ours"]["wall_best"]

    def test_different_work_is_refused(self) -> None:
        unequal = Case("sum", lambda: 1, lambda: 2, "a peer", 1.0, lambda a, b: a == b)
        with pytest.raises(ValueError, match="must be the same work"):
            compare(unequal)

    def test_summary(self) -> None:
        timing = Timing(cpu=(3.0, 1.0, 2.5), wall=(4.0, 6.0, 5.0))
        assert timing.summary() == {
            "cpu_best": 1.0,
            "cpu_median": 2.5,
            "wall_best": 4.0,
            "wall_median": 5.0,
        }


class TestSpend:
    def test_time_within_the_limit(self) -> None:
        figures = spend(Budget("burning", lambda: burn(0.02), 0.2), n_repeats=2)
        assert figures["holds"]
        assert 0.02 <= figures["ours"]["cpu_best"] < 0.2
        assert (figures["seconds"], figures["repeats"]) == (0.2, 2)

    def test_time_over_the_limit(self) -> None:
        assert not spend(Budget("burning", lambda: burn(0.02), 0.01))["holds"]

    def test_a_wrong_result_in_time_is_no_success(self) -> None:
        budget = Budget("sum", lambda: 1, 1.0, check=lambda result: result == 2)
        assert not spend(budget)["holds"]

    def test_is_rendered_with_its_limit_in_seconds(self, toy: ModuleType) -> None:
        result = run_benchmark(toy)
        result["cases"].append(spend(Budget("alone", lambda: burn(0.01), 0.5)))
        (row,) = [
            line for line in render_page([result]).splitlines() if "alone" in line
        ]
        assert "| — | — | 0.5 s | holds |" in row


class TestWaits:
    waits = tuple(0.001 * k for k in range(100, 0, -1))

    def test_the_claim_is_about_a_share_of_the_waits(self) -> None:
        figures = measure(Waits("page", lambda: self.waits, share=0.95, seconds=0.095))
        assert figures["holds"]
        assert figures["ours"] == {
            "n_waits": 100,
            "wall_median": 0.05,
            "wall_share": 0.095,
            "wall_worst": 0.1,
        }
        assert not measure(Waits("page", lambda: self.waits, 0.95, 0.09))["holds"]

    def test_is_rendered_as_what_it_is(self, toy: ModuleType) -> None:
        result = run_benchmark(toy)
        result["cases"].append(measure(Waits("visits", lambda: self.waits, 0.95, 0.1)))
        page = render_page([result]).splitlines()
        (row,) = [line for line in page if "visits" in line]
        assert "| — | 95% wait at most 0.095 s | — | — | 0.1 s | holds |" in row


class TestDiscovery:
    def test_every_benchmark_states_its_claim_in_the_first_line(self) -> None:
        modules = find_benchmarks()
        assert "benchmarks.bench_read_csv" in {module.__name__ for module in modules}
        for module in modules:
            first = (
                Path(module.__file__ or "").read_text(encoding="utf-8").split("\n")[0]
            )
            assert first.startswith('"""')
            assert len(first.split()) > 4
            assert callable(module.cases)

    def test_unknown_name_lists_the_known(self) -> None:
        with pytest.raises(UnknownBenchmarkError, match="read_csv"):
            find_benchmarks(["raed_csv"])

    def test_unknown_name_is_one_line_and_a_failure(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["raed_csv"]) == 1
        assert "No benchmark is called 'raed_csv'" in capsys.readouterr().err


class TestCommand:
    def test_stores_result_and_renders_page(
        self, toy: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        page = tmp_path / "docs" / "benchmarks.md"
        failed = main([], results=tmp_path / "results", page=page)
        assert failed == 1  # the claim does not hold
        stored = json.loads((tmp_path / "results" / "toy.json").read_text())
        assert stored["claim"] == "We burn less."
        assert stored["cases"][0]["holds"] is False
        assert socket.gethostname() not in json.dumps(stored)
        text = page.read_text(encoding="utf-8")
        assert "## toy" in text
        assert "| burning | a peer |" in text
        assert "does not hold" in text
        assert "does not hold" in capsys.readouterr().out

    def test_page_covers_earlier_results_too(
        self, toy: ModuleType, tmp_path: Path
    ) -> None:
        earlier = {**run_benchmark(toy), "benchmark": "another"}
        (tmp_path / "another.json").write_text(json.dumps(earlier))
        page = tmp_path / "page.md"
        main([], results=tmp_path, page=page)
        headings = [line for line in page.read_text().splitlines() if line[:3] == "## "]
        assert headings == ["## another", "## toy"]


def test_the_committed_page_is_up_to_date() -> None:
    page = HERE.parent / "docs" / "benchmarks.md"
    assert page.read_text(encoding="utf-8") == render_page(
        load_results(HERE / "results")
    )


def test_tables_of_read_csv_have_the_claimed_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (module,) = find_benchmarks(["read_csv"])
    assert module.N_ROWS == 100_000
    monkeypatch.setattr(module, "N_ROWS", 50)
    with module.cases() as cases:
        for each in cases:
            assert each.theirs().shape == (50, 20)
            assert each.agree(each.ours(), each.theirs())
