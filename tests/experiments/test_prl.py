"""The experiments with rules: how peers are chosen and counted, tasks, quick runs."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments._published import load_published
from experiments._run import HERE
from experiments.prl import (
    breast_cancer,
    digits,
    few_rules,
    poker,
    table3,
    tic_tac_toe,
)
from experiments.prl._choice import choose
from experiments.prl._hands import encode_poker, make_poker
from experiments.prl._peers import CAPS, PEERS, Fitted, Peer
from experiments.prl._scores import OURS, Score, our_scores, outer_folds, state_of
from experiments.prl._tasks import Task, dorothea, few_rules_tasks, uci_poker_hands
from penchant.models import RuleClassifier


@pytest.fixture
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a clean clone: the shared data are not here."""
    monkeypatch.setenv("PENCHANT_DATA", str(tmp_path / "nowhere"))


@pytest.fixture
def data(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shared data, where the scripts look for them."""
    monkeypatch.setenv("PENCHANT_DATA", str(shared_data))


def threshold(X: np.ndarray, y: np.ndarray, *, cut: float, n_rules: int) -> Fitted:
    """A method that learns nothing: one cut, and the number of rules as told."""
    return Fitted(lambda rows: (rows[:, 0] > cut).astype(int), n_rules)


class TestPublished:
    def test_tables_are_complete(self) -> None:
        tables = load_published(HERE / "prl")
        assert len(tables["table1"].cells) == 3 * 3 * 2
        assert len(tables["table2"].cells) == 9 * 2
        assert len(tables["table3"].cells) == 3 * 3
        assert tables["table2"].cells["PRL@10", "accuracy"] == "97.95"
        assert tables["table3"].cells["madelon", "PRL"] == "62.75"


class TestTasks:
    @pytest.mark.usefixtures("data")
    def test_sizes_and_classes(self) -> None:
        sizes = {task.name: (task.X.shape, task.y.sum()) for task in few_rules_tasks()}
        assert sizes == {
            "breast cancer": ((683, 9), 239),
            "mammographic": ((830, 5), 403),
            "pima": ((768, 8), 268),
        }

    @pytest.mark.usefixtures("data")
    def test_files_of_other_shapes(self) -> None:
        matrix, active = dorothea()
        assert matrix.shape == (800, 88_119)
        assert (matrix.nnz, active.sum()) == (727_760, 78)
        assert uci_poker_hands().shape == (25_010, 10)

    @pytest.mark.usefixtures("no_data")
    def test_without_data_every_script_says_so(self) -> None:
        assert [task.X for task in few_rules_tasks()] == [None] * 3
        assert uci_poker_hands() is None
        assert dorothea() is None
        cells = [
            *breast_cancer.run(quick=True).measurements,
            *few_rules.run(quick=True).measurements,
            *poker._missing(3),
            *table3._madelon(),
        ]
        assert {cell.note for cell in cells} == {"data not here"}


class TestChoice:
    rng = np.random.default_rng(0)
    X = rng.random((90, 1))
    y = (X[:, 0] > 0.6).astype(int)

    def peer(self, **grid: tuple) -> Peer:
        return Peer(threshold, "numpy", "numpy", grid, caps=(2, 5))

    def test_takes_the_best_setting_with_few_enough_rules(self) -> None:
        peer = self.peer(cut=(0.2, 0.6), n_rules=(1, 3))
        small, large = choose(peer, self.X, self.y)
        assert dict(small.setting) == {"cut": 0.6, "n_rules": 1}
        assert (large.cap, large.model.n_rules) == (5, 1)  # the first of equals
        assert (large.model.predict(self.X) == self.y).all()

    def test_a_better_setting_must_wait_until_its_rules_are_allowed(self) -> None:
        peer = Peer(
            lambda X, y, cut: threshold(X, y, cut=cut, n_rules=3 if cut > 0.5 else 2),
            "numpy",
            "numpy",
            {"cut": (0.2, 0.6)},
            caps=(2, 5),
        )
        small, large = choose(peer, self.X, self.y)
        assert (dict(small.setting)["cut"], dict(large.setting)["cut"]) == (0.2, 0.6)

    def test_without_a_setting_it_is_always_the_larger_class(self) -> None:
        peer = self.peer(cut=(0.6,), n_rules=(4,))
        small, large = choose(peer, self.X, self.y)
        assert small.model.n_rules == 0
        assert (small.model.predict(self.X) == 0).all()
        assert large.model.n_rules == 4

    def test_limits_of_the_settings_themselves(self) -> None:
        limits = {dict(each)["max_rules"] for each in PEERS["tree"].settings(5)}
        assert limits == {cap for cap in CAPS if cap <= 5}
        assert len(PEERS["BooleanRuleCG"].settings(2)) == 2

    @pytest.mark.parametrize("name", PEERS)
    def test_peers_learn_a_rule(self, name: str) -> None:
        peer = PEERS[name]
        if not peer.is_here:
            pytest.skip(f"needs {peer.package}")
        rng = np.random.default_rng(1)
        X = rng.random((200, 2)).round(2)
        y = ((X[:, 0] > 0.5) & (X[:, 1] > 0.3)).astype(int)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as where they are scored
            model = peer.fit(X, y, **dict(peer.settings(10)[-1]))
        assert np.mean(model.predict(X) == y) > 0.8
        assert 1 <= model.n_rules <= 10


class TestFewRules:
    @staticmethod
    def scores(*accuracies: float) -> list[Score]:
        return [Score(5, accuracy, 4, 0.1) for accuracy in accuracies]

    def test_folds_are_the_same_in_every_run(self) -> None:
        y = np.tile([0, 1], 30)
        folds = list(outer_folds(np.zeros((60, 1)), y))
        assert len(folds) == 50
        tested = np.concatenate([test for _, test in folds[:10]])
        assert sorted(tested) == list(range(60))
        again = next(outer_folds(np.zeros((60, 1)), y))
        assert (folds[0][1] == again[1]).all()

    def test_methods_are_compared_on_the_folds_that_both_have(self) -> None:
        ours, theirs = self.scores(90, 80, 70, 60), self.scores(89, 81)
        assert few_rules.differences(ours, theirs).tolist() == [1.0, -1.0]
        text = few_rules.compare(ours, theirs)
        assert text == "ours +0.00, wins 1, loses 1, p 1"

    def test_the_best_peer_is_the_one_closest_to_ours_on_its_folds(self) -> None:
        scores = {
            OURS: {5: self.scores(90, 80, 70)},
            "tree": {5: self.scores(88, 78, 68)},
            "BooleanRuleCG": {5: self.scores(89)},
            "logistic regression": {None: self.scores(99, 99, 99)},
        }
        cell = few_rules._verdict(Task("toy"), scores, 5)
        assert (cell.mean, cell.n) == (1.0, 1)
        assert "best peer BooleanRuleCG" in cell.note

    def test_states_name_the_version_or_the_code(self) -> None:
        assert len(state_of(OURS)) == 64
        assert state_of("tree").startswith("scikit-learn 1.")

    def test_ours_keeps_to_the_number_of_rules(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.integers(0, 4, size=(120, 2)).astype(float)
        y = ((X[:, 0] > 1) == (X[:, 1] > 1)).astype(int)  # two corners
        rows = np.arange(120)
        scores = [
            Score(*each) for each in our_scores(OURS, "", X, y, rows, rows, caps=(1, 2))
        ]
        assert [score.cap for score in scores] == [1, 2]
        assert all(score.n_rules <= score.cap for score in scores)
        assert scores[0].accuracy < scores[1].accuracy == 100.0


class TestTicTacToe:
    def test_lines(self) -> None:
        assert len(tic_tac_toe.LINES) == 8
        diagonal = {"top_left=x", "middle_middle=x", "bottom_right=x"}
        assert frozenset(diagonal) in tic_tac_toe.LINES

    def test_one_split(self) -> None:
        figures = tic_tac_toe.measure(0)
        assert figures["lines among the first 8 rules", "PRL"] == 8
        assert figures["test accuracy %", "all rules"] == 100.0
        assert figures["test accuracy %", "at most 10 rules"] == 100.0
        assert figures["saddle gap", "all rules"] <= 1e-6


class TestBreastCancer:
    def test_cutting_off_nothing_is_the_model_itself(self) -> None:
        rng = np.random.default_rng(0)
        X = pd.DataFrame(rng.integers(0, 9, size=(150, 3)).astype(float))
        X.columns = ["a", "b", "c"]
        y = (X["a"] + X["b"] > 7).to_numpy(int)
        model = RuleClassifier(nu=0.2).fit(X, y)
        cut = breast_cancer.cut_off(model, X, len(model.rules_))
        assert (cut == model.predict(X)).all()
        rows = np.arange(150)
        single = breast_cancer.best_single_rule(model, X, y, rows)
        assert single.mean() <= model.score(X, y)
        assert single.mean() > 0.6


class TestPoker:
    def test_the_ace_is_low_or_high(self) -> None:
        low, high, pair = [1, 2, 3, 4, 5], [10, 11, 12, 13, 1], [1, 1, 9, 11, 13]
        suits = [1, 2, 3, 4, 1]
        ranks = np.array([low, high, pair])
        cards = np.stack([np.tile(suits, (3, 1)), ranks], axis=2).reshape(3, 10)
        literal = encode_poker(cards, level=3)
        hands = poker.with_ace_high(literal)
        assert literal.data[poker.DIFFERENCE].tolist() == [4, 12, 12]
        assert hands.data[poker.DIFFERENCE].tolist() == [4, 4, 5]
        others = literal.data.columns.drop(poker.DIFFERENCE)
        assert hands.data[others].equals(literal.data[others])

    def test_the_rules_of_the_paper_come_out(self) -> None:
        dealt = poker.with_ace_high(make_poker(6000, level=3, random_state=7))
        y = (dealt.target == poker.HANDS["straight"]).to_numpy(np.int64)
        model = poker.make(None).fit(dealt.data, y)
        texts = {rule.text for rule in model.rules_}
        assert {"largest difference of ranks = 4", "number of different ranks = 5"} <= (
            texts
        )


class TestGenerated:
    @pytest.mark.parametrize("generate", [table3.few_useful, table3.many_useful])
    def test_a_set_of_a_given_shape_can_be_learned(self, generate) -> None:
        X, y = generate((200, 120))
        assert X.shape == (200, 120)
        assert 60 < y.sum() < 140


class TestDigits:
    def test_a_pair_of_digits(self) -> None:
        pair = digits.load_small().pair(4, 6)
        assert (pair.side, set(pair.y)) == (8, {4, 6})
        accuracy, n_products = digits.measure(pair, 0)
        assert accuracy > 97.0
        assert n_products > 1


@pytest.mark.slow
@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("script", [breast_cancer, few_rules, poker, table3])
def test_quick_run(script) -> None:
    outcome = script.run(quick=True)
    assert outcome.measurements
    available = [cell for cell in outcome.measurements if cell.row != "gisette"]
    assert all(np.isfinite(cell.mean) for cell in available if cell.mean is not None)
