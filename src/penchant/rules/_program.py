"""Weights of rules by the margin program, with a certificate (PRL-3, PRL-4)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any, cast

import numpy as np
from scipy import sparse

from penchant.exceptions import DataError
from penchant.rules._conditions import ALWAYS, Conjunction, Vocabulary
from penchant.rules._data import RuleData
from penchant.rules._features import (
    Feature,
    FeatureList,
    FeatureSet,
    JoinedFeatures,
    ListedFeatures,
    RuleGenerator,
)
from penchant.rules._logistic import BIAS_PENALTY, fit_logistic
from penchant.rules._monomials import Monomial
from penchant.rules._pairs import PairData
from penchant.rules.margin import (
    MarginSolution,
    Priced,
    TableColumns,
    solve_margin,
)
from penchant.rules.play import replace_randomly
from penchant.typing import FloatArray

KnownRule = tuple[Feature, int, int]
"""A feature, and the labels that it speaks for and against."""

RuleKey = tuple[Any, int, int]
"""The same with the key of a feature in its set."""

_BIAS = None
"""The key of the rule that always holds."""

SOFTER = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
"""Soft margins to go up to if rules have none."""

_ZERO_MARGIN = 1e-6
"""A margin up to this is none."""

_COST_OF_LENGTH = 1e-3
"""Of a further condition, if the first one costs 1: it decides between equals."""


@dataclass(frozen=True)
class Certificate:
    """What a margin program reached.

    Parameters
    ----------
    value : float
        The soft margin of the rules.
    bound : float
        No weights of any features of the generator have a larger one.
    status : str
    n_iter : int
    history : tuple of (int, float, float)
        Number of columns and both bounds after each round.
    nu : float or None
        The soft margin that was asked for; None: the hard one.
    """

    value: float
    bound: float
    status: str
    n_iter: int
    history: tuple[tuple[int, float, float], ...] = ()
    nu: float | None = None

    @property
    def has_margin(self) -> bool:
        """Whether the rules say more for the preferences than against them."""
        return self.value > _ZERO_MARGIN


@dataclass(frozen=True, eq=False)
class WeightedRules:
    """Rules with positive weights, heaviest first.

    Parameters
    ----------
    rules : tuple of KnownRule
    weights : ndarray of shape (k,)
    bias : ndarray of shape (n_labels,)
        What is added to the scores of the labels.
    certificate : Certificate or None
        Of the margin program that the rules come from, if there was one.
    keys : tuple of RuleKey
        What the program starts from if it is solved again with another nu.
    """

    rules: tuple[KnownRule, ...]
    weights: FloatArray
    bias: FloatArray
    certificate: Certificate | None = None
    keys: tuple[RuleKey, ...] = ()

    @classmethod
    def of_signed(
        cls,
        rules: Sequence[KnownRule],
        weights: FloatArray,
        bias: FloatArray,
        certificate: Certificate | None = None,
        keys: tuple[RuleKey, ...] = (),
    ) -> "WeightedRules":
        """Add up equal rules, turn those with negative weights round, and sort."""
        totals: dict[KnownRule, float] = {}
        for (feature, better, worse), weight in zip(rules, weights, strict=True):
            rule = (feature, max(better, worse), min(better, worse))
            signed = float(weight) if better > worse else -float(weight)
            totals[rule] = totals.get(rule, 0.0) + signed
        order = sorted(totals, key=lambda rule: -abs(totals[rule]))
        kept = [rule for rule in order if totals[rule] != 0]
        turned = tuple(
            (f, a, b) if totals[f, a, b] > 0 else (f, b, a) for f, a, b in kept
        )
        sizes = np.array([abs(totals[rule]) for rule in kept])
        return cls(turned, sizes, bias, certificate, keys)


class RuleProgram:
    """All rules of a generator on some data, as the columns of a margin program.

    Parameters
    ----------
    data : RuleData
    generator : RuleGenerator
    vocabulary : Vocabulary
    tol : float or "auto"
        Gap to reach.
    with_bias : bool
        Whether the rule that always holds is one of them.
    known : sequence of KnownRule
        Rules of an earlier fit, to start from.
    deadline : float
        When no more columns are given, by `time.monotonic`.
    """

    def __init__(
        self,
        data: RuleData,
        generator: RuleGenerator,
        vocabulary: Vocabulary,
        *,
        tol: Any = "auto",
        with_bias: bool = False,
        known: Sequence[KnownRule] = (),
        deadline: float = np.inf,
    ) -> None:
        features = generator.bind(data.X, vocabulary)
        self.known_keys: list[RuleKey] = []
        if known:
            earlier = FeatureList([rule[0] for rule in known], data.X)
            features = JoinedFeatures([features, earlier])
            self.known_keys = [((1, j), *rule[1:]) for j, rule in enumerate(known)]
        is_empty = isinstance(features, ListedFeatures) and not features.n_features
        if is_empty and not with_bias:
            raise DataError(
                "The generator must make at least one feature of the items. Got none: "
                "give items that differ, or another generator."
            )
        self.features: FeatureSet = features
        # Differences of features in [-1, 1] would reach 2.
        if features.is_signed and isinstance(data, PairData):
            data = replace(data, scale=0.5)
        self.data = data
        self.with_bias = with_bias
        self.n_rows = self.data.n_rows
        self.tol, self.deadline = tol, deadline
        self._has_some = False  # rules to end with

    # What `solve_margin` and `replace_randomly` ask of columns

    def price(self, weights: FloatArray, n_best: int) -> Priced:
        """Find the rules with the largest payoff; no further ones when time is up.

        The bound holds in any case. Without further rules the program ends with what it
        has, and its gap says how far that is from the best.
        """
        channels = self.data.channels(weights)
        priced = self.features.price(channels, n_best)
        bound, payoffs = priced.bound, priced.payoffs
        labels = zip(priced.better.tolist(), priced.worse.tolist(), strict=True)
        keys = [(key, *pair) for key, pair in zip(priced.keys, labels, strict=True)]
        if self.with_bias:
            # As in `PricedFeatures` one channel stands for 1, its negative for 0.
            votes = (np.ones((1, len(channels))) @ channels)[0]
            votes = np.append(-votes, votes) / 2 if votes.size == 1 else votes
            payoff = float(np.ptp(votes))
            place = int(np.searchsorted(-payoffs, -payoff, side="right"))
            keys.insert(place, (_BIAS, int(votes.argmax()), int(votes.argmin())))
            keys, payoffs = keys[:n_best], np.insert(payoffs, place, payoff)[:n_best]
            bound = max(bound, payoff)
        if self._has_some and time.monotonic() > self.deadline:
            return Priced(bound, [], payoffs[:0])
        self._has_some = True
        return Priced(bound, keys, payoffs)

    def columns(self, keys: Sequence[Any]) -> FloatArray:
        """Tell by how much rules speak for each preference."""
        values = np.ones((self.features.n_items, len(keys)), order="F")
        places = [j for j, (key, _, _) in enumerate(keys) if key is not _BIAS]
        if places:
            values[:, places] = self.features.values([keys[j][0] for j in places])
        return self.data.margins(values, keys)

    def sample(self, n_columns: int, rng: np.random.Generator) -> list[RuleKey]:
        """Draw features, and for each a preference that it speaks for."""
        is_bias = rng.integers(0, 1 + self.with_bias, n_columns) == 1
        keys: list[Any] = [_BIAS] * n_columns
        places = np.flatnonzero(~is_bias)
        drawn = self.features.sample(places.size, rng)
        for place, key in zip(places, drawn, strict=True):
            keys[place] = key
        better, worse = self.data.draw_labels(n_columns, rng)
        return list(zip(keys, better.tolist(), worse.tolist(), strict=True))

    # Solving

    def solve(
        self,
        nu: float | None,
        *,
        balanced: bool,
        start: Sequence[RuleKey] = (),
        max_work: int | None = None,
    ) -> WeightedRules:
        """Find the weights with the largest soft margin over all features (PRL-3).

        Hard margins often have several solutions: then rules get little weight, and
        short ones rather than long ones. With `max_work`, the number of preferences
        times the square of the number of columns, a larger program is given up.
        """
        self._has_some = False
        weights = self.data.row_weights(balanced=balanced, strict=True)
        solution = solve_margin(
            self,
            (weights > 0).astype(np.float64) if nu is None else weights / nu,
            tol=self.tol,
            start=start or self.known_keys,
            cost=self._cost if nu is None else None,
            max_columns=None if max_work is None else isqrt(max_work // self.n_rows),
        )
        return self._weighted(solution, nu)

    def solve_with_margin(self, nu: float | None, *, balanced: bool) -> WeightedRules:
        """Find them, with the next softer margin if there is no hard one (PRL-6)."""
        rules = self.solve(nu, balanced=balanced)
        for softer in SOFTER if nu is None else ():
            if rules.certificate is None or rules.certificate.has_margin:
                break
            rules = self.solve(softer, balanced=balanced)
        return rules

    def play(self, **settings: Any) -> WeightedRules:
        """Play the hard margin's game as in the paper, with random features (PRL-4)."""
        return self._weighted(
            replace_randomly(self, np.ones(self.n_rows), **settings), None
        )

    def _cost(self, key: RuleKey) -> float:
        """Tell how much a rule is to be avoided; the bias is free."""
        if key[0] is _BIAS:
            return 0.0
        feature = self.features.feature(key[0])
        return 1.0 + _COST_OF_LENGTH * (_length(feature) - 1)

    def _weighted(self, solution: MarginSolution, nu: float | None) -> WeightedRules:
        """Tell the bias from the other rules."""
        bias = np.zeros(self.data.n_labels)
        keys = cast(tuple[RuleKey, ...], solution.keys)
        rules = [
            (ALWAYS if key is _BIAS else self.features.feature(key), a, b)
            for key, a, b in keys
        ]
        weights = np.array(solution.weights)
        for j, (feature, better, worse) in enumerate(rules):
            if feature == ALWAYS:
                bias[[better, worse]] += 0.5 * weights[j], -0.5 * weights[j]
                weights[j] = 0.0
        return WeightedRules.of_signed(
            rules, weights, bias, certificate(solution, nu), keys
        )


