import numpy as np

from penchant.elicitation._compiled import scaled_inverses


def systems(rng, *shape):
    roots = rng.standard_normal((*shape, shape[-1] + 2))
    return roots @ np.swapaxes(roots, -1, -2)


def test_systems_of_every_size_are_inverted_as_lapack_does():
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 40):
        cov, precision = systems(rng, 5, n), rng.gamma(1.0, size=(5, n))
        found, log_det = scaled_inverses(cov, precision)
        inverse = np.linalg.inv(cov + np.eye(n) / precision[:, :, None])
        np.testing.assert_allclose(found, inverse, rtol=1e-8, atol=1e-10)
        whole = np.eye(n) + cov * precision[:, None, :]
        np.testing.assert_allclose(log_det, np.linalg.slogdet(whole)[1], rtol=1e-10)


def test_what_was_not_said_tells_nothing():
    rng = np.random.default_rng(1)
    cov, precision = systems(rng, 1, 4), np.array([[0.0, 2.0, 0.0, 1.0]])
    found, log_det = scaled_inverses(cov, precision)
    assert not found[0, [0, 2]].any()
    said = [1, 3]
    some, same = scaled_inverses(cov[:, said][:, :, said], precision[:, said])
    np.testing.assert_allclose(found[0][np.ix_(said, said)], some[0])
    np.testing.assert_allclose(log_det, same)


def test_the_same_systems_serve_several_kinds():
    rng = np.random.default_rng(2)
    cov, precision = systems(rng, 3, 4), rng.gamma(1.0, size=(2, 3, 4))
    found, log_det = scaled_inverses(cov, precision)
    for kind in range(2):
        alone = scaled_inverses(cov, precision[kind])
        np.testing.assert_array_equal(found[kind], alone[0])
        np.testing.assert_array_equal(log_det[kind], alone[1])


def test_nothing_is_inverted_where_there_is_nothing():
    found, log_det = scaled_inverses(np.empty((3, 0, 0)), np.empty((3, 0)))
    assert found.shape == (3, 0, 0)
    assert not log_det.any()
