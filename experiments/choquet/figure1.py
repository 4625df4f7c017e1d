"""Figure 1: kernel PCA of the houses of Den Bosch, as a picture and in numbers.

The paper's text and its caption name the middle and the right panel differently; ours
have titles. The numbers are areas under the ROC curve of each axis as a ranking of high
above low prices (0.5: no information), which the paper judges by eye.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.decomposition import KernelPCA
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from experiments._outcome import Measurement, Outcome
from experiments.choquet._tasks import Task, den_bosch
from penchant.kernels import choquet_kernel

PICTURE = Path(__file__).parent / "results" / "figure1.png"
COLUMNS = ("RBF", "Choquet", "polynomial")
AXES = ("first axis, AUC", "second axis, AUC")
COLOURS = ("black", "#c1272d")


def run(*, quick: bool) -> Outcome:
    """Project the houses on two axes per kernel; a full run draws the picture."""
    task = den_bosch()
    if task.X is None or task.y is None:
        cells = [
            Measurement(axis, column, note="data not here", in_paper=False)
            for axis in AXES
            for column in COLUMNS
        ]
        return Outcome("figure1", tuple(cells), ())
    planes = {
        column: project(gram)
        for column, gram in zip(COLUMNS, grams(task.X), strict=True)
    }
    if not quick:
        draw(planes, task.y).savefig(PICTURE, dpi=120)
    return Outcome("figure1", tuple(measurements(planes, task)), ())


def grams(unit: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the three Gram matrices; the width of the RBF kernel is 1/n."""
    n = unit.shape[1]
    yield rbf_kernel(unit, gamma=1 / n)
    yield choquet_kernel(unit)
    yield polynomial_kernel(unit, degree=n, gamma=1.0, coef0=1.0)


def project(gram: np.ndarray) -> np.ndarray:
    """Return the first two kernel principal components, shape (n_samples, 2)."""
    plane: np.ndarray = KernelPCA(2, kernel="precomputed").fit_transform(gram)
    return plane


def measurements(planes: dict[str, np.ndarray], task: Task) -> Iterator[Measurement]:
    """Yield how well each axis ranks the prices; its sign has no meaning."""
    for index, axis in enumerate(AXES):
        for column, plane in planes.items():
            area = float(roc_auc_score(task.y, plane[:, index]))
            best = max(area, 1 - area)
            yield Measurement(axis, column, best, None, 1, in_paper=False)


def draw(planes: dict[str, np.ndarray], y: np.ndarray) -> Figure:
    """Draw one panel per kernel, high prices to the right."""
    figure = Figure(figsize=(11.0, 3.9), layout="constrained")
    panels = figure.subplots(1, len(planes))
    for panel, (column, plane) in zip(panels, planes.items(), strict=True):
        _scatter(panel, plane, y)
        panel.set_title(f"{column} kernel")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return figure


def _scatter(panel: Axes, plane: np.ndarray, y: np.ndarray) -> None:
    side = np.sign(plane[y == 1, 0].mean() - plane[y == 0, 0].mean())
    for label, name, marker in ((0, "low price", "o"), (1, "high price", "^")):
        rows = plane[y == label]
        panel.scatter(
            side * rows[:, 0],
            rows[:, 1],
            s=22,
            marker=marker,
            color=COLOURS[label],
            alpha=0.75,
            linewidths=0,
            label=name,
        )
    panel.set_xlabel("first axis")
    panel.set_ylabel("second axis")
    panel.spines[["top", "right"]].set_visible(False)
