"""What a peer needs, and cells that name its version."""

import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import is_here
from experiments._outcome import Measurement

__all__ = ["PEERS", "absent", "cell", "has", "paired", "timed"]


class Needs(NamedTuple):
    """The distribution of a peer, its module, and its file in benchmarks/peers."""

    package: str
    module: str
    file: str = "strong"

    @property
    def mark(self) -> str:
        """Name and version."""
        return f"{self.package} {version(self.package)}"


PEERS = {
    "shap": Needs("shap", "shap"),
    "shapiq": Needs("shapiq", "shapiq"),
    "lime": Needs("lime", "lime"),
    "imodels": Needs("imodels", "imodels"),
    "fasterrisk": Needs("fasterrisk", "fasterrisk", "strong-alone"),
    "aix360": Needs("aix360", "aix360"),
    "xlogit": Needs("xlogit", "xlogit"),
    "choix": Needs("choix", "choix"),
    "interpret": Needs("interpret-core", "interpret"),
    "pygam": Needs("pygam", "pygam"),
    "lightgbm": Needs("lightgbm", "lightgbm"),
}


def has(peer: str) -> bool:
    """Tell whether a peer is installed; "" is no peer at all."""
    return not peer or is_here(PEERS[peer].module)


def absent(row: str, column: str, peer: str) -> Measurement:
    """Give the cell of a peer that is not here, with what to install."""
    note = f"install benchmarks/peers/{PEERS[peer].file}.txt"
    return Measurement(row, column, note=note, in_paper=False)


def cell(
    row: str, column: str, scores: Sequence[float], *notes: str, peer: str = ""
) -> Measurement:
    """Give mean and spread of scores; the note ends with the peer's version."""
    said = [note for note in notes if note]
    if peer:
        said.append(PEERS[peer].mark)
    return Measurement.from_scores(
        row, column, [float(s) for s in scores], note="; ".join(said), in_paper=False
    )


def paired(ours: Sequence[float], theirs: Sequence[float], digits: int = 4) -> str:
    """Tell the mean of ours minus theirs, and its standard error, on equal splits."""
    gaps = np.asarray(ours, float) - np.asarray(theirs, float)
    if gaps.size < 2:
        return f"ours {gaps.mean():+.{digits}f}"
    error = gaps.std(ddof=1) / gaps.size**0.5
    return f"ours {gaps.mean():+.{digits}f} ± {error:.{digits}f}"


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Call, and give the CPU seconds of this process beside what came back."""
    start = time.process_time()
    return function(), time.process_time() - start
