"""The explainers against the definitions EX-1 to EX-7, word by word."""

from collections.abc import Sequence
from itertools import combinations, permutations
from math import comb, factorial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.explanation import (
    CoalitionalExplainer,
    CompleteExplainer,
    DepthExplainer,
    LeastSquaresExplainer,
    _smooth_games,
)
from penchant.explanation._shapley import members
from penchant.models import GAIRegressor

EXPLAINERS = [
    CompleteExplainer(),
    DepthExplainer(2),
    CoalitionalExplainer(alpha=0.5),
    LeastSquaresExplainer(random_state=0),
]


def worths(
    model: Any, X: np.ndarray, y: np.ndarray, rows: np.ndarray, blocks: Any = None
) -> dict[frozenset[int], np.ndarray]:
    """Delta_S of every set, by refitting; blocks are the columns of each player."""
    blocks = [[c] for c in range(X.shape[1])] if blocks is None else blocks
    full = frozenset(range(len(blocks)))
    is_class = hasattr(model, "classes_")
    label = model.predict(rows) if is_class else None

    def value(fitted: Any, part: np.ndarray) -> np.ndarray:
        if not is_class:
            return fitted.predict(part)
        table = fitted.predict_proba(part)
        column = [list(fitted.classes_).index(each) for each in label]
        return table[np.arange(len(part)), column]

    base = np.array([np.mean(y == each) for each in label]) if is_class else np.mean(y)
    found = {frozenset(): np.zeros(len(rows))}
    for size in range(1, len(blocks) + 1):
        for players in combinations(range(len(blocks)), size):
            columns = sorted(c for player in players for c in blocks[player])
            key = frozenset(players)
            fitted = model if key == full else clone(model).fit(X[:, columns], y)
            found[key] = value(fitted, rows[:, columns]) - base
    return found


def shapley(
    game: dict[frozenset[int], np.ndarray], players: Sequence[int]
) -> dict[int, np.ndarray]:
    """Mean marginal contribution over all orders of the players."""
    total: dict[int, Any] = dict.fromkeys(players, 0.0)
    for order in permutations(players):
        before: frozenset[int] = frozenset()
        for player in order:
            after = before | {player}
            total[player] = total[player] + game[after] - game[before]
            before = after
    return {i: value / factorial(len(players)) for i, value in total.items()}


def complete(game: dict[frozenset[int], np.ndarray], d: int) -> np.ndarray:
    found = shapley(game, range(d))
    return np.stack([found[i] for i in range(d)], axis=1)


def depth(game: dict[frozenset[int], np.ndarray], d: int, k: int) -> np.ndarray:
    influences = []
    for i in range(d):
        others = [j for j in range(d) if j != i]
        total: Any = 0.0
        for size in range(k):
            for chosen in combinations(others, size):
                part = frozenset(chosen)
                step = game[part | {i}] - game[part]
                total = total + step / (k * comb(d - 1, size))
        influences.append(total)
    return np.stack(influences, axis=1)


def coalitional(
    game: dict[frozenset[int], np.ndarray], d: int, groups: Sequence[frozenset[int]]
) -> np.ndarray:
    """The printed formula: sums over groups and their subsets, one denominator."""
    influences = []
    for i in range(d):
        mine = [g for g in groups if i in g]
        top: Any = 0.0
        bottom = 0
        for g in mine:
            others = sorted(g - {i})
            for size in range(len(g)):
                for chosen in combinations(others, size):
                    weight = factorial(size) * factorial(len(g) - size - 1)
                    part = frozenset(chosen)
                    top = top + weight * (game[part | {i}] - game[part])
                    bottom += weight
        influences.append(top / bottom)
    return np.stack(influences, axis=1)


def groups_of(explainer: CoalitionalExplainer) -> list[frozenset[int]]:
    place = {name: k for k, name in enumerate(explainer.names_)}
    return [frozenset(place[name] for name in group) for group in explainer.groups_]


@pytest.fixture(scope="module")
def wine() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[::2, :6], np.array(["a", "b", "c"])[y[::2]]


@pytest.fixture(scope="module")
def rated() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_diabetes(return_X_y=True)
    return X[:80, 2:9], y[:80] / 100.0