@dataclass(frozen=True, eq=False)
class RuleGame:
    """Some rules against the preferences of a fit: enough to weigh them anew.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, k)
        By how much each rule speaks for each preference.
    bias : ndarray of shape (n_rows, n_bias)
        The same of the bias, in either direction.
    bias_votes : ndarray of shape (n_bias, n_labels)
        What a unit of each adds to the scores.
    weights : ndarray of shape (n_rows,)
        Of the preferences; they add up to 1.
    strict_weights : ndarray of shape (n_rows,)
        The same without ties.
    total : float
        Sum of the weights of the sample.
    scale : float
        What a rule of weight 1 counts in the columns.
    """

    columns: FloatArray
    bias: FloatArray
    bias_votes: FloatArray
    weights: FloatArray
    strict_weights: FloatArray
    total: float
    scale: float = 1.0

    @classmethod
    def from_rules(
        cls,
        data: RuleData,
        rules: Sequence[KnownRule],
        *,
        with_bias: bool,
        balanced: bool,
    ) -> "RuleGame":
        """Put some rules against the preferences."""
        return cls(
            rule_columns(data, rules),
            *bias_columns(data, with_bias),
            data.row_weights(balanced=balanced),
            data.row_weights(balanced=balanced, strict=True),
            float(data.weights.sum()),
            data.scale,
        )

    def margin_weights(
        self, nu: float | None, tol: Any, *, climb: bool = True
    ) -> tuple[FloatArray, FloatArray, Certificate]:
        """Solve the margin program on these rules alone; the bias has both signs.

        If the hard margin has several solutions, rules get little weight, and the bias
        the rest.

        Few rules may have no margin where many have one, and their weights would be
        arbitrary. With `climb` nu is raised until they have; the certificate tells.
        """
        found = self._margin_weights(nu, tol)
        for softer in SOFTER if climb else ():
            if found[2].has_margin:
                break
            if nu is None or softer > nu:
                found = self._margin_weights(softer, tol)
        return found

    def _margin_weights(
        self, nu: float | None, tol: Any
    ) -> tuple[FloatArray, FloatArray, Certificate]:
        k, n_bias = self.columns.shape[1], self.bias.shape[1]
        table = np.hstack([self.columns, self.bias, -self.bias])
        weights = self.strict_weights
        solution = solve_margin(
            TableColumns(table),
            (weights > 0).astype(np.float64) if nu is None else weights / nu,
            tol=tol,
            cost=(lambda key: float(key < k)) if nu is None else None,
        )
        weights = np.zeros(table.shape[1])
        weights[np.array(solution.keys, dtype=np.int64)] = solution.weights
        bias = weights[k : k + n_bias] - weights[k + n_bias :]
        return weights[:k], bias @ self.bias_votes, certificate(solution, nu)

    def logistic_weights(self, ridge: float) -> tuple[FloatArray, FloatArray]:
        """Minimise the logistic loss; a negative weight turns a rule round."""
        k, n_bias = self.columns.shape[1], self.bias.shape[1]
        penalties = np.full(k + n_bias, ridge)
        penalties[k:] *= BIAS_PENALTY
        table = np.hstack([self.columns, self.bias])
        coef = fit_logistic(table, self.total * self.weights, penalties).coef
        return coef[:k], coef[k:] @ self.bias_votes


