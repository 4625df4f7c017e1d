"""Weights of rules: by the margin program, or by the logistic loss (PRL-3, PRL-6)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from penchant.exceptions import DataError
from penchant.rules._conditions import ALWAYS, Conjunction, Vocabulary
from penchant.rules._data import RuleData
from penchant.rules._games import (
    Certificate,
    RuleGame,
    RuleVotes,
    margin_bounds,
    vote_matrix,
)
from penchant.rules._generators import RuleGenerator
from penchant.rules._joins import join_features
from penchant.rules._logistic import (
    LogisticModel,
    LogisticStep,
    choose_greedily,
    follow_doubts,
)
from penchant.rules._monomials import Monomial
from penchant.rules._preferences import Preferences, RuleColumns, RuleKey
from penchant.rules._sources import Feature, FeatureList, FeatureSet, ListedFeatures
from penchant.rules.margin._program import MarginSolution, solve_margin
from penchant.rules.play._random_replacement import replace_randomly
from penchant.typing import FloatArray

__all__ = [
    "KnownRule",
    "RuleLearner",
    "WeightedRules",
]

KnownRule = tuple[Feature, int, int]
"""A feature, and the labels that it speaks for and against."""

_COST_OF_LENGTH = 1e-3
"""Of a further condition, if the first one costs 1: it decides between equals."""

_MOST_AT_ONCE = 500
"""How many rules get weights at once."""

_LEAST_BOUND = 2e-6
"""A program whose margin has a smaller upper bound has none."""


@dataclass(frozen=True, eq=False)
class WeightedRules:
    """Rules of a learner by their keys, with positive weights.

    Parameters
    ----------
    keys : tuple of RuleKey
        Largest weight first.
    weights : ndarray of shape (k,)
    bias : ndarray of shape (n_labels,)
        What is added to the scores of the labels.
    certificate : Certificate or None
        None: the weights are not those of a margin program.
    """

    keys: tuple[RuleKey, ...]
    weights: FloatArray
    bias: FloatArray
    certificate: Certificate | None = None

    @property
    def has_margin(self) -> bool:
        """Whether the weights are more than arbitrary ones; logistic ones always."""
        return self.certificate is None or self.certificate.has_margin

    @property
    def given_up(self) -> bool:
        """Whether the margin program would have needed too many columns."""
        reached = self.certificate
        return reached is not None and reached.status == "column_limit"


class RuleLearner:
    """All rules of a generator on some data.

    Parameters
    ----------
    data : RuleData
    generator : RuleGenerator
    vocabulary : Vocabulary
    with_bias : bool
        Whether few rules may be accompanied by a bias.
    tol : float or "auto"
        Gap of the margin program.
    known : sequence of KnownRule
        Rules of an earlier fit, to start from and to choose among.

    Attributes
    ----------
    known_keys : list of RuleKey
        Of the known rules.
    """

    def __init__(
        self,
        data: RuleData,
        generator: RuleGenerator,
        vocabulary: Vocabulary,
        *,
        with_bias: bool,
        tol: Any,
        known: Sequence[KnownRule] = (),
    ) -> None:
        self.data = data
        self.tol = tol
        features = generator.bind(data.X, vocabulary)
        self.known_keys: list[RuleKey] = []
        if known:
            joined = join_features(
                [features, FeatureList([rule[0] for rule in known], data.X)]
            )
            self.known_keys = [
                (joined.key(1, j), better, worse)
                for j, (_, better, worse) in enumerate(known)
            ]
            features = joined
        if isinstance(features, ListedFeatures) and not features.n_features:
            raise DataError(
                "The generator must make at least one feature of the items. Got none: "
                "give items that differ, or another generator."
            )
        preferences = data.preferences(is_signed=features.is_signed)
        self.columns = RuleColumns(features, preferences)
        self._bias, self._bias_votes = _bias_columns(preferences, with_bias)

    @property
    def features(self) -> FeatureSet:
        """All features."""
        return self.columns.features

    def known_rules(self, keys: Iterable[RuleKey]) -> tuple[KnownRule, ...]:
        """Give rules in a form that other learners know."""
        return tuple(
            (self.features.feature(feature), better, worse)
            for feature, better, worse in keys
        )

    def margin(
        self,
        nu: float | None,
        *,
        balanced: bool,
        start: Sequence[RuleKey] = (),
        max_work: float | None = None,
    ) -> WeightedRules:
        """Solve the margin program over all features (PRL-3).

        Hard margins often have several solutions: then rules get little weight, and
        short ones rather than long ones. With `max_work`, the number of preferences
        times the square of the number of columns, a larger program is given up.
        """
        n_rows = self.columns.n_rows
        solution = solve_margin(
            self.columns,
            margin_bounds(self.data.strict_weights(balanced=balanced), nu),
            tol=self.tol,
            start=start or self.known_keys,
            cost=self._cost if nu is None else None,
            max_columns=None if max_work is None else int((max_work / n_rows) ** 0.5),
        )
        return self._of_solution(solution, nu)

    def _cost(self, key: RuleKey) -> float:
        """Tell how much a rule is to be avoided; the bias is free."""
        feature = self.features.feature(key[0])
        if feature == ALWAYS:
            return 0.0
        return 1.0 + _COST_OF_LENGTH * (_length(feature) - 1)

    def play(
        self, *, n_columns: int, n_epochs: int, n_plays: int, random_state: Any
    ) -> WeightedRules:
        """Play the hard margin's game as in the paper, with random features (PRL-4)."""
        return self._of_solution(
            replace_randomly(
                self.columns,
                np.ones(self.columns.n_rows),
                n_columns=n_columns,
                n_epochs=n_epochs,
                n_plays=n_plays,
                random_state=random_state,
            )
        )

    def _of_solution(
        self, solution: MarginSolution, nu: float | None = None
    ) -> WeightedRules:
        """Tell the bias from the other rules, and sort these by weight."""
        bias = np.zeros(self.data.n_labels)
        rules: list[tuple[RuleKey, float]] = []
        keys = cast(Sequence[RuleKey], solution.keys)
        for key, weight in zip(keys, solution.weights.tolist(), strict=True):
            feature, better, worse = key
            if self.features.feature(feature) == ALWAYS:
                bias[[better, worse]] += 0.5 * weight, -0.5 * weight
            else:
                rules.append((key, weight))
        rules.sort(key=lambda rule: -rule[1])
        return WeightedRules(
            tuple(key for key, _ in rules),
            np.array([weight for _, weight in rules]),
            bias,
            Certificate.of(solution, nu),
        )

    def game(self, keys: Sequence[RuleKey], *, balanced: bool) -> RuleGame:
        """Put some rules against the preferences."""
        return RuleGame(
            self.columns.columns(keys),
            self._bias,
            self._bias_votes,
            self.data.row_weights(balanced=balanced),
            self.data.strict_weights(balanced=balanced),
            float(self.data.weights.sum()),
            self.columns.preferences.scale,
        )

    def refit_margin(
        self, keys: Sequence[RuleKey], nu: float | None, *, balanced: bool, bound: float
    ) -> WeightedRules:
        """Solve the margin program on some rules and the bias.

        `bound` is that of the program over all features. If that one has a margin and
        these rules have none, nu is raised until they have.
        """
        game = self.game(keys, balanced=balanced)
        gap = 0.0 if self.tol == "auto" else self.tol
        weights, bias, reached = game.margin_weights(
            nu, self.tol, climb=bound > max(gap, _LEAST_BOUND)
        )
        if reached.nu == nu:
            reached = replace(reached, bound=bound)
        return _sorted_rules(keys, weights, bias, reached)

    def refit_logistic(
        self, keys: Sequence[RuleKey], *, balanced: bool, ridge: float
    ) -> WeightedRules:
        """Give some rules and the bias logistic weights."""
        game = self.game(keys, balanced=balanced)
        return _sorted_rules(keys, *game.logistic_weights(ridge))

    def greedy(
        self, max_rules: int, *, balanced: bool, ridge: float
    ) -> list[WeightedRules]:
        """Choose rules one by one by the logistic loss: with 0, 1, ... of them."""
        steps = choose_greedily(
            self._listed_features(),
            self.columns.preferences,
            self._bias,
            self._loss_weights(balanced=balanced),
            max_rules=max_rules,
            ridge=ridge,
        )
        return [self._of_step(step) for step in steps]

    def follow(
        self, doubts: FloatArray, max_rules: int, *, ridge: float
    ) -> WeightedRules:
        """Choose few rules that come close to how probable the preferences are."""
        step = follow_doubts(
            self._listed_features(),
            self.columns.preferences,
            self._bias,
            self._loss_weights(balanced=False),
            doubts,
            max_rules=max_rules,
            ridge=ridge,
        )
        return self._of_step(step)

    def smooth(self, *, balanced: bool, ridge: float) -> FloatArray:
        """Weigh all rules at once; give how probably each preference does not hold."""
        model = LogisticModel.of_bias(
            self._bias, self._loss_weights(balanced=balanced), ridge
        )
        return model.extend(self.columns.columns(self._all_keys())).miss()

    def _all_keys(self) -> list[RuleKey]:
        """List all rules, each in one direction; of too many, some drawn at random."""
        n_labels = self.columns.preferences.n_labels
        pairs = [(a, b) for a in range(n_labels) for b in range(a)]
        if isinstance(self.features, ListedFeatures):
            keys = range(self.features.n_features)
            if len(keys) * len(pairs) <= _MOST_AT_ONCE:
                return [(key, *pair) for key in keys for pair in pairs]
        drawn = self.columns.sample(_MOST_AT_ONCE, np.random.default_rng(0))
        once = dict.fromkeys((key, max(pair), min(pair)) for key, *pair in drawn)
        return list(once)

    def _listed_features(self) -> ListedFeatures:
        if isinstance(self.features, ListedFeatures):
            return self.features
        raise DataError(
            "loss='logistic' compares all features, and this generator cannot "
            "list them. Use a lower degree, or loss='margin'."
        )

    def _loss_weights(self, *, balanced: bool) -> FloatArray:
        """Give the weights of the preferences in a logistic loss."""
        total = float(self.data.weights.sum())
        return total * self.data.row_weights(balanced=balanced)

    def _of_step(self, step: LogisticStep) -> WeightedRules:
        return _sorted_rules(step.keys, step.weights, step.bias @ self._bias_votes)

    def merge_equal(self, rules: WeightedRules) -> tuple[list[RuleKey], list[float]]:
        """Add up the weights of equal rules, heaviest first; opposite ones cancel."""
        totals: dict[KnownRule, float] = {}
        first: dict[KnownRule, Any] = {}
        for (key, better, worse), weight in zip(rules.keys, rules.weights, strict=True):
            rule = (self.features.feature(key), max(better, worse), min(better, worse))
            first.setdefault(rule, key)
            sign = 1.0 if better > worse else -1.0
            totals[rule] = totals.get(rule, 0.0) + sign * float(weight)
        keys: list[RuleKey] = []
        weights: list[float] = []
        for rule in sorted(totals, key=lambda rule: -abs(totals[rule])):
            _, high, low = rule
            if totals[rule] != 0:
                labels = (high, low) if totals[rule] > 0 else (low, high)
                keys.append((first[rule], *labels))
                weights.append(abs(totals[rule]))
        return keys, weights

    def votes(self, rules: WeightedRules) -> RuleVotes:
        """Give rules a form that outlives the learner."""
        better = np.array([key[1] for key in rules.keys], dtype=np.int64)
        worse = np.array([key[2] for key in rules.keys], dtype=np.int64)
        return RuleVotes(
            tuple(self.features.feature(key[0]) for key in rules.keys),
            vote_matrix(
                better,
                worse,
                self.columns.preferences.scale * rules.weights,
                self.data.n_labels,
            ),
            rules.bias,
        )


