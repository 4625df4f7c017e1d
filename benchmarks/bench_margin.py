"""Margin programs over up to 125,751 columns, certified: from .2 to 15 CPU s.

Each solution is within its saddle gap of the best over *all* columns, and memory stays
within a limit. Dorothea, madelon and poker are read from the folder that PENCHANT_DATA
names, and left out when it is not there.
"""

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from benchmarks._measure import Budget
from experiments._data import data_folder
from experiments.prl._hands import encode_poker
from penchant.datasets import make_tic_tac_toe
from penchant.exceptions import DataError
from penchant.solvers import MarginSolution, MatrixSource, Priced, solve_margin
from penchant.typing import FloatArray

PACKAGES = ("scipy",)


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield the generated tasks, and the others if their data are here."""
    budgets = [tic_tac_toe(), generated(4200, 5000)]
    try:
        folder = data_folder() / "rules"
    except DataError:
        yield budgets
        return
    yield [
        *budgets,
        dorothea(folder),
        *(madelon(folder, nu, limit) for nu, limit in ((0.8, 1.0), (0.3, 15.0))),
        *(poker(folder, nu, limit) for nu, limit in ((0.1, 1.3), (0.005, 10.0))),
    ]


def soft_bounds(signs: FloatArray, nu: float) -> FloatArray:
    """Return the upper bounds of the rows' weights, balanced by class (PRL-3)."""
    n_positive = np.count_nonzero(signs > 0.0)
    sizes = np.where(signs > 0.0, n_positive, len(signs) - n_positive)
    return 1.0 / (2.0 * nu * sizes)


