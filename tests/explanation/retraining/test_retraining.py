"""What explainers by refitted models share: columns, limits and sums."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from penchant.exceptions import DataError
from penchant.explanation import CompleteExplainer, DepthExplainer
from penchant.explanation.retraining._retraining import (
    MAX_MODELS,
    _check_rows,
    check_number,
    linear,
)

FRAME = pd.DataFrame(
    np.random.default_rng(0).normal(size=(30, 3)), columns=["a", "b", "c"]
)
Y = FRAME @ [1.0, -2.0, 0.5]


def test_rows_have_the_columns_of_the_table_in_its_order():
    turned = FRAME.iloc[:4][["c", "a", "b"]].assign(more=1.0)
    pd.testing.assert_frame_equal(_check_rows(turned, FRAME), FRAME.iloc[:4])
    plain = FRAME.to_numpy()[:4]
    np.testing.assert_array_equal(_check_rows(plain, FRAME), plain)
    renamed = FRAME.set_axis(["x", "y", "z"], axis=1)
    assert _check_rows(renamed, FRAME) is renamed  # by position
    twice = FRAME.set_axis(["a", "a", "b"], axis=1)
    assert _check_rows(twice, twice) is twice
    with pytest.raises(DataError, match=r"must have the 3 columns .* Got 2"):
        _check_rows(plain[:, :2], FRAME)
    with pytest.raises(DataError, match=r"must have the 3 columns .* Got 4"):
        _check_rows(renamed.assign(more=1.0), FRAME)


def test_a_million_models_are_the_most():
    assert MAX_MODELS == 2**20
    check_number(2**20, 20)
    with pytest.raises(
        DataError, match="needs 1,048,577 models for 21 attributes, and"
    ):
        check_number(2**20 + 1, 21)


@pytest.mark.parametrize("is_exact", [True, False])
def test_influences_are_weighted_sums_of_worths(is_exact):
    weights, worths = np.array([[1.0, 0.5], [0.0, 2.0]]), np.array([[3.0, 4.0]])
    values, errors = linear(weights, is_exact=is_exact)(worths)
    np.testing.assert_array_equal(values, [[3.0, 9.5]])
    assert (errors is None) != is_exact
    if is_exact:
        np.testing.assert_array_equal(errors, [[0.0, 0.0]])


@pytest.mark.parametrize("explainer", [CompleteExplainer(), DepthExplainer(k=1)])
def test_every_field_of_an_explanation(explainer):
    explainer.fit(LinearRegression(), FRAME, Y)
    rows = FRAME.iloc[:5]
    found = explainer.explain(rows[["b", "c", "a"]])
    n_models = 7 if isinstance(explainer, CompleteExplainer) else 3
    assert (explainer.n_models_, found.n_models) == (n_models, n_models)
    assert explainer.complexity_ == found.complexity == n_models / 7
    assert found.names == explainer.names_ == ("a", "b", "c")
    np.testing.assert_allclose(found.base, Y.mean())
    np.testing.assert_allclose(found.predictions, Y.iloc[:5])  # the model is exact
    assert found.classes is None
    pd.testing.assert_frame_equal(
        found.data, rows, check_dtype=False, check_index_type=False
    )
    if n_models == 7:
        # of a linear model all of whose refits are at hand
        expected = np.zeros((5, 3))
        worth = {0: np.zeros(5)}
        for mask in range(1, 8):
            columns = [k for k in range(3) if mask >> k & 1]
            model = LinearRegression().fit(FRAME.iloc[:, columns], Y)
            worth[mask] = model.predict(rows.iloc[:, columns]) - Y.mean()
        for mask in range(8):
            size = mask.bit_count()
            for k in range(3):
                if not mask >> k & 1:
                    share = [1 / 3, 1 / 6, 1 / 3][size]
                    expected[:, k] += share * (worth[mask | 1 << k] - worth[mask])
        np.testing.assert_allclose(found.values, expected, atol=1e-9)
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-9)