def _bias_columns(
    preferences: Preferences, with_bias: bool
) -> tuple[FloatArray, FloatArray]:
    """Give the rules without condition, one per pair of labels."""
    n_labels = preferences.n_labels if with_bias else 0
    better, worse = np.tril_indices(n_labels, -1)
    ones = np.ones((preferences.n_items, better.size))
    columns = preferences.margins(ones, better, worse)
    votes = vote_matrix(better, worse, np.ones(better.size), preferences.n_labels)
    return columns, votes


def _sorted_rules(
    keys: Sequence[RuleKey],
    weights: FloatArray,
    bias: FloatArray,
    certificate: Certificate | None = None,
) -> WeightedRules:
    """Turn rules with negative weights round, drop those with none, and sort."""
    order = np.argsort(-np.abs(weights), kind="stable")
    turned = [keys[j] if weights[j] > 0 else _turn(keys[j]) for j in order]
    sizes = np.abs(weights[order])
    n_kept = int((sizes > 0).sum())
    return WeightedRules(tuple(turned[:n_kept]), sizes[:n_kept], bias, certificate)


def _length(feature: Feature) -> int:
    """Count the conditions or attributes; of features that we do not know, 1."""
    if isinstance(feature, Conjunction):
        return len(feature.conditions)
    return len(feature.attributes) if isinstance(feature, Monomial) else 1


def _turn(key: RuleKey) -> RuleKey:
    feature, better, worse = key
    return feature, worse, better
