"""Functions over cells, columns of rows, and sums of pulls say the same."""

import numpy as np
import pytest

from penchant.gai.binned._blocks import joined, make_block, make_blocks, scores_of
from penchant.gai.binned._groups import Joined, make_groups


def table_of(n_rows, n_attributes=3):
    rng = np.random.default_rng(0)
    U = rng.normal(size=(n_rows, n_attributes))
    U[rng.uniform(size=U.shape) < 0.1] = np.nan
    U[:, -1] = rng.integers(0, 5, n_rows)
    return U, [False] * (n_attributes - 1) + [True]


@pytest.fixture(scope="module", params=[None, {0: 1, 1: -1}], ids=["free", "directed"])
def case(request):
    U, categorical = table_of(200)
    axes, groups = make_groups(U, categorical, 3, request.param)
    return U, axes, groups


def test_candidates_are_lines_then_factors_by_size(case):
    _, _, groups = case
    factors = [g.factor for g in groups if not g.is_line]
    assert [g.factor for g in groups if g.is_line] == [(0,), (1,)]
    every = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert list(dict.fromkeys(factors)) == every
    directed = groups[0].is_cone
    assert [len(factors) - len(set(factors))] == [2 if directed else 0]
    assert [g.price for g in groups[:3]] == [0.5, 0.5, 1.0]
    assert {len(g.factor): g.price for g in groups[2:]} == {1: 1.0, 2: 1.5, 3: 2.0}
    assert all(g.bounded.all() == g.is_cone == g.bounded.any() for g in groups)
    assert [g.is_cone for g in groups if g.factor == (2,)] == [False]


def test_columns_are_tables_at_the_cells_of_rows(case):
    U, axes, groups = case
    block = make_block(axes, [U], np.zeros(200), np.ones(200))
    rng = np.random.default_rng(1)
    for group in groups:
        coef, pull = rng.normal(size=group.size), rng.normal(size=200)
        columns = group.columns(block).astype(float)
        values = scores_of(group.over_cells(coef), block)
        np.testing.assert_allclose(columns @ coef, values, atol=1e-5)
        np.testing.assert_allclose(group.columns_at(U[:, group.factor]), columns)
        (cells,) = group.cells
        felt = group.correlation(cells.sums(block, pull))
        np.testing.assert_allclose(felt, columns.T @ pull, atol=1e-4)
        if not group.is_line:
            squares = (columns**2).mean(axis=0).sum()
            independent = len(group.factor) == 1 and not group.is_cone
            assert not independent or squares == pytest.approx(1.0, abs=1e-5)


def test_comparisons_are_differences_and_blocks_can_be_joined(case):
    U, axes, groups = case
    one, other = (
        make_block(axes, [X], np.zeros(200), np.ones(200)) for X in (U, U[::-1])
    )
    y, weights = np.arange(200.0), np.arange(200.0) + 1
    parts = make_blocks(axes, [U, U[::-1]], y, weights, 60)
    assert [len(part.y) for part in parts] == [60, 60, 60, 20]
    pairs = joined(parts)
    np.testing.assert_array_equal([pairs.y, pairs.weights], [y, weights])
    rng = np.random.default_rng(1)
    for group in groups:
        columns = group.columns(pairs)
        difference = group.columns(one) - group.columns(other)
        np.testing.assert_allclose(columns, difference, atol=1e-6)
        pull, coef = rng.normal(size=200), rng.normal(size=group.size)
        felt = group.correlation(group.cells[0].sums(pairs, pull))
        np.testing.assert_allclose(felt, columns.T.astype(float) @ pull, atol=1e-4)
        values = scores_of(group.over_cells(coef), pairs)
        np.testing.assert_allclose(values, columns @ coef, atol=1e-5)
    some = pairs.rows(np.array([3, 150]))
    np.testing.assert_array_equal(groups[-1].columns(some), columns[[3, 150]])


def test_joined_groups_are_their_parts_side_by_side(case):
    U, axes, groups = case
    block = make_block(axes, [U], np.zeros(200), np.ones(200))
    together = Joined((groups[0], groups[2], groups[-1]))
    columns = np.hstack([part.columns(block) for part in together.parts])
    np.testing.assert_array_equal(together.columns(block), columns)
    rng = np.random.default_rng(1)
    coef, pull = rng.normal(size=together.size), rng.normal(size=200)
    values = scores_of(together.over_cells(coef), block)
    np.testing.assert_allclose(values, columns.astype(float) @ coef, atol=1e-5)
    sums = np.concatenate([cells.sums(block, pull) for cells in together.cells])
    felt = together.correlation(sums)
    np.testing.assert_allclose(felt, columns.astype(float).T @ pull, atol=1e-4)
    sizes = [len(piece) for piece in together.split(coef)]
    assert sizes == [part.size for part in together.parts]
    assert together.price == 0.5
    flags = np.concatenate([part.bounded for part in together.parts])
    np.testing.assert_array_equal(together.bounded, flags)


@pytest.mark.parametrize(
    ("n_rows", "is_smooth", "sizes"),
    [
        (2_000, True, {1: 48, 2: 16, 3: 16}),
        (2_000, False, {1: 12, 2: 16, 3: 16}),
        (2_001, True, {1: 48, 2: 64, 3: 32}),
    ],
)
def test_many_rows_bring_finer_functions(n_rows, is_smooth, sizes):
    U = np.random.default_rng(0).normal(size=(n_rows, 3))
    _, groups = make_groups(U, [False] * 3, 3, is_smooth=is_smooth)
    found = {len(g.factor): g.size for g in groups if not g.is_line}
    assert found == sizes


def test_products_of_the_largest_variances_are_kept():
    U = np.random.default_rng(0).normal(size=(400, 2))
    _, groups = make_groups(U, [False] * 2, 2)
    (pair,) = [g for g in groups if len(g.factor) == 2]
    variances = [axis.shares[1] @ axis.features[1] ** 2 for axis in pair.axes]
    every = np.multiply.outer(*variances).ravel()
    assert len(every) == 25
    block_free = pair.columns_at(
        np.stack(np.meshgrid(*U[:50].T, indexing="ij"), axis=-1).reshape(-1, 2)
    )
    assert np.linalg.matrix_rank(block_free) == pair.size == 16
    shares = np.multiply.outer(*(axis.shares[1] for axis in pair.axes)).ravel()
    kept = shares @ pair._cell_columns.astype(float) ** 2
    np.testing.assert_allclose(
        np.sort(kept), np.sort(every)[-16:] / np.sort(every)[-16:].sum(), rtol=1e-4
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_directed_candidates_rise_with_every_coefficient(sign):
    U = np.random.default_rng(0).uniform(size=(300, 2))
    _, groups = make_groups(U, [False] * 2, 2, {0: sign})
    values = np.linspace(0.0, 1.0, 50)
    for group in groups:
        if 0 in group.factor:
            at = np.stack([values, np.full(50, 0.4)], axis=1)[:, : len(group.factor)]
            rise = sign * np.diff(group.columns_at(at), axis=0)
            assert rise.min() >= -1e-6
            assert rise.max() > 1e-4
            assert group.is_cone
