"""What a report says, as plain data, and as a page."""

import json
from typing import Any

import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.learning import (
    ModelReport,
    compare,
    describe,
    find_target,
    fit_candidate,
    read_model,
)
from penchant.models import ChoquetRegressor, GAIClassifier, GAIRegressor
from penchant.testing import LinearRanker
from penchant.web.learned import model_report

X = np.random.default_rng(0).random((80, 3))
Y = 3 * X[:, 0] + 2 * (X[:, 1] > 0.5) * (X[:, 2] > 0.5)


def page_of(report: ModelReport, model: Any, X: Any, y: Any) -> str:
    return model_report(report, model, find_target(X, y).items).decode()


def test_a_report_of_numbers():
    told = compare(X, Y, candidates=["linear", "boosting"])
    model = fit_candidate("linear", X, Y)
    report = describe(model, X, Y, told, target="price <b>")
    assert json.loads(json.dumps(report.to_dict()))["target"] == "price <b>"
    assert report.n_resamples >= 4
    first = report.parts[0]
    assert first.kind == "weight"
    assert np.all(np.array(first.low) <= np.array(first.values))
    row = report.rows[0]
    assert row.exact_base + sum(row.exact) == pytest.approx(row.exact_total)
    assert len(row.coalitions) == 3
    page = page_of(report, model, X, Y)
    assert "price &lt;b&gt;" in page
    assert "Herin" in page
    assert "Escriva" in page
    assert "<caption>" in report._repr_html_()


def test_parts_are_values_of_the_model():
    model = GAIRegressor(max_order=2, solver="binned").fit(X, Y)
    parts = read_model(model)
    pair = next(part for part in parts if part.kind == "pair")
    grid = np.array(pair.grid[0])[:, None], np.array(pair.grid[1])[None, :]
    assert np.allclose(pair.values, model.factor_function(pair.names)(*grid))
    assert sum(part.size for part in parts) == pytest.approx(1.0)


def test_a_capacity_is_read_by_importance_and_interaction():
    model = ChoquetRegressor().fit(X, X[:, 0] + np.minimum(X[:, 1], X[:, 2]))
    parts = read_model(model)
    shapley = model.capacity_.shapley()
    sizes = [part.size for part in parts if part.kind == "criterion"]
    assert sizes == pytest.approx(sorted(shapley, reverse=True))
    strongest = next(part for part in parts if part.kind == "interaction")
    assert strongest.names == ("x1", "x2")


def test_each_class_has_its_own_curves():
    labels = np.array(["a", "b", "c"])[np.digitize(Y, [1.0, 2.5])]
    model = GAIClassifier(max_order=1).fit(X, labels)
    assert {part.label for part in read_model(model)} == {"a", "b", "c"}


def test_nothing_to_read():
    with pytest.raises(DataError, match="nothing to read in a LinearRanker"):
        read_model(LinearRanker().fit([[[3.0], [1.0]]], [1]))


def test_a_page_with_pairs_levels_and_nothing():
    import pandas as pd

    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = np.where(X[:, 0] > 0.5, "red", "blue")
    y = Y + 2 * (frame["colour"] == "red") + 4 * np.abs(X[:, 1] - X[:, 2])
    told = compare(frame, y, candidates=["gai"])
    model = fit_candidate("gai", frame, y)
    report = describe(model, frame, y, told)
    page = page_of(report, model, frame, y)
    assert {part.kind for part in report.parts} >= {"pair", "curve"}
    assert "Against boosted" not in page
    flat = compare(np.zeros((30, 1)), Y[:30], candidates=["linear"])
    model = fit_candidate("linear", np.zeros((30, 1)), Y[:30])
    nothing = describe(model, np.zeros((30, 1)), Y[:30], flat)
    page = page_of(nothing, model, np.zeros((30, 1)), Y[:30])
    assert "always says the same" in page
    noise = np.random.default_rng(1).normal(size=30)
    told = compare(X[:30], noise, candidates=["linear"])
    assert told.recommended.parts == {}
    assert (
        describe(fit_candidate("linear", X[:30], noise), X[:30], noise, told).parts
        == ()
    )
