"""Pipelines and models that name columns, on part of the columns."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from penchant.exceptions import DataError
from penchant.explanation import CompleteExplainer, DepthExplainer
from penchant.models import GAIRegressor


@pytest.fixture(scope="module")
def flats() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.uniform(20, 120, 60),
            "town": rng.choice(["Paris", "Lyon", "Nice"], 60),
            "rooms": rng.integers(1, 6, 60),
            "energy": pd.Categorical(rng.choice(list("ABC"), 60)),
        }
    )
    rent = 10 * frame["size"] + 300 * (frame["town"] == "Paris") + 20 * frame["rooms"]
    return frame, rent + rng.normal(0, 10, 60)


def by_hand(frame: pd.DataFrame, y: Any, names: list[str], rows: pd.DataFrame) -> Any:
    """Refit on some columns: numbers scaled, words as 0/1 columns."""
    parts = []
    for name in names:
        if name in ("size", "rooms"):
            centre, spread = frame[name].mean(), frame[name].std(ddof=0)
            parts.append(
                [((t[name] - centre) / spread).to_frame() for t in (frame, rows)]
            )
        else:
            levels = sorted(frame[name].unique())
            parts.append(
                [
                    pd.DataFrame({f"{name}{v}": (t[name] == v) * 1.0 for v in levels})
                    for t in (frame, rows)
                ]
            )
    sides = zip(*parts, strict=True)
    train, test = (pd.concat(side, axis=1).to_numpy() for side in sides)
    return Ridge().fit(train, y).predict(test)


SELECTIONS = {
    "names": (["size", "rooms"], ["town", "energy"]),
    "positions": ([0, 2], [1, 3]),
    "masks": ([True, False, True, False], [False, True, False, True]),
    "types": (
        make_column_selector(dtype_include="number"),
        make_column_selector(dtype_exclude="number"),
    ),
    "remainder": (["size", "rooms"], None),
}


@pytest.mark.parametrize("how", SELECTIONS)
def test_column_transformers_follow(how: str, flats: Any) -> None:
    frame, y = flats
    numbers, words = SELECTIONS[how]
    encode = OneHotEncoder(sparse_output=False)
    columns = (
        ColumnTransformer([("scale", StandardScaler(), numbers)], remainder=encode)
        if words is None
        else ColumnTransformer(
            [("scale", StandardScaler(), numbers), ("encode", encode, words)]
        )
    )
    model = make_pipeline(columns, Ridge()).fit(frame, y)
    rows = frame.iloc[:7]
    found = DepthExplainer(2).fit(model, frame, y).explain(rows)
    names = list(frame.columns)
    base = y.mean()
    single = {n: by_hand(frame, y, [n], rows) - base for n in names}
    both = {
        (a, b): by_hand(frame, y, [a, b], rows) - base
        for a in names
        for b in names
        if a != b
    }
    expected = [
        single[i] / 2 + sum(both[i, j] - single[j] for j in names if j != i) / 6
        for i in names
    ]
    np.testing.assert_allclose(found.values.T, expected, atol=1e-8)
    assert found.data["town"].tolist() == rows["town"].tolist()


def test_a_column_that_the_model_ignores_has_no_influence(flats: Any) -> None:
    frame, y = flats
    columns = ColumnTransformer(
        [("scale", StandardScaler(), ["size"]), ("no", "drop", ["rooms"])]
    )
    model = make_pipeline(columns, LinearRegression()).fit(frame, y)
    found = CompleteExplainer().fit(model, frame, y).explain()
    np.testing.assert_allclose(found.values[:, 1:], 0.0, atol=1e-9)
    label = np.where(y > y.median(), "dear", "cheap")
    classifier = make_pipeline(columns, LogisticRegression()).fit(frame, label)
    classes = CompleteExplainer().fit(classifier, frame, label).explain()
    np.testing.assert_allclose(classes.values[:, 1:], 0.0, atol=1e-12)


def test_a_search_over_a_pipeline(flats: Any) -> None:
    frame, y = flats
    columns = ColumnTransformer([("scale", StandardScaler(), slice("size", "size"))])
    search = GridSearchCV(
        make_pipeline(columns, Ridge()), {"ridge__alpha": [0.1, 1.0]}, cv=3
    ).fit(frame, y)
    found = DepthExplainer(1).fit(search, frame, y).explain()
    assert (np.abs(found.values[:, 0]) > 0).any()
    np.testing.assert_allclose(found.values[:, 1:], 0.0, atol=1e-9)


def test_categories_constraints_and_directions_follow(flats: Any) -> None:
    frame, y = flats
    X = frame.assign(town=frame["town"].astype("category").cat.codes)
    X = X[["size", "town", "rooms"]]
    options = {"min_samples_leaf": 5, "max_iter": 5}
    model = HistGradientBoostingRegressor(
        categorical_features=["town"],
        monotonic_cst={"size": 1, "rooms": 1},
        interaction_cst=[{0, 1}, {2}],
        **options,
    ).fit(X, y)
    found = DepthExplainer(1).fit(model, X, y).explain()
    alone = HistGradientBoostingRegressor(categorical_features=[0], **options)
    expected = alone.fit(X[["town"]], y).predict(X[["town"]]) - y.mean()
    np.testing.assert_allclose(found.values[:, 1], expected, atol=1e-9)
    rising = HistGradientBoostingRegressor(monotonic_cst=[1], **options)
    expected = rising.fit(X[["rooms"]], y).predict(X[["rooms"]]) - y.mean()
    np.testing.assert_allclose(found.values[:, 2], expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_length_scales_follow(flats: Any) -> None:
    frame, y = flats
    X, target = frame[["size", "rooms"]].to_numpy(float), y.to_numpy() / 1000
    kernel = RBF([50.0, 2.0], [(1.0, 1e5), (0.5, 1e5)]) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel).fit(X, target)  # learns its scales
    found = DepthExplainer(1).fit(model, X, target).explain()
    alone = GaussianProcessRegressor(RBF([2.0], [(0.5, 1e5)]) + WhiteKernel(0.1))
    expected = alone.fit(X[:, 1:], target).predict(X[:, 1:]) - target.mean()
    np.testing.assert_allclose(found.values[:, 1], expected, atol=1e-9)


def test_parameters_of_our_models_follow() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((30, 3))
    y = X[:, 0] - X[:, 2]
    domain = [(0.0, 1.0), (0.0, 2.0), (-1.0, 1.0)]
    model = GAIRegressor(
        domain=domain, sigma=[0.5, 1.0, 2.0], monotone={2: -1}, max_order=1
    ).fit(X, y)
    found = DepthExplainer(1).fit(model, X, y).explain()
    alone = GAIRegressor(domain=domain[2:], sigma=[2.0], monotone={0: -1}, max_order=1)
    expected = alone.fit(X[:, 2:], y).predict(X[:, 2:]) - y.mean()
    np.testing.assert_allclose(found.values[:, 2], expected, atol=1e-9)


def test_columns_counted_after_a_transformer_are_refused(flats: Any) -> None:
    frame, y = flats
    columns = ColumnTransformer([("keep", "passthrough", ["size", "rooms"])])
    boosting = HistGradientBoostingRegressor(categorical_features=[1], max_iter=2)
    model = make_pipeline(columns, boosting).fit(frame, y)
    with pytest.raises(DataError, match="ColumnTransformer makes"):
        DepthExplainer(1).fit(model, frame, y)


def test_a_model_that_needs_all_columns_is_named(flats: Any) -> None:
    class Stubborn(LinearRegression):
        def fit(self, X: Any, y: Any) -> Any:
            if X.shape[1] < 2:
                raise KeyError("rooms")
            return super().fit(X, y)

    frame, y = flats
    X = frame[["size", "rooms"]]
    with pytest.raises(DataError, match="With only size it failed: KeyError"):
        CompleteExplainer().fit(Stubborn().fit(X, y), X, y)
