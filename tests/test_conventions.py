"""What every estimator does with tables as people have them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score

from penchant.data import Attribute, Comparisons, Items
from penchant.encoding import RankerMixin
from penchant.exceptions import DataError
from penchant.io import load, save
from penchant.models import (
    ChoquetClassifier,
    ChoquetRanker,
    ChoquetRegressor,
    ChoquetSVC,
    ChoquetSVR,
    GAIClassifier,
    GAIRanker,
    GAIRegressor,
    GaussianProcessRanker,
    RuleClassifier,
    RuleRanker,
)

RANKERS = [GAIRanker(), ChoquetRanker(), RuleRanker(cv=2), GaussianProcessRanker()]
ESTIMATORS = [
    *RANKERS,
    GAIRegressor(),
    GAIClassifier(),
    ChoquetRegressor(),
    ChoquetClassifier(),
    ChoquetSVR(),
    ChoquetSVC(),
    RuleClassifier(cv=2),
]
N_ITEMS = 60


def name(value):
    return type(value).__name__


@pytest.fixture(scope="module")
def flats():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": rng.integers(20, 120, N_ITEMS).astype(float),
            "view": rng.choice(["sea", "street", "yard"], N_ITEMS),
        }
    )


def utilities(flats):
    return flats["size"].to_numpy() / 100 + (flats["view"] == "sea").to_numpy()


def comparisons(flats):
    u = utilities(flats)
    pairs = np.random.default_rng(1).integers(0, N_ITEMS, (150, 2))
    pairs = pairs[u[pairs[:, 0]] != u[pairs[:, 1]]]
    better = u[pairs[:, 0]] > u[pairs[:, 1]]
    return Comparisons(
        np.where(better, *pairs.T), np.where(better, pairs[:, 1], pairs[:, 0])
    )


def answers(estimator, flats):
    if isinstance(estimator, RankerMixin):
        return comparisons(flats)
    u = utilities(flats)
    return u > np.median(u) if is_classifier(estimator) else u


def values(model, table):
    if hasattr(model, "decision_function"):
        return model.decision_function(table)
    return model.predict(table)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name)
def test_text_is_a_category_and_what_is_not_known_is_unknown(
    estimator, flats, tmp_path
):
    model = clone(estimator).fit(flats, answers(estimator, flats))

    assert model.score(flats, answers(estimator, flats)) > 0.7
    new = flats.head(2).assign(view=["moor", None])
    new["size"] = 70.0
    first, second = values(model, new)
    assert first == pytest.approx(second)  # a level not seen is as good as a blank one
    sea, yard = values(model, new.assign(view=["sea", "yard"]))
    assert sea > yard
    save(model, tmp_path / "model.npz")
    same = load(tmp_path / "model.npz")
    np.testing.assert_allclose(values(same, flats), values(model, flats), rtol=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name)
def test_tables_of_any_kind_are_the_same_items(estimator, flats):
    y = answers(estimator, flats)
    items = Items.from_frame(flats, [Attribute("size", "numeric", "unknown")])
    model = clone(estimator).fit(flats, y)
    expected = values(model, flats)

    np.testing.assert_allclose(values(model, items), expected)
    if not isinstance(model, RankerMixin):  # those take arrays as pairs
        cells = flats.to_numpy(dtype=object)
        np.testing.assert_allclose(values(model, cells), expected)
        assert not hasattr(model.fit(cells, y), "feature_names_in_")
        np.testing.assert_allclose(values(model, cells.tolist()), expected)
    model.fit(items, y)
    np.testing.assert_allclose(values(model, items), expected, atol=1e-6)
    np.testing.assert_allclose(values(model, flats), expected, atol=1e-6)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name)
def test_items_are_predicted_in_the_units_of_a_fit_to_numbers(estimator, flats):
    numbers = flats[["size"]].assign(rooms=flats["size"] // 25)
    model = clone(estimator).fit(numbers, answers(estimator, flats))

    items = Items.from_frame(numbers)
    np.testing.assert_allclose(values(model, items), values(model, numbers))
    model.fit(numbers.to_numpy(), answers(estimator, flats))
    np.testing.assert_allclose(values(model, items), model_values(model, numbers))


def model_values(model, numbers):
    """Give values of plain arrays, which rankers take as `utility` only."""
    if isinstance(model, RankerMixin):
        return model.utility(numbers.to_numpy())
    return values(model, numbers.to_numpy())


@pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if name(e) != "GAIRanker"], ids=name
)
def test_blank_cells_are_taken(estimator, flats):
    blank = flats.copy()
    blank.loc[::7, "size"] = np.nan
    blank.loc[::11, "view"] = None
    model = clone(estimator).fit(blank, answers(estimator, flats))

    assert np.isfinite(values(model, blank)).all()
    numbers = blank[["size"]].assign(rooms=1.0 * (flats["view"] == "sea"))
    model.fit(numbers, answers(estimator, flats))
    assert np.isfinite(values(model, numbers)).all()


def test_a_blank_criterion_of_a_monotone_model_counts_as_the_median(flats):
    model = ChoquetRegressor().fit(flats, utilities(flats))
    median = float(np.median(flats["size"]))
    rows = pd.DataFrame({"size": [np.nan, median], "view": ["sea", "sea"]})

    blank, middle = model.predict(rows)
    assert blank == pytest.approx(middle)


@pytest.mark.parametrize("ranker", RANKERS, ids=name)
def test_scikit_learn_splits_comparisons_of_items(ranker, flats):
    X, y = comparisons(flats).stack(Items.from_frame(flats))

    assert cross_val_score(ranker, X, y, cv=2).min() > 0.7
    model = clone(ranker).fit(X, y)
    assert [a.kind for a in model.attributes_in_] == ["numeric", "categorical"]
    assert model.predict(X).mean() > 0.9


def test_the_error_says_how_to_split_comparisons(flats):
    search = GridSearchCV(ChoquetRanker(), {"k": [1, 2]}, cv=2)

    with pytest.raises(DataError, match=r"X, y = comparisons.stack\(items\)"):
        search.fit(Items.from_frame(flats), comparisons(flats))
    search.fit(*comparisons(flats).stack(flats))
    assert search.best_params_["k"] in (1, 2)


def test_scikit_learn_splits_items(flats):
    items = Items.from_frame(flats)

    assert (
        cross_val_score(ChoquetRegressor(), items, utilities(flats), cv=3).min() > 0.5
    )


def test_a_domain_does_not_fit_a_table_with_text(flats):
    with pytest.raises(DataError, match="domain is for tables of numbers"):
        GAIRegressor(domain=(0, 1)).fit(flats, utilities(flats))
