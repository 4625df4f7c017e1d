"""KeptModel: what a job learned, to be read, asked and explained."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pandas as pd

from penchant._cached import cached_property
from penchant.data import Items
from penchant.exceptions import (
    DataError,
    ModelNotFoundError,
    NotAnswerableError,
    PenchantError,
)
from penchant.explanation import Attribution, contrast, explain
from penchant.jobs._asked import JobSettings, read_job
from penchant.jobs._work import from_json
from penchant.learning import (
    LearningTable,
    ModelComparison,
    ModelPart,
    ModelReport,
    Target,
    find_target,
    known_rows,
    predicted_table,
)
from penchant.studies import JobRecord, Store
from penchant.studies.store import load_packed

_REMEMBERED: Final = 8
"""Models that a process keeps in memory, with their tables."""

GAMES: Final = {
    "averaged over their domains": "domain",
    "have their worst value": "worst",
    "averaged over the rows": "rows",
    "coalitional": "coalitions",
    "of the rival": "rival",
}
"""What an explanation compares with, by words in its game."""


def game_of(words: str) -> str:
    """Give the value of `GAMES` that goes with the words of a game."""
    return next((key for word, key in GAMES.items() if word in words), "domain")


@dataclass(frozen=True)
class Reasons:
    """What each attribute adds, by one way to share it out.

    Parameters
    ----------
    names : tuple of str
        The attributes.
    values : tuple of float
        What each adds.
    base, total : float
        Where it begins, and what the model says: they add up but for `gap`.
    game : str
        A value of `GAMES`: what is compared with.
    label : str
        The class whose chance it is; empty: a number, or the score behind it.
    n_models : int or None
        Models fitted for it; None: none.
    seconds : float
        That they took, once for all rows.
    groups : tuple of tuple of str
        Attributes that go together.
    """

    names: tuple[str, ...]
    values: tuple[float, ...]
    base: float
    total: float
    game: str
    label: str = ""
    n_models: int | None = None
    seconds: float = 0.0
    groups: tuple[tuple[str, ...], ...] = ()

    @property
    def gap(self) -> float:
        """What is left over."""
        return self.total - self.base - sum(self.values)


@dataclass(frozen=True)
class Said:
    """What a model says of one row.

    Parameters
    ----------
    value : float or None
        A number, or the score by which items are ordered; None: a class.
    label : str
        The class or grade; empty: none.
    chances : tuple of (str, float)
        Of all classes.
    """

    value: float | None
    label: str = ""
    chances: tuple[tuple[str, float], ...] = ()


class KeptModel:
    """What a job learned.

    Parameters
    ----------
    store : Store
    job : JobRecord
        One that is done, at least with comparing.
    """

    def __init__(self, store: Store, job: JobRecord) -> None:
        self.store, self.job = store, job
        self.settings = JobSettings.from_dict(job.settings)
        self._models: dict[str, Any] = {}
        self._coalitions: dict[str, Any] = {}

    @classmethod
    def from_job(cls, store: Store, job: JobRecord) -> "KeptModel":
        """Give what a job learned; the latest few are remembered."""
        return _remembered(store, job.id, job.queued, job.state)

    @cached_property
    def comparison(self) -> ModelComparison:
        """How the candidates did."""
        kept = self._plain("comparison")
        if kept is None:
            raise NotAnswerableError("The models are not compared yet.")
        return ModelComparison.from_dict(kept)

    @cached_property
    def about(self) -> dict[str, Any]:
        """What was read: "target", "notes" and "n" items."""
        return self._plain("about") or {"target": "", "notes": [], "n": 0}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The candidates whose models are kept, the best first."""
        there = set(self.store.job_parts(self.job.id))
        listed = (each.name for each in self.comparison.done)
        return tuple(name for name in listed if f"model {name}" in there)

    @cached_property
    def shown(self) -> str:
        """The candidate that is shown: the chosen one, once all of it is learned."""
        chosen = self.settings.chosen
        there = f"report {chosen}" in self.store.job_parts(self.job.id)
        return chosen if there else self.comparison.recommended.name

    @classmethod
    def is_ready(cls, store: Store, job: JobRecord) -> bool:
        """Tell whether there is something to show, though a later run has ended."""
        parts = store.job_parts(job.id)
        told = any(part.startswith("report ") for part in parts)
        return job.state == "done" or (
            told and job.state in ("failed", "cancelled") and "comparison" in parts
        )

    @cached_property
    def read(self) -> LearningTable:
        """What it learned from."""
        return read_job(self.store, self.job.id, self.settings)

    @property
    def items(self) -> Items:
        """The rows, or the items that answers speak of."""
        return self.read.items

    @property
    def lines(self) -> tuple[int, ...]:
        """Where the rows stand in their file, as a spreadsheet counts."""
        return self.read.lines or tuple(range(1, len(self.items) + 1))

    @cached_property
    def target(self) -> Target:
        """What was predicted."""
        return find_target(self.read.items, self.read.target, self.comparison.kind)

    def packed(self, name: str) -> bytes:
        """Give a model as a file."""
        body = self.store.job_part(self.job.id, f"model {name}")
        if body is None:
            raise ModelNotFoundError("There is no such model. It may not be ready yet.")
        return body

    def model(self, name: str) -> Any:
        """Give a model."""
        if name not in self._models:
            self._models[name] = load_packed(self.packed(name))
        return self._models[name]

    def report(self, name: str) -> ModelReport | None:
        """Give all that a report says; None: it was not made for this candidate."""
        kept = self._plain(f"report {name}")
        return None if kept is None else ModelReport.from_dict(kept)

    def parts(self, name: str) -> tuple[ModelPart, ...]:
        """List what there is to read, with bands where they were made."""
        report = self.report(name)
        if report is not None:
            return report.parts
        kept = self._plain(f"parts {name}") or []
        return tuple(map(ModelPart.from_dict, kept))

    def said(self, name: str, frame: pd.DataFrame) -> list[Said]:
        """Tell what a model says of rows with its columns."""
        model = self.model(name)
        if hasattr(model, "classes_"):
            labels = [str(label) for label in model.predict(frame)]
            chances = model.predict_proba(frame)
            names = [str(each) for each in model.classes_]
            return [
                Said(None, label, tuple(zip(names, map(float, row), strict=True)))
                for label, row in zip(labels, chances, strict=True)
            ]
        say = model.predict if self.comparison.kind == "numbers" else model.utility
        return [Said(float(value)) for value in say(frame)]

    def table(self, name: str, content: bytes, filename: str, **limits: int) -> Any:
        """Predict the rows of a file, as a table."""
        model = self.model(name)
        return predicted_table(model, known_rows(model, content, filename, **limits))

    def predicted_rows(self, name: str) -> pd.DataFrame:
        """Predict the rows that it learned from, as a table."""
        frame = self.items.frame
        found = predicted_table(
            self.model(name), frame.set_axis(range(1, len(frame) + 1))
        )
        names = [self.items.names[row - 1] for row in found["row"]]
        found["row"] = names
        return found.rename(columns={"row": "name"}).loc[
            :, lambda table: ~table.columns.duplicated()
        ]

    def exact(self, name: str, frame: pd.DataFrame) -> Reasons | None:
        """Explain a row by the model's own formula; None: it has none."""
        rows = self.items.frame
        return self._reasons(lambda: explain(self.model(name), frame, background=rows))

    def rather_than(self, name: str, row: int, rival: int) -> Reasons | None:
        """Say what speaks for one row rather than another; None: no formula."""
        a, b = (self.items.frame.iloc[[each]] for each in (row, rival))
        return self._reasons(lambda: contrast(self.model(name), a, b))

    def _reasons(self, find: Callable[[], Attribution]) -> Reasons | None:
        if self.comparison.kind == "classes" and len(self.comparison.labels) > 2:
            return None
        try:
            found = find()
        except PenchantError:  # rules for grades have no formula
            return None
        return Reasons(
            found.names,
            tuple(map(float, np.asarray(found.values[0]))),
            float(found.base[0]),
            float(found.predictions[0]),
            game_of(found.game),
            "" if found.classes is None else str(found.classes[0]),
        )

    def by_coalitions(self, name: str, row: int) -> Reasons | None:
        """Explain one of the rows that were learned from by groups of attributes."""
        kept = self._coalitions.get(name)
        if kept is None:
            kept = self._coalitions[name] = self._plain(f"coalitions {name}") or {}
        if not kept or not 0 <= row < len(kept["values"]):
            return None
        return Reasons(
            tuple(kept["names"]),
            tuple(kept["values"][row]),
            kept["base"][row],
            kept["predictions"][row],
            "coalitions",
            kept["classes"][row] if kept["classes"] else "",
            kept["n_models"],
            kept["seconds"],
            tuple(map(tuple, kept["groups"])),
        )

    def check_line(self, line: int) -> int:
        """Give the place of the row in a line of the file."""
        lines = self.lines
        if line not in lines:
            raise DataError(
                f"There is no row {line}. As a spreadsheet counts, the rows are "
                f"{lines[0]} to {lines[-1]}, without those that were left out."
            )
        return lines.index(line)

    def check_row(self, row: int) -> int:
        """Refuse a row that is not there."""
        if not 0 <= row < len(self.items):
            raise DataError(
                f"There is no row {row + 1}. There are {len(self.items)} rows."
            )
        return row

    def check_name(self, name: str) -> str:
        """Refuse a model that is not kept; empty: the one that is shown."""
        if not name:
            return self.shown
        if name not in self.names:
            known = ", ".join(self.names)
            raise DataError(f"There is no model {name!r}. There are: {known}.")
        return name

    def truth(self, row: int) -> Any:
        """Give what was said of a row; None: answers are about several."""
        if self.comparison.kind == "comparisons" or len(self.target) != len(self.items):
            return None
        value = self.target.values[row]
        is_number = self.comparison.kind == "numbers"
        return float(value) if is_number else str(self.target.labels[int(value)])

    def frame_of(self, values: Mapping[str, Any]) -> pd.DataFrame:
        """Make a row of values by attribute."""
        names = [attribute.name for attribute in self.items.attributes]
        return pd.DataFrame([[values[name] for name in names]], columns=names)

    def _plain(self, name: str) -> Any:
        return from_json(self.store.job_part(self.job.id, name))


@lru_cache(maxsize=_REMEMBERED)
def _remembered(store: Store, job_id: str, _queued: Any, _state: str) -> KeptModel:
    return KeptModel(store, store.get_job(job_id))
