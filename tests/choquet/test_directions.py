"""Directions of criteria: learned, stated, declared, contradicted, saved."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import cross_val_score

from penchant.data import Attribute, Comparisons, Items
from penchant.exceptions import DataError, DirectionWarning
from penchant.explanation import contrast, explain
from penchant.io import load, save
from penchant.models import (
    ChoquetClassifier,
    ChoquetRanker,
    ChoquetRegressor,
    ChoquetSVC,
    ChoquetSVR,
)

SIGNS = np.array([1, -1, 1, -1])


def make_data(n_rows=150, seed=0):
    """Ratings that rise with two criteria and fall with the two others."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 4))
    good = np.where(SIGNS > 0, X, 1 - X)
    u = good[:, 0] + 2 * np.minimum(good[:, 1], good[:, 2]) + good[:, 3]
    return X, u + 0.1 * rng.normal(size=n_rows)


def fit(model, X, u):
    """Fit any of the models to ratings, grades or comparisons."""
    if isinstance(model, ChoquetRanker):
        return model.fit(X[:40], Comparisons.from_ratings(u[:40]))
    if isinstance(model, ChoquetClassifier | ChoquetSVC):
        return model.fit(X, u > np.median(u))
    return model.fit(X, u)


MODELS = [
    ChoquetRegressor,
    ChoquetClassifier,
    ChoquetRanker,
    ChoquetSVC,
    ChoquetSVR,
]


@pytest.mark.parametrize("model", MODELS)
def test_directions_are_learned_and_the_way_columns_point_does_not_matter(model):
    X, u = make_data()
    straight = fit(model(), SIGNS * X, u)
    turned = fit(model(), X, u)
    assert [d.direction for d in straight.directions_.values()] == ["up"] * 4
    words = ["up", "down", "up", "down"]
    assert [d.direction for d in turned.directions_.values()] == words
    np.testing.assert_allclose(
        turned.utility(X), straight.utility(SIGNS * X), atol=2e-3
    )


def test_directions_tell_rank_correlations_and_which_are_sure():
    X, u = make_data()
    X = np.column_stack([X, np.random.default_rng(1).random(150), np.ones(150)])
    model = ChoquetRegressor().fit(pd.DataFrame(X, columns=list("abcdef")), u)
    found = model.directions_
    for name, column in zip("abcde", X.T, strict=False):
        expected = spearmanr(column, u).statistic
        assert found[name].correlation == pytest.approx(expected)
    assert [found[name].is_sure for name in "abcdef"] == [True] * 4 + [False] * 2
    assert found["f"].correlation == 0
    assert found["f"].direction == "up"


def test_weak_criteria_are_judged_with_the_others_held_fixed():
    X = np.random.default_rng(0).random((300, 3))
    y = np.column_stack([X[:, 0] ** 3, np.sqrt(X[:, 1]), X[:, 2]]).min(axis=1)
    weak = ChoquetRegressor().fit(X, y).directions_["x1"]
    assert weak.correlation < 0  # by chance: it seldom is the smallest
    assert not weak.is_sure
    assert weak.direction == "up"


def test_whole_weights_are_repetitions():
    X, u = make_data(n_rows=30)
    weights = np.arange(30) % 3
    weighted = ChoquetRegressor().fit(X, u, sample_weight=weights)
    repeated = ChoquetRegressor().fit(
        np.repeat(X, weights, axis=0), np.repeat(u, weights)
    )
    for one, other in zip(
        weighted.directions_.values(), repeated.directions_.values(), strict=True
    ):
        assert one.correlation == pytest.approx(other.correlation)
        assert one.is_sure == other.is_sure


@pytest.mark.parametrize("model", MODELS)
def test_a_stated_direction_is_kept_and_contradiction_is_said(model):
    X, u = make_data()
    frame = pd.DataFrame(X, columns=["size", "rent", "light", "noise"])
    message = (
        r"More rent is declared better, but the data say the opposite \(.*correlation "
        r"-0\.\d\d, .*items\)\. Set directions=\{'rent': 'down'\}, or 'auto'"
    )
    with pytest.warns(DirectionWarning, match=message) as caught:
        fitted = fit(model(directions={"rent": "up"}), frame, u)
    assert caught[0].filename == __file__
    assert fitted.is_down_.tolist() == [False, False, False, True]
    with pytest.warns(DirectionWarning, match="More rent .* More noise"):
        fit(model(directions="up"), frame, u)
    with pytest.warns(DirectionWarning, match="Less size .*'size': 'up'"):
        fit(model(directions={0: "down"}), frame, u)


