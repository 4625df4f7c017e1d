"""What a cross-validated GAI model chose, and how candidates are compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from penchant.typing import FloatArray

__all__ = [
    "GAICandidate",
    "GAIChoice",
    "Referee",
    "blend",
    "snap",
    "sparsity_verdict",
]

_BLEND_STEPS = 12
_SPARSITY_LIMITS = {"fast": 0.05, "accurate": 0.0}
"""By how much more error the sparse model may have than the dense one."""


@dataclass(frozen=True)
class GAICandidate:
    """One model among those that were compared.

    Parameters
    ----------
    family : {"product", "evidence", "sparse", "published"}
        The product kernel with a common scale; the kernel with parameters by
        evidence; few factors, on the kernel of the best product; few factors, on
        the kernel of the paper.
    loss : {"tube", "gauss", "hinge"}
        Deviations beyond epsilon; squares; comparisons.
    warp : bool
        Whether skewed attributes have a logarithmic warp.
    scale, weight : float or tuple of float
        Length scale and weight of the attributes; one number: the same for all.
    C : float or None
        Cost of a unit of loss; of ratings in standard deviations.
    epsilon : float or None
        Half-width of the tube, in standard deviations of the ratings.
    cv_error : float
        Error out of fold, in the units of the user: mean absolute error of ratings,
        or share of comparisons that are predicted wrong.
    share : float
        Share in the model that was chosen.
    """

    family: str
    loss: str
    warp: bool
    scale: float | tuple[float, ...]
    weight: float | tuple[float, ...]
    C: float | None = None
    epsilon: float | None = None
    cv_error: float = float("nan")
    share: float = 0.0

    def __str__(self) -> str:
        numbers = {
            "scale": self.scale,
            "weight": self.weight,
            "C": self.C,
            "epsilon": self.epsilon,
        }
        texts = [f"{k} {_number(v)}" for k, v in numbers.items() if v is not None]
        warp = ", log-warp" if self.warp else ""
        return f"{self.family} ({self.loss}{warp}): {', '.join(texts)}"


@dataclass(frozen=True)
class GAIChoice:
    """What was chosen and why; `str` tells it in words.

    Parameters
    ----------
    preset : str
    candidates : tuple of GAICandidate
        All that were compared, best first. A candidate alone is judged by its
        predictions before they are rounded to grades.
    sparse : bool
        Whether the model with few factors was kept.
    cv_error : float
        Error out of fold of the model that was chosen, in the units of the user,
        of its predictions as they come: rounded, if there are grades.
    dense_error, sparse_error : float or None
        Errors of the dense and of the sparse model, before rounding to grades;
        None where there was no such model.
    grades : tuple of float or None
        Values that predictions are rounded to; None: predictions are the utility.
    n_folds : int
    reason : str
        Why the model is sparse or dense, in one sentence.
    """

    preset: str
    candidates: tuple[GAICandidate, ...]
    sparse: bool
    cv_error: float
    dense_error: float | None
    sparse_error: float | None
    grades: tuple[float, ...] | None
    n_folds: int
    reason: str

    @classmethod
    def published(cls, candidates: Sequence[GAICandidate], n_folds: int) -> "GAIChoice":
        """Tell the choice among the costs for the paper's kernel."""
        best, *others = _best_first(candidates)
        return cls(
            preset="paper",
            candidates=(replace(best, share=1.0), *others),
            sparse=True,
            cv_error=best.cv_error,
            dense_error=None,
            sparse_error=best.cv_error,
            grades=None,
            n_folds=n_folds,
            reason="Published settings; C by cross-validation.",
        )

    @property
    def chosen(self) -> tuple[GAICandidate, ...]:
        """The candidates that make up the model, largest share first."""
        parts = [candidate for candidate in self.candidates if candidate.share > 0]
        return tuple(sorted(parts, key=lambda part: -part.share))

    @property
    def sparsity_cost(self) -> float | None:
        """Relative change of the error by few factors; None: not compared."""
        if not self.dense_error or self.sparse_error is None:
            return None
        return self.sparse_error / self.dense_error - 1.0

    def with_sparse(
        self, candidate: GAICandidate, kept: bool, cv_error: float, reason: str
    ) -> "GAIChoice":
        """Add the sparse model to the candidates; if it is kept, it is the choice.

        `cv_error` is its error after rounding, if there are grades.
        """
        others = self.candidates
        if kept:
            candidate = replace(candidate, share=1.0)
            others = tuple(replace(other, share=0.0) for other in others)
        return replace(
            self,
            candidates=_best_first((*others, candidate)),
            sparse=kept,
            cv_error=cv_error if kept else self.cv_error,
            sparse_error=candidate.cv_error,
            reason=reason,
        )

    def in_units(self, offset: float, unit: float) -> "GAIChoice":
        """Go from standardised ratings to those of the user."""

        def scaled(error: float | None) -> float | None:
            return None if error is None else unit * error

        grades = self.grades
        if grades is not None:
            grades = tuple(offset + unit * grade for grade in grades)
        return replace(
            self,
            candidates=tuple(
                replace(candidate, cv_error=unit * candidate.cv_error)
                for candidate in self.candidates
            ),
            cv_error=unit * self.cv_error,
            dense_error=scaled(self.dense_error),
            sparse_error=scaled(self.sparse_error),
            grades=grades,
        )

    def __str__(self) -> str:
        lines = [
            f"Preset {self.preset!r}: {len(self.candidates)} candidates, "
            f"{self.n_folds} folds, error {self.cv_error:.4g} out of fold.",
            self.reason,
        ]
        lines += [f"  {part.share:4.0%} {part}" for part in self.chosen]
        if self.grades is not None:
            lines.append(f"Predictions are rounded to {len(self.grades)} grades.")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Referee:
    """Mean absolute errors of predictions out of fold.

    Parameters
    ----------
    y, weights : ndarray of shape (n_rows,)
        Of the test rows of all folds, one fold after the other.
    grades : tuple of float or None
        Values to round predictions to before they are judged.
    """

    y: FloatArray
    weights: FloatArray
    grades: tuple[float, ...] | None = None

    def errors(self, predictions: FloatArray) -> FloatArray:
        """Judge predictions of the first rows, shape (..., n_first_rows)."""
        n_rows = predictions.shape[-1]
        weights = self.weights[:n_rows] / self.weights[:n_rows].sum()
        values = predictions
        if self.grades is not None:
            values = snap(predictions, self.grades)
        errors: FloatArray = np.abs(values - self.y[:n_rows]) @ weights
        return errors

    @property
    def plain(self) -> "Referee":
        """The same without rounding; it is the less noisy judge of models."""
        return replace(self, grades=None)

    def if_better(self, predictions: FloatArray) -> "Referee":
        """Round to grades only where that lowers the error of these predictions."""
        better = self.errors(predictions) < self.plain.errors(predictions)
        return self if better else self.plain


