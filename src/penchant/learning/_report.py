"""Everything that a report about a learned model says, as plain data."""

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

import numpy as np
from sklearn.base import clone

import penchant
from penchant.data import Comparisons
from penchant.exceptions import PenchantError
from penchant.explanation import Attribution, CoalitionalExplainer, contrast, explain
from penchant.learning._candidates import predict_rows
from penchant.learning._reading import ModelPart, read_bands, read_model
from penchant.learning._result import CandidateResult, ModelComparison
from penchant.learning._target import Target, find_target

_SECONDS: Final = 15.0
"""For bands, and for coalitions: fits that would take longer are fewer, or none."""
_MOST_RESAMPLES, _FEWEST_RESAMPLES = 20, 4
_MOST_MODELS: Final = 64


@dataclass(frozen=True)
class RowReasons:
    """Why the model says what it says about one row, or about two items.

    Parameters
    ----------
    title : str
        Why this row is shown.
    name : str
        The row; of comparisons, the preferred item and its rival.
    said, truth : str
        What the model of all rows says, and what was said of the row.
    loss : float
        Its loss while it was held out.
    names, cells : tuple of str
        The attributes and their values in the row.
    exact, coalitions : tuple of float
        What each attribute adds: by the model's own formula, and by models of groups
        of attributes that go together; empty where a way does not apply.
    exact_base, exact_total : float
        Where the exact ones begin, and where they end: they add up.
    coalition_base, coalition_total : float
        The same for coalitions, which need not add up.
    exact_game, coalition_game : str
        What the numbers mean.
    exact_label, coalition_label : str
        The class whose chance they add up to; empty: a number, or a score.
    """

    title: str
    name: str
    said: str
    truth: str
    loss: float
    names: tuple[str, ...]
    cells: tuple[str, ...]
    exact: tuple[float, ...] = ()
    exact_base: float = float("nan")
    exact_total: float = float("nan")
    exact_game: str = ""
    exact_label: str = ""
    coalitions: tuple[float, ...] = ()
    coalition_base: float = float("nan")
    coalition_total: float = float("nan")
    coalition_game: str = ""
    coalition_label: str = ""


