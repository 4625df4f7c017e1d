"""Contrasts of any model, against means over all orders."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from penchant.exceptions import DataError
from penchant.explanation._players import Players
from penchant.explanation._sampling import contrast_any, mix_rows, output_of

PLAYERS = Players(("a", "b", "c", "d"), ((0,), (1, 2), (3,), (4,)))
BOTH = np.array([[1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 2.0, 1.0, -1.0, 5.0]])


def output(X):
    X = np.asarray(X, dtype=float)
    return X[:, 0] * X[:, 2] + X[:, 3] ** 2 - X[:, 0] * X[:, 3] * X[:, 1] + X[:, 4]


def over_orders(both, columns):
    values = np.zeros(len(columns))
    orders = list(permutations(range(len(columns))))
    for order in orders:
        now = both[1].copy()
        for k in order:
            before = output(now[None])[0]
            now[list(columns[k])] = both[0, list(columns[k])]
            values[k] += (output(now[None])[0] - before) / len(orders)
    return values


def test_few_attributes_are_exact():
    values, errors = contrast_any(
        output, BOTH, PLAYERS, n_orders=3, rng=np.random.RandomState(0)
    )
    assert errors is None
    np.testing.assert_allclose(values[0], over_orders(BOTH, PLAYERS.columns))
    assert values[0, 3] == 0.0  # both have the same
    alike, _ = contrast_any(
        output, BOTH[[0, 0]], PLAYERS, n_orders=3, rng=np.random.RandomState(0)
    )
    assert not alike.any()


@pytest.mark.parametrize(("d", "is_exact"), [(12, True), (13, False)])
def test_many_attributes_are_sampled(d, is_exact):
    both = np.stack([np.arange(1.0, d + 1), np.zeros(d)])
    players = Players(tuple(map(str, range(d))), tuple((k,) for k in range(d)))

    def pairs_only(X):
        return X.sum(axis=1) + X[:, 0] * X[:, 1]

    values, errors = contrast_any(
        pairs_only, both, players, n_orders=4, rng=np.random.RandomState(0)
    )
    assert (errors is None) == is_exact
    expected = np.arange(1.0, d + 1)
    expected[:2] += 1.0  # 1 * 2, shared: a set and its complement tell it exactly
    np.testing.assert_allclose(values[0], expected, atol=1e-6)
    if not is_exact:
        np.testing.assert_allclose(errors, 0.0, atol=1e-3)


def test_errors_of_samples_hold():
    both = np.stack([np.ones(13), np.zeros(13)])
    players = Players(tuple(map(str, range(13))), tuple((k,) for k in range(13)))

    def triple(X):
        return 6.0 * X[:, 0] * X[:, 1] * X[:, 2] + X[:, 12]

    many = [
        contrast_any(triple, both, players, n_orders=20, rng=np.random.RandomState(k))
        for k in range(60)
    ]
    values = np.array([v[0] for v, _ in many])
    errors = np.array([e[0] for _, e in many])
    np.testing.assert_allclose(values.sum(axis=1), 7.0)
    truth = np.zeros(13)
    truth[:3], truth[12] = 2.0, 1.0
    np.testing.assert_allclose(values.mean(axis=0), truth, atol=0.1)
    assert (abs(values - truth) < 2 * errors).mean() > 0.9
    assert 0.7 < np.sqrt(((values - truth) ** 2).mean()) / errors.mean() < 1.3


def test_rows_are_mixed_column_by_column():
    masks = np.array([[True, False], [False, False], [True, True]])
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
    expected = [[1.0, 4.0], [3.0, 4.0], [1.0, 2.0]]
    np.testing.assert_array_equal(mix_rows(numbers, masks), expected)
    frame = pd.DataFrame({"a": ["x", "y"], "b": [2.0, 4.0]})
    mixed = mix_rows(frame, masks)
    assert mixed.a.tolist() == ["x", "y", "x"]
    assert mixed.b.tolist() == [4.0, 4.0, 2.0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classifiers_are_asked_for_the_class_of_the_first_row(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.array(list("cab"))[:n_classes][np.arange(90) % n_classes]
    X[:, 0] += 3.0 * (np.arange(90) % n_classes)
    for k in range(n_classes):
        rows = X[k:]
        for model in (LogisticRegression().fit(X, y), LinearSVC().fit(X, y)):
            found = output_of(model, rows)(X)
            place = list(model.classes_).index(model.predict(rows[:1])[0])
            if hasattr(model, "predict_proba"):
                expected = model.predict_proba(X)[:, place]
            elif n_classes == 2:
                expected = model.decision_function(X) * (1 if place else -1)
            else:
                expected = model.decision_function(X)[:, place]
            np.testing.assert_allclose(found, expected)


def test_models_without_numbers_are_refused():
    with pytest.raises(DataError, match=r"utility.* or predict.*Got object"):
        output_of(object(), BOTH)
