"""GAIRegressorCV chooses everything on MPG in 8 CPU s.

MPG is read from the folder that PENCHANT_DATA names; without it there are no cases.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.utils import Bunch

from benchmarks._measure import Budget
from experiments._data import read_shared
from penchant.models import GAIRegressorCV

SECONDS = 8.0


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield a fit to all rows, if the data are here."""
    mpg = read_shared("regression/auto_mpg", target="mpg", drop=["name"])
    yield [] if mpg is None else [_budget(mpg)]


def _budget(data: Bunch) -> Budget:
    X, y = data.data.to_numpy(float), data.target.to_numpy(float)
    n_items, n_features = X.shape
    return Budget(
        name=f"preset 'fast', {n_items} ratings of {n_features} attributes",
        ours=lambda: GAIRegressorCV().fit(X, y),
        seconds=SECONDS,
        check=lambda model: model.solver_status_ == "optimal",
    )
