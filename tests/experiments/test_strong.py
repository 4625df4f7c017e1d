"""Peers on the same data: the harness, without any peer."""

from pathlib import Path

import numpy as np
import pytest

from experiments._outcome import Measurement
from experiments._run import HERE
from experiments.strong import (
    _peers,
    additive,
    choices,
    explainers,
    few_rules,
    population,
)
from experiments.strong._approximators import (
    Asked,
    leverage,
    leverage_sets,
    ours,
    ours_squares,
)
from experiments.strong._games import Game, members, sparse_interactions
from experiments.strong._logit import person_chances
from experiments.strong._orthogonal import OrthogonalAdditiveGP
from experiments.strong._page import place, render_page
from penchant.explanation._shapley import shapley_of_table

SCRIPTS = (additive, choices, explainers, few_rules, population)


@pytest.fixture
def without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(choices.PYTHON, raising=False)
    monkeypatch.setattr(_peers, "is_here", lambda module: False)


@pytest.mark.usefixtures("without_peers")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_a_missing_peer_leaves_its_cells_not_run(script) -> None:
    outcome = script.run(quick=True)
    cells = {(cell.row, cell.column): cell for cell in outcome.measurements}
    assert len(cells) == len(outcome.measurements)
    assert outcome.seeds
    for (_, column), cell in cells.items():
        method = place(cell)[1]
        peer = script.METHODS.get(method, (None, ""))[1]
        if peer:
            assert (cell.mean, cell.n) == (None, 0)
            assert f"peers/{_peers.PEERS[peer].file}.txt" in cell.note
            assert (HERE.parent / cell.note.removeprefix("install ")).is_file()
        elif column != choices.RUMBOOST:
            assert cell.mean is not None
            assert np.isfinite(cell.mean)


class TestGames:
    def test_exact_values_are_those_of_the_library(self) -> None:
        game = sparse_interactions()
        # The library's first axis is the first player; our first bit is, too.
        table = game.worths[:, 0].reshape((2,) * 12).transpose(*range(11, -1, -1))
        np.testing.assert_allclose(game.values[0], shapley_of_table(table), atol=1e-12)

    @pytest.mark.parametrize("method", [ours, ours_squares, leverage])
    def test_all_sets_give_the_exact_values(self, method) -> None:
        rng = np.random.default_rng(0)
        worths = np.vstack([np.zeros(2), rng.normal(size=(63, 2))])
        game = Game(rng.random((20, 6)), worths)
        asked = Asked(game)
        np.testing.assert_allclose(method(asked, 63, 0), game.values, atol=1e-8)
        assert asked.n_evaluations == 63

    @pytest.mark.parametrize("method", [ours_squares, leverage])
    def test_squares_are_exact_where_nothing_interacts(self, method) -> None:
        strengths = np.arange(1.0, 9.0)
        worths = members(np.arange(256), 8) @ strengths
        game = Game(np.random.default_rng(0).random((20, 8)), worths[:, None])
        np.testing.assert_allclose(method(Asked(game), 60, 0)[0], strengths)

    def test_leverage_scores_draw_all_sizes_alike(self) -> None:
        rng = np.random.default_rng(0)
        drawn = [leverage_sets(10, 60, rng)[0].sum(axis=1) for _ in range(300)]
        counts = np.bincount(np.concatenate(drawn).astype(int), minlength=11) / 300
        assert counts.sum() == pytest.approx(60, rel=0.05)
        np.testing.assert_allclose(counts[1:10], 60 / 9, rtol=0.15)


def test_known_choices_move_the_chances_of_a_person() -> None:
    draws = np.array([[-2.0], [2.0]])
    offered = np.array([[[1.0], [0.0]]])
    nothing = np.empty((0, 2, 1)), np.empty(0, int)
    assert person_chances(draws, nothing, offered)[0, 0] == pytest.approx(0.5)
    up = 1 / (1 + np.exp(-2.0))
    found = person_chances(draws, (offered, np.array([0])), offered)[0]
    np.testing.assert_allclose(found, [up**2 + (1 - up) ** 2, 2 * up * (1 - up)])


def test_slope_of_the_evidence() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)), rng.normal(size=30)
    model = OrthogonalAdditiveGP().fit(X, y)
    target = (y - y.mean()) / y.std()
    at = np.array([0.1, -0.2, 0.3, -0.5, -1.0, -1.0])
    slope = model._loss(at, target)[1]
    for k, step in enumerate(1e-5 * np.eye(6)):
        gap = model._loss(at + step, target)[0] - model._loss(at - step, target)[0]
        assert slope[k] == pytest.approx(gap / 2e-5, rel=1e-2, abs=1e-3)


def test_households_are_never_on_both_sides() -> None:
    data = choices.Choices(np.zeros((60, 2, 1)), np.zeros(60, int), np.arange(60) // 6)
    train, test = choices.divided(data, 0)
    assert len(train.X) + len(test.X) == 60
    assert not set(train.people) & set(test.people)


def test_the_committed_page_is_up_to_date() -> None:
    page = (HERE.parent / "docs" / "strong.md").read_text(encoding="utf-8")
    assert page == render_page(HERE / "strong" / "results")


def test_the_page_without_results(tmp_path: Path) -> None:
    assert render_page(tmp_path).count("Not run yet.") == len(SCRIPTS)


def test_limits_move_to_the_row_of_the_page() -> None:
    cell = Measurement("blood", "FIGS, at most 5")
    assert place(cell) == ("blood; at most 5", "FIGS")
    own = Measurement("sushi", "Bradley-Terry, own answers")
    assert place(own) == ("sushi", "Bradley-Terry, own answers")
