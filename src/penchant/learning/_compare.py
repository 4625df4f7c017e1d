"""compare: readable models against each other, and against one that is not."""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from penchant._progress import Progress
from penchant.data import Comparisons
from penchant.exceptions import DataError, PenchantError
from penchant.learning._candidates import CANDIDATES, Candidate, parts_of, predict_rows
from penchant.learning._result import (
    CandidateResult,
    ModelComparison,
    standard_error,
)
from penchant.learning._target import Target, find_target
from penchant.typing import FloatArray, IntArray

_NO_TIME: Final = "no time was left"


def compare(
    X: Any,
    y: Any,
    *,
    kind: str = "auto",
    candidates: Sequence[str] | None = None,
    n_folds: int = 5,
    max_time: float | None = None,
    callback: Callable[[dict[str, Any]], Any] | None = None,
    done: Iterable[CandidateResult | Mapping[str, Any]] = (),
    random_state: int = 0,
) -> ModelComparison:
    """Compare readable models by nested cross-validation, and recommend one.

    Each candidate is fitted to all folds but one, where it chooses its settings by
    inner folds of its own, and predicts the fold that was held out. Accuracy is set
    against size: how many curves, pairs, criteria or rules there are to read in the
    model of all rows. Recommended is the one with least to read among those about as
    good as the best readable one: behind by at most one standard error of the paired
    difference, times the share of reading that is saved.

    Parameters
    ----------
    X : Items, DataFrame or array-like of shape (n_items, n_features)
    y : array-like of shape (n_items,), Ratings, Comparisons, Choices, Rankings or \
BestWorst
        Numbers, classes or grades of the rows; or answers about them.
    kind : {"auto", "numbers", "classes", "grades", "comparisons"}, default="auto"
        What y is; "auto" finds out.
    candidates : sequence of str or None, default=None
        Names in `CANDIDATES`; None: all.
    n_folds : int, default=5
    max_time : float or None, default=None
        Seconds after which no further fit begins; what was not compared by then is
        left out, and says so.
    callback : callable or None, default=None
        Called before each fit with a dict of "candidate", "fold", "share" (done, from
        0 to 1), "seconds", "seconds_left" (None before the first fit), and once a
        candidate is done "result" and "model", that of all rows. To cancel, raise from
        it: results that it was told of can be given as `done` later.
    done : iterable of CandidateResult or dict, default=()
        Results of an earlier run on the same data that ended early; not done again.
    random_state : int, default=0
        Divides the folds, and goes to candidates that draw.

    Returns
    -------
    ModelComparison

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from penchant.learning import compare
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> found = compare(X, y, candidates=["linear", "choquet", "boosting"])
    >>> found.kind, found.recommended.name, found.recommended.parts
    ('numbers', 'linear', {'weights': 7})
    """
    target = find_target(X, y, kind)
    chosen = _check_candidates(candidates)
    folds = divide(target, n_folds, random_state)
    results = {result.name: result for result in _check_done(done, target)}
    for candidate in chosen:
        objection = candidate.objection(target)
        if objection:
            results[candidate.name] = CandidateResult(candidate.name, skipped=objection)
    ahead = [candidate for candidate in chosen if candidate.name not in results]
    progress = _Pace(ahead, n_folds, max_time, callback)
    for candidate in ahead:
        found, model = _judge(candidate, target, folds, progress, random_state)
        results[candidate.name] = found
        progress.over(candidate.name, found, model)
    listed = tuple(results[candidate.name] for candidate in chosen)
    if not any(result.readable and not result.skipped for result in listed):
        reasons = "; ".join(f"{each.name}: {each.skipped}" for each in listed)
        raise DataError(
            f"No readable model could be compared. {reasons}. "
            "Allow more time, or change the table."
        )
    return ModelComparison(
        target.kind,
        len(target),
        len(np.unique(target.groups)),
        n_folds,
        tuple(target.labels.tolist()),
        listed,
        random_state,
    )