@pytest.mark.parametrize(
    "directions",
    [["up"], ["up", "left", "up", "up"], {"x9": "up"}, {4: "up"}, {0: "left"}],
)
@pytest.mark.parametrize("model", [ChoquetRegressor, ChoquetSVR])
def test_refuses_directions_that_do_not_fit(model, directions):
    X, u = make_data()
    with pytest.raises(DataError, match="directions"):
        model(directions=directions).fit(X, u)


def test_declared_directions_win_and_unknown_ones_are_learned():
    X, u = make_data()
    frame = pd.DataFrame(X, columns=list("abcd"))
    right = [
        Attribute("a"),
        Attribute("b", direction="down"),
        Attribute("c", direction="unknown"),
        Attribute("d", direction="unknown"),
    ]
    items = Items.from_frame(frame, right)
    model = ChoquetRegressor().fit(items, u)
    assert [d.direction for d in model.directions_.values()] == [
        "up",
        "down",
        "up",
        "down",
    ]
    assert model.directions_["b"].correlation < 0
    # The table itself turns b, the model d.
    assert model.is_down_.tolist() == [False, False, False, True]
    assert model.score(items, u) > 0.9
    wrong = Items.from_frame(frame, [Attribute("a", direction="down"), *right[1:]])
    with pytest.warns(DirectionWarning, match="Less a .* attributes of the items"):
        model = ChoquetRegressor().fit(wrong, u)
    assert model.directions_["a"].direction == "down"


def test_classes_without_order_have_directions_each():
    X, y = load_wine(return_X_y=True)
    model = ChoquetClassifier(ordered=False).fit(X, y)
    assert len(model.directions_) == 3
    assert model.is_down_.shape == (3, 13)
    for code, found in enumerate(model.directions_):
        sure = [d for d in found.values() if d.is_sure]
        assert all((d.correlation < 0) == (d.direction == "down") for d in sure)
        expected = spearmanr(X[:, 0], y == code).statistic
        assert found["x0"].correlation == pytest.approx(expected)
    assert model.score(X, y) > 0.97
    signs = np.random.default_rng(0).choice([-1, 1], 13)
    turned = ChoquetClassifier(ordered=False).fit(X * signs, y)
    np.testing.assert_allclose(
        turned.predict_proba(X * signs), model.predict_proba(X), atol=1e-3
    )


def test_turned_columns_cost_nothing_on_medical_data():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :10]
    signs = np.random.default_rng(0).choice([-1, 1], 10)
    straight = cross_val_score(ChoquetClassifier(), X, y, cv=3)
    turned = cross_val_score(ChoquetClassifier(), X * signs, y, cv=3)
    np.testing.assert_allclose(turned, straight)
    assert straight.mean() > 0.93


@pytest.mark.parametrize("model", MODELS)
def test_explanations_speak_of_turned_criteria(model):
    X, u = make_data()
    fitted = fit(model(), X, u)
    good, bad = np.where(SIGNS > 0, 0.9, 0.1), np.where(SIGNS > 0, 0.1, 0.9)
    found = contrast(fitted, good, bad)
    assert (found.values[0] > 0).all()
    difference = np.subtract(*fitted.utility(np.array([good, bad])))
    assert found.values.sum() == pytest.approx(difference)
    worst = np.where(SIGNS > 0, X.min(axis=0), X.max(axis=0))
    base = explain(fitted, good[None]).base
    assert base == pytest.approx(fitted.utility(worst[None]), rel=0.5)
    assert fitted.capacity_.shapley().min() > 0


@pytest.mark.parametrize("model", MODELS)
def test_learned_directions_are_saved(model, tmp_path):
    X, u = make_data()
    fitted = fit(model(), X, u)
    save(fitted, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.directions_ == fitted.directions_
    np.testing.assert_array_equal(again.utility(X), fitted.utility(X))
