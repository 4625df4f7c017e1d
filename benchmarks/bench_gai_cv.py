"""GAIRegressorCV chooses everything on MPG in 8 CPU s (fast) and 20 (accurate).

MPG is read from the folder that PENCHANT_DATA names; without it there are no cases.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.utils import Bunch

from benchmarks._measure import Budget
from experiments._data import read_shared
from penchant.models import GAIRegressorCV

LIMITS = {"fast": 8.0, "accurate": 20.0}


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield a fit to all rows for each preset, if the data are here."""
    mpg = read_shared("regression/auto_mpg", target="mpg", drop=["name"])
    limits = {} if mpg is None else LIMITS
    yield [_budget(mpg, preset, seconds) for preset, seconds in limits.items()]


def _budget(data: Bunch, preset: str, seconds: float) -> Budget:
    X, y = data.data.to_numpy(float), data.target.to_numpy(float)
    n_items, n_features = X.shape
    return Budget(
        name=f"preset {preset!r}, {n_items} ratings of {n_features} attributes",
        ours=lambda: GAIRegressorCV(preset=preset).fit(X, y),
        seconds=seconds,
        check=lambda model: model.solver_status_ == "optimal",
    )