def fit_candidate(
    name: str, X: Any, y: Any, *, kind: str = "auto", random_state: int = 0
) -> Any:
    """Fit one candidate to all rows, as `compare` did to count what there is to read.

    Parameters
    ----------
    name : str
        Such as ``compare(X, y).recommended.name``.
    X, y, kind, random_state
        As for `compare`.

    Returns
    -------
    estimator
        Of `penchant.models`; it can be saved, drawn and explained.
    """
    (candidate,) = _check_candidates([name])
    target = find_target(X, y, kind)
    objection = candidate.objection(target)
    if objection:
        raise DataError(f"{name!r} does not suit this target: {objection}.")
    return candidate.fit(target, np.arange(len(target)), random_state)


def _check_candidates(names: Sequence[str] | None) -> list[Candidate]:
    for name in names or ():
        if name not in CANDIDATES:
            known = ", ".join(CANDIDATES)
            raise DataError(f"There is no candidate {name!r}. There are: {known}.")
    return [c for c in CANDIDATES.values() if names is None or c.name in names]


def _check_done(done: Any, target: Target) -> list[CandidateResult]:
    results = [
        each if isinstance(each, CandidateResult) else CandidateResult.from_dict(each)
        for each in done
    ]
    n_answers = len(np.unique(target.groups))
    for result in results:
        if not result.skipped and len(result.losses) != n_answers:
            raise DataError(
                f"The earlier result of {result.name!r} is about {len(result.losses)} "
                f"answers, but there are {n_answers}. Begin anew without done."
            )
    return [result for result in results if result.skipped != _NO_TIME]


def divide(target: Target, n_folds: int, random_state: int) -> IntArray:
    """Give the fold of each row: whole answers, and all folds alike in the target."""
    groups, places = np.unique(target.groups, return_inverse=True)
    if not 2 <= n_folds <= len(groups):
        raise DataError(
            f"n_folds must be 2 to the number of answers ({len(groups)}). "
            f"Got {n_folds}."
        )
    draw = np.random.RandomState(random_state).permutation(len(groups))
    sums = np.bincount(places.ravel(), weights=target.order)
    order = np.lexsort([draw, sums / np.bincount(places.ravel())])
    fold = np.empty(len(groups), dtype=np.int64)
    fold[order] = np.arange(len(groups)) % n_folds
    return fold[places.ravel()]


def _judge(
    candidate: Candidate,
    target: Target,
    folds: IntArray,
    progress: "_Pace",
    random_state: int,
) -> tuple[CandidateResult, Any]:
    """Fit a candidate to all folds but one, each in turn, and to all."""
    losses, hits, sure, true = np.empty((4, len(target)))
    start = time.monotonic()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        n_folds = int(folds.max()) + 1
        for fold in range(n_folds + 1):  # the last holds nothing out
            # not inside the try: what the callback raises ends the comparison
            if not progress.begin(candidate.name, (fold + 1) % (n_folds + 1)):
                return CandidateResult(candidate.name, skipped=_NO_TIME), None
            rows, out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            try:
                model = candidate.fit(target, rows, random_state)
                said = predict_rows(model, target, out) if out.size else None
            except PenchantError as error:
                return CandidateResult(candidate.name, skipped=f"no fit: {error}"), None
            if said is not None:
                losses[out], hits[out] = losses_of(said, target, out)
                sure[out], true[out] = _claims(said, target, out)
    per_answer = by_answer(losses, target)
    right = by_answer(hits, target)
    result = CandidateResult(
        candidate.name,
        losses=tuple(per_answer.tolist()),
        score=float(right.mean()),
        score_error=standard_error(right),
        parts=parts_of(model) if candidate.readable else {},
        gap=certificate(model),
        seconds=time.monotonic() - start,
        calibration=_calibrate(sure, true),
        notes=tuple(sorted({str(each.message) for each in caught})),
    )
    return result, model


def certificate(model: Any) -> float | None:
    """Give the certified distance of a fit from its optimum; None: not known."""
    for name in ("dual_gap_", "saddle_gap_"):
        gap = getattr(model, name, None)
        if gap is not None and np.isfinite(gap):
            return float(gap)
    return None


def judge(model: Any, target: Target, rows: IntArray) -> FloatArray:
    """Give the loss of each of some rows."""
    return losses_of(predict_rows(model, target, rows), target, rows)[0]