def models(kind: str) -> list[Any]:
    if kind == "labels":
        return [
            DecisionTreeClassifier(max_depth=3, random_state=0),
            KNeighborsClassifier(7),
            RandomForestClassifier(5, random_state=0),
        ]
    return [
        DecisionTreeRegressor(max_depth=3, random_state=0),
        KernelRidge(kernel="rbf", gamma=20.0, alpha=0.1),
        LinearRegression(),
    ]


@pytest.fixture(
    scope="module",
    params=[(kind, k) for kind in ("labels", "numbers") for k in range(3)],
    ids=lambda param: f"{param[0]}{param[1]}",
)
def task(
    request: pytest.FixtureRequest,
    wine: tuple[np.ndarray, np.ndarray],
    rated: tuple[np.ndarray, np.ndarray],
) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[frozenset[int], np.ndarray]]:
    """A fitted model, its data, other rows, and the worth of every set there."""
    kind, k = request.param
    X, y = wine if kind == "labels" else rated
    rng = np.random.default_rng(0)
    rows = X[:12] + 0.05 * rng.standard_normal((12, X.shape[1]))
    model = models(kind)[k].fit(X, y)
    return model, X, y, rows, worths(model, X, y, rows)


class TestDefinitions:
    def test_complete(self, task: Any) -> None:
        model, X, y, rows, game = task
        explainer = CompleteExplainer().fit(model, X, y)
        found = explainer.explain(rows)
        d = X.shape[1]
        np.testing.assert_allclose(found.values, complete(game, d), atol=1e-12, rtol=0)
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-12)
        assert explainer.n_models_ == found.n_models == 2**d - 1
        assert found.complexity == 1.0

    @pytest.mark.parametrize("k", [1, 2, 4])
    def test_depth(self, task: Any, k: int) -> None:
        model, X, y, rows, game = task
        found = DepthExplainer(k).fit(model, X, y).explain(rows)
        d = X.shape[1]
        expected = depth(game, d, k)
        np.testing.assert_allclose(found.values, expected, atol=1e-12, rtol=0)
        assert found.n_models == sum(comb(d, size) for size in range(1, k + 1))
        missing = game[frozenset(range(d))] - expected.sum(axis=1)
        np.testing.assert_allclose(found.gap, missing, atol=1e-12)

    @pytest.mark.parametrize("alpha", [0.2, 0.6])
    @pytest.mark.parametrize("strategy", ["spearman", "pca", "reverse-vif"])
    def test_coalitional(self, task: Any, strategy: str, alpha: float) -> None:
        model, X, y, rows, game = task
        explainer = CoalitionalExplainer(strategy, alpha=alpha).fit(model, X, y)
        found = explainer.explain(rows)
        groups = groups_of(explainer)
        assert max(map(len, groups)) > 1
        d = X.shape[1]
        expected = coalitional(game, d, groups)
        np.testing.assert_allclose(found.values, expected, atol=1e-12, rtol=0)
        sets = {
            part
            for group in groups
            for size in range(1, len(group) + 1)
            for part in combinations(sorted(group), size)
        }
        assert found.n_models == len(sets)
        assert found.complexity == len(sets) / (2**d - 1)
        missing = game[frozenset(range(d))] - expected.sum(axis=1)
        np.testing.assert_allclose(found.gap, missing, atol=1e-12)

    def test_least_squares_with_all_sets_is_complete(self, task: Any) -> None:
        model, X, y, rows, game = task
        d = X.shape[1]
        found = LeastSquaresExplainer(2**d - 1).fit(model, X, y).explain(rows)
        np.testing.assert_allclose(found.values, complete(game, d), atol=1e-12, rtol=0)
        assert found.n_models == 2**d - 1
        assert (found.std == 0.0).all()

    def test_least_squares_is_the_value_of_the_smoothest_games(
        self, task: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Krige the worths of all sets by each process, and average by likelihood."""
        # Fewer and milder processes: this way to compute them is less exact.
        ratios, trends = (0.1, 0.7), np.array([0.1, 10.0])
        monkeypatch.setattr(_smooth_games, "_RATIOS", ratios)
        monkeypatch.setattr(_smooth_games, "_TRENDS", trends)
        model, X, y, rows, game = task
        d = X.shape[1]
        explainer = LeastSquaresExplainer(2 * d + 9, random_state=0).fit(model, X, y)
        found = explainer.explain(rows)
        assert explainer.solution_ == "smoothest game"
        known = [frozenset(members(mask)) for mask in explainer._masks]
        assert {len(part) for part in known} >= {1, d - 1, d}
        assert all(frozenset(range(d)) - part in known for part in known[:-1])
        pairs = known[::2]
        sets = [frozenset(), *game]
        shapley = complete(dict(zip(sets, np.eye(len(sets)), strict=True)), d).T
        # What is known: half of what a set is worth more than its complement.
        halves = np.zeros((len(pairs), len(sets)))
        for row, part in enumerate(pairs):
            halves[row, sets.index(part)] += 0.5
            halves[row, sets.index(frozenset(range(d)) - part)] -= 0.5
        told = halves @ np.array([np.zeros(len(rows)), *game.values()])
        differ = np.array([[len(a ^ b) for b in sets] for a in sets])
        lines = np.array([[2.0 * (i in part) - 1 for i in range(d)] for part in sets])
        fits = []
        for ratio in ratios:
            for trend in trends:
                prior = ((1 - ratio) / (1 + ratio)) ** differ + trend * lines @ lines.T
                gram = halves @ prior @ halves.T
                effects = halves @ prior @ shapley.T
                gain = np.linalg.solve(gram, effects)
                squares = (told * np.linalg.solve(gram, told)).sum(axis=0)
                left = np.diagonal(shapley @ prior @ shapley.T - effects.T @ gain)
                additive = trend * halves @ lines @ lines.T @ halves.T
                used = np.trace(np.linalg.solve(gram, additive))
                scale = squares / (len(pairs) - used)
                likelihood = -0.5 * (
                    len(pairs) * np.log(squares) + np.linalg.slogdet(gram)[1]
                )
                fits.append((likelihood, told.T @ gain, np.outer(scale, left)))
        likelihood, values, variances = map(np.array, zip(*fits, strict=True))
        chances = softmax(likelihood, axis=0)[:, :, None]
        expected = (chances * values).sum(axis=0)
        np.testing.assert_allclose(found.values, expected, atol=1e-8)
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-9)
        squares = (chances * (variances + values**2)).sum(axis=0) - expected**2
        np.testing.assert_allclose(found.std, np.sqrt(squares), atol=1e-6)

    def test_many_models_are_fitted_by_weighted_squares(
        self, task: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It minimises the weighted squares among influences that add up."""
        monkeypatch.setitem(
            LeastSquaresExplainer._plan.__globals__, "MAX_INTERPOLATED", 0
        )
        model, X, y, rows, game = task
        d = X.shape[1]
        explainer = LeastSquaresExplainer(2 * d + 1).fit(model, X, y)
        found = explainer.explain(rows)
        assert found.n_models == 2 * d + 1
        assert explainer.solution_ == "weighted squares"
        assert found.std is None
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-9)
        # Sizes 1 and d - 1 alone: equal weights, so the normal equations are known.
        total = game[frozenset(range(d))]
        single = np.stack([game[frozenset({i})] for i in range(d)], axis=1)
        all_but = np.stack([game[frozenset(range(d)) - {i}] for i in range(d)], axis=1)
        gain = (single + total[:, None] - all_but) / 2
        expected = gain + (total - gain.sum(axis=1))[:, None] / d
        np.testing.assert_allclose(found.values, expected, atol=1e-12)

    def test_depth_of_all_is_complete(self, rated: Any) -> None:
        X, y = rated
        X = X[:, :4]
        model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
        deep = DepthExplainer(4).fit(model, X, y).explain()
        np.testing.assert_allclose(
            deep.values, CompleteExplainer().fit(model, X, y).explain().values
        )

    @pytest.mark.parametrize(
        "explainer", [DepthExplainer(2), CoalitionalExplainer(alpha=0.4)]
    )
    def test_normalized_values_add_up_and_come_nearer(
        self, task: Any, explainer: Any
    ) -> None:
        model, X, y, rows, game = task
        plain = clone(explainer).fit(model, X, y).explain(rows)
        spread = clone(explainer).set_params(normalize=True).fit(model, X, y)
        evened = spread.explain(rows)
        np.testing.assert_allclose(evened.gap, 0.0, atol=1e-12)
        expected = plain.values + plain.gap[:, None] / X.shape[1]
        np.testing.assert_allclose(evened.values, expected, atol=1e-12)
        exact = complete(game, X.shape[1])
        before = np.linalg.norm(plain.values - exact, axis=1)
        after = np.linalg.norm(evened.values - exact, axis=1)
        assert (after <= before + 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize("budget", [33, 129])
@pytest.mark.parametrize(
    "model",
    [KernelRidge(kernel="rbf", alpha=0.5), RandomForestRegressor(10, random_state=0)],
)
def test_standard_errors_cover_the_complete_method(model: Any, budget: int) -> None:
    X, y = load_diabetes(return_X_y=True)
    X, y = (X / X.std(axis=0))[:100, :9], y[:100] / y.std()
    fitted = clone(model).fit(X, y)
    exact = CompleteExplainer(random_state=0).fit(fitted, X, y).explain().values
    found = LeastSquaresExplainer(budget, random_state=0).fit(fitted, X, y).explain()
    assert found.std is not None
    away = np.abs(found.values - exact) / found.std
    assert (away <= 1.645).mean() >= 0.9
    assert 0.4 <= np.sqrt((away**2).mean()) <= 1.1  # not much too wide


class TestRows:
    def test_no_rows_means_those_of_fit(self, task: Any) -> None:
        model, X, y, _, _ = task
        explainer = DepthExplainer(1).fit(model, X, y)
        own, same = explainer.explain(), explainer.explain(X.copy())
        np.testing.assert_allclose(own.values, same.values, atol=1e-12)
        np.testing.assert_allclose(own.predictions, same.predictions, atol=1e-12)

    def test_the_class_is_that_of_predict_or_the_one_named(self, wine: Any) -> None:
        X, y = wine
        model = KNeighborsClassifier(5).fit(X, y)
        explainer = CompleteExplainer().fit(model, X, y)
        found = explainer.explain(X[:20])
        assert found.classes.tolist() == model.predict(X[:20]).tolist()
        proba = model.predict_proba(X[:20])
        np.testing.assert_allclose(found.predictions, proba.max(axis=1))
        named = explainer.explain(X[:20], look_at="b")
        assert set(named.classes) == {"b"}
        np.testing.assert_allclose(named.predictions, proba[:, 1])
        np.testing.assert_allclose(named.base, np.mean(y == "b"))
        # The probabilities of all classes sum to 1, so their influences to 0.
        total = sum(explainer.explain(X[:20], look_at=c).values for c in "abc")
        np.testing.assert_allclose(total, 0.0, atol=1e-12)

    def test_predict_may_not_be_the_most_probable_class(self, wine: Any) -> None:
        X, y = wine

        class Contrary(KNeighborsClassifier):
            def predict(self, X: Any) -> Any:
                order = self.predict_proba(X).argsort(axis=1)
                return self.classes_[order[:, 1]]

        model = Contrary(5).fit(X, y)
        found = DepthExplainer(1).fit(model, X, y).explain()
        assert found.classes.tolist() == model.predict(X).tolist()
        second = np.sort(model.predict_proba(X), axis=1)[:, 1]
        np.testing.assert_allclose(found.predictions, second)

    def test_a_classifier_without_probabilities_counts_as_certain(
        self, wine: Any
    ) -> None:
        X, y = wine
        model = RidgeClassifier().fit(X, y)
        found = CompleteExplainer().fit(model, X, y).explain()
        np.testing.assert_array_equal(found.predictions, 1.0)
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-12)

    def test_a_model_that_knows_a_class_the_data_lack(self, wine: Any) -> None:
        X, y = wine
        model = KNeighborsClassifier(3).fit(X, y)
        few = y != "c"
        found = CompleteExplainer().fit(model, X[few], y[few]).explain(look_at="c")
        np.testing.assert_allclose(found.base, 0.0)
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-12)

    def test_other_columns_are_refused(self, rated: Any) -> None:
        X, y = rated
        explainer = DepthExplainer(1).fit(LinearRegression(), X, y)
        with pytest.raises(DataError, match="7 columns"):
            explainer.explain(X[:, :3])
        with pytest.raises(DataError, match="regressor"):
            explainer.explain(look_at=1)

    def test_unknown_class_lists_the_known(self, wine: Any) -> None:
        explainer = DepthExplainer(1).fit(KNeighborsClassifier(3), *wine)
        with pytest.raises(DataError, match="'a', 'b', 'c'"):
            explainer.explain(look_at="d")


