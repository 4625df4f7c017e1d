"""The simulation that checks what is told: its people, its rival, its judgement."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.truth import _command
from experiments.truth._bars import Bar, all_bars, at_most, group_bars, real_bars
from experiments.truth._conversations import Tally, run_table
from experiments.truth._figures import Figure, difference, pooled, quotient
from experiments.truth._people import FAMILIES, Person
from experiments.truth._rival import rival_regrets
from experiments.truth._store import Cell, load_cells, store
from experiments.truth._worlds import make_world, people_of


def first_person(family: str) -> Person:
    return next(iter(people_of(make_world(family, 40, 0), family, 0)))


def cell_of(family: str = "additive", variant: str = "none", **sums: list) -> Cell:
    """Give a cell; each figure has a (sum, divisor) per table."""
    cell = Cell(family, 40, variant)
    for number in range(max(map(len, sums.values()), default=2)):
        cell.tables[number] = Tally(
            {
                name.replace("_", " "): list(pairs[number])
                for name, pairs in sums.items()
            }
        )
    return cell


class TestPeople:
    @pytest.mark.parametrize("family", FAMILIES)
    def test_utilities_have_one_scale(self, family: str) -> None:
        person = first_person(family)
        assert person.utility.mean() == pytest.approx(0.0, abs=1e-9)
        assert person.utility.std() == pytest.approx(1.0)
        if family not in ("satisficing", "hidden", "plain"):
            assert person.parts.sum(axis=1) == pytest.approx(person.utility)

    def test_twenty_four_tables_make_three_hundred_people(self) -> None:
        worlds = (make_world("plain", 40, n) for n in range(24))
        counts = [len(list(people_of(w, "plain", n))) for n, w in enumerate(worlds)]
        assert sum(counts) == 300

    def test_the_same_people_come_again(self) -> None:
        assert np.array_equal(first_person("dense").parts, first_person("dense").parts)

    def test_the_best_eighth_satisfices(self) -> None:
        utility = first_person("satisficing").utility
        assert (utility == utility.max()).sum() == 5

    def test_an_interaction_is_more_than_its_attributes(self) -> None:
        person = first_person("interaction")
        (k, j), third = person.pairs[0], person.shares
        assert (third > 0).sum() == 3
        assert third[[k, j]].min() > 0.05

    def test_shifted_people_are_unlike_the_earlier_ones(self) -> None:
        world = make_world("shifted", 40, 0)
        assert world.population is not None
        alike = [
            np.corrcoef(person.utility, world.population.prior_mean)[0, 1]
            for person in people_of(world, "shifted", 0)
        ]
        # The bound of .2 is on the true mean, which the population learns roughly.
        assert max(alike) < 0.45

    def test_answers_follow_the_utility(self) -> None:
        person = first_person("additive")
        best, worst = person.utility.argmax(), person.utility.argmin()
        rng = np.random.default_rng(0)
        answers = [person.answer(best, worst, rng) for _ in range(500)]
        assert 1 <= answers.count("right") <= 25  # 2 % are wrong

    def test_taps_name_what_differs(self) -> None:
        world = make_world("additive", 40, 0)
        person, rng = first_person("additive"), np.random.default_rng(0)
        spoke = person.parts[3] - person.parts[8]
        taps = [person.tap(world.table, 3, 8, "truth", rng) for _ in range(200)]
        assert taps.count(int(spoke.argmax())) > 150
        seen = {person.tap(world.table, 3, 8, "salience", rng) for _ in range(5)}
        assert seen == {int(world.table.salience(3, 8).argmax())}


class TestRival:
    def test_it_learns(self) -> None:
        world, regrets = make_world("additive", 40, 1), []
        for k, person in enumerate(people_of(world, "additive", 1)):
            rng = np.random.default_rng(k)
            regrets.append(rival_regrets(world, person, 10, rng))
        first, last = np.mean(regrets, axis=0)[[0, 10]]
        assert last < 0.5 * first


class TestFigures:
    def test_a_figure_is_a_quotient_of_sums(self) -> None:
        cell = cell_of(told_10=[(3, 10), (5, 10)])
        figure = quotient(cell, "told 10")
        assert figure.value == pytest.approx(0.4)
        assert (figure.low, figure.high) == pytest.approx((0.3, 0.5))
        assert pooled([cell, cell], "told 10").error < figure.error

    def test_what_was_never_told_has_no_figure(self) -> None:
        assert quotient(cell_of(), "told 10").n == 0
        assert f"{quotient(cell_of(), 'told 10')}" == "—"

    def test_differences_are_paired(self) -> None:
        ours = cell_of(regret_5=[(1.0, 2), (9.0, 2)])
        theirs = cell_of(regret_5=[(2.0, 2), (10.0, 2)])
        gap = difference(ours, theirs, "regret 5")
        assert (gap.value, gap.error) == pytest.approx((-0.5, 0.0))


class TestBars:
    @pytest.mark.parametrize(
        ("low", "verdict"), [(0.02, "reached"), (0.04, "open"), (0.06, "missed")]
    )
    def test_a_bar_is_missed_where_the_range_excludes_it(
        self, low: float, verdict: str
    ) -> None:
        figure = Figure(low + 0.02, low, low + 0.04, 0.01, 300)
        bar = Bar.judge("certainty", at_most(0.05), [("noisy 40", figure)])
        assert bar.verdict == verdict
        assert bool(bar.misses) == (verdict == "missed")

    def test_over_confidence_is_seen(self) -> None:
        cells = {
            c.key: c for c in [cell_of("noisy", over=[(20, 100), (22, 100), (21, 100)])]
        }
        bar = all_bars(cells)[0]
        assert bar.verdict == "missed"
        assert "noisy 40" in bar.measured

    def test_nothing_measured_is_nothing_claimed(self) -> None:
        bars = all_bars({}) + group_bars({}, 0) + real_bars({})
        assert {bar.verdict for bar in bars} == {"not run"}

    def test_groups_are_judged_by_how_many_there_were(self) -> None:
        for n_groups, verdict in ((10, "open"), (300, "missed")):
            bars = group_bars({"two 30": {"said_none": 0.3}}, n_groups)
            found = {bar.what: bar for bar in bars}
            assert found["two kinds found, 30 people"].verdict == verdict
            assert found["two kinds found, 20 people"].verdict == "not run"


class TestStore:
    def test_round_trip(self, tmp_path: Path) -> None:
        cell = cell_of(said=[(1.5, 3), (2.25, 4)])
        cell.tables[1].add_certainty(0.72, True)
        store("additive", [cell], tmp_path)
        again = load_cells(tmp_path)[cell.key]
        assert again.to_dict() == cell.to_dict()
        assert again.bins[7].tolist() == [0.72, 1, 1]

    def test_a_run_goes_on_where_it_stopped(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ran = []

        def run(family: str, n_items: int, variant: str, number: int) -> Tally:
            ran.append(number)
            return Tally({"said": [0.5, 1]})

        monkeypatch.setattr(_command, "run_table", run)
        (tmp_path / "images").mkdir()
        arguments = ["noisy", "--items", "40", "--variants", "none", "--apart"]
        for n_tables in ("1", "3"):
            _command.main(
                [*arguments, "--jobs", "1", "--tables", n_tables],
                results=tmp_path,
                docs=tmp_path,
            )
        assert ran == [0, 1, 2]
        page = (tmp_path / "truth.md").read_text()
        assert "### noisy" in page
        assert "people can name their reason" in page

    @pytest.mark.parametrize(("said", "again"), [(0.5, [0]), (0.6, [0, 0, 1])])
    def test_after_a_change_of_code_one_table_can_confirm_the_others(
        self, said: float, again: list[int], tmp_path: Path, monkeypatch: Any
    ) -> None:
        before = cell_of("noisy", said=[(0.5, 1), (0.7, 1)], cpu_ms=[(3, 1), (3, 1)])
        before.engine = "code before this"
        store("noisy", [before], tmp_path)
        ran = []

        def run(family: str, n_items: int, variant: str, number: int) -> Tally:
            ran.append(number)
            return Tally({"said": [said, 1], "cpu ms": [9.0, 1]})

        monkeypatch.setattr(_command, "run_table", run)
        (tmp_path / "images").mkdir()
        arguments = ["noisy", "--items", "40", "--variants", "none", "--apart"]
        arguments += ["--confirm", "--jobs", "1", "--tables", "2"]
        _command.main(arguments, results=tmp_path, docs=tmp_path)
        cell = load_cells(tmp_path)[before.key]
        assert ran == again
        assert not cell.stale
        assert (cell.to_dict()["sums"] == before.to_dict()["sums"]) == (said == 0.5)


class TestConversations:
    """The quick form: one table each, so that only gross untruth fails."""

    @pytest.mark.parametrize("variant", ["none", "truth"])
    def test_what_is_told_is_true(self, variant: str) -> None:
        cell = Cell("additive", 40, variant)
        cell.tables[0] = run_table("additive", 40, variant, 0)
        assert abs(quotient(cell, "over").value) < 0.25
        assert quotient(cell, "regret ratio").value < 2.0
        assert quotient(cell, "regret 20").value < 0.25
        assert quotient(cell, "points 10").value > 0.75
        assert quotient(cell, "false pairs 20").value < 0.1
