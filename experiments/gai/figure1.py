"""Figure 1: learned factors on top of the hidden ones.

The hidden utility of six attributes is u_1 + u_2 + u_34 + u_45, each factor a (tensor
product of) zero-mean quadratic splines; 70 items are rated with noise 0.05 of the range
of the utility and learned by the paper's method. The paper does not give its splines:
ours have three basis functions per attribute and seed 1000. A full run draws
``results/figure1.png``; the table says how far each learned factor is from the hidden
one, as root mean square difference over that of the hidden factor.
"""

import warnings
from pathlib import Path

import numpy as np

from experiments._outcome import Measurement, Outcome
from penchant.datasets import SplineUtility
from penchant.models import GAIRegressorCV

SEED = 1000
N_ITEMS, N_FEATURES, N_BASIS = 70, 6, 3
NOISE = 0.05
FACTORS = ((0,), (1,), (2, 3), (3, 4))
PICTURE = Path(__file__).parent / "results" / "figure1.png"
GRID = np.linspace(0.0, 1.0, 41)


def run(*, quick: bool) -> Outcome:
    """Learn the utility; unless quick, draw the figure."""
    rng = np.random.default_rng(SEED)
    hidden = draw_utility(rng)
    X = rng.random((N_ITEMS, N_FEATURES))
    utility = hidden.utility(X)
    y = utility + NOISE * np.ptp(utility) * rng.standard_normal(N_ITEMS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a path may end before the gap is reached
        model = GAIRegressorCV(preset="paper", domain=(0, 1)).fit(X, y)
    pairs = {
        factor: (_hidden(hidden, factor), _learned(model, factor)) for factor in FACTORS
    }
    if not quick:
        draw_figure(pairs)
    shares = dict(zip(model.factors_, model.variance_shares_, strict=True))
    cells = [
        _cell(factor, *pairs[factor], shares.pop(factor, 0.0)) for factor in FACTORS
    ]
    others = Measurement(
        "all other factors",
        "share of variance",
        float(sum(shares.values())),
        n=1,
        note=f"{len(shares)} factors",
        in_paper=False,
    )
    return Outcome("figure1", (*cells, others), (SEED,))


def draw_utility(rng: np.random.Generator) -> SplineUtility:
    """Draw splines with mean 0 and variance 1 for every attribute of every factor."""
    midpoints = (np.arange(1000) + 0.5)[:, None] / 1000
    coefficients = []
    for factor in FACTORS:
        rows = []
        for draw in rng.standard_normal((len(factor), N_BASIS)):
            values = SplineUtility(1, ((0,),), (draw[None],)).utility(midpoints)
            rows.append((draw - values.mean()) / values.std())
        coefficients.append(np.stack(rows))
    return SplineUtility(N_FEATURES, FACTORS, tuple(coefficients))


def draw_figure(pairs: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]]) -> None:
    """Draw hidden factors in grey and learned ones in green, as the paper does."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7.5), layout="constrained")
    for place, (factor, (hidden, learned)) in enumerate(pairs.items(), start=1):
        name = "".join(str(i + 1) for i in factor)
        if len(factor) == 1:
            axes = figure.add_subplot(2, 2, place)
            axes.plot(GRID, hidden, color="0.6", linewidth=3, label="hidden")
            axes.plot(GRID, learned, color="tab:green", linewidth=2, label="learned")
            axes.set_ylabel("utility")
            axes.legend(frameon=False)
        else:
            axes = figure.add_subplot(2, 2, place, projection="3d")
            mesh = np.meshgrid(GRID, GRID, indexing="ij")
            axes.plot_surface(*mesh, hidden, color="0.6", alpha=0.45)
            axes.plot_wireframe(
                *mesh, learned, color="tab:green", linewidth=0.8, rcount=14, ccount=14
            )
            axes.set_ylabel(f"$x_{factor[1] + 1}$")
        axes.set_xlabel(f"$x_{factor[0] + 1}$")
        axes.set_title(f"$u_{{{name}}}$")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=110)


def _hidden(utility: SplineUtility, factor: tuple[int, ...]) -> np.ndarray:
    """Evaluate a hidden factor on the grid."""
    axes = np.meshgrid(*[GRID] * len(factor), indexing="ij")
    X = np.full((axes[0].size, N_FEATURES), 0.5)
    X[:, list(factor)] = np.stack([axis.ravel() for axis in axes], axis=1)
    return utility.decompose(X)[factor].reshape(axes[0].shape)


def _learned(model: GAIRegressorCV, factor: tuple[int, ...]) -> np.ndarray:
    """Evaluate a learned factor on the grid; 0 if it was not found."""
    axes = np.meshgrid(*[GRID] * len(factor), indexing="ij")
    if factor not in model.factors_:
        return np.zeros(axes[0].shape)
    return model.factor_function(factor)(*axes)


def _cell(
    factor: tuple[int, ...], hidden: np.ndarray, learned: np.ndarray, share: float
) -> Measurement:
    name = "u_" + "".join(str(i + 1) for i in factor)
    error = np.sqrt(np.mean((learned - hidden) ** 2) / np.mean(hidden**2))
    note = f"{share:.1%} of the learned variance"
    return Measurement(
        name, "relative error", float(error), n=1, note=note, in_paper=False
    )
