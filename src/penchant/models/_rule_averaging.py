"""Few rules that follow what many small models agree on (PRL-6).

A greedy choice of few rules varies much with the data: with a handful of other items
other rules are chosen. The average of such choices on resampled data varies little, but
is no small model. Few rules that are fitted to its probabilities, instead of to the
labels, keep most of what it gains [1]_.

References
----------
.. [1] L. Breiman, N. Shang, "Born again trees", University of California, 1996.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from penchant.models._rule_data import LabelData, PairData, RuleData
from penchant.models._rule_learning import KnownRule, RuleLearner, WeightedRules
from penchant.models._rule_logistic import LogisticModel
from penchant.models._rule_preferences import LabelPreferences, RuleKey
from penchant.models._rule_sources import ListedFeatures
from penchant.typing import FloatArray, IntArray

__all__ = ["ModelAverage", "average_models", "balance_labels", "fit_averaged"]

_N_MODELS, _N_RULES = 100, 10
"""How many models are averaged, and how many rules each of them has."""

_SHARE, _FEWEST, _MOST = 0.02, 100, 300
"""How many of all rules each model chooses among."""

_N_STEPS = 2
"""How many Newton steps the weights of a model get after each rule."""

_RIDGE = 3.0
"""What the penalty of squared weights is multiplied by: there are many rules."""

_N_PASSES = 2
"""How often each of the few rules may be exchanged for a better one."""


class ModelAverage(NamedTuple):
    """What many small models say, and by which rules.

    Parameters
    ----------
    doubts : ndarray of shape (n_rows,)
        How probably each preference does not hold.
    rules : tuple of KnownRule
        All rules that occur in a model.
    """

    doubts: FloatArray
    rules: tuple[KnownRule, ...]


def average_models(learner: RuleLearner, ridge: float) -> ModelAverage:
    """Choose few rules from resampled data, many times.

    Each model is a greedy choice among a random part of the rules, from items drawn
    with replacement. The doubts are the mean of what all models say and of what those
    say that have not seen the item. The draws are always the same.

    Parameters
    ----------
    learner : RuleLearner
    ridge : float
        Penalty of a squared weight.
    """
    game, data = learner.game([], balanced=False), learner.data
    weights, bias = game.total * game.weights, game.bias
    rng = np.random.default_rng(0)
    units = _units(data)
    said, unseen, n_unseen = np.zeros((3, weights.size))
    keys: dict[RuleKey, None] = {}
    for _ in range(_N_MODELS):
        drawn = _resample(data.weights, rng)[units]
        offered = _offer(learner, rng)
        table = learner.columns.columns(offered)
        chosen, doubts = _small_model(table, bias, weights * drawn, _RIDGE * ridge)
        keys.update(dict.fromkeys(offered[j] for j in chosen))
        said += doubts / _N_MODELS
        unseen += np.where(drawn == 0, doubts, 0.0)
        n_unseen += drawn == 0
    held_out = np.where(n_unseen > 0, unseen / np.maximum(n_unseen, 1), said)
    return ModelAverage(0.5 * (said + held_out), learner.known_rules(keys))


def fit_averaged(
    learner: RuleLearner, doubts: FloatArray, max_rules: int, ridge: float
) -> WeightedRules:
    """Choose few of the rules of an average so that they come close to it.

    Rules are added one by one, then each is exchanged for a better one if there is any.

    Parameters
    ----------
    learner : RuleLearner
        One that knows the rules of the average.
    doubts : ndarray of shape (n_rows,)
        Of the average.
    max_rules : int
    ridge : float
        Penalty of a squared weight.
    """
    game, offered = learner.game([], balanced=False), learner.known_keys
    table = learner.columns.columns(offered)
    model = LogisticModel.of_bias(
        game.bias, game.total * game.weights, _RIDGE * ridge, doubts
    )
    chosen: list[int] = []
    for _ in range(min(max_rules, len(offered))):
        best, model = model.extend_best(table, chosen)
        chosen.append(best)
    n_bias = game.bias.shape[1]
    for _ in range(_N_PASSES):
        for _ in range(len(chosen)):
            # The oldest rule leaves; its successor, or itself, comes last.
            best, model = model.without(n_bias).extend_best(table, chosen[1:])
            chosen = [*chosen[1:], best]
    bias = model.fit.coef[:n_bias] @ game.bias_votes
    keys = [offered[j] for j in chosen]
    return _weighted(keys, model.fit.coef[n_bias:], bias)


def balance_labels(
    learner: RuleLearner, rules: WeightedRules, balance: float
) -> WeightedRules:
    """Divide the odds of labels by how often these occur, to the power of `balance`.

    With 1 all labels count the same. Rules stay as they are if they have no bias, or
    for preferences between items.
    """
    preferences = learner.columns.preferences
    game = learner.game([], balanced=False)
    if not isinstance(preferences, LabelPreferences) or not game.bias.size:
        return rules
    shares = np.bincount(preferences.preferred, game.weights, preferences.n_labels)
    logarithms = np.log(np.maximum(shares, shares[shares > 0].min()))
    shift = balance * (logarithms - logarithms.mean())
    return replace(rules, bias=rules.bias - shift)


def _small_model(
    table: FloatArray, bias: FloatArray, weights: FloatArray, ridge: float
) -> tuple[list[int], FloatArray]:
    """Choose columns greedily; give them and the doubts in all rows."""
    seen = weights > 0
    part = table[seen]
    model = LogisticModel.of_bias(bias[seen], weights[seen], ridge)
    chosen: list[int] = []
    for _ in range(_N_RULES):
        gains = model.gains(part)
        gains[chosen] = 0.0
        best = int(gains.argmax())
        chosen.append(best)
        model = model.extend(part[:, best], _N_STEPS)
    margins = np.hstack([bias, table[:, chosen]]) @ model.fit.coef
    doubts: FloatArray = expit(-margins)
    return chosen, doubts


def _offer(learner: RuleLearner, rng: np.random.Generator) -> list[RuleKey]:
    """Draw rules, each in one direction: weights may be negative."""
    features, n_offered = learner.features, _MOST
    if isinstance(features, ListedFeatures):
        n_offered = int(np.clip(_SHARE * features.n_features, _FEWEST, _MOST))
    drawn = learner.columns.sample(n_offered, rng)
    once = dict.fromkeys((key, max(pair), min(pair)) for key, *pair in drawn)
    return list(once)


def _resample(weights: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw units with replacement; give by what their weights are multiplied.

    A weight of 2 stands for two equal units: so many are drawn, but no less than there
    are.
    """
    n_drawn = max(weights.size, round(weights.sum()))
    shares = weights / weights.sum()
    counts = rng.multinomial(n_drawn, shares)
    factors: FloatArray = counts / (n_drawn * shares)
    return factors


def _units(data: RuleData) -> IntArray:
    """Give the unit of each row: the item, or the pair; ties have two rows."""
    if isinstance(data, LabelData):
        return data.items
    pairs = np.arange(data.weights.size)
    ties = data.ties if isinstance(data, PairData) else np.zeros(0, dtype=bool)
    return np.concatenate([pairs, np.flatnonzero(ties)])


def _weighted(
    keys: list[RuleKey], weights: FloatArray, bias: FloatArray
) -> WeightedRules:
    """Turn rules with negative weights round, and sort."""
    order = np.argsort(-np.abs(weights), kind="stable").tolist()
    turned = [
        (key, better, worse) if weight > 0 else (key, worse, better)
        for (key, better, worse), weight in zip(keys, weights, strict=True)
    ]
    return WeightedRules(tuple(turned[j] for j in order), np.abs(weights[order]), bias)