def blend(predictions: FloatArray, referee: Referee) -> FloatArray:
    """Combine candidates by forward selection with replacement.

    In each step the candidate enters that lowers the mean absolute error of the
    mean most; the best of the steps is returned. A mean of a few good and different
    models is safer than the best one alone.

    Parameters
    ----------
    predictions : ndarray of shape (n_candidates, n_rows)
        Out of fold.
    referee : Referee

    Returns
    -------
    ndarray of shape (n_candidates,)
        Shares; non-negative, summing to 1.
    """
    judge = referee.plain
    total, counts = np.zeros(predictions.shape[1]), np.zeros(len(predictions))
    best, shares = np.inf, counts
    for step in range(1, _BLEND_STEPS + 1):
        errors = judge.errors((total + predictions) / step)
        chosen = int(np.argmin(errors))
        total = total + predictions[chosen]
        counts[chosen] += 1
        if errors[chosen] < best:
            best, shares = float(errors[chosen]), counts / step
    return shares


def sparsity_verdict(
    dense: GAIChoice, sparse_error: float, wanted: str | bool
) -> tuple[bool, str]:
    """Tell whether to keep the sparse model, and why (GAI-6).

    "fast" gives up to 5 % of accuracy for few factors, "accurate" gives nothing.

    Parameters
    ----------
    dense : GAIChoice
        The dense alternative.
    sparse_error : float
        On the same rows.
    wanted : "auto" or True
    """
    limit, dense_error = _SPARSITY_LIMITS[dense.preset], dense.dense_error or 0.0
    change = "from 0"
    if dense_error > 0:
        change = f"by {sparse_error / dense_error - 1.0:+.1%}"
    effect = f"Few factors change the error {change}"
    if wanted is True:
        return True, f"{effect}: the sparse model was asked for."
    effect += f" ({limit:+.0%} is accepted)"
    if sparse_error <= (1.0 + limit) * dense_error:
        return True, f"{effect}: the sparse model was kept."
    return False, f"{effect}: the dense model was kept."


def snap(values: FloatArray, grades: Sequence[float]) -> FloatArray:
    """Round each value to the nearest of the rising grades.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.gai._choice import snap
    >>> snap(np.array([-1.0, 1.4, 1.6]), (0.0, 1.0, 2.0))
    array([0., 1., 2.])
    """
    levels = np.asarray(grades, dtype=np.float64)
    middles = (levels[1:] + levels[:-1]) / 2.0
    snapped: FloatArray = levels[np.searchsorted(middles, values)]
    return snapped


def _best_first(candidates: Sequence[GAICandidate]) -> tuple[GAICandidate, ...]:
    return tuple(sorted(candidates, key=lambda candidate: candidate.cv_error))


def _number(value: float | tuple[float, ...]) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{entry:.3g}" for entry in value) + ")"
    return f"{value:.3g}"
