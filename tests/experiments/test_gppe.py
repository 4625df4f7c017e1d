"""What the scripts of the elicitation paper measure, on the smallest samples."""

from pathlib import Path

import numpy as np
import pytest

from experiments.gppe import (
    _asking,
    _methods,
    all_users,
    botorch,
    calibration,
    figure1a,
    figure1b,
    refitted,
)
from experiments.gppe._answer_tables import AnswerTable, answer_tables
from experiments.gppe._asking import (
    N_QUESTIONS,
    Curve,
    ask_fold,
    curve_cells,
    order_cells,
    people_to_ask,
    split,
)
from experiments.gppe._methods import METHODS
from experiments.gppe._people import People, made_people, sushi_people
from experiments.gppe._refitted import Refitted, penchant_fit
from experiments.gppe.calibration import Stated
from penchant.data import Comparisons
from penchant.elicitation import Elicitor, Simulation


@pytest.fixture
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a clean clone: the shared data are not here."""
    monkeypatch.setenv("PENCHANT_DATA", str(tmp_path / "nowhere"))


@pytest.fixture(scope="module")
def people() -> People:
    return made_people(60)


def constant(column: str, *loss: float) -> Curve:
    """Make a curve with the same loss for everybody, one number per fold."""
    folds = []
    for each in loss:
        table = np.full((4, N_QUESTIONS + 1), each)
        asked = np.ones((4, N_QUESTIONS, 2), dtype=int)
        seconds = np.full((4, N_QUESTIONS), 0.002)
        folds.append(Simulation("any", table, table == 0, table, table, asked, seconds))
    return Curve(column, 0.0, tuple(folds))


def agrees(people: People, answers: Comparisons) -> np.ndarray:
    """Tell which answers are those of the rankings."""
    places = np.argsort(people.rankings, axis=1)
    users = answers.users
    return places[users, answers.winners] < places[users, answers.losers]


class TestPeople:
    def test_all_pairs_are_those_of_the_rankings(self, people: People) -> None:
        answers = people.comparisons(np.random.default_rng(0))
        assert len(answers) == 60 * 45
        assert agrees(people, answers).all()

    def test_some_pairs_are_different_ones(self, people: People) -> None:
        answers = people.comparisons(np.random.default_rng(0), n_pairs=25)
        assert np.bincount(answers.users).tolist() == [25] * 60
        assert agrees(people, answers).all()
        pairs = np.sort([answers.winners, answers.losers], axis=0)
        assert len(np.unique([answers.users, *pairs], axis=1).T) == 60 * 25

    def test_a_share_of_the_answers_is_wrong(self, people: People) -> None:
        answers = people.comparisons(np.random.default_rng(0), wrong=0.1)
        assert np.mean(agrees(people, answers)) == pytest.approx(0.9, abs=0.02)

    def test_sushi(self, shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PENCHANT_DATA", str(shared_data))
        sushi = sushi_people()
        if sushi is None:
            pytest.skip("the Sushi data are not here")
        assert sushi.rankings.shape == (5000, 10)
        # The paper has 15 and 85 features and does not say which.
        assert (sushi.X_items.shape[1], sushi.X_users.shape[1]) == (16, 83)
        assert np.bincount(sushi.rankings[:, 0]).argmax() == 7  # fatty tuna

    @pytest.mark.usefixtures("no_data")
    def test_others_take_their_place(self) -> None:
        assert sushi_people() is None
        assert people_to_ask(quick=True).name == "made people"
        assert list(answer_tables()) == []


class TestFolds:
    def test_everybody_is_asked_once(self, people: People) -> None:
        splits = [split(people, fold) for fold in range(10)]
        everybody = np.concatenate([test for _, test in splits])
        assert sorted(everybody) == list(range(60))
        for train, test in splits:
            assert not set(train) & set(test)
            assert len(train) + len(test) == 60

    def test_a_knockout_of_ten_items_ends_after_nine_questions(
        self, people: People
    ) -> None:
        knockout = METHODS["knockout"]
        result = ask_fold(people, knockout.start, 0.0, 0, [knockout], 60, "any")
        loss = result[knockout].loss
        assert loss.shape == (6, N_QUESTIONS + 1)
        assert not loss[:, 9:].any()
        assert loss[:, 1].mean() > 0
        assert (np.diff(loss, axis=1) <= 0).all()

    def test_cells(self, people: People) -> None:
        cells = list(curve_cells(people, [constant("any", 0.2, 0.4)]))
        assert len(cells) == N_QUESTIONS
        assert cells[0].mean == pytest.approx(0.3)
        assert cells[0].row == "made people, 0% wrong, loss after 1"
        assert "2 CPU ms" in cells[0].note
        merged = constant("any", 0.2, 0.4).merged()
        assert (merged.policy, merged.n_people) == ("any", 8)

    def test_order_of_two_curves(self, people: People) -> None:
        low, high = constant("low", 0.1, 0.2), constant("high", 0.3, 0.2)
        right, wrong = order_cells(
            people, [low, high], [("low", "high"), ("high", "low")]
        )
        assert right.mean == pytest.approx(-0.1)
        assert "after every question" in right.note
        assert wrong.mean == pytest.approx(0.1)
        assert "not after 1, 2, 3" in wrong.note

    def test_untouched_folds_are_the_last_seven(self, people: People) -> None:
        curve = constant("any", 9, 9, 9, *[0.1] * 7)
        cells = list(all_users.untouched_cells(people, [curve]))
        assert [cell.mean for cell in cells] == pytest.approx([0.1] * 4)
        assert not list(all_users.untouched_cells(people, [constant("any", 9.0)]))

    def test_every_column_is_a_method(self) -> None:
        for script in (figure1a, figure1b):
            assert set(script.COLUMNS) <= set(METHODS)
            assert {name for pair in script.CLAIMS for name in pair} <= set(METHODS)
        for wrong, columns in all_users.COLUMNS.items():
            assert set(columns) <= set(METHODS)
            claimed = {name for pair in all_users.CLAIMS[wrong] for name in pair}
            assert claimed <= set(columns)


class TestCalibration:
    def test_scores_in_closed_form(self) -> None:
        stated = Stated(np.array([0.9, 0.2, 0.6]), np.array([True, False, False]))
        assert stated.brier == pytest.approx((0.01 + 0.04 + 0.36) / 3)
        assert stated.accuracy == pytest.approx(2 / 3)
        sure = stated.favoured()
        assert sure.probability.tolist() == pytest.approx([0.9, 0.8, 0.6])
        assert sure.truth.tolist() == [True, True, False]
        assert sure.brier == pytest.approx(stated.brier)

    def test_right_probabilities_have_no_error(self) -> None:
        rng = np.random.default_rng(0)
        p = rng.random(40_000)
        right = Stated(p, rng.random(p.size) < p)
        assert calibration.calibration_error(right) < 0.01
        # Stated without doubt: off by what the truth doubts, a quarter on average.
        sure = Stated((p > 0.5).astype(float), right.truth)
        assert calibration.calibration_error(sure) == pytest.approx(0.25, abs=0.01)

    def test_bins(self) -> None:
        stated = Stated(np.array([0.96, 0.02, 0.5]), np.array([True, True, True]))
        table = calibration.reliability(stated)
        assert table == pytest.approx(np.array([[0.5, 1, 1], [0.97, 0.5, 2]]))

    def test_answers_of_rankings(self, people: People) -> None:
        table = AnswerTable.of_rankings(people)
        assert (table.answers == -table.answers.transpose(0, 2, 1)).all()
        answers = table.take(np.array([3, 5])).comparisons()
        assert len(answers) == 90
        assert agrees(people.take(np.array([3, 5])), answers).all()
        assert not answers.ties.any()

    def test_undecided_answers_are_ties_and_not_scored(self) -> None:
        table = AnswerTable(
            "any",
            np.eye(3),
            np.zeros((1, 1)),
            np.array([[[0, 0, 1], [0, 0, -1], [-1, 1, 0]]]),
            np.zeros(1, dtype=int),
        )
        assert table.comparisons().ties.tolist() == [True, False, False]
        probability = np.full((3, 3), 0.75)
        every = calibration._compare(probability, table.answers[0], set())
        assert every.truth.tolist() == [True, False]
        rest = calibration._compare(probability, table.answers[0], {(0, 2)})
        assert rest.truth.tolist() == [False]


class TestRefitted:
    def test_learns_what_it_is_told(self) -> None:
        start = Refitted(np.linspace(0, 1, 5)[:, None], penchant_fit)
        assert not start.mean.any()
        told = start.update(4, 0).update(3, 1)
        assert told.mean.argmax() == 4
        assert told.mean.argmin() == 0
        assert told.block(np.array([0, 4])).shape == (2, 2)
        assert start.answers == ()

    def test_a_conversation_goes_through_it(self) -> None:
        start = Refitted(np.linspace(0, 1, 5)[:, None], penchant_fit)
        elicitor = Elicitor(start, "eubo", random_state=0)
        for _ in range(3):
            question = elicitor.ask()
            elicitor.tell(
                question, "left" if question.left > question.right else "right"
            )
        assert elicitor.recommend()[0].item == 4


@pytest.mark.slow
@pytest.mark.usefixtures("no_data")
@pytest.mark.parametrize(
    "script",
    [figure1a, refitted, figure1b, all_users, calibration],
    ids=lambda s: s.__name__,
)
def test_quick_run_on_a_clean_clone(script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_asking, "QUICK_PEOPLE", 8)
    monkeypatch.setattr(_methods, "N_PAPER_USERS", 12)
    cells = script.run(quick=True).measurements
    absent = [cell for cell in cells if cell.mean is None]
    measured = [cell for cell in cells if cell.mean is not None]
    assert absent
    assert all("kamishima" in cell.note for cell in absent)
    assert all(cell.row.startswith("made people") for cell in measured)
    assert all(np.isfinite(cell.mean) for cell in measured)


def test_the_peer_is_left_out_where_it_is_missing(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(botorch, "find_spec", lambda name: None)
    cells = list(botorch.measure(botorch.PEER, people, people))
    assert len(cells) == N_QUESTIONS + 1
    assert {cell.note for cell in cells} == {botorch.WHY_ABSENT}
