"""Draw the pictures of the guide pages about ratings, labels and comparisons."""

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from sklearn.datasets import load_breast_cancer

from penchant.datasets import load_esl, load_flats, make_flats_population
from penchant.learning import fit_candidate
from penchant.plotting import (
    picture,
    plot_capacity_importances,
    plot_gai,
    plot_rules,
)

HERE = Path(__file__).parent
TESTS = ["logic", "memory", "speech", "drive"]
MEASURED = ["mean radius", "mean texture", "mean smoothness"]
MEASURED += ["worst area", "worst concavity", "worst symmetry"]


def wide() -> Axes:
    """Give rules with long names enough room."""
    return plt.subplots(figsize=(10, 5), layout="constrained")[1]


def draw() -> None:
    esl = load_esl()
    scores = esl.data.set_axis(TESTS, axis="columns")
    ratings = fit_candidate("choquet", scores, esl.target)
    cancer = load_breast_cancer(as_frame=True)
    labels = cancer.target_names[cancer.target]
    rules = fit_candidate("rules", cancer.data[MEASURED], labels)
    answers = make_flats_population(random_state=0).comparisons
    flats = fit_candidate("linear", load_flats(), answers)
    for name, drawing in (
        ("ratings", lambda: plot_capacity_importances(ratings)),
        ("labels", lambda: plot_rules(rules, ax=wide())),
        ("comparisons", lambda: plot_gai(flats, max_curves=6)),
    ):
        (HERE / f"learn_{name}.svg").write_bytes(picture(drawing, "svg"))


if __name__ == "__main__":
    draw()