def losses_of(
    said: FloatArray, target: Target, rows: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Give the loss of each row, and what people read: 1 where the model is right.

    Of numbers the latter is 1 minus the loss, whose mean is R².
    """
    if isinstance(target.values, Comparisons):
        wrong = (said < 0) + 0.5 * (said == 0)
        return wrong, 1.0 - wrong
    truth = target.values[rows]
    if target.kind == "numbers":
        variance = float(np.var(target.values)) or 1.0
        loss: FloatArray = (said - truth) ** 2 / variance
        return loss, 1.0 - loss
    hits = (said.argmax(axis=1) == truth).astype(np.float64)
    facts = np.eye(len(target.labels))[truth]
    if target.kind == "grades":  # chances of at most each grade
        said, facts = said.cumsum(axis=1), facts.cumsum(axis=1)
    return ((said - facts) ** 2).sum(axis=1), hits


def _claims(
    said: FloatArray, target: Target, rows: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Give how sure a model was of something, and whether it was true."""
    if isinstance(target.values, Comparisons):
        return np.abs(said), (said > 0) + 0.5 * (said == 0)
    truth = target.values[rows]
    if target.kind == "numbers":
        return said, truth
    if len(target.labels) == 2:
        return said[:, 1], truth.astype(np.float64)
    return said.max(axis=1), (said.argmax(axis=1) == truth).astype(np.float64)


def _calibrate(
    sure: FloatArray, true: FloatArray
) -> tuple[tuple[float, float, int], ...]:
    """Compare claims with the truth in groups of equally many rows, at least 20."""
    n_groups = int(np.clip(len(sure) // 20, 1, 10))
    parts = np.array_split(np.argsort(sure, kind="stable"), n_groups)
    return tuple(
        (float(sure[part].mean()), float(true[part].mean()), len(part))
        for part in parts
    )


def by_answer(values: FloatArray, target: Target) -> FloatArray:
    """Add up the rows of each answer, so that the mean of answers is that of rows."""
    _, places = np.unique(target.groups, return_inverse=True)
    sums = np.bincount(places.ravel(), weights=values)
    return np.asarray(sums * (len(sums) / len(values)), dtype=np.float64)


class _Pace(Progress):
    """Tells how far a comparison is, and how long the rest may take."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        n_folds: int,
        max_time: float | None,
        callback: Callable[[dict[str, Any]], Any] | None,
    ) -> None:
        super().__init__("compare", max_time, 0, self._add)
        self._tell = callback
        self._said: dict[str, Any] = {}
        self._left = {c.name: c.cost * (n_folds + 1) for c in candidates}
        self._costs = {c.name: c.cost for c in candidates}
        self._all = sum(self._left.values())
        self._seconds: dict[str, list[float]] = {c.name: [] for c in candidates}
        self._began: tuple[str, float] | None = None

    def begin(self, name: str, fold: int) -> bool:
        """Tell that a fit begins; fold 0: all rows. False: no time is left."""
        self._end_fit()
        self._began = name, time.monotonic()
        return self._say(candidate=name, fold=fold, result=None, model=None)

    def over(self, name: str, result: CandidateResult, model: Any) -> None:
        """Tell that a candidate is done."""
        self._end_fit()
        self._left[name] = 0.0
        self._say(candidate=name, fold=None, result=result, model=model)

    def _end_fit(self) -> None:
        if self._began is not None:
            name, start = self._began
            self._seconds[name].append(time.monotonic() - start)
            self._left[name] = max(self._left[name] - self._costs[name], 0.0)
            self._began = None

    def _say(self, **said: Any) -> bool:
        self._said = {**said, "seconds_left": self._seconds_left()}
        return self.step(share=1.0 - sum(self._left.values()) / self._all)

    def _add(self, said: dict[str, Any]) -> None:
        if self._tell is not None:
            self._tell({**said, **self._said})

    def _seconds_left(self) -> float | None:
        """Predict by the candidate's own fits, else by those of others."""
        spent = sum(map(sum, self._seconds.values()))
        cost = sum(len(s) * self._costs[name] for name, s in self._seconds.items())
        if not cost:
            return None
        left = 0.0
        for name, units in self._left.items():
            own = self._seconds[name]
            rate = sum(own) / len(own) / self._costs[name] if own else spent / cost
            left += rate * units
        return min(left, self.left)