def peak_mebibytes(function: Callable[[], Any]) -> float:
    """Return the most memory that a call held at a time."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def budget(
    name: str,
    ours: Callable[[], MarginSolution],
    seconds: float,
    *,
    gap: float,
    mebibytes: float,
) -> Budget:
    """Return a claim about time, gap and memory."""
    return Budget(
        name=f"{name}, gap {gap:g}, {mebibytes:g} MiB",
        ours=ours,
        seconds=seconds,
        check=lambda found: (
            found.saddle_gap <= gap and peak_mebibytes(ours) <= mebibytes
        ),
    )


def tic_tac_toe() -> Budget:
    """All conjunctions of up to three squares, from listing them to the certificate."""
    boards = make_tic_tac_toe()
    chosen = np.random.default_rng(0).permutation(len(boards.target))[:670]
    X = boards.data.to_numpy()[chosen]
    signs = np.where(boards.target.to_numpy()[chosen] == 1, 1.0, -1.0)
    triples = np.array(list(combinations(range(27), 3)))
    pairs = np.array(list(combinations(range(27), 2)))

    def ours() -> MarginSolution:
        lines = X.T
        two = lines[pairs[:, 0]] * lines[pairs[:, 1]]
        three = lines[triples[:, 0]] * lines[triples[:, 1]] * lines[triples[:, 2]]
        table = np.vstack([np.ones((1, len(X))), lines, two, three])
        table = table[table.any(axis=1)]
        return solve_margin(MatrixSource(table.T, signs), np.ones(len(X)), tol=1e-6)

    return budget(
        "tic-tac-toe, degree 3, hard margin", ours, 0.2, gap=1e-6, mebibytes=100
    )


def generated(n_rows: int, n_features: int) -> Budget:
    """Dense noise; in 100 of the features the two classes differ by a little.

    The smaller the value (here .009), the more columns get weight and the longer it
    takes: with differences half as large, 700 columns and about 4 s.
    """
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], n_rows)
    X = rng.standard_normal((n_rows, n_features + 1))
    X[:, :100] += np.outer(signs, rng.uniform(0.0, 0.2, 100))
    X[:, -1] = 1.0
    upper = soft_bounds(signs, 0.4)
    return budget(
        f"generated, {n_rows} x {n_features} dense, nu=.4",
        lambda: solve_margin(MatrixSource(X, signs), upper, tol=1e-3),
        2.0,
        gap=1e-3,
        mebibytes=300,
    )


def dorothea(folder: Path) -> Budget:
    """Molecules by 88,119 binary features, sparse."""
    table = pd.read_csv(folder / "dorothea_train_sparse.csv.gz")
    places = [np.array(text.split(), dtype=int) for text in table["feature_indices"]]
    starts = np.append(0, np.cumsum([len(line) for line in places]))
    ones = np.ones(starts[-1])
    X = sparse.csr_array(
        (ones, np.concatenate(places), starts), shape=(len(table), 88_119)
    )
    X = sparse.csr_array(sparse.hstack([X, np.ones((len(table), 1))]))
    signs = np.where(table["active"] == 1, 1.0, -1.0)
    upper = soft_bounds(signs, 0.2)
    return budget(
        "dorothea, 800 x 88,119 sparse, nu=.2",
        lambda: solve_margin(MatrixSource(X, signs), upper, tol=1e-3),
        0.5,
        gap=1e-3,
        mebibytes=300,
    )


class Products:
    """Products of two columns of a table, never listed: pricing is ``X' diag(w) X``.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    signs : ndarray of shape (n_rows,)
    """

    def __init__(self, X: FloatArray, signs: FloatArray) -> None:
        self.n_rows = len(X)
        self._X, self._signs = X, signs
        self._pairs = np.triu_indices(X.shape[1])
        self._scales = 1.0 / self._largest()

    def _largest(self) -> FloatArray:
        sizes = np.ascontiguousarray(np.abs(self._X).T)
        largest = np.empty((len(sizes), len(sizes)))
        for i in range(len(sizes)):
            largest[i, i:] = largest[i:, i] = (sizes[i:] * sizes[i]).max(axis=1)
        return largest

    def price(self, weights: FloatArray, n_best: int) -> Priced:
        """Find the products with the largest payoff; see `ColumnSource`."""
        pay = (self._X.T * (weights * self._signs)) @ self._X
        pay *= self._scales
        listed = pay[self._pairs]
        sizes = np.abs(listed)
        best = np.argpartition(-sizes, n_best)[:n_best]
        best = best[np.argsort(-sizes[best])]
        signs = np.where(listed[best] < 0.0, -1, 1)
        keys = zip(self._pairs[0][best], self._pairs[1][best], signs, strict=True)
        return Priced(float(sizes[best[0]]), list(keys), sizes[best])

    def columns(self, keys: Sequence[Any]) -> FloatArray:
        """Make some products; see `ColumnSource`."""
        first, second, signs = np.array(keys).T
        made: FloatArray = self._X[:, first] * self._X[:, second]
        made *= signs * self._scales[first, second]
        made *= self._signs[:, None]
        return made


def madelon(folder: Path, nu: float, seconds: float) -> Budget:
    """Products of two of 500 standardised numbers: 125,751 columns, both signs."""
    table = pd.read_csv(folder / "madelon_train.csv.gz")
    signs = table.pop("class").to_numpy(dtype=np.float64)
    X = table.to_numpy(dtype=np.float64)
    X = np.hstack([np.ones((len(X), 1)), (X - X.mean(axis=0)) / X.std(axis=0)])
    upper = soft_bounds(signs, nu)
    return budget(
        f"madelon, degree 2, 2000 x 125,751 implicit, nu={nu:g}",
        lambda: solve_margin(Products(X, signs), upper, tol=1e-3),
        seconds,
        gap=1e-3,
        mebibytes=400,
    )


def poker(folder: Path, nu: float, seconds: float) -> Budget:
    """Is it a straight? 20,008 hands by thresholds and equalities on 74 counts."""
    cards = pd.read_csv(folder / "poker_hand_train.csv.gz")
    cards = cards.sample(20_008, random_state=0)
    hands = encode_poker(cards.drop(columns="hand"), level=3)
    conditions = [np.ones(len(cards), dtype=bool)]
    for values in hands.data.to_numpy().T:
        levels = np.unique(values)
        conditions += [values == level for level in levels]
        conditions += [values >= level for level in levels[1:]]
    table = np.array(conditions, dtype=np.float64).T
    signs = np.where(hands.target == hands.target_names.index("straight"), 1.0, -1.0)
    upper = soft_bounds(signs, nu)
    return budget(
        f"poker straight, 20,008 x {table.shape[1]}, nu={nu:g}",
        lambda: solve_margin(MatrixSource(table, signs), upper, tol=1e-3),
        seconds,
        gap=1e-3,
        mebibytes=200,
    )
