"""The harness of the benchmarks: measuring, storing, rendering."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks._command import (
    HERE,
    UnknownBenchmarkError,
    find_benchmarks,
    main,
    run_benchmark,
)
from benchmarks._load import Gauge, Reading, others_share
from benchmarks._measure import (
    Budget,
    Case,
    Missing,
    Timing,
    Waits,
    compare,
    measure,
    spend,
)
from benchmarks._report import load_results, render_page, save_result


def burn(seconds: float) -> float:
    """Use the processor for so long."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


def case(ours: float, theirs: float, at_most: float = 1.0) -> Case:
    return Case("burning", lambda: burn(ours), lambda: burn(theirs), "a peer", at_most)


class FakeGauge(Gauge):
    """A machine of two cores of which others take a given share."""

    def __init__(self, before: float = 0.0, others: float = 0.0) -> None:
        self.before, self.others = before, others
        self.n_readings = 0

    def read(self) -> Reading:
        """Let 10 s pass, in which we use one core."""
        self.n_readings += 1
        second = Reading(passed=2.0, busy=1.0 + 2.0 * self.others, own=1.0)
        return Reading(*(10.0 * self.n_readings * rate for rate in second))


def benchmark(monkeypatch: pytest.MonkeyPatch, measured: Case | Waits) -> ModuleType:
    """Put a benchmark of one case in the place of all."""

    @contextmanager
    def cases() -> Iterator[list[Case | Waits]]:
        yield [measured]

    module = ModuleType("benchmarks.bench_toy", "We burn less.\n\nMore words.")
    module.cases = cases  # type: ignore[attr-defined]
    monkeypatch.setattr(
        "benchmarks._command.find_benchmarks", lambda names, peer: [module]
    )
    return module


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A benchmark whose claim does not hold."""
    return benchmark(monkeypatch, case(0.02, 0.01, at_most=1.5))


@pytest.fixture
def instant(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A benchmark whose claim holds, and that takes no time."""
    return benchmark(monkeypatch, Waits("page", lambda: (0.1,), 0.95, 0.2))


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
        figures = spend(Budget("burning", lambda: burn(0.02), 0.2, n_repeats=2))
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

    @pytest.mark.parametrize("peer", ["botorch", "interpret", "shap"])
    def test_a_peer_of_benchmarks_has_a_file_and_a_benchmark(self, peer: str) -> None:
        assert (HERE / "peers" / f"{peer}.txt").exists()
        assert all(peer in module.PEERS for module in find_benchmarks(peer=peer))

    def test_unknown_name_is_one_line_and_a_failure(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["raed_csv"]) == 1
        assert "No benchmark is called 'raed_csv'" in capsys.readouterr().err


class TestMissingPeer:
    def result(self, *cases: dict[str, Any], date: str) -> dict[str, Any]:
        machine = {"machine": "a machine", "versions": {}, "claim": "We burn less."}
        return {"benchmark": "toy", "date": date, "cases": list(cases), **machine}

    def test_its_rows_say_what_to_install(self) -> None:
        absent = measure(Missing("burning", "a peer", "torch"))
        page = render_page([self.result(absent, date="2024-01-02")])
        assert "| burning | a peer | — " in page
        assert "not run: `make bench peer=torch`" in page

    def test_rows_that_were_measured_with_it_stay(self, tmp_path: Path) -> None:
        measured = compare(case(0.002, 0.001, 9.0), 1)
        save_result(self.result(measured, date="2024-01-01"), tmp_path)
        absent = measure(Missing("burning", "a peer", "torch"))
        for date in ("2024-01-02", "2024-01-03"):
            save_result(self.result(absent, date=date), tmp_path)
        (stored,) = load_results(tmp_path)
        assert stored["cases"] == [{**measured, "kept_from": "2024-01-01"}]
        assert "(2024-01-01)" in render_page([stored])

    def test_a_peer_that_nobody_has_is_an_error(self) -> None:
        with pytest.raises(UnknownBenchmarkError, match="peer called 'nobody'"):
            find_benchmarks(["read_csv"], "nobody")


