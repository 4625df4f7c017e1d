import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from penchant.exceptions import DataError
from penchant.models import ChoquetClassifier, ChoquetRegressor
from penchant.plotting import plot_decision_map


def boundary(ax):
    """Points of the lines that carry the colour of text: those between classes."""
    found = [c for c in ax.collections if np.allclose(c.get_linewidth(), 1.4)]
    return np.concatenate([p.vertices for c in found for p in c.get_paths()])


def test_contours_lie_where_the_utility_has_their_value(choquet_model):
    ax = plot_decision_map(choquet_model, ("a", "b"), at={"c": 4.0})
    lines = ax.collections[1]
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        if len(path.vertices):
            a, b = path.vertices.T
            rows = pd.DataFrame({"a": a, "b": b, "c": 4.0})
            np.testing.assert_allclose(choquet_model.utility(rows), level, atol=0.1)
    assert ax.get_title(loc="left") == "held: c = 4"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    texts = {text.get_text() for text in ax.texts}
    assert texts <= {f"{level:g}" for level in lines.levels}
    assert texts


def test_others_are_held_at_a_median_that_occurs(choquet_model, choquet_data):
    X, _ = choquet_data
    ax = plot_decision_map(choquet_model, (0, 2), X=X)
    median = np.sort(X["b"])[len(X) // 2 - 1]
    assert ax.get_title(loc="left") == f"held: b = {median:.3f}"
    points = ax.collections[-1].get_offsets()
    assert {tuple(p) for p in points} == {tuple(r) for r in X[["a", "c"]].to_numpy()}


def test_without_data_others_are_in_the_middle(choquet_data):
    X, y = choquet_data
    model = ChoquetRegressor(domain=(0, 10)).fit(X.to_numpy(), y)
    ax = plot_decision_map(model)
    assert ax.get_title(loc="left") == "held: x2 = 5"
    assert ax.get_xlim() == (0, 10)


def test_items_bring_their_units_and_levels(rated_flats):
    items, ratings = rated_flats
    model = ChoquetRegressor().fit(items, ratings)
    ax = plot_decision_map(model, ("price", "noise"), X=items)
    ax.figure.canvas.draw()
    assert ax.get_xlabel() == "price (EUR)"
    assert ax.get_xlim() == (400, 1500)
    levels = [t.get_text().replace("\n", " ") for t in ax.get_yticklabels()]
    assert levels == ["quiet", "some traffic", "busy street"]
    held = ax.get_title(loc="left").replace("\n", " ")
    size = items.attributes[1].format(items.frame["size"].median())
    mode = items.frame["balcony"].mode()[0]
    assert held.startswith(f"held: size = {size}, balcony = {mode}, floor = ")


def test_ordinal_items_are_held_at_their_middle_level(rated_flats):
    items, ratings = rated_flats
    model = ChoquetRegressor().fit(items, ratings)
    ax = plot_decision_map(model, ("price", "size"), X=items)
    assert "noise = some traffic" in ax.get_title(loc="left").replace("\n", " ")


def test_levels_of_arrays_are_levels_on_the_map():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.choice([1.0, 2.0, 5.0], 40), rng.random((40, 2))])
    domain = [[1, 2, 5], (0, 1), (0, 1)]
    model = ChoquetRegressor(domain=domain).fit(X, X.sum(axis=1))
    ax = plot_decision_map(model, (1, 0))
    ax.figure.canvas.draw()
    assert [t.get_text() for t in ax.get_yticklabels()] == ["1", "2", "5"]
    assert plot_decision_map(model, (1, 2)).get_title(loc="left") == "held: x0 = 2"


def test_categories_have_no_place_on_a_map(rated_flats):
    items, ratings = rated_flats
    model = ChoquetRegressor().fit(items, ratings)
    with pytest.raises(DataError, match="'balcony' is categorical"):
        plot_decision_map(model, ("price", "balcony"), X=items)


def test_two_classes_are_parted_where_the_decision_changes(choquet_data):
    X, y = choquet_data
    model = ChoquetClassifier().fit(X, np.where(y > y.median(), "good", "poor"))
    ax = plot_decision_map(model, ("a", "b"), at={"c": 5.0})
    assert {text.get_text() for text in ax.texts} == {"good", "poor"}
    for text in ax.texts:
        row = pd.DataFrame([[*text.get_position(), 5.0]], columns=["a", "b", "c"])
        assert model.predict(row)[0] == text.get_text()
    rows = pd.DataFrame(boundary(ax), columns=["a", "b"]).assign(c=5.0)
    assert np.abs(model.decision_function(rows)).max() < 0.2


@pytest.mark.parametrize("ordered", [True, False])
def test_areas_of_several_classes_carry_their_names(choquet_data, ordered):
    X, y = choquet_data
    grades = np.digitize(y, np.quantile(y, [0.33, 0.66])) + 1
    model = ChoquetClassifier(ordered=ordered).fit(X, grades)
    ax = plot_decision_map(model, ("a", "b"), at={"c": 6.0})
    assert len(ax.texts) >= 2
    for text in ax.texts:
        row = pd.DataFrame([[*text.get_position(), 6.0]], columns=["a", "b", "c"])
        assert str(model.predict(row)[0]) == text.get_text()


class Stepper(BaseEstimator):
    """A classifier with predict and utility only, and no domain."""

    classes_ = np.array([0, 1])

    def utility(self, X):
        return X[:, 0]

    def predict(self, X):
        return (X[:, 0] > 0.5).astype(int)


def test_other_models_need_the_data_for_the_ends():
    X = np.random.default_rng(0).random((30, 2))
    with pytest.raises(DataError, match=r"no domain_.*X=X"):
        plot_decision_map(Stepper())
    ax = plot_decision_map(Stepper(), X=X)
    assert ax.get_xlim() == (X[:, 0].min(), X[:, 0].max())
    np.testing.assert_allclose(boundary(ax)[:, 0], 0.5, atol=0.01)
    assert ax.get_title(loc="left") == ""


def test_gai_models_have_maps_as_well(plain_model):
    ax = plot_decision_map(plain_model, ("x2", "x3"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x2", "x3")


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ((0,), "must be two"),
        ("ab", "must be two"),
        ((1, 1), "two different"),
        (("a", "z"), "no attribute 'z'"),
        ((0, 9), "no attribute 9"),
    ],
)
def test_attributes_are_two_that_exist(choquet_model, attributes, message):
    with pytest.raises(DataError, match=message):
        plot_decision_map(choquet_model, attributes)


class Indifferent(BaseEstimator):
    """A model for which all items are worth the same."""

    def utility(self, X):
        return np.zeros(len(X))


def test_a_flat_utility_gives_a_blank_map_with_the_data():
    X = np.random.default_rng(0).random((30, 2))
    ax = plot_decision_map(Indifferent(), X=X)
    (points,) = ax.collections
    assert len(points.get_offsets()) == 30
    assert not ax.texts