class TestTables:
    @pytest.mark.parametrize("explainer", EXPLAINERS, ids=lambda e: type(e).__name__)
    def test_awkward_tables(self, explainer: Any, rated: Any) -> None:
        """A constant and a duplicate column, labels that are words, an odd index."""
        X, y = rated
        frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
        frame["same"] = 1.0
        frame["again"] = frame["a"]
        frame.index = [f"row {k % 7}" for k in range(len(frame))]
        labels = pd.Series(np.where(y > np.median(y), "high", "low"), frame.index)
        model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(frame, labels)
        found = clone(explainer).fit(model, frame, labels).explain(frame.iloc[:9])
        assert found.rows == tuple(frame.index[:9])
        assert found.names == ("a", "b", "c", "same", "again")
        assert np.isfinite(found.values).all()
        # A tree never splits on a constant, and cannot tell a column from its copy.
        np.testing.assert_allclose(found.values[:, 3], 0.0, atol=1e-12)
        if not isinstance(explainer, LeastSquaresExplainer | CoalitionalExplainer):
            np.testing.assert_allclose(
                found.values[:, 0], found.values[:, 4], atol=1e-12
            )
        plain = clone(explainer).fit(
            clone(model).fit(frame.to_numpy(), labels.to_numpy()),
            frame.to_numpy(),
            labels.to_list(),
        )
        np.testing.assert_array_equal(
            plain.explain(frame.to_numpy()[:9]).values, found.values
        )
        assert plain.names_ == ("x0", "x1", "x2", "x3", "x4")

    def test_one_attribute(self, rated: Any) -> None:
        X, y = rated
        for explainer in EXPLAINERS:
            if isinstance(explainer, DepthExplainer):
                continue
            found = clone(explainer).fit(LinearRegression(), X[:, :1], y).explain()
            np.testing.assert_allclose(
                found.values[:, 0], found.predictions - y.mean(), atol=1e-12
            )

    def test_two_attributes(self, rated: Any) -> None:
        X, y = rated
        model = SVR().fit(X[:, :2], y)
        exact = CompleteExplainer().fit(model, X[:, :2], y).explain().values
        near = LeastSquaresExplainer(3).fit(model, X[:, :2], y).explain().values
        np.testing.assert_allclose(near, exact, atol=1e-12)

    def test_columns_may_come_in_another_order(self, rated: Any) -> None:
        X, y = rated
        frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
        explainer = CompleteExplainer().fit(LinearRegression(), frame, y)
        turned = explainer.explain(frame[["c", "a", "b"]])
        np.testing.assert_allclose(
            turned.values, explainer.explain().values, rtol=1e-10
        )

    def test_block_of_columns_is_one_player(self, rated: Any) -> None:
        X, y = rated
        model = KNeighborsClassifier(5).fit(X, y > 1.4)
        blocks = [[0, 3], [1], [2], [4, 5, 6]]
        explainer = CompleteExplainer(players={"body": [0, 3], "rest": [4, 5, 6]})
        found = explainer.fit(model, X, y > 1.4).explain(X[:10])
        game = worths(model, X, y > 1.4, X[:10], blocks)
        np.testing.assert_allclose(found.values, complete(game, 4), atol=1e-12, rtol=0)
        assert found.names == ("body", "x1", "x2", "rest")
        assert found.data.iloc[0, 0] == f"{X[0, 0]}, {X[0, 3]}"

    def test_one_hot_block_is_read_by_its_level(self) -> None:
        rng = np.random.default_rng(0)
        colour = rng.integers(3, size=40)
        frame = pd.DataFrame(np.eye(3)[colour], columns=["red", "green", "blue"])
        frame["size"] = rng.random(40)
        y = colour + frame["size"]
        explainer = CompleteExplainer(players={"colour": ["red", "green", "blue"]})
        found = explainer.fit(LinearRegression(), frame, y).explain(frame[:5])
        assert found.names == ("colour", "size")
        levels = np.array(["red", "green", "blue"])[colour[:5]]
        assert found.data["colour"].tolist() == levels.tolist()

    def test_items_keep_their_names(self) -> None:
        rng = np.random.default_rng(1)
        frame = pd.DataFrame(rng.random((20, 3)), columns=["rent", "size", "age"])
        items = Items.from_frame(
            frame,
            [Attribute("rent", direction="down")],
            names=[f"flat {k}" for k in range(20)],
        )
        y = items.encode()[:, 0] + items.encode()[:, 1]
        model = GAIRegressor(C=10.0, max_order=1).fit(items, y)
        found = CompleteExplainer().fit(model, items, y).explain()
        assert found.rows[:2] == ("flat 0", "flat 1")
        assert found.names == ("rent", "size", "age")
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-12)
        assert (np.abs(found.values).mean(axis=0)[2] < 0.05).all()