class TestCommand:
    def test_stores_result_and_renders_page(
        self, toy: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        page = tmp_path / "docs" / "benchmarks.md"
        failed = main([], results=tmp_path / "results", page=page, gauge=FakeGauge())
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
        main([], results=tmp_path, page=page, gauge=FakeGauge())
        headings = [line for line in page.read_text().splitlines() if line[:3] == "## "]
        assert headings == ["## another", "## toy"]


class TestLoad:
    def run(self, folder: Path, gauge: Gauge, *arguments: str) -> tuple[int, bool, str]:
        """Return the exit code, whether the result was stored, and the page."""
        page = folder / "page.md"
        code = main(list(arguments), results=folder, page=page, gauge=gauge)
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        return code, (folder / "toy.json").exists(), text

    def test_a_busy_machine_is_refused_before_anything_runs(
        self, instant: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        busy = FakeGauge(before=0.53)
        assert self.run(tmp_path, busy) == (1, False, "")
        assert busy.n_readings == 0
        told = capsys.readouterr()
        assert told.out == ""
        assert (
            "the load average of the last minute must be at most 25% of all cores. "
            "It is 53%" in told.err
        )
        assert "--no-store" in told.err

    def test_what_was_disturbed_is_shown_but_not_stored(
        self, instant: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, is_stored, page = self.run(tmp_path, FakeGauge(before=0.1, others=0.4))
        assert (code, is_stored) == (1, False)
        assert "## toy" not in page
        told = capsys.readouterr()
        assert "We burn less." in told.out
        assert "load 10% before, others 40% during" in told.out
        assert "while 'toy' ran must be at most 25% of all cores. It is 40%" in told.err

    def test_a_disturbed_result_leaves_the_earlier_one(
        self, instant: ModuleType, tmp_path: Path
    ) -> None:
        self.run(tmp_path, FakeGauge())
        earlier = (tmp_path / "toy.json").read_text()
        _, _, page = self.run(tmp_path, FakeGauge(others=0.4))
        assert (tmp_path / "toy.json").read_text() == earlier
        assert "load 0% before, others 0% during" in page

    def test_without_storing_it_runs_on_a_busy_machine(
        self, instant: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        busy = FakeGauge(before=2.0, others=0.9)
        assert self.run(tmp_path, busy, "--no-store") == (0, False, "")
        told = capsys.readouterr()
        assert "load 200% before, others 90% during" in told.out
        assert told.err == ""

    def test_the_load_is_stored_and_rendered(
        self, instant: ModuleType, tmp_path: Path
    ) -> None:
        code, _, page = self.run(tmp_path, FakeGauge(before=0.0312, others=0.25))
        assert code == 0
        stored = json.loads((tmp_path / "toy.json").read_text())
        assert stored["load"] == {"before": 0.031, "others": 0.25}
        assert stored["seeds"] == "0"
        assert "; load 3% before, others 25% during; penchant" in page

    def test_results_without_a_load_are_rendered(self, instant: ModuleType) -> None:
        result = run_benchmark(instant, FakeGauge())
        del result["load"]
        assert "; load not recorded; penchant" in render_page([result])

    def test_ticks_of_clocks_give_no_share_below_zero(self) -> None:
        start = Reading(100.0, 50.0, 10.0)
        assert others_share(start, Reading(100.1, 50.0, 10.05)) == 0.0
        assert others_share(start, start) == 0.0

    def test_own_time_includes_that_of_children(self) -> None:
        gauge = Gauge()
        assert gauge.before >= 0
        start = gauge.read()
        burn(0.2)
        alone = gauge.read()
        code = "import time\nwhile time.process_time() < 0.3: pass"
        subprocess.run([sys.executable, "-c", code], check=True)
        both = gauge.read()
        # Systems count in ticks of 10 ms, and a few may be missing.
        assert alone.own - start.own >= 0.15
        assert both.own - alone.own >= 0.25
        assert both.passed > alone.passed > start.passed
        assert both.busy >= start.busy


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
