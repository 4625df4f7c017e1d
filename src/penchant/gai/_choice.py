"""What a cross-validated GAI model chose, and among what."""

from dataclasses import dataclass


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

    @property
    def chosen(self) -> tuple[GAICandidate, ...]:
        """The candidates that make up the model, largest share first."""
        parts = [candidate for candidate in self.candidates if candidate.share > 0]
        return tuple(sorted(parts, key=lambda part: -part.share))

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


def _number(value: float | tuple[float, ...]) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{entry:.3g}" for entry in value) + ")"
    return f"{value:.3g}"
