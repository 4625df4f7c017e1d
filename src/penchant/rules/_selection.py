"""Few rules: a pool from a path of soft margins, and folds that choose from it (PRL-6).

The path makes good rules but many. Few of them are chosen one by one by the logistic
loss, against the labels or against the probabilities of a smooth model, which vary less
with noisy data [1]_. Folds show which of the two is better, and how many rules are
enough.

References
----------
.. [1] L. Breiman, N. Shang, "Born again trees", University of California, 1996.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from scipy.special import expit
from sklearn.model_selection import check_cv

from penchant.rules._conditions import Vocabulary
from penchant.rules._data import RuleData
from penchant.rules._features import Feature, FeatureList, RuleGenerator, list_ramps
from penchant.rules._logistic import LogisticModel, LogisticStep, forward
from penchant.rules._program import (
    Certificate,
    KnownRule,
    RuleGame,
    RuleProgram,
    WeightedRules,
    bias_columns,
    rule_columns,
)
from penchant.rules._text import RuleCandidate, RuleChoice
from penchant.typing import FloatArray, IntArray

NUS = (0.8, 0.5, 0.3, 0.2, 0.1)
"""Soft margins that rules come from, from the strongest regularisation down."""

MAX_RULES = 15
"""Rules if nobody limits them."""

_SMOOTH_RIDGE = 3.0
"""Penalty of the smooth model, as a multiple of that of the rules."""

_ENOUGH, _WORTH = 0.5, 0.01
"""What fewer rules may cost: standard errors, or a share of what all rules gain. The
latter since weights are shrunk: the same rule twice gains a little, too."""

HELD_OUT = 2_000
"""No more folds than it takes to hold out this many units."""

_PATH_UNITS, _CHOICE_UNITS = 1_500, 20_000
"""Units that the path, and the choice from the pool, look at."""

_MOST_WORK, _MOST_PATH, _MOST_POOL = 10**8, 150, 100
"""The path ends with a program that is larger, or has more rules; rules of each that
are kept."""

_MOST_BASIS, _SMOOTH_WORK = 2_000, 10**9
"""Simple rules in the pool; rows times columns squared of the smooth model."""

Folds = list[tuple[FloatArray, FloatArray]]
"""Weights of the units for training and for testing."""


class _Outcome(NamedTuple):
    """By how much candidates speak for held-out preferences, and their weights."""

    gaps: dict[RuleCandidate, FloatArray]
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class RuleSearch:
    """What rules are made of, and what may be chosen.

    Parameters
    ----------
    generator, vocabulary, tol, known, deadline
        As `RuleProgram` takes them.
    with_bias : bool
    loss : {"margin", "logistic"}
    nus : tuple of (float or None)
        Soft margins of the path, from large to small.
    balanced : bool
        Whether all labels count the same in the path.
    weigh_balanced : bool
        Whether they do in the logistic loss.
    max_rules : int or None
    ridge : float
        Penalty of squared weights in the logistic loss.
    """

    generator: RuleGenerator
    vocabulary: Vocabulary
    with_bias: bool
    tol: Any
    loss: str
    nus: tuple[float | None, ...]
    balanced: bool
    weigh_balanced: bool
    max_rules: int | None
    ridge: float
    known: tuple[KnownRule, ...] = ()
    deadline: float = np.inf

    def program(self, data: RuleData) -> RuleProgram:
        """Make all rules on some data."""
        return RuleProgram(
            data,
            self.generator,
            self.vocabulary,
            tol=self.tol,
            with_bias=self.with_bias,
            known=self.known,
            deadline=self.deadline,
        )

    def fit(self, data: RuleData, candidate: RuleCandidate) -> WeightedRules:
        """Weigh few rules on all data, in the way that was chosen."""
        pool, certificate = self._pool(data)
        sample = data.thin(_CHOICE_UNITS)
        steps = list(self._steps(sample, pool, candidate.origin))
        step = steps[min(candidate.n_rules or MAX_RULES, len(steps) - 1)]
        if sample is not data:
            pool = [pool[place] for place in step.places]
            step = list(self._steps(data, pool, candidate.origin))[-1]
        votes = bias_columns(data, self.with_bias)[1]
        return WeightedRules.of_signed(
            [pool[place] for place in step.places],
            step.coef,
            step.bias @ votes,
            certificate,
        )

    def compare(
        self, data: RuleData, train: FloatArray, test: FloatArray
    ) -> _Outcome | None:
        """Fit all candidates on one fold; None if there is no time left."""
        if time.monotonic() > self.deadline:
            return None
        held_out = data.take(test)
        compare = self._compare_few if self.loss == "logistic" else self._compare_path
        return _Outcome(
            dict(compare(data.take(train), held_out)), held_out.row_weights()
        )

    def _compare_few(
        self, data: RuleData, held_out: RuleData
    ) -> Iterator[tuple[RuleCandidate, FloatArray]]:
        """Follow the choice of rules for each target, rule by rule."""
        pool, _ = self._pool(data)
        sample = data.thin(_CHOICE_UNITS)
        bias, _ = bias_columns(held_out, self.with_bias)
        most = self.max_rules or MAX_RULES
        for origin in ("labels", "ramps"):
            steps = list(self._steps(sample, pool, origin))
            rules = [pool[place] for place in steps[-1].places]
            columns = rule_columns(held_out, rules) if rules else bias[:, :0]
            made = RuleCandidate("logistic", origin, None, self.weigh_balanced, 0)
            for k in range(min(1, len(steps) - 1), most + 1):
                places, coef, own = steps[min(k, len(steps) - 1)]
                gaps = columns[:, : len(places)] @ coef + bias @ own
                yield replace(made, n_rules=k), gaps

    def _compare_path(
        self, data: RuleData, held_out: RuleData
    ) -> Iterator[tuple[RuleCandidate, FloatArray]]:
        """Follow the path of margin programs."""
        for nu, rules in zip(self.nus, self._path(self.program(data)), strict=False):
            few = self.shorten(data, rules)
            made = RuleCandidate("margin", "margin", nu, self.balanced, self.max_rules)
            bias = np.tile(few.bias, (held_out.X.shape[0], 1))
            columns = rule_columns(held_out, few.rules)
            yield made, columns @ few.weights + held_out.gaps(bias)

    def shorten(self, data: RuleData, rules: WeightedRules) -> WeightedRules:
        """Keep the heaviest rules and weigh them anew: never cut them off (PRL-6).

        If their program has a margin and the few have none, nu is raised until they
        have.
        """
        reached = rules.certificate
        if not reached or not self.max_rules or len(rules.rules) <= self.max_rules:
            return rules
        kept = rules.rules[: self.max_rules]
        game = RuleGame.from_rules(
            data, kept, with_bias=self.with_bias, balanced=self.balanced
        )
        weights, bias, anew = game.margin_weights(
            reached.nu, self.tol, climb=reached.has_margin
        )
        if anew.nu == reached.nu:
            anew = replace(anew, bound=reached.bound)
        return WeightedRules.of_signed(kept, weights, bias, anew)

    def _path(self, program: RuleProgram) -> Iterator[WeightedRules]:
        """Lower nu step by step, each program starting with the rules of the last.

        Where a program has no margin, has many rules or is given up as too large, those
        with a smaller nu would be no better.
        """
        start = program.known_keys
        for nu in self.nus:
            rules = program.solve(
                nu, balanced=self.balanced, start=start, max_work=_MOST_WORK
            )
            yield rules
            reached = rules.certificate
            is_over = time.monotonic() > self.deadline or len(rules.rules) > _MOST_PATH
            if is_over or reached is None or not reached.has_margin:
                return
            if reached.status == "column_limit":
                return
            start = list(rules.keys)

    def _pool(self, data: RuleData) -> tuple[list[KnownRule], Certificate | None]:
        """Collect the heaviest rules of the path, and simple ones.

        The certificate is that of the last program that was solved and has a margin.
        """
        program = self.program(data.thin(_PATH_UNITS))
        certificate: Certificate | None = None
        found: list[KnownRule] = []
        for rules in self._path(program):
            found += rules.rules[:_MOST_POOL]
            reached = rules.certificate
            is_good = reached and reached.has_margin and reached.status == "optimal"
            if certificate is None or is_good:
                certificate = reached
        found += self.known
        found += _both(program.features.basis(), program.data)
        # A rule and its opposite are one: weights have signs here.
        pool = dict.fromkeys((f, max(a, b), min(a, b)) for f, a, b in found)
        return list(pool), certificate

    def _steps(
        self, data: RuleData, pool: Sequence[KnownRule], origin: str
    ) -> Iterator[LogisticStep]:
        """Choose rules from the pool one by one; see `forward`."""
        bias, _ = bias_columns(data, self.with_bias)
        total = float(data.weights.sum())
        weights = total * data.row_weights(balanced=self.weigh_balanced)
        doubts = self._doubts(data, bias, weights) if origin == "ramps" else None
        start = LogisticModel.of_bias(bias, weights, self.ridge, doubts)
        columns = rule_columns(data, pool) if pool else bias[:, :0]
        return forward(columns, start, self.max_rules or MAX_RULES)

    def _doubts(
        self, data: RuleData, bias: FloatArray, weights: FloatArray
    ) -> FloatArray | None:
        """Give how probably preferences do not hold, by a sum of ramps, well shrunk."""
        if sparse.issparse(data.X):
            return None
        rules = _both(list_ramps(data.X, self.vocabulary, 5), data, most=None)
        n_most = isqrt(_SMOOTH_WORK // data.n_rows)
        if len(rules) > n_most:
            kept = np.random.default_rng(0).permutation(len(rules))[:n_most]
            rules = [rules[j] for j in kept]
        if not rules:
            return None
        model = LogisticModel.of_bias(bias, weights, _SMOOTH_RIDGE * self.ridge)
        margins = model.extend(rule_columns(data, rules)).fit.margins
        return expit(-margins)


def split_codes(
    codes: IntArray,
    units: IntArray,
    weights: FloatArray,
    cv: Any,
    rng: Any,
    enough: float = np.inf,
) -> Folds:
    """Split rows into folds, the same share of each code in all.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
    units : ndarray of shape (n_rows,)
        The unit of each row; -1 if left out. Equal rows have the same unit.
    weights : ndarray of shape (n_rows,)
    cv : int, splitter or iterable
    rng : RandomState
    enough : float
        Folds end when so many units are held out.

    Returns
    -------
    list of (train, test)
        The weights of the units in each part.
    """
    if isinstance(cv, (int, np.integer)):
        kept = np.flatnonzero(units >= 0)
        # Shuffled within each code, then dealt out in turn.
        order = kept[np.lexsort((units[kept], codes[kept]))]
        order = order[np.lexsort((rng.permutation(order.size), codes[order]))]
        n_folds = min(int(cv), order.size)
        numbers = np.empty(codes.size, dtype=np.int64)
        numbers[order] = np.arange(order.size) % n_folds
        splits = [
            (kept[numbers[kept] != fold], kept[numbers[kept] == fold])
            for fold in range(n_folds)
        ]
    else:
        splits = list(check_cv(cv, codes, classifier=True).split(codes, codes))
    folds: Folds = []
    for split in splits:
        if sum(np.count_nonzero(test) for _, test in folds) >= enough:
            break
        used = (rows[units[rows] >= 0] for rows in split)
        train, test = (
            np.bincount(units[rows], weights[rows], units.max() + 1) for rows in used
        )
        if train.any() and test.any():
            folds.append((train.astype(np.float64), test.astype(np.float64)))
    return folds


def choose_rules(
    search: RuleSearch,
    data: RuleData,
    folds: Iterable[tuple[FloatArray, FloatArray]],
    n_jobs: int | None,
) -> RuleChoice | None:
    """Compare candidates out of fold; None if there are no folds, or no time.

    Few rules are compared by their log loss, margin programs by their accuracy. The
    origin with the best candidate wins; of its candidates the simplest one that is
    worse than the best by no more than half a standard error of the paired difference,
    or by 1 % of what the best gains over a coin. Candidates that some fold did not
    reach are left out.

    Parameters
    ----------
    search : RuleSearch
    data : RuleData
    folds : iterable of (train, test)
        Weights of the units in each, shape (n_units,).
    n_jobs : int or None
    """
    found = Parallel(n_jobs=n_jobs)(
        delayed(search.compare)(data, train, test) for train, test in folds
    )
    outcomes = [outcome for outcome in found if outcome is not None]
    if not outcomes:
        return None
    weights = np.concatenate([outcome.weights for outcome in outcomes])
    losses: dict[RuleCandidate, FloatArray] = {}
    for candidate in outcomes[0].gaps:
        if all(candidate in outcome.gaps for outcome in outcomes):
            gaps = np.concatenate([outcome.gaps[candidate] for outcome in outcomes])
            wrong, surprise = 0.5 - 0.5 * np.sign(gaps), np.logaddexp(0.0, -gaps)
            told = replace(
                candidate,
                accuracy=float(1 - np.average(wrong, weights=weights)),
                log_loss=float(np.average(surprise, weights=weights)),
            )
            losses[told] = wrong if search.loss == "margin" else surprise
    chance = 0.5 if search.loss == "margin" else np.log(2.0)
    return RuleChoice(tuple(_ranked(losses, weights, chance)), len(outcomes))


def _ranked(
    losses: dict[RuleCandidate, FloatArray], weights: FloatArray, chance: float
) -> list[RuleCandidate]:
    """Put the choice first, then the others by their mean loss.

    `losses` go from simple to complex candidates; `chance` is the loss of a coin.
    """
    means = {each: float(np.average(losses[each], weights=weights)) for each in losses}
    order = sorted(losses, key=lambda each: means[each])
    best = order[0]
    chosen, shares = best, weights / weights.sum()
    for each in losses:
        paired = losses[each] - losses[best]
        error = np.sqrt(shares**2 @ (paired - shares @ paired) ** 2)
        level = max(_ENOUGH * error, _WORTH * (chance - means[best]))
        if each.origin == best.origin and means[each] - means[best] <= level:
            chosen = each
            break
    return [chosen, *(each for each in order if each != chosen)]


def _both(
    features: Sequence[Feature], data: RuleData, most: int | None = _MOST_BASIS
) -> list[KnownRule]:
    """Let features speak for every pair of labels; if that is many, for the best."""
    pairs = [(b, a) for a, b in combinations(range(data.n_labels), 2)]
    if most is None or len(features) * len(pairs) <= most:
        return [(feature, *pair) for feature in features for pair in pairs]
    channels = data.channels(data.row_weights(balanced=True))
    best = FeatureList(features, data.X).price(channels, most)
    labels = zip(best.better.tolist(), best.worse.tolist(), strict=True)
    return [(features[k], *pair) for k, pair in zip(best.keys, labels, strict=True)]
