import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.svm import SVC

from penchant.data import Attribute, Comparisons, Items
from penchant.exceptions import DataError
from penchant.explanation import (
    ClosedForm,
    LeastSquaresExplainer,
    Shares,
    closed_form,
    contrast,
    explain,
)
from penchant.explanation._shapley import shapley_of_table
from penchant.models import GAIRanker, GaussianProcessRanker


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((80, 4))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestRegressor(8, random_state=0).fit(*data)


def test_any_model_is_contrasted_exactly_where_few_attributes_differ(
    forest, data, definition
):
    X, _ = data
    found = contrast(forest, X[0], X[1])
    expected = definition.contrast(forest.predict, X[0], X[1])
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-12)
    assert found.std is None
    assert contrast(forest, X[0], X[0]).values.tolist() == [[0.0] * 4]


def test_any_model_is_contrasted_by_some_sets_where_many_attributes_differ():
    class Model:
        """Pairs of neighbours interact."""

        def utility(self, X):
            table = np.asarray(X)
            return table.sum(axis=1) + (table[:, :-1] * table[:, 1:]).sum(axis=1)

    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 20))
    found = contrast(Model(), a, b, random_state=3)
    assert abs(found.gap[0]) < 1e-10
    # Products of two: half of the interaction with each neighbour.
    expected = a - b
    for i, j in zip(range(19), range(1, 20), strict=True):
        expected[i] += (a[i] - b[i]) * (a[j] + b[j]) / 2
        expected[j] += (a[j] - b[j]) * (a[i] + b[i]) / 2
    np.testing.assert_allclose(found.values[0], expected, atol=1e-7)  # pairs: exact
    assert (found.std[0] < 1e-4).all()


def test_any_model_is_contrasted_in_the_form_it_takes(flats):
    class OfFrames:
        """Takes data frames, and Items by their frame."""

        def utility(self, X):
            frame = X.frame if isinstance(X, Items) else X
            cheap = (frame["rent"] < 600).to_numpy(np.float64)
            return cheap + 2 * cheap * (frame["balcony"] == "none").to_numpy()

    for a, b in [
        (flats.take([0]), flats.take([1])),
        (flats.frame.iloc[[0]], flats.frame.iloc[[1]]),
    ]:
        found = contrast(OfFrames(), a, b)
        np.testing.assert_allclose(found.values, [[2.0, 0.0, 1.0]])
        assert found.names == ("rent", "energy", "balcony")


def test_standard_errors_of_some_sets_are_right():
    class Model:
        def utility(self, X):
            return np.asarray(X).prod(axis=1)

    a, b = np.full(13, 1.3), np.linspace(0.6, 1.2, 13)
    sets = np.indices((2,) * 13).reshape(13, -1).T == 1
    worths = Model().utility(np.where(sets, a, b)).reshape((2,) * 13)
    exact = shapley_of_table(worths)
    errors, told = {}, []
    for n_orders in (10, 50):
        found = [
            contrast(Model(), a, b, n_orders=n_orders, random_state=seed)
            for seed in range(10)
        ]
        assert max(abs(each.gap[0]) for each in found) < 1e-10
        off = np.array([each.values[0] - exact for each in found])
        errors[n_orders] = np.linalg.norm(off) / np.linalg.norm(exact) / 10**0.5
        told += [off / np.array([each.std[0] for each in found])]
    assert errors[50] < errors[10] / 2 < 0.05
    assert 0.3 < np.std(told) < 1.25


def test_classifiers_are_contrasted_by_the_class_of_the_first_item(data, definition):
    X, y = data
    labels = np.digitize(y, [0.8, 1.1])
    forest = RandomForestClassifier(8, random_state=0).fit(X, labels)
    place = int(np.flatnonzero(forest.classes_ == forest.predict(X[:1])[0])[0])
    found = contrast(forest, X[0], X[1])
    expected = definition.contrast(
        lambda rows: forest.predict_proba(rows)[:, place], X[0], X[1]
    )
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-12)
    for target in (labels, labels > 1):
        machine = SVC().fit(X, target)
        found = contrast(machine, X[0], X[1])
        decision = machine.decision_function(X[:2])
        if decision.ndim == 2:
            decision = decision[:, int(machine.predict(X[:1])[0])]
        else:
            decision = decision * (1 if machine.predict(X[:1])[0] else -1)
        assert found.predictions[0] == pytest.approx(decision[0])
        assert found.base[0] == pytest.approx(decision[1])


