"""Methods that learn few rules, each behind one function: settings in, rules out.

The first four are optional: see README.md. Conditions are counted by no method; default
rules, intercepts and always-true rules are not counted as rules.
"""

import contextlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

__all__ = ["CAPS", "PEERS", "Fitted", "Peer", "Setting"]

CAPS = (2, 3, 5, 7, 10, 15)
MAIN_CAPS = (5, 10)

Setting = tuple[tuple[str, Any], ...]


class Fitted(NamedTuple):
    """A fitted model: how it classifies, and how many rules it has."""

    predict: Callable[[np.ndarray], np.ndarray]
    n_rules: int


@dataclass(frozen=True)
class Peer:
    """A method with the settings among which inner folds choose.

    Parameters
    ----------
    fit : callable (X, y, **setting) -> Fitted
    package, module : str
        What must be installed, and what is imported from it.
    grid : mapping from str to sequence
        Values of each parameter.
    caps : sequence of int
        Largest numbers of rules at which the method is measured; none: no limit.
    """

    fit: Callable[..., Fitted]
    package: str
    module: str
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    caps: Sequence[int] = ()

    @property
    def is_here(self) -> bool:
        """Whether its package is installed."""
        try:
            return find_spec(self.module) is not None
        except ModuleNotFoundError:  # of a package that the module is in
            return False

    def settings(self, cap: int | None) -> list[Setting]:
        """List the settings that cannot give more rules than `cap`, if known."""
        values = product(*self.grid.values())
        settings = [tuple(zip(self.grid, each, strict=True)) for each in values]
        return [
            setting
            for setting in settings
            if cap is None or dict(setting).get("max_rules", 0) <= cap
        ]


def boomer(X: np.ndarray, y: np.ndarray, *, max_rules: int, **options: Any) -> Fitted:
    """Boost rules; the default rule is one more."""
    from mlrl.boosting import BoomerClassifier

    model = BoomerClassifier(max_rules=max_rules + 1, random_state=1, **options)
    model.fit(X, y[:, None])
    n_rules = model.model_.get_num_used_rules() - 1
    return Fitted(lambda rows: np.asarray(model.predict(rows)).ravel(), n_rules)


def rulefit(X: np.ndarray, y: np.ndarray, **options: Any) -> Fitted:
    """Fit a lasso on the rules of boosted trees; a linear term counts as a rule.

    The log-odds are cut at 0. Its own `predict` cuts them at 0.5, which turns most
    small models into "always the larger class".
    """
    from imodels import RuleFitClassifier

    model = RuleFitClassifier(cv=False, n_estimators=20, random_state=0, **options)
    model.fit(X, y, feature_names=[f"x{i}" for i in range(X.shape[1])])
    cut = 1 / (
        1 + np.e
    )  # where the log-odds c are 0: its probability is 1/(1+e^(1-2c))
    n_rules = int(np.count_nonzero(model.coef))
    return Fitted(lambda rows: model.predict_proba(rows)[:, 1] > cut, n_rules)


def ripper(X: np.ndarray, y: np.ndarray, **options: Any) -> Fitted:
    """Learn a list of rules for the positive class."""
    from wittgenstein import RIPPER

    model = RIPPER(random_state=0, **options)
    model.fit(pd.DataFrame(X), y, pos_class=1)
    return Fitted(
        lambda rows: np.array(model.predict(pd.DataFrame(rows))), len(model.ruleset_)
    )


def boolean_rules(X: np.ndarray, y: np.ndarray, *, penalty: float) -> Fitted:
    """Learn a disjunction of conjunctions by column generation (AIX360)."""
    from aix360.algorithms.rbm import BooleanRuleCG, FeatureBinarizer

    binarizer = FeatureBinarizer(negations=True)
    model = BooleanRuleCG(penalty, penalty, silent=True, solver="HIGHS")
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit(binarizer.fit_transform(pd.DataFrame(X)), y)
        n_rules = len(model.explain()["rules"])
    return Fitted(
        lambda rows: model.predict(binarizer.transform(pd.DataFrame(rows))), n_rules
    )


def tree(X: np.ndarray, y: np.ndarray, *, max_rules: int, **options: Any) -> Fitted:
    """Grow a decision tree; a leaf is a rule."""
    model = DecisionTreeClassifier(max_leaf_nodes=max_rules, random_state=0, **options)
    model.fit(X, y)
    return Fitted(model.predict, int(model.get_n_leaves()))


def logistic(X: np.ndarray, y: np.ndarray, **options: Any) -> Fitted:
    """Fit logistic regression on standardised attributes, which count as rules."""
    model = make_pipeline(StandardScaler(), LogisticRegression(**options)).fit(X, y)
    return Fitted(model.predict, X.shape[1])


PEERS = {
    "BOOMER": Peer(
        boomer,
        "mlrl-boomer",
        "mlrl.boosting",
        {
            "max_rules": CAPS,
            "shrinkage": (0.3, 0.5, 1.0),
            "rule_induction": (
                "top-down-greedy",
                "top-down-greedy{max_conditions=2}",
            ),
            "feature_sampling": ("none", "without-replacement"),
        },
        CAPS,
    ),
    "BooleanRuleCG": Peer(
        boolean_rules,
        "aix360",
        "aix360",
        {"penalty": (0.003, 0.01)},
        CAPS,
    ),
    "RuleFit": Peer(
        rulefit,
        "imodels",
        "imodels",
        {"max_rules": MAIN_CAPS, "include_linear": (False, True)},
        MAIN_CAPS,
    ),
    "RIPPER": Peer(
        ripper,
        "wittgenstein",
        "wittgenstein",
        {"max_rules": MAIN_CAPS, "prune_size": (0.33, 0.5)},
        MAIN_CAPS,
    ),
    "tree": Peer(
        tree,
        "scikit-learn",
        "sklearn",
        {
            "max_rules": CAPS,
            "criterion": ("gini", "entropy"),
            "min_samples_leaf": (1, 5, 15),
        },
        CAPS,
    ),
    "logistic regression": Peer(
        logistic, "scikit-learn", "sklearn", {"C": (0.01, 0.1, 1.0, 10.0)}
    ),
}
