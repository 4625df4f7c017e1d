import numpy as np
import pytest

from penchant.gai.binned._bins import make_axes, sampled


def axis_of(values, *, categorical=False, n_features=(48,)):
    column = np.asarray(values, dtype=float)[:, None]
    (axis,) = make_axes(column, [categorical], n_features)
    return axis


def test_few_values_have_a_cell_each_and_part_halfway():
    axis = axis_of([0.0, 1.0, 1.0, 4.0])
    asked = np.array([-9.0, 0.49, 0.5, 2.49, 2.5, 99.0, np.nan])
    np.testing.assert_array_equal(axis.fine(asked), [0, 0, 1, 1, 2, 2, 3])
    np.testing.assert_allclose(axis.shares[0], [0.25, 0.5, 0.25, 0.0])


def test_254_values_have_a_cell_each_and_more_share_them_evenly():
    for n, per_cell in [(254, 1), (2_540, 10)]:
        values = np.random.default_rng(0).permutation(n).astype(float)
        counts = np.bincount(axis_of(values).fine(values), minlength=255)
        assert len(counts) == 255
        assert counts[-1] == 0
        assert abs(counts[:-1] - per_cell).max() <= (per_cell > 1)


@pytest.mark.parametrize(("n", "n_cells"), [(2_000, 48), (2_001, 96)])
def test_pairs_and_triples_have_fewer_cells_of_equal_shares(n, n_cells):
    values = np.linspace(0.0, 1.0, n)
    axis = axis_of(np.append(values, np.nan)[-n:], n_features=(4, 4, 4))
    codes = axis.codes(np.append(values, np.nan))
    for code, shares, size in zip(codes, axis.shares, (254, n_cells, 16), strict=True):
        assert (len(shares), code[0], code[-2], code[-1]) == (
            size + 1,
            0,
            size - 1,
            size,
        )
        assert np.diff(code.astype(int)).min() >= 0
        # merged from fine cells, which some coarse ones have more of
        np.testing.assert_allclose(shares[:-1], 1 / size, rtol=0.75)
        assert shares.sum() == pytest.approx(1.0)
        assert shares[-1] == pytest.approx(1 / n)


def test_a_line_is_standardised_level_at_the_ends_and_zero_at_blanks():
    values = np.random.default_rng(0).normal(3.0, 2.0, 5_000)
    values[0] = 1e6
    axis = axis_of(values)
    line = axis.line(values)
    assert (line.mean(), line.std()) == pytest.approx((0.0, 1.0))
    low, high = np.quantile(values, [0.001, 0.999])
    assert axis.line(np.array([low, high])) == pytest.approx([line.min(), line.max()])
    outside = axis.line(np.array([low - 1.0, high + 1.0, np.nan]))
    assert outside == pytest.approx([line.min(), line.max(), 0.0])
    cells = axis.fine(values)
    for cell in (0, 100, 253):
        assert axis.lines[cell] == pytest.approx(line[cells == cell].mean())


def test_a_constant_and_an_empty_column_have_no_line():
    assert not axis_of([2.0, 2.0, 2.0]).has_line
    assert not axis_of([np.nan, np.nan]).has_line
    assert not axis_of([0.0, 1.0, 1.0], categorical=True).has_line
    assert axis_of([2.0, 2.0, 2.1]).has_line


def centred(kernel, moments):
    """Condition a Gaussian process with this covariance on moments of zero."""
    root = np.linalg.cholesky(moments @ kernel @ moments.T)
    half = np.linalg.solve(root, moments @ kernel)
    return kernel - half.T @ half


@pytest.mark.parametrize("order", [0, 1])
def test_features_are_those_of_rank_distance_without_mean_and_line(order):
    values = np.repeat([1.0, 2.0, 4.0, 5.0, 9.0, np.nan], [3, 1, 4, 2, 5, 5])
    axis = axis_of(values, n_features=(48, 48))
    shares = np.array([3, 1, 4, 2, 5, 5]) / 20
    np.testing.assert_allclose(axis.shares[order], shares)
    ranks = np.array([1.5, 3.5, 6.0, 9.0, 12.5]) / 15  # the middle of each value
    kernel = np.eye(6)
    kernel[:5, :5] = 1 - abs(ranks[:, None] - ranks)
    moments = [shares]
    if order == 0:
        moments.append(shares * np.append(axis.line(np.unique(values)[:5]), 0.0))
    expected = centred(kernel, np.stack(moments))
    expected /= shares @ expected.diagonal()
    features = axis.features[order]
    np.testing.assert_allclose(features @ features.T, expected, atol=1e-8)
    assert features.shape[1] == 6 - len(moments)


def test_features_are_uncorrelated_with_falling_variances_that_add_up_to_one():
    axis = axis_of(np.random.default_rng(0).gamma(2.0, size=300), n_features=(10, 5))
    for order, n_features in enumerate((10, 5)):
        features, shares = axis.features[order], axis.shares[order]
        covariance = features.T @ (shares[:, None] * features)
        variances = covariance.diagonal()
        np.testing.assert_allclose(covariance, np.diag(variances), atol=1e-10)
        np.testing.assert_allclose(shares @ features, 0.0, atol=1e-10)
        assert len(variances) == n_features
        assert (np.diff(variances) <= 0).all()
        assert variances.sum() == pytest.approx(1.0)


def test_levels_are_alike_and_new_ones_are_blanks():
    codes = np.array([0, 0, 0, 2, 2, 5, 7, 7, 7, 7], dtype=float)
    axis = axis_of(codes, categorical=True, n_features=(48, 5))
    asked = np.array([0.0, 2.0, 5.0, 7.0, 1.0, 9.0, -1.0, np.nan])
    np.testing.assert_array_equal(axis.fine(asked), [0, 1, 2, 3, 4, 4, 4, 4])
    shares = np.array([3, 2, 1, 4, 0]) / 10
    np.testing.assert_allclose(axis.shares[1], shares)
    expected = centred(np.eye(5), shares[None])
    expected[-1] = expected[:, -1] = 0.0  # nothing was seen: the mean utility
    expected /= shares @ expected.diagonal()
    features = axis.features[0]
    np.testing.assert_allclose(features @ features.T, expected, atol=1e-8)


def test_the_frequent_ones_of_many_levels_have_cells_and_64_features():
    codes = np.append(np.arange(300), np.arange(250, 300)).astype(float)
    axis = axis_of(codes, categorical=True)
    assert len(axis.cuts) == 254
    assert set(range(250, 300)) <= set(axis.cuts.tolist())
    np.testing.assert_array_equal(axis.cuts[:204], np.arange(204))
    assert axis.features[0].shape == (255, 64)
    assert axis_of(codes[:80], categorical=True).features[0].shape[1] == 64
    assert axis_of(codes[:60], categorical=True).features[0].shape[1] == 59


def test_rows_for_edges_are_the_same_each_time_and_in_order():
    np.testing.assert_array_equal(sampled(5, 5), range(5))
    some = sampled(100, 30)
    assert len(set(some.tolist())) == 30
    assert (np.diff(some) > 0).all()
    np.testing.assert_array_equal(some, sampled(100, 30))
