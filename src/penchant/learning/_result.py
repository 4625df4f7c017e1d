"""How well the candidates did, and which one is recommended."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

import numpy as np

from penchant._html import html_table
from penchant.exceptions import DataError
from penchant.learning._candidates import CANDIDATES
from penchant.learning._target import Kind
from penchant.typing import FloatArray

MEASURES: Final = {
    "numbers": "share of the variance explained (R²)",
    "classes": "share of rows classified rightly",
    "grades": "share of grades predicted exactly",
    "comparisons": "share of comparisons predicted correctly",
}


@dataclass(frozen=True)
class Difference:
    """A mean paired difference of losses with its standard error."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:+.3f} ± {self.error:.3f}"


@dataclass(frozen=True)
class CandidateResult:
    """What one candidate did in all folds.

    Parameters
    ----------
    name : str
    losses : tuple of float
        Of each answer while it was held out, in the order of the data; their mean is
        the mean loss per row, also where an answer has several rows.
    score, score_error : float
        What people read, see `ModelComparison.measure`, and its standard error.
    parts : mapping from str to int
        What there is to read in the model of all rows; empty if it cannot be read.
    gap : float or None
        Certified distance of that model's fit from the optimum, where known.
    seconds : float
        Time of all fits.
    calibration : tuple of (float, float, int)
        What was said, what was true, and of how many held-out rows, in up to ten
        groups from low to high: mean numbers; of two classes the chance of the second;
        of more the chance of the one predicted, and how often it was right; of
        comparisons the difference of utility, and how often it was right.
    skipped : str
        Why it took no part; empty if it did.
    notes : tuple of str
        Warnings of its fits.
    """

    name: str
    losses: tuple[float, ...] = ()
    score: float = float("nan")
    score_error: float = float("nan")
    parts: Mapping[str, int] | None = None
    gap: float | None = None
    seconds: float = 0.0
    calibration: tuple[tuple[float, float, int], ...] = ()
    skipped: str = ""
    notes: tuple[str, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether somebody can read the model."""
        return CANDIDATES[self.name].readable

    @property
    def title(self) -> str:
        """The candidate, for people."""
        return CANDIDATES[self.name].title

    @property
    def size(self) -> int | None:
        """How many things there are to read; None: there is nothing, or no model."""
        known = self.readable and not self.skipped
        return sum((self.parts or {}).values()) if known else None

    @property
    def loss(self) -> float:
        """Mean loss."""
        return float(np.mean(self.losses)) if self.losses else float("nan")

    @property
    def loss_error(self) -> float:
        """Standard error of the mean loss."""
        return standard_error(np.asarray(self.losses))

    def minus(self, other: "CandidateResult") -> Difference:
        """Compare with another candidate, answer by answer."""
        each = np.asarray(self.losses) - np.asarray(other.losses)
        return Difference(float(each.mean()), standard_error(each))

    def to_dict(self) -> dict[str, Any]:
        """Give the result as plain values for JSON."""
        values: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        for name in ("score", "score_error"):
            values[name] = None if np.isnan(values[name]) else values[name]
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make a result of what `to_dict` gave."""
        if values.get("name") not in CANDIDATES:
            raise DataError(f"There is no candidate {values.get('name')!r}.")
        known = dict(values)
        for name in ("losses", "notes"):
            known[name] = tuple(known.get(name, ()))
        known["calibration"] = tuple(map(tuple, known.get("calibration", ())))
        for name in ("score", "score_error"):
            known[name] = float("nan") if known.get(name) is None else known[name]
        return cls(**known)


def standard_error(values: FloatArray) -> float:
    """Give the standard error of a mean of independent values."""
    if len(values) < 2:
        return float("nan")
    return float(values.std(ddof=1) / np.sqrt(len(values)))


@dataclass(frozen=True)
class ModelComparison:
    """Accuracy of readable models against how much there is to read.

    Parameters
    ----------
    kind : {"numbers", "classes", "grades", "comparisons"}
        What was predicted.
    n_rows, n_answers, n_folds : int
        Rows, what they came from, and in how many parts they were held out.
    labels : tuple
        The classes or grades.
    results : tuple of CandidateResult
    random_state : int
    """

    kind: Kind
    n_rows: int
    n_answers: int
    n_folds: int
    labels: tuple[Any, ...]
    results: tuple[CandidateResult, ...]
    random_state: int = 0

    @property
    def measure(self) -> str:
        """What the scores are."""
        return MEASURES[self.kind]

    @property
    def done(self) -> tuple[CandidateResult, ...]:
        """The candidates that took part, best first."""
        part = [result for result in self.results if not result.skipped]
        return tuple(sorted(part, key=lambda result: result.loss))

    @property
    def best(self) -> CandidateResult:
        """The readable candidate with the smallest loss."""
        return next(result for result in self.done if result.readable)

    @property
    def recommended(self) -> CandidateResult:
        """The one with least to read of those about as good as the best readable one.

        A model may be behind by one standard error of the paired difference, times the
        share of reading that it saves: half a standard error for half as much to read.
        """
        order = list(CANDIDATES)
        near = [r for r in self.done if r.readable and self._is_near(r)]
        return min(near, key=lambda r: (r.size or 0, order.index(r.name)))

    def _is_near(self, result: CandidateResult) -> bool:
        best = self.best
        if result is best:
            return True
        behind = result.minus(best)
        saved = 1.0 - (result.size or 0) / max(best.size or 0, 1)
        return behind.mean <= saved * behind.error

    @property
    def behind_boosting(self) -> Difference | None:
        """How much the recommended one loses to boosted trees; None: not known."""
        trees = [result for result in self.done if result.name == "boosting"]
        return self.recommended.minus(trees[0]) if trees else None

    def __getitem__(self, name: str) -> CandidateResult:
        for result in self.results:
            if result.name == name:
                return result
        names = ", ".join(result.name for result in self.results)
        raise DataError(f"{name!r} was not compared. There are: {names}.")

    def rows(self) -> list[dict[str, Any]]:
        """Give the table that people see: best first, what was left out last."""
        chosen = self.recommended
        listed = [
            {
                "name": result.name,
                "title": result.title,
                "score": result.score,
                "score_error": result.score_error,
                "loss": result.loss,
                "behind": asdict(result.minus(self.best)),
                "size": result.size,
                "parts": dict(result.parts or {}),
                "seconds": result.seconds,
                "recommended": result is chosen,
                "skipped": "",
            }
            for result in self.done
        ]
        return listed + [
            {"name": result.name, "title": result.title, "skipped": result.skipped}
            for result in self.results
            if result.skipped
        ]

    def to_dict(self) -> dict[str, Any]:
        """Give the comparison as plain values for JSON."""
        results = [result.to_dict() for result in self.results]
        return {**vars(self), "labels": list(self.labels), "results": results}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make a comparison of what `to_dict` gave."""
        results = tuple(map(CandidateResult.from_dict, values["results"]))
        known = {**values, "results": results, "labels": tuple(values["labels"])}
        return cls(**known)

    def _repr_html_(self) -> str:
        heads = ("", "score", "± s.e.", "behind the best readable", "to read")
        cells = [
            (
                f"{row['title']}{' (recommended)' if row['recommended'] else ''}",
                f"{row['score']:.3f}",
                f"{row['score_error']:.3f}",
                str(Difference(**row["behind"])),
                "cannot be read" if row["size"] is None else say_parts(row["parts"]),
            )
            if not row["skipped"]
            else (row["title"], f"left out: {row['skipped']}", "", "", "")
            for row in self.rows()
        ]
        words = f"{self.n_rows} rows, {self.n_folds} folds; score: {self.measure}"
        return html_table(heads, cells, words)


def say_parts(parts: Mapping[str, int]) -> str:
    """Say what there is to read, such as "5 curves, 1 pair"."""
    singular = {"criteria": "criterion"}
    said = [
        f"{n} {singular.get(name, name[:-1]) if n == 1 else name}"
        for name, n in parts.items()
    ]
    return ", ".join(said) or "nothing: always the same"
