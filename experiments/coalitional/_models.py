"""The models that are explained: the paper's two, with scikit-learn's defaults."""

from collections.abc import Callable
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

__all__ = ["MODELS", "SEED"]

SEED = 1000


def forest(n_trees: int) -> Any:
    """Make a random forest."""
    return RandomForestClassifier(n_trees, random_state=SEED)


def machine() -> Any:
    """Make a support vector machine with Platt's probabilities.

    Attributes are scaled first, since the kernel adds up their squares.
    """
    return make_pipeline(StandardScaler(), SVC(probability=True, random_state=SEED))


MODELS: dict[str, Callable[[], Any]] = {
    "forest": lambda: forest(20),
    "SVC": machine,
    "forest, 10 trees": lambda: forest(10),
}
