"""The pictures: loss against questions, and stated against observed probabilities."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from experiments.gppe._asking import Curve
from experiments.gppe._people import People
from penchant.plotting import plot_reliability, plot_simulation

__all__ = ["RESULTS", "curves_figure", "reliability_figure"]

RESULTS = Path(__file__).parent / "results"

Forecasts = tuple[np.ndarray, np.ndarray]


def curves_figure(people: People, curves: Sequence[Curve]) -> Figure:
    """Draw loss and share of people whose best item was found, per share of errors."""
    shares = list(dict.fromkeys(curve.wrong for curve in curves))
    figure = Figure(figsize=(11.0, 3.9 * len(shares)), layout="constrained")
    panels = figure.subplots(len(shares), 2, squeeze=False)
    for share, row in zip(shares, panels, strict=True):
        results = {c.column: c.merged() for c in curves if c.wrong == share}
        for panel, measure in zip(row, ("loss", "top_found"), strict=True):
            plot_simulation(results, measure=measure, ax=panel)
            panel.set_title(f"{people.name}, {share:.0%} wrong", loc="right", size=10)
    return figure


def reliability_figure(tables: Mapping[str, Mapping[int, Forecasts]]) -> Figure:
    """Draw observed shares against stated probabilities.

    Parameters
    ----------
    tables : mapping from str to mapping from int to (stated, happened)
        By population (a row each) and number of questions (a column each).
    """
    n_columns = max(len(stages) for stages in tables.values())
    size = (3.9 * n_columns, 4.1 * len(tables))
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(tables), n_columns, squeeze=False)
    for row, (name, stages) in zip(panels, tables.items(), strict=True):
        for panel, (q, forecasts) in zip(row, stages.items(), strict=True):
            plot_reliability(*forecasts, ax=panel)
            panel.set_ylabel(f"{name}, after {q}: share that came true")
    return figure