@dataclass(frozen=True)
class ModelReport:
    """A learned model, what it was compared with, and how far it can be trusted.

    Parameters
    ----------
    target : str
        Name of what was predicted.
    model : str
        Class of the model.
    comparison : ModelComparison
    parts : tuple of ModelPart
        What there is to read.
    gap : float or None
        Certified distance of the fit from its optimum.
    rows : tuple of RowReasons
        A typical row and surprising ones.
    groups : tuple of tuple of str
        Attributes that go together; empty: coalitions were not made.
    n_resamples : int
        Fits behind the bands; 0: there are none.
    version : str
        Of penchant.
    candidate : str
        Which one it is about; empty: the recommended one.
    """

    target: str
    model: str
    comparison: ModelComparison
    parts: tuple[ModelPart, ...]
    gap: float | None
    rows: tuple[RowReasons, ...]
    groups: tuple[tuple[str, ...], ...]
    n_resamples: int
    version: str
    candidate: str = ""

    @property
    def result(self) -> CandidateResult:
        """How the candidate did that this is about."""
        told = self.comparison
        return told[self.candidate] if self.candidate else told.recommended

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make a report of what `to_dict` gave."""
        known = {
            "comparison": ModelComparison.from_dict(values["comparison"]),
            "parts": tuple(map(ModelPart.from_dict, values["parts"])),
            "rows": tuple(RowReasons(**row) for row in values["rows"]),
            "groups": tuple(map(tuple, values["groups"])),
        }
        return cls(**{**values, **known})

    def to_dict(self) -> dict[str, Any]:
        """Give the report as plain values for JSON."""
        values = asdict(self)
        values["comparison"] = self.comparison.to_dict()
        return values

    def _repr_html_(self) -> str:
        return self.comparison._repr_html_()


Coalitions = tuple[Attribution | None, tuple[tuple[str, ...], ...]]


def describe(
    model: Any,
    X: Any,
    y: Any,
    comparison: ModelComparison,
    *,
    target: str = "target",
    candidate: str = "",
    coalitions: Coalitions | None = None,
) -> ModelReport:
    """Say everything that a report about the recommended model says, or another one.

    Parameters
    ----------
    model : estimator
        ``fit_candidate(comparison.recommended.name, X, y)``.
    X, y
        What it was fitted to.
    comparison : ModelComparison
        As `compare` gave it.
    target : str
        Name of what is predicted.
    candidate : str
        Which one the model is; empty: the recommended one.
    coalitions : tuple, optional
        What `explain_by_coalitions` gave for all rows; else it is called for some.
    """
    known = find_target(X, y, comparison.kind)
    result = comparison[candidate] if candidate else comparison.recommended
    per_fit = result.seconds / (comparison.n_folds + 1)
    n_resamples = min(int(_SECONDS / max(per_fit, 1e-3)), _MOST_RESAMPLES)
    n_resamples = n_resamples if n_resamples >= _FEWEST_RESAMPLES else 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of resampled fits: the bands show it
        bands = read_bands(model, known.items, known.values, n_resamples)
    rows, groups = _explain_rows(model, known, result, per_fit, coalitions)
    return ModelReport(
        target,
        type(model).__name__,
        comparison,
        read_model(model, bands),
        result.gap,
        rows,
        groups,
        n_resamples if bands else 0,
        penchant.__version__,
        candidate,
    )


def _explain_rows(
    model: Any,
    known: Target,
    result: CandidateResult,
    per_fit: float,
    coalitions: Coalitions | None,
) -> tuple[tuple[RowReasons, ...], tuple[tuple[str, ...], ...]]:
    """Explain a typical row, and the two that were predicted worst."""
    losses = np.asarray(result.losses)
    answers = np.unique(known.groups)
    order = np.argsort(losses, kind="stable")
    places = [int(order[len(order) // 2]), int(order[-1]), int(order[-2])]
    titles = ("A typical one", "The most surprising one", "The next surprising one")
    chosen = [int(np.flatnonzero(known.groups == answers[p])[0]) for p in places]
    if isinstance(known.values, Comparisons):
        return tuple(
            _pair_reasons(model, known, row, (title, float(losses[place])))
            for row, place, title in zip(chosen, places, titles, strict=True)
        ), ()
    exact = _explain_exactly(model, known, chosen)
    by_groups, groups = coalitions or explain_by_coalitions(
        model, known, chosen, per_fit
    )
    if coalitions is not None and by_groups is not None:
        by_groups = by_groups[chosen]
    said = predict_rows(model, known, np.asarray(chosen))
    told = zip(titles, losses[places].tolist(), strict=True)
    found = [
        _row_reasons(known, row, each, said[k], k, (exact, by_groups))
        for k, (row, each) in enumerate(zip(chosen, told, strict=True))
    ]
    return tuple(found), groups


def _explain_exactly(model: Any, known: Target, rows: list[int]) -> Attribution | None:
    try:
        return explain(model, known.items.take(rows), background=known.items)
    except PenchantError:  # rules for three classes or more have no formula
        return None


def explain_by_coalitions(
    model: Any,
    known: Target,
    rows: list[int],
    per_fit: float,
    seconds: float = _SECONDS,
) -> tuple[Attribution | None, tuple[tuple[str, ...], ...]]:
    """Explain rows by models of groups of attributes that go together.

    Parameters
    ----------
    model : estimator
    known : Target
        What it was fitted to.
    rows : list of int
    per_fit : float
        Seconds of a fit.
    seconds : float
        There are as many models as they allow; none, where not even one per attribute
        is possible.
    """
    n_attributes = len(known.items.attributes)
    budget = int(min(seconds / max(per_fit, 1e-3), _MOST_MODELS))
    if known.kind == "comparisons" or budget < n_attributes or n_attributes < 2:
        return None, ()
    labelled = known.kind != "numbers" and hasattr(model, "rules_")
    y = known.labels[known.values] if labelled else known.values
    frame = known.items.frame
    explainer = CoalitionalExplainer(budget=budget, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # every attribute alone: the groups say it
        try:
            explainer.fit(clone(model), frame, y)
            found: Attribution = explainer.explain(frame.iloc[rows])
        except PenchantError:
            return None, ()
    if found.classes is not None and not labelled:
        found = replace(found, classes=known.labels[np.asarray(found.classes, int)])
    return found, explainer.groups_


def _row_reasons(
    known: Target,
    row: int,
    told: tuple[str, float],
    said: Any,
    k: int,
    ways: tuple[Attribution | None, Attribution | None],
) -> RowReasons:
    shown = known.items.describe(row)
    truth, words = known.values[row], said
    if known.kind != "numbers":
        words = f"{known.labels[int(np.argmax(said))]} ({np.max(said):.0%})"
        truth = known.labels[truth]
    else:
        words, truth = f"{said:.4g}", f"{truth:.4g}"
    exact, coalitions = (_numbers(way, k) for way in ways)
    return RowReasons(
        told[0],
        known.items.names[row],
        str(words),
        str(truth),
        told[1],
        tuple(shown),
        tuple(shown.values()),
        *exact,
        *coalitions,
    )


def _numbers(way: Attribution | None, k: int) -> tuple[Any, ...]:
    if way is None:
        return (), float("nan"), float("nan"), "", ""
    return (
        tuple(map(float, way.values[k])),
        float(way.base[k]),
        float(way.predictions[k]),
        way.game,
        "" if way.classes is None else str(way.classes[k]),
    )


def _pair_reasons(
    model: Any, known: Target, row: int, told: tuple[str, float]
) -> RowReasons:
    winner, loser = int(known.values.winners[row]), int(known.values.losers[row])
    items = known.items
    found = contrast(model, items.take([winner]), items.take([loser]))
    difference = float(found.values.sum())
    shown, rival = items.describe(winner), items.describe(loser)
    first, second = items.names[winner], items.names[loser]
    return RowReasons(
        told[0],
        f"{first} / {second}",
        first if difference > 0 else second,
        first,
        told[1],
        tuple(shown),
        tuple(f"{shown[name]} / {rival[name]}" for name in shown),
        *_numbers(found, 0),
    )
