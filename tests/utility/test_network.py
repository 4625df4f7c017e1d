import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.datasets import make_gai
from penchant.exceptions import DataError
from penchant.models import CompactGAI, Configuration, GAIRegressor
from penchant.utility._network import best_choices, maximal_factors


@st.composite
def networks(draw):
    """Random tables over random factors of at most 4 attributes."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    subset = st.sets(st.integers(0, len(sizes) - 1), min_size=1).map(
        lambda s: tuple(sorted(s))
    )
    factors = draw(st.sets(subset, max_size=5))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    tables = {s: rng.standard_normal([sizes[i] for i in s]) for s in sorted(factors)}
    return tables, sizes, draw(st.integers(1, 90))


def brute_force(tables, sizes):
    """All choices with their values, best first."""
    values = {
        choice: sum(table[tuple(choice[i] for i in s)] for s, table in tables.items())
        for choice in product(*map(range, sizes))
    }
    return sorted(values.items(), key=lambda pair: -pair[1])


@given(networks())
def test_best_choices_equal_brute_force(network):
    tables, sizes, n = network
    found, expected = best_choices(tables, sizes, n), brute_force(tables, sizes)
    assert len(found) == min(n, len(expected))
    assert len({choice for choice, _ in found}) == len(found)
    np.testing.assert_allclose(
        [value for _, value in found],
        [value for _, value in expected[:n]],
        atol=1e-12,
    )
    exact = dict(expected)
    for choice, value in found:
        assert np.isclose(exact[choice], value, atol=1e-12)


def test_a_long_chain_is_no_problem():
    rng = np.random.default_rng(0)
    tables = {(i, i + 1): rng.random((5, 5)) for i in range(39)}
    found = best_choices(tables, [5] * 40, 3)
    message = np.zeros(5)
    for i in range(39):  # the same by dynamic programming along the chain
        message = (message[:, None] + tables[(i, i + 1)]).max(axis=0)
    assert np.isclose(found[0][1], message.max())
    assert found[0][1] >= found[1][1] >= found[2][1]


def test_a_dense_graph_is_refused():
    tables = {(i, j): np.zeros((9, 9)) for i in range(12) for j in range(i + 1, 12)}
    with pytest.raises(DataError, match="Give fewer values per attribute"):
        best_choices(tables, [9] * 12, 1)


@pytest.fixture(scope="module")
def model():
    sample = make_gai(80, 5, n_factors=5, max_size=3, noise=0.01, random_state=1)
    return GAIRegressor(C=2.0, domain=(0, 1)).fit(sample.X, sample.y)


def test_the_best_items_of_a_model(model):
    domains = [[0.0, 0.3, 1.0], [0.5], [0.1, 0.9], [0.2, 0.4, 0.6], [0.0, 1.0]]
    grid = np.array(list(product(*domains)))
    utility = model.utility(grid)
    order = np.argsort(-utility)
    for fitted in (model, model.compact()):
        found = fitted.best(domains, n=7)
        assert isinstance(found[0], Configuration)
        np.testing.assert_allclose([c.values for c in found], grid[order[:7]])
        np.testing.assert_allclose(
            [c.utility for c in found], utility[order[:7]], atol=1e-10
        )
    values, best = model.best(dict(enumerate(domains)))[0]
    assert values == tuple(grid[order[0]])
    assert np.isclose(best, utility.max())


def test_the_compact_form_has_maximal_factors_and_the_same_utility(model):
    compact = model.compact()
    assert compact.factors_ == maximal_factors(model.factors_)
    assert len(compact.factors_) < len(model.factors_)
    X = np.random.default_rng(0).random((40, 5))
    parts = compact.decompose(X)
    assert tuple(parts) == compact.factors_
    np.testing.assert_allclose(
        compact.intercept_ + sum(parts.values()), model.utility(X), atol=1e-10
    )
    np.testing.assert_allclose(compact.utility(X), model.utility(X), atol=1e-10)
    for factor, part in parts.items():
        columns = X[:, list(factor)].T
        np.testing.assert_allclose(
            compact.factor_function(factor)(*columns), part, atol=1e-12
        )
    assert compact.compact().factors_ == compact.factors_
    fresh = np.random.default_rng(1).random((50_000, 5))
    first = compact.factors_[-1]
    spread = compact.factor_function(first)(*fresh[:, list(first)].T)
    share = compact.variance_shares_[-1] * compact.utility_.variance
    assert np.isclose(spread.var(), share, rtol=0.05)


def test_part_of_a_compact_form(model):
    compact = model.compact().utility_
    assert isinstance(compact, CompactGAI)
    few = compact.restricted(compact.factors[:1])
    assert few.factors == compact.factors[:1]
    with pytest.raises(DataError, match="not a maximal factor"):
        compact.factor((0, 1, 2, 3, 4), np.zeros((1, 5)))


def test_the_export_is_json_and_complete(model):
    exported = json.loads(json.dumps(model.to_dict()))
    assert exported["attributes"] == ["x0", "x1", "x2", "x3", "x4"]
    assert len(exported["factors"]) == len(model.factors_)
    for entry, factor in zip(exported["factors"], model.factors_, strict=True):
        assert entry["attributes"] == [f"x{i}" for i in factor]
        grid = np.meshgrid(*entry["values"], indexing="ij")
        np.testing.assert_allclose(
            entry["table"], model.factor_function(factor)(*grid), atol=1e-12
        )
    shares = [entry["variance_share"] for entry in exported["factors"]]
    np.testing.assert_allclose(shares, model.variance_shares_)
    assert exported["intercept"] == model.intercept_