class TestRandomness:
    def test_a_seed_makes_everything_repeatable(self, rated: Any) -> None:
        X, y = rated
        forest = RandomForestRegressor(3)

        def once(seed: int | None) -> np.ndarray:
            explainer = LeastSquaresExplainer(21, random_state=seed)
            return explainer.fit(forest, X, y).explain().values

        np.testing.assert_array_equal(once(3), once(3))
        assert not np.array_equal(once(3), once(4))

    def test_seed_of_the_estimator_stays(self, rated: Any) -> None:
        X, y = rated
        forest = RandomForestRegressor(3, random_state=5).fit(X[:, :3], y)
        seeded = CompleteExplainer(random_state=0).fit(forest, X[:, :3], y)
        plain = CompleteExplainer().fit(forest, X[:, :3], y)
        np.testing.assert_array_equal(seeded.explain().values, plain.explain().values)


class TestLeastSquares:
    @given(
        d=st.integers(3, 7), budget=st.integers(7, 140), seed=st.integers(0, 2**31 - 2)
    )
    def test_always_adds_up_and_never_takes_a_set_twice(
        self, d: int, budget: int, seed: int
    ) -> None:
        budget = max(budget, 2 * d + 1)
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((15, d))
        y = rng.standard_normal(15)
        model = KernelRidge(kernel="rbf").fit(X, y)
        explainer = LeastSquaresExplainer(budget, random_state=seed).fit(model, X, y)
        found = explainer.explain()
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-9)
        most = min(budget, 2**d - 1)
        assert most - 1 <= found.n_models <= most
        assert found.complexity == found.n_models / (2**d - 1)

    def test_weighted_squares_with_all_sets_are_complete(
        self, rated: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        X, y = rated
        model = SVR().fit(X[:, :5], y)
        exact = CompleteExplainer().fit(model, X[:, :5], y).explain().values
        monkeypatch.setitem(
            LeastSquaresExplainer._plan.__globals__, "MAX_INTERPOLATED", 0
        )
        for budget, tolerance in ((31, 1e-12), (29, 0.05)):
            near = LeastSquaresExplainer(budget, random_state=0)
            values = near.fit(model, X[:, :5], y).explain().values
            np.testing.assert_allclose(values, exact, atol=tolerance)

    def test_what_is_additive_is_found_with_the_fewest_models(self) -> None:
        rng = np.random.default_rng(0)
        X = np.linalg.qr(rng.standard_normal((40, 12)))[0] * 6.0
        X -= X.mean(axis=0)
        X = np.linalg.qr(X)[0]  # so that the slopes of a set are those of all
        strengths = np.arange(1.0, 13.0)
        model = LinearRegression().fit(X, X @ strengths)
        found = LeastSquaresExplainer(25, random_state=0).fit(model, X, X @ strengths)
        values = found.explain().values
        np.testing.assert_allclose(values, X * strengths, atol=1e-3)

    def test_errors_tell_how_far_the_complete_method_is(self) -> None:
        X, y = load_wine(return_X_y=True)
        X = X[::2, :8] / X[:, :8].std(axis=0)
        beyond = []
        for model in (DecisionTreeClassifier(max_depth=4), KernelRidge(kernel="rbf")):
            model.fit(X, y[::2])
            exact = CompleteExplainer().fit(model, X, y[::2]).explain(X[:20]).values
            for budget in (33, 65, 129):
                near = LeastSquaresExplainer(budget, random_state=0)
                found = near.fit(model, X, y[::2]).explain(X[:20])
                beyond.append(np.abs(found.values - exact) > 2.0 * found.std)
        assert 0.001 < np.mean(beyond) < 0.1

    def test_a_row_is_explained_alike_in_any_company(self, rated: Any) -> None:
        X, y = rated
        explainer = LeastSquaresExplainer(31, random_state=0).fit(SVR().fit(X, y), X, y)
        alone, all_rows = explainer.explain(X[:1]), explainer.explain(X)
        np.testing.assert_allclose(alone.values, all_rows.values[:1], atol=1e-12)
        np.testing.assert_allclose(alone.std, all_rows.std[:1], atol=1e-12)

    def test_more_models_come_nearer(self) -> None:
        X, y = load_diabetes(return_X_y=True)
        X = X[:100, :9] / X[:, :9].std(axis=0)
        model = KernelRidge(kernel="rbf", gamma=0.1).fit(X, y[:100])
        exact = CompleteExplainer().fit(model, X, y[:100]).explain().values
        errors = [
            np.mean(
                [
                    np.linalg.norm(
                        LeastSquaresExplainer(budget, random_state=seed)
                        .fit(model, X, y[:100])
                        .explain()
                        .values
                        - exact
                    )
                    for seed in range(3)
                ]
            )
            for budget in (31, 101, 301, 511)
        ]
        assert errors[0] > 1.5 * errors[1] > 2 * errors[2]
        assert errors[3] < 1e-9

    def test_many_attributes(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((30, 70))
        y = X[:, 0] + X[:, 69]
        model = KernelRidge(kernel="linear", alpha=1e-6).fit(X, y)
        explainer = LeastSquaresExplainer(budget=161, random_state=0).fit(model, X, y)
        found = explainer.explain()
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-9)
        assert found.n_models == 161
        assert len(found.names) == 70

    def test_a_constant_attribute_takes_no_models(self) -> None:
        X, y = load_diabetes(return_X_y=True)
        X, y = X[:80, :7].copy(), y[:80] / 100
        X[:, 3] = 0.5
        # Its model of the constant alone is the mean, so that this attribute gets 0.
        model = GaussianProcessRegressor(
            RBF(0.2), alpha=0.1, optimizer=None, normalize_y=True
        ).fit(X, y)
        exact = CompleteExplainer().fit(model, X, y).explain(X[:9])
        # 63 sets of the other six attributes: the complete method at half its cost.
        explainer = LeastSquaresExplainer(63, random_state=0).fit(model, X, y)
        found = explainer.explain(X[:9])
        assert (found.n_models, explainer.solution_) == (63, "all sets")
        np.testing.assert_allclose(found.values, exact.values, rtol=0, atol=1e-10)
        fewer = LeastSquaresExplainer(25, random_state=0).fit(model, X, y)
        near = fewer.explain(X[:9])
        assert near.n_models == 25
        assert (near.values[:, 3] == 0.0).all()
        np.testing.assert_allclose(near.gap, 0.0, atol=1e-9)

    def test_default_covers_nine_attributes(self) -> None:
        X, y = load_diabetes(return_X_y=True)
        model = KernelRidge(kernel="rbf").fit(X[:20, :9], y[:20])
        assert LeastSquaresExplainer().fit(model, X[:20, :9], y[:20]).n_models_ == 511
        wide = LeastSquaresExplainer().fit(KernelRidge(), X[:20], y[:20])
        assert wide.n_models_ == 511

    def test_too_small_a_budget(self, rated: Any) -> None:
        with pytest.raises(DataError, match="at least 15 models for 7"):
            LeastSquaresExplainer(14).fit(LinearRegression(), *rated)


class TestCoalitional:
    def test_achieved_complexity_is_reported(self) -> None:
        X, y = load_iris(return_X_y=True, as_frame=True)
        with pytest.warns(UserWarning, match="alone in its group"):
            explainer = CoalitionalExplainer(complexity=0.1).fit(SVR(), X, y)
        assert explainer.complexity_ == 4 / 15
        assert explainer.explain().complexity == 4 / 15
        assert explainer.groups_ == tuple((name,) for name in X.columns)
        every = CoalitionalExplainer(complexity=1.0).fit(SVR(), X, y)
        assert every.complexity_ == 1.0
        np.testing.assert_allclose(every.explain().gap, 0.0, atol=1e-12)

    def test_the_threshold_found_gives_the_same_groups(self, rated: Any) -> None:
        X, y = rated
        found = CoalitionalExplainer(complexity=0.3).fit(LinearRegression(), X, y)
        again = CoalitionalExplainer(alpha=found.alpha_).fit(LinearRegression(), X, y)
        assert again.groups_ == found.groups_

    def test_budget_is_kept(self, rated: Any) -> None:
        for budget in (20, 40, 60):
            explainer = CoalitionalExplainer("pca", budget=budget)
            assert explainer.fit(LinearRegression(), *rated).n_models_ <= budget

    def test_budget_with_many_attributes(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((60, 8)) @ rng.standard_normal((8, 50))
        model = KernelRidge(kernel="linear", alpha=0.1).fit(X, X[:, 0])
        for strategy in ("spearman", "reverse-spearman", "pca", "vif", "reverse-vif"):
            explainer = CoalitionalExplainer(strategy, budget=300)
            try:
                explainer.fit(model, X, X[:, 0])
            except UserWarning:
                continue  # every attribute alone
            assert 50 <= explainer.n_models_ <= 300

    def test_one_of_three_ways_to_say_how_many(self, rated: Any) -> None:
        with pytest.raises(DataError, match="At most one of"):
            CoalitionalExplainer(alpha=0.1, budget=9).fit(LinearRegression(), *rated)

    def test_budget_below_the_smallest_groups(self, rated: Any) -> None:
        with pytest.raises(DataError, match="at least the 7 models"):
            CoalitionalExplainer(budget=6).fit(LinearRegression(), *rated)


class TestErrors:
    def test_too_many_models(self) -> None:
        X = np.random.default_rng(0).random((5, 30))
        explainers = [
            CompleteExplainer(),
            DepthExplainer(12),
            CoalitionalExplainer(complexity=0.5),
            CoalitionalExplainer(alpha=5.0),
        ]
        for explainer in explainers:
            with pytest.raises(DataError, match="LeastSquaresExplainer"):
                explainer.fit(LinearRegression(), X, X[:, 0])

    def test_depth_beyond_the_attributes(self, rated: Any) -> None:
        with pytest.raises(DataError, match=r"at most the number of attributes \(7\)"):
            DepthExplainer(8).fit(LinearRegression(), *rated)

    @pytest.mark.parametrize(
        "explainer",
        [
            DepthExplainer(0),
            CoalitionalExplainer("pearson"),
            CoalitionalExplainer(complexity=1.5),
            LeastSquaresExplainer(budget=-1),
            CompleteExplainer(players=[1]),  # type: ignore[arg-type]
        ],
        ids=repr,
    )
    def test_parameters_out_of_range(self, explainer: Any, rated: Any) -> None:
        with pytest.raises(ValueError, match="parameter"):
            explainer.fit(LinearRegression(), *rated)

    def test_not_fitted(self) -> None:
        with pytest.raises(ValueError, match="not fitted"):
            CompleteExplainer().explain()

    def test_an_unfitted_estimator_is_fitted_as_a_clone(self, wine: Any) -> None:
        model = LogisticRegression()
        found = DepthExplainer(1).fit(model, *wine).explain()
        assert not hasattr(model, "coef_")
        expected = clone(model).fit(*wine).predict_proba(wine[0]).max(axis=1)
        np.testing.assert_allclose(found.predictions, expected, atol=1e-12)


def test_more_models_than_can_be_listed_are_refused():
    X = np.random.default_rng(0).normal(size=(8, 44))
    model = LinearRegression().fit(X, X[:, 0])
    with pytest.raises(DataError, match=r"needs 1,235,993 models .* are allowed"):
        DepthExplainer(5).fit(model, X, X[:, 0]).explain(X[:1])