def test_unknown_models_are_explained_by_models_of_part_of_the_attributes(forest, data):
    X, y = data
    found = explain(forest, X[:3], background=(X, y))
    expected = LeastSquaresExplainer().fit(forest, X, y).explain(X[:3])
    np.testing.assert_allclose(found.values, expected.values)
    assert found.game == expected.game


@pytest.mark.parametrize("background", [None, np.zeros((5, 4))])
def test_unknown_models_need_training_data(forest, data, background):
    with pytest.raises(DataError, match=r"background=\(X_train, y_train\)"):
        explain(forest, data[0][:2], background=background)


def test_users_register_their_own_models(data):
    class Additive:
        def utility(self, X):
            return np.asarray(X).sum(axis=1)

    class AdditiveForm(ClosedForm):
        game = "attributes that are not known are 0"

        def __init__(self, model):
            self.model = model

        def encode(self, rows):
            return np.asarray(rows)

        def predict(self, rows):
            return self.model.utility(rows)

        def contrast(self, item, rival):
            return Shares((item - rival)[None])

        def explain(self, items, reference):
            return Shares(items, np.zeros(len(items)))

    closed_form.register(Additive, AdditiveForm)
    X, _ = data
    found = explain(Additive(), X[:2])
    assert np.abs(found.gap).max() < 1e-12
    assert found.game == AdditiveForm.game
    with pytest.raises(DataError, match="leave players out"):
        contrast(Additive(), X[0], X[1], players={"both": [0, 1]})


@pytest.fixture(scope="module")
def flats():
    table = pd.DataFrame(
        {
            "rent": [500.0, 900.0, 700.0, 650.0],
            "energy": ["B", "A", "C", "A"],
            "balcony": ["none", "terrace", "none", "balcony"],
        },
        index=["attic", "loft", "villa", "flat"],
    )
    kinds = [
        Attribute("rent", direction="down", unit="EUR"),
        Attribute("energy", "ordinal", "down", ("A", "B", "C")),
        Attribute("balcony", "categorical", "unknown"),
    ]
    return Items.from_frame(table, attributes=kinds)


@pytest.mark.parametrize("model", [GAIRanker(), GaussianProcessRanker(learn=False)])
def test_items_bring_names_and_categories_are_one_player(model, flats):
    model.fit(flats, Comparisons([0, 2, 3], [1, 1, 2]))
    found = contrast(model, flats.take([0]), flats.take([1]))
    assert found.names == ("rent", "energy", "balcony")
    assert found.rows == ("attic",)
    assert found.data.iloc[0].tolist() == [500.0, "B", "none"]
    assert found.reference.iloc[0].tolist() == [900.0, "A", "terrace"]
    # Items whose columns stand in another order.
    turned = Items(
        flats.frame[["balcony", "rent", "energy"]],
        tuple(flats.attributes[k] for k in (2, 0, 1)),
        flats.names,
    )
    again = contrast(model, turned.take([0]), turned.take([1]))
    assert again.names == found.names
    np.testing.assert_allclose(again.values, found.values)
    assert again.data.iloc[0].tolist() == found.data.iloc[0].tolist()
    whole = explain(model, flats)
    assert whole.rows == flats.names
    assert np.abs(whole.gap).max() < 1e-10


def test_what_is_not_two_items_is_refused(forest, data, flats):
    X, y = data
    with pytest.raises(DataError, match="takes one item"):
        contrast(forest, X[:2], X[3])
    with pytest.raises(DataError, match="same form"):
        contrast(forest, X[0], pd.DataFrame(X[:1]))
    named = RandomForestRegressor(2).fit(pd.DataFrame(X, columns=list("abcd")), y)
    with pytest.raises(DataError, match="knows 4 attributes"):
        contrast(named, X[0, :3], X[1, :3])
    with pytest.raises(DataError, match="utility"):
        contrast(object(), X[0], X[1])
