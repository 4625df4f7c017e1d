"""Results per family as JSON: sums per table, so that a run can go on later."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import penchant
from experiments import _machine
from experiments.truth._conversations import Tally

__all__ = ["RESULTS", "Cell", "circumstances", "fingerprint", "load_cells", "store"]

RESULTS = Path(__file__).parent / "results"
_DIGITS = 4


@dataclass
class Cell:
    """What is known of one family, size and variant.

    Parameters
    ----------
    family, n_items, variant
        As in `run_table`.
    engine : str
        Fingerprint of the code that was measured.
    seconds : float
        CPU time.
    where : str
        When and on what it was stored.
    tables : dict of int to Tally
        Per table.
    """

    family: str
    n_items: int
    variant: str
    engine: str = ""
    seconds: float = 0.0
    where: str = ""
    tables: dict[int, Tally] = field(default_factory=dict)

    @property
    def stale(self) -> bool:
        """Whether other code was measured than there is now."""
        return bool(self.engine) and self.engine != fingerprint()

    @property
    def key(self) -> tuple[str, int, str]:
        return self.family, self.n_items, self.variant

    def sums(self, figure: str) -> np.ndarray:
        """Give a figure's sums and divisors per table, shape (n_tables, 2)."""
        return np.array([t.sums.get(figure, (0.0, 0.0)) for t in self.tables.values()])

    @property
    def bins(self) -> np.ndarray:
        """Give said, right and number per step of certainty, over all tables."""
        return np.sum([t.bins for t in self.tables.values()], axis=0)

    def to_dict(self) -> dict[str, Any]:
        figures = sorted({name for t in self.tables.values() for name in t.sums})
        return {
            "n_items": self.n_items,
            "variant": self.variant,
            "engine": self.engine,
            "seconds": round(self.seconds, 1),
            "tables": list(self.tables),
            "sums": {name: _plain(self.sums(name).T) for name in figures},
            "bins": [_plain(t.bins) for t in self.tables.values()],
        }

    @classmethod
    def from_dict(cls, family: str, values: dict[str, Any]) -> "Cell":
        cell = cls(family, *(values[k] for k in ("n_items", "variant", "engine")))
        cell.seconds = values["seconds"]
        for place, number in enumerate(values["tables"]):
            sums = {k: [v[0][place], v[1][place]] for k, v in values["sums"].items()}
            cell.tables[number] = Tally(sums, np.array(values["bins"][place]))
        return cell


def _plain(values: np.ndarray) -> list[Any]:
    """Give rows of numbers, whole ones without a point: files stay small."""
    rounded = np.round(values, _DIGITS).tolist()
    return [[int(x) if x == int(x) else x for x in row] for row in rounded]


def fingerprint() -> str:
    """Name the code that decides what is told: results of other code are stale."""
    folder = Path(penchant.__file__).parent / "elicitation"
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        if "groups" not in path.parts:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def load_cells(folder: Path = RESULTS) -> dict[tuple[str, int, str], Cell]:
    """Read what was measured so far."""
    cells = {}
    for path in sorted(folder.glob("family_*.json")):
        stored = json.loads(path.read_text(encoding="utf-8"))
        for values in stored["cells"]:
            cell = Cell.from_dict(stored["family"], values)
            versions = (f"{k} {v}" for k, v in stored["versions"].items())
            cell.where = "; ".join(
                [stored["date"], stored["machine"], ", ".join(versions)]
            )
            cells[cell.key] = cell
    return cells


def store(family: str, cells: Iterable[Cell], folder: Path = RESULTS) -> None:
    """Write all cells of one family, one line per figure."""
    folder.mkdir(parents=True, exist_ok=True)
    head = {"family": family, "seeds": "crc32(family), items, table; see _worlds.py"}
    lines = [json.dumps(head | circumstances())[:-1] + ', "cells": [']
    texts = []
    for cell in sorted(cells, key=lambda cell: cell.key):
        values = cell.to_dict()
        sums = values.pop("sums")
        rows = [f"{json.dumps(name)}: {json.dumps(v)}" for name, v in sums.items()]
        texts.append(
            json.dumps(values)[:-1] + ', "sums": {\n' + ",\n".join(rows) + "}}"
        )
    text = "\n".join([*lines, ",\n".join(texts), "]}"])
    path = folder / f"family_{family}.json"
    path.write_text(text + "\n", encoding="utf-8")


def circumstances() -> dict[str, Any]:
    """Say when and on what a figure was measured."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": _machine.machine_line(),
        "versions": _machine.versions(),
    }
