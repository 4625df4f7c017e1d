"""A ranker of few, readable, weighted rules."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from penchant.encoding import RankerMixin, check_pairs
from penchant.rules._base import BaseRules
from penchant.rules._pairs import pair_data
from penchant.rules._text import RuleExplanation
from penchant.typing import ArrayLike, FloatArray


class RuleRanker(RankerMixin, BaseRules):
    """Learn a utility that adds up few weighted rules, from comparisons.

    A rule is a condition such as ``price <= 900 and balcony = yes`` that makes an item
    better or worse. How rules are found and weighed is told at `RuleClassifier`. Ties
    have no margin and are left out there; in the logistic loss a tie counts as two
    opposite comparisons of half its weight.

    Parameters
    ----------
    generator, degree, nu, loss, max_rules, ridge, solver, working_set_size, n_epochs, \
n_plays, tol, max_time, verbose, n_jobs, random_state
        As in `RuleClassifier`. There is no bias: it would not tell items apart.
    cv : int, default=5
        Number of folds for what is "auto".

    Attributes
    ----------
    rules_ : list of Rule
        Heaviest first; their `target` is "better" or "worse".
    value_, saddle_gap_, nu_, loss_, candidate_, choice_, solver_status_, n_iter_, \
history_, vocabulary_, game_
        As in `RuleClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import RuleRanker
    >>> X = np.random.default_rng(0).random((100, 2, 2)).round(1)
    >>> cheap = X[:, :, 0] <= 0.5
    >>> keep = cheap[:, 0] != cheap[:, 1]
    >>> model = RuleRanker(nu=0.1).fit(X[keep], cheap[keep, 0].astype(int))
    >>> str(model.rules_[0])
    'x0 <= 0.5 -> better (1)'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseRules._parameter_constraints,
        "cv": [Interval(Integral, 2, None, closed="left")],
    }

    _with_bias = False

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn rules.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, n_features), or items
            Pairs; or Items, a data frame or an array of shape (n_items, n_features).
        y : array-like of shape (n_pairs,), or Comparisons
            1 where the first of a pair is preferred, else 0; or the comparisons.
        sample_weight : array-like of shape (n_pairs,), optional
            How much each comparison counts.

        Returns
        -------
        self
        """
        pairs = check_pairs(self, X, y, sample_weight)
        data, units = pair_data(pairs, with_ties=self._takes_ties())
        return self._learn(data, (np.zeros_like(units), units, pairs.weights))

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Go on learning with more comparisons, see `RuleClassifier.partial_fit`.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; new comparisons only.

        Returns
        -------
        self
        """
        if not hasattr(self, "rules_"):
            return self.fit(X, y, sample_weight)
        pairs = check_pairs(self, X, y, sample_weight, reset=False)
        data, _ = pair_data(pairs, with_ties=self._takes_ties())
        return self._continue(data)

    def _takes_ties(self) -> bool:
        return bool(self.solver != "fictitious-play")

    def utility(self, X: Any) -> FloatArray:
        """Add up the weights of the rules that hold.

        Parameters
        ----------
        X : Items, data frame or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0]

    def explain(self, X: Any) -> RuleExplanation:
        """Tell which rules hold for an item, and what they add to its utility.

        Parameters
        ----------
        X : Items, data frame or array-like of shape (1, n_features)

        Returns
        -------
        RuleExplanation
        """
        return self._explain(X, lambda scores: float(scores[1] - scores[0]))

    def _label_names(self) -> tuple[Any, ...]:
        return "worse", "better"
