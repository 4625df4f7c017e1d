"""The harness of the experiments: discovery, records, verdicts, reports."""

import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments._command import main
from experiments._machine import machine_line, versions
from experiments._outcome import Measurement, Outcome, Record
from experiments._published import PAPERS, PublishedTable, load_published
from experiments._report import render_readme
from experiments._run import HERE, UnknownExperimentError, find_scripts
from penchant import __version__

WITH_SCRIPTS = [paper for paper in PAPERS if any((HERE / paper).glob("[a-z]*.py"))]


@pytest.fixture
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a clean clone: the shared data are not here."""
    monkeypatch.setenv("PENCHANT_DATA", str(tmp_path / "nowhere"))


def table(printed: str, n: int = 20) -> PublishedTable:
    return PublishedTable("Table 9", "Errors", n, {("ESL", "SVR"): printed})


def verdict(printed: str, mean: float, std: float | None = None, n: int = 20) -> str:
    cell = Measurement("ESL", "SVR", mean, std, n)
    return table(printed).compare(cell).verdict


def record(*cells: Measurement, date: str = "2024-01-01") -> Record:
    return Record(
        paper="gai",
        script="linear_regression",
        outcome=Outcome("table2", cells, (0, 1)),
        date=date,
        seconds=1.5,
        machine="a machine",
        versions={"numpy": "2.0"},
    )


class TestPublished:
    @pytest.mark.parametrize("paper", WITH_SCRIPTS)
    def test_every_cell_reads_as_printed(self, paper: str) -> None:
        tables = load_published(HERE / paper)
        for published in tables.values():
            for (row, column), printed in published.cells.items():
                mean = float(printed.partition("±")[0])
                cell = Measurement(row, column, mean, 0.0, 1)
                comparison = published.compare(cell)
                same = published.same_data
                assert comparison.verdict == ("agrees" if same else "other data")
                assert float(comparison.difference) == 0.0

    @pytest.mark.parametrize("paper", WITH_SCRIPTS)
    def test_every_script_has_its_table(self, paper: str) -> None:
        tables = load_published(HERE / paper)
        for path in (HERE / paper).glob("[a-z]*.py"):
            written = re.findall(r'Outcome\(\s*"(\w+)"', path.read_text())
            assert set(written) <= set(tables), path.name

    def test_gai_tables_are_complete(self) -> None:
        tables = load_published(HERE / "gai")
        sizes = {key: len(published.cells) for key, published in tables.items()}
        printed = {"table1": 10, "table2": 30, "table3": 15}
        ours = ("figure1", "defaults", "confirming", "bands", "hierarchy")
        assert sizes == {**printed, **dict.fromkeys(ours, 0)}
        assert tables["table2"].cells["ERA", "SMKGAI"] == "0.04749 ± 0.00200"

    def test_unknown_label_is_an_error(self) -> None:
        with pytest.raises(KeyError, match="no row 'ESL' with a column 'SVM'"):
            table("0.1").compare(Measurement("ESL", "SVM", 0.1, None, 1))


class TestVerdict:
    # Standard error of the difference: sqrt(.03²/20 + .04²/20) = .01118; standard
    # deviation of one repetition: sqrt((.03² + .04²)/2) = .03536.
    @pytest.mark.parametrize(
        ("mean", "expected"),
        [
            (0.500, "agrees"),
            (0.522, "agrees"),
            (0.478, "agrees"),
            (0.523, "close"),
            (0.535, "close"),
            (0.536, "higher"),
            (0.464, "lower"),
        ],
    )
    def test_follows_the_spread(self, mean: float, expected: str) -> None:
        assert verdict("0.500 ± 0.030", mean, 0.040) == expected

    def test_without_spread_the_printed_digits_decide(self) -> None:
        assert verdict("97.95", 97.954) == "agrees"
        assert verdict("97.95", 97.956) == "higher"

    def test_more_repetitions_are_judged_more_strictly(self) -> None:
        assert verdict("0.500 ± 0.030", 0.53, 0.040, n=2) == "agrees"
        assert verdict("0.500 ± 0.030", 0.53, 0.040, n=20) == "close"

    def test_ours_is_shown_with_the_paper_s_digits(self) -> None:
        comparison = table("0.500 ± 0.030").compare(
            Measurement("ESL", "SVR", 0.51234, 0.0456, 20)
        )
        assert comparison.ours == "0.512 ± 0.046"
        assert comparison.difference == "+0.012"

    def test_not_measured_and_not_published(self) -> None:
        missing = table("0.5").compare(Measurement("ESL", "SVR", note="data not here"))
        assert (missing.ours, missing.verdict) == ("—", "not run")
        own = Measurement("ESL, honest", "SVR", 0.25, None, 1, in_paper=False)
        extra = table("0.5").compare(own)
        assert (extra.ours, extra.difference) == ("0.25000", "—")
        assert extra.verdict == "not in the paper"

    @pytest.mark.parametrize(
        ("mean", "expected"),
        [(-0.1, "holds"), (0.1, "does not hold"), (None, "not run")],
    )
    def test_a_sentence_of_the_paper_holds_or_not(self, mean, expected) -> None:
        said = replace(table("0.5"), sentences={("order", "A - B"): "A beats B"})
        cell = Measurement("order", "A - B", mean, None, 3, in_paper=False)
        comparison = said.compare(cell)
        assert (comparison.published, comparison.verdict) == ("A beats B", expected)

    def test_other_data_are_not_judged(self) -> None:
        other = replace(table("0.5"), same_data=False)
        cell = Measurement("ESL", "SVR", 0.5, None, 3)
        assert other.compare(cell).verdict == "other data"

    def test_printed_cells_without_a_run_are_listed(self) -> None:
        (cell,) = table("0.5").without_run([])
        assert (cell.row, cell.column) == ("ESL", "SVR")
        assert table("0.5").compare(cell).verdict == "not run"
        assert not list(table("0.5").without_run([cell]))


class TestMeasurement:
    @given(st.lists(st.integers(0, 100), min_size=2))
    def test_spread_is_that_of_a_sample(self, scores: list[int]) -> None:
        cell = Measurement.from_scores("ESL", "SVR", scores)
        assert cell.mean is not None
        assert cell.std is not None
        squares = sum((score - cell.mean) ** 2 for score in scores)
        assert cell.std**2 * (len(scores) - 1) == pytest.approx(squares)
        assert cell.n == len(scores)

    def test_one_repetition_has_no_spread(self) -> None:
        assert Measurement.from_scores("ESL", "SVR", [0.5]).std is None


class TestRecord:
    def test_round_trip(self, tmp_path: Path) -> None:
        before = record(Measurement.from_scores("ESL", "SVR", [0.1, 0.2]))
        before.save(tmp_path / "deep" / "result.json")
        assert Record.load(tmp_path / "deep" / "result.json") == before

    def test_cells_without_data_keep_their_earlier_value(self) -> None:
        measured = Measurement("CPU", "SVR", 0.3, 0.1, 20, "target perf")
        missing = Measurement("CPU", "SVR", note="data not here")
        unknown = Measurement("MPG", "SVR", note="data not here")
        fresh = Measurement("ESL", "SVR", 0.2, 0.1, 20)
        old = Measurement("ESL", "SVR", 0.9, 0.1, 20)
        later = record(fresh, missing, unknown, date="2024-02-02")
        merged = later.keeping(record(old, measured))
        assert merged.outcome.measurements[0] == fresh
        kept = merged.outcome.measurements[1]
        assert (kept.mean, kept.note) == (0.3, "target perf; kept from 2024-01-01")
        assert merged.outcome.measurements[2] == unknown
        # The mark stays that of the run that measured it.
        again = later.keeping(merged)
        assert again.outcome.measurements[1] == kept


class TestScripts:
    def test_unknown_paper_lists_the_known(self) -> None:
        with pytest.raises(UnknownExperimentError, match="gai, prl, choquet, gppe"):
            find_scripts("gia")

    def test_unknown_table_lists_the_known(self) -> None:
        with pytest.raises(UnknownExperimentError, match="linear_regression"):
            find_scripts("gai", "table7")

    def test_a_known_paper_without_scripts(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(PAPERS, "unwritten", "A paper")
        with pytest.raises(UnknownExperimentError, match="has no scripts yet"):
            find_scripts("unwritten")

    @pytest.mark.parametrize("paper", WITH_SCRIPTS)
    def test_folder_is_complete(self, paper: str) -> None:
        assert (HERE / paper / "README.md").is_file()
        for script in find_scripts(paper):
            assert script.__doc__
            assert callable(script.run)


class TestCommand:
    def test_quick_prints_and_writes_nothing(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = ["gai", "--quick", "--table", "linear_regression"]
        assert main(arguments, folder=tmp_path) == 0
        printed = capsys.readouterr().out
        assert "0.08198 ± 0.00588" in printed
        assert "nothing was written" in printed
        assert not list(tmp_path.iterdir())

    def test_unknown_paper_is_one_line_and_a_failure(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["gia"]) == 1
        assert "No paper is called 'gia'" in capsys.readouterr().err

    def test_unreachable_cluster_is_one_line_and_a_failure(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["gai", "--quick", "--cluster", "nonsense"]) == 1
        assert "missing port number" in capsys.readouterr().err

    @pytest.mark.usefixtures("no_data")
    def test_full_run_on_a_clean_clone(self, tmp_path: Path) -> None:
        assert main(["gai", "--table", "linear_regression"], folder=tmp_path) == 0
        path = tmp_path / "gai" / "results" / "linear_regression.json"
        text = path.read_text(encoding="utf-8")
        stored = Record.load(path)
        cells = {cell.row: cell for cell in stored.outcome.measurements}
        # Golden values: the same model and splits on CSV copies of the data.
        assert cells["ESL"].mean == pytest.approx(0.07866, abs=5e-6)
        assert cells["LEV"].mean == pytest.approx(0.23858, abs=5e-6)
        assert cells["ERA"].mean == pytest.approx(0.25135, abs=5e-6)
        assert cells["ESL, honest"].mean == pytest.approx(0.05174, abs=5e-6)
        assert {cells[row].note for row in ("CPU", "MPG", "CITY")} == {"data not here"}
        assert socket.gethostname() not in text
        assert str(Path.home()) not in text
        assert stored.outcome.seeds == (0,)
        assert stored.versions["penchant"] == __version__
        assert stored.machine == machine_line()
        assert stored.load_average is not None
        assert f"load {stored.load_average:.1f} at the end" in stored.circumstances

    def test_the_stored_results_give_the_stored_report(
        self, tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PENCHANT_DATA", str(shared_data))
        assert main(["gai", "--table", "linear_regression"], folder=tmp_path) == 0
        name = Path("gai", "results", "linear_regression.json")
        ours, stored = Record.load(tmp_path / name), Record.load(HERE / name)
        for cell, before in zip(
            ours.outcome.measurements, stored.outcome.measurements, strict=True
        ):
            assert (cell.row, cell.column, cell.n) == (before.row, before.column, 20)
            assert cell.mean == pytest.approx(before.mean, rel=1e-9)


class TestReport:
    def test_the_committed_report_is_up_to_date(self) -> None:
        report = (HERE / "README.md").read_text(encoding="utf-8")
        assert report == render_readme(HERE)

    def test_every_paper_has_its_section(self, tmp_path: Path) -> None:
        report = render_readme(tmp_path)
        assert [line for line in report.splitlines() if line.startswith("## ")] == [
            f"## {paper}" for paper in PAPERS
        ]
        assert report.count("No results yet.") == len(PAPERS)


class TestMachine:
    def test_says_what_but_not_where(self) -> None:
        assert "cores" in machine_line()
        assert socket.gethostname() not in machine_line()

    def test_versions_of_missing_packages(self) -> None:
        assert versions("no-such-package")["no-such-package"] == "not installed"
        assert versions()["numpy"][0].isdigit()