def certificate(solution: MarginSolution, nu: float | None) -> Certificate:
    """Read off a solution what it reached."""
    history = tuple((int(k), float(a), float(b)) for k, a, b in solution.history)
    lower, upper = float(solution.lower_bound), float(solution.upper_bound)
    return Certificate(lower, upper, solution.status, solution.n_iter, history, nu)


def rule_columns(data: RuleData, rules: Sequence[KnownRule]) -> FloatArray:
    """Tell by how much rules speak for each preference, shape (n_rows, k)."""
    values = feature_values([feature for feature, _, _ in rules], data.X)
    return data.margins(values, rules)


def bias_columns(data: RuleData, with_bias: bool) -> tuple[FloatArray, FloatArray]:
    """Give the rules without condition, one per pair of labels, and their votes."""
    better, worse = np.tril_indices(data.n_labels if with_bias else 0, -1)
    pairs = zip(better.tolist(), worse.tolist(), strict=True)
    rules = [(ALWAYS, *pair) for pair in pairs]
    half = 0.5 * np.eye(data.n_labels)
    columns = data.margins(np.ones((data.X.shape[0], len(rules))), rules)
    return columns, half[better] - half[worse]


def feature_values(features: Sequence[Feature], X: Any) -> FloatArray:
    """Evaluate features on items, dense or sparse, shape (n_items, n_features)."""
    X = X.tocsc() if sparse.issparse(X) else X
    table = np.empty((X.shape[0], len(features)), order="F")
    for j, feature in enumerate(features):
        table[:, j] = feature.evaluate(X)
    return table


def _length(feature: Feature) -> int:
    """Count the conditions or attributes; of features that we do not know, 1."""
    if isinstance(feature, Conjunction):
        return len(feature.conditions)
    return len(feature.attributes) if isinstance(feature, Monomial) else 1
