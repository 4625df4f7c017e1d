"""Parameters and folds of GAI estimators that choose for themselves."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.model_selection import KFold, check_cv
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from penchant.gai._base import BaseGAI
from penchant.gai._candidates import Folds
from penchant.typing import BoolArray

__all__ = ["BaseGAICV"]

_N_FOLDS = {"fast": 5, "accurate": 5, "paper": 3}
_FEW_ATTRIBUTES = 6


class BaseGAICV(BaseGAI):
    """Parameters of GAI estimators that choose for themselves."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "preset": [StrOptions({"fast", "accurate", "paper"})],
        "sparse": [StrOptions({"auto"}), "boolean"],
        "max_order": [Interval(Integral, 1, None, closed="left"), None],
        "domain": [StrOptions({"data"}), "array-like"],
        "categorical_features": ["array-like", None],
        "monotone": [dict, StrOptions({"directions"}), None],
        "cv": ["cv_object"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }
    _learned: ClassVar[tuple[str, ...]] = (*BaseGAI._learned, "choice_")

    # The published kernels; those of the candidates have the same measures.
    kernel = "rbf"
    sigma = 1.0
    solver = "exact"

    def __init__(
        self,
        *,
        preset: str = "fast",
        sparse: str | bool = "auto",
        max_order: int | None = None,
        domain: Any = "data",
        categorical_features: Any = None,
        monotone: Mapping[int | str, int] | str | None = None,
        cv: Any = None,
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.preset = preset
        self.sparse = sparse  # type: ignore[assignment]  # wider than in BaseGAI
        self.max_order = max_order
        self.domain = domain
        self.categorical_features = categorical_features
        self.monotone = monotone
        self.cv = cv
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _own_folds(self) -> bool:
        """Whether the folds are ours, so that the order of rows must not matter."""
        return self.cv is None or isinstance(self.cv, Integral)

    def _folds(self, kept: BoolArray) -> Folds:
        """Split the rows that were kept; equal rows are not kept together.

        Splitters of the user see the number of all rows.
        """
        n_rows = int(kept.sum())
        if not self._own_folds:
            place = np.where(kept, np.cumsum(kept) - 1, -1)
            moved = [
                tuple(place[rows][place[rows] >= 0] for rows in fold)
                for fold in check_cv(self.cv).split(place[:, None])
            ]
            return cast(Folds, [fold for fold in moved if all(map(len, fold))])
        n_folds = _N_FOLDS[self.preset] if self.cv is None else int(self.cv)
        state = check_random_state(self.random_state)
        folds = KFold(min(n_folds, n_rows), shuffle=True, random_state=state)
        return list(folds.split(np.zeros((n_rows, 1))))

    def _order(self) -> int:
        n_active = len(self.encoding_.active)
        return min(self.max_order or n_active, n_active)

    def _sparse_order(self) -> int:
        """Search orders up to 3, or 2 when the attributes are many, unless told."""
        if self.max_order is not None:
            return self._order()
        few = len(self.encoding_.active) <= _FEW_ATTRIBUTES
        return min(3 if few else 2, self._order())
