"""The Choquet kernel of 1000 rows, n=16: 1000 times faster than subset by subset.

A loop over all 65,535 subsets takes minutes, so the peer adds up 1,024 random ones and
the limit of the ratio grows in proportion; both are compared in full on 50 rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks._measure import Budget, Case
from benchmarks.peers import numpy_choquet
from penchant.kernels import choquet_kernel

N_ROWS, N_SAMPLED = 1000, 1024
LIMITS = {8: 0.03, 16: 0.1, 32: 0.3}


@contextmanager
def cases() -> Iterator[list[Case | Budget]]:
    """Yield the limits for three sizes, then the comparisons."""
    X = np.random.default_rng(0).random((N_ROWS, max(LIMITS)))
    yield [
        *(_limit(X[:, :n], seconds) for n, seconds in LIMITS.items()),
        _loop(X[:, :16]),
        _product(X[:, :8], at_most=2.0),
        _product(X[:, :16], at_most=0.05),
    ]


def _limit(X: np.ndarray, seconds: float) -> Budget:
    return Budget(
        name=f"Gram matrix of {len(X)} rows, n={X.shape[1]}",
        ours=lambda: choquet_kernel(X),
        seconds=seconds,
        check=lambda gram: bool(np.array_equal(gram, gram.T)),
    )


def _loop(X: np.ndarray) -> Case:
    n_subsets = 2 ** X.shape[1] - 1
    sampled = np.random.default_rng(0).integers(1, n_subsets, N_SAMPLED, endpoint=True)
    few = X[:50]

    def agree(gram: np.ndarray, _: np.ndarray) -> bool:
        expected = numpy_choquet.gram(few, range(1, n_subsets + 1))
        return np.allclose(gram[:50, :50], expected, rtol=1e-10, atol=0.0)

    return Case(
        name=f"n={X.shape[1]}, all subsets against {N_SAMPLED:,} of {n_subsets:,}",
        ours=lambda: choquet_kernel(X),
        theirs=lambda: numpy_choquet.gram(X, sampled.tolist()),
        peer=numpy_choquet.LOOP,
        at_most=n_subsets / N_SAMPLED / 1000,
        agree=agree,
    )


def _product(X: np.ndarray, at_most: float) -> Case:
    return Case(
        name=f"Gram matrix of {len(X)} rows, n={X.shape[1]}",
        ours=lambda: choquet_kernel(X),
        theirs=lambda: numpy_choquet.gram_by_product(X),
        peer=numpy_choquet.PRODUCT,
        at_most=at_most,
        agree=lambda ours, theirs: np.allclose(ours, theirs, rtol=1e-10, atol=0.0),
    )
