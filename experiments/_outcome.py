"""What one script measured, and how it is written to and read from JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

__all__ = ["Measurement", "Outcome", "Record"]


@dataclass(frozen=True)
class Measurement:
    """One cell of a table: a mean over `n` repetitions, or a reason for none.

    Parameters
    ----------
    row, column : str
        Labels of the cell, as in ``published.toml`` when the paper has that cell.
    mean, std : float or None
        None when the cell could not be measured; `note` then says why.
    n : int
        Number of repetitions (splits, simulations, people).
    note : str
        A remark for the report.
    in_paper : bool
        False for a cell that we report beside the paper's.
    """

    row: str
    column: str
    mean: float | None = None
    std: float | None = None
    n: int = 0
    note: str = ""
    in_paper: bool = True

    @classmethod
    def from_scores(
        cls,
        row: str,
        column: str,
        scores: Sequence[float],
        *,
        note: str = "",
        in_paper: bool = True,
    ) -> Self:
        """Summarise the scores of all repetitions by mean and standard deviation."""
        spread = float(np.std(scores, ddof=1)) if len(scores) > 1 else None
        mean = float(np.mean(scores))
        return cls(row, column, mean, spread, len(scores), note, in_paper)


@dataclass(frozen=True)
class Outcome:
    """What a script's ``run`` returns.

    Parameters
    ----------
    table : str
        Key of the table in ``published.toml``.
    measurements : tuple of Measurement
        The cells, in the order of the report.
    seeds : tuple of int
        Every seed that was used.
    """

    table: str
    measurements: tuple[Measurement, ...]
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class Record:
    """An outcome with the circumstances under which it came about.

    The load average is that of the last minute, when the run ended; old results have
    none.
    """

    paper: str
    script: str
    outcome: Outcome
    date: str
    seconds: float
    machine: str
    versions: dict[str, str]
    load_average: float | None = None

    @property
    def circumstances(self) -> str:
        """When, with which seeds, on what and beside what it was measured."""
        seeds = ", ".join(map(str, self.outcome.seeds))
        busy = self.load_average
        load = "" if busy is None else f" load {busy:.1f} at the end;"
        versions = ", ".join(f"{name} {text}" for name, text in self.versions.items())
        return (
            f"{self.date}; {self.seconds:g} s; seeds {seeds}; {self.machine};{load} "
            f"{versions}."
        )

    def save(self, path: Path) -> None:
        """Write to JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote."""
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        stored = fields.pop("outcome")
        cells = tuple(Measurement(**cell) for cell in stored["measurements"])
        outcome = Outcome(stored["table"], cells, tuple(stored["seeds"]))
        return cls(outcome=outcome, **fields)

    def keeping(self, earlier: Self) -> Self:
        """Return this record with cells it could not measure taken from `earlier`."""
        known = {
            (cell.row, cell.column): cell
            for cell in earlier.outcome.measurements
            if cell.mean is not None
        }
        cells = tuple(
            _dated(known[cell.row, cell.column], earlier.date)
            if cell.mean is None and (cell.row, cell.column) in known
            else cell
            for cell in self.outcome.measurements
        )
        return replace(self, outcome=replace(self.outcome, measurements=cells))


def _dated(cell: Measurement, date: str) -> Measurement:
    """Mark a cell that comes from an earlier run, once."""
    if "kept from" in cell.note:
        return cell
    mark = f"kept from {date}"
    return replace(cell, note=f"{cell.note}; {mark}" if cell.note else mark)
