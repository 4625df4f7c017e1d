"""A classifier of few, readable, weighted rules."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils import Tags, compute_sample_weight
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from penchant._validation import check_weights
from penchant.rules._base import BaseRules
from penchant.rules._data import check_rule_items, labelled_data
from penchant.rules._text import RuleExplanation
from penchant.typing import ArrayLike, FloatArray


def _has_probabilities(estimator: Any) -> bool:
    known: str | None = getattr(estimator, "loss_", None)
    return (known or estimator._wanted_loss()) == "logistic"


@dataclass(kw_only=True, eq=False, repr=False)
class RuleClassifier(ClassifierMixin, BaseRules):
    """Learn few weighted rules from labels, or from preferences between labels.

    A rule is a condition such as ``price <= 900 and balcony = yes`` that speaks for one
    label and against another. By default few rules are learned, at most 15, in seconds:
    margin programs over all rules that the generator can make give a pool of good ones,
    the logistic loss chooses from it, and folds say how many are enough. Their weights
    are log odds, so that there are probabilities.

    With a number or None as `nu` the rules are those of one margin program, as in the
    paper: the weights maximise the soft margin (PRL-3) ::

        rho - sum_i D_i max(0, rho - m_i)

    where m_i is by how much the rules speak for preference i: that of an item's label
    to another label. `saddle_gap_` certifies the maximum over all rules of the
    generator, although few are ever looked at.

    Parameters
    ----------
    generator : {"rules", "monomials"} or RuleGenerator, default="rules"
        What rules are made of: "rules" is ``Conjunctions(degree) + AlwaysTrue()``,
        "monomials" is ``Monomials(degree) + AlwaysTrue()``; or an object of your own.
    degree : int, default=2
        Largest number of conditions, or factors, of a rule.
    nu : float, "auto" or None, default="auto"
        "auto": few rules, see above, from a path of soft margins from .8 to .1. A
        number: the soft margin; about the share of preferences that may fall short of
        it, where larger values give fewer rules. None: the hard margin, which is 0
        (then a warning says which soft one was used) unless rules can satisfy all
        preferences; of several solutions one with little weight on few, short rules.
    loss : {"margin", "logistic", "auto"}, default="auto"
        How rules get their weights. "logistic": few of the rules of the margin program
        are chosen one by one. "margin": the program's own rules and weights; with
        ``nu="auto"`` folds choose nu by the accuracy. "auto": the former if nu is
        "auto", else the latter.
    max_rules : int or None, default=None
        Largest number of rules; the bias does not count. None: 15 if they are few. The
        heaviest rules of a margin program are weighed anew, never cut off (PRL-6).
    balance : bool or "auto", default="auto"
        Whether all labels count the same, however rare (PRL-3). "auto": in the margin
        program, unless there is a `class_weight`; not in the logistic loss.
    class_weight : dict, "balanced" or None, default=None
        Weights of the labels, which multiply those of their items.
    ridge : float, default=1.0
        Penalty of squared weights in the logistic loss.
    solver : {"column-generation", "fictitious-play"}, default="column-generation"
        The second one is the algorithm of the paper: hard margin, random features, no
        certificate.
    working_set_size, n_epochs, n_plays : int, default=200, 50, 10000
        Of the second solver: B, T and T_e in the paper.
    tol : float or "auto", default="auto"
        Largest gap of the margin program. "auto": 1e-3, or 2 % of the margin if that is
        less.
    max_time : float or None, default=None
        Seconds after which the fit ends with the best rules so far, and a warning.
    verbose : bool, default=False
        Whether to show the progress of the folds.
    cv : int, splitter or iterable, default=5
        Folds for what is "auto". Of large tables only as many as hold out 2,000 items.
    n_jobs : int or None, default=None
        Folds at the same time.
    random_state : int, RandomState or None, default=0
        Shuffles the folds; draws features for fictitious play.

    Attributes
    ----------
    rules_ : list of Rule
        Heaviest first, each with `text`, `weight`, `target`, `against`, `coverage`.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The bias: weight of the rule that always holds, for the second class, or for
        each of several.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    value_ : float
        The soft margin of the rules; if these are few, of the last margin program on
        the path that had one, on at most 1,500 of the items.
    saddle_gap_ : float
        No weights of any rules of the generator exceed `value_` by more. Up to `tol`,
        or more if `max_rules` or `top` keeps rules out. If nu had to be raised for the
        rules that are kept (`nu_` tells), of any weights of these rules.
    nu_, loss_, candidate_, choice_
        What was used, and what was compared for it, best first (None if nothing was).
    solver_status_, n_iter_, history_
        How the margin program went; `history_` has the number of columns and both
        bounds of the value after each round.
    vocabulary_, game_
        The words of the rules; the rules against the preferences, for `top`.

    References
    ----------
    M. Polato, F. Aiolli, "Interpretable preference learning: a game theoretic framework
    for large margin on-line feature and rule learning", AAAI 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from penchant.models import RuleClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RuleClassifier(max_rules=4).fit(X, y)
    >>> len(model.rules_), model.score(X, y) > 0.9
    (4, True)

    The paper's hard margin finds the eight lines of tic-tac-toe:

    >>> from penchant.datasets import make_tic_tac_toe
    >>> boards = make_tic_tac_toe()
    >>> model = RuleClassifier(generator="monomials", degree=3, nu=None, tol=1e-6)
    >>> model.fit(boards.data, boards.target).score(boards.data, boards.target)
    1.0
    >>> len(model.rules_), round(model.value_, 4)
    (8, 0.0588)
    >>> min(rule.text for rule in model.rules_)
    'bottom_left=x and bottom_middle=x and bottom_right=x'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseRules._parameter_constraints,
        "balance": ["boolean", StrOptions({"auto"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "cv": ["cv_object"],
    }

    intercept_: FloatArray = field(init=False)
    _with_bias = True

    balance: bool | str = "auto"
    class_weight: Any = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.generator == "monomials" and self.degree == 1
        tags.input_tags.allow_nan = self._takes_blanks
        return tags

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn rules.

        Parameters
        ----------
        X : Items, data frame, array-like or sparse of shape (n_items, n_features)
            Columns of text or categories of a data frame become levels, dates days.
            Blank cells (NaN) are a value of their own, "unknown", for conditions; so
            are levels that only later tables have. Sparse tables need
            ``generator="monomials", degree=1``.
        y : array-like of shape (n_items,), or preferences between labels
            Labels. If only some preferences are known: grades of shape
            (n_items, n_classes), where a higher grade is preferred and NaN is unknown
            (classes are the columns); or a list with a list of (preferred, other)
            labels for each item.
        sample_weight : array-like of shape (n_items,), optional
            How much each item counts.

        Returns
        -------
        self
        """
        items = check_rule_items(self, X, reset=True)
        return self._fit_labels(items, y, sample_weight)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Go on learning with more items, from the rules that are already there.

        Earlier rules stay candidates even if the generator has changed since, so that
        features can come in a stream as well as items. What was chosen by
        cross-validation in the first call is kept. A model that was saved and loaded
        knows its rules, not its items.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; new items only.
        classes : array-like, optional
            All labels, in the first call.

        Returns
        -------
        self
        """
        if not hasattr(self, "classes_"):
            items = check_rule_items(self, X, reset=True)
            return self._fit_labels(items, y, sample_weight, classes)
        items = check_rule_items(self, X, reset=False)
        data, _, _ = labelled_data(self, items, y, sample_weight, self.classes_)
        return self._continue(data)

    def _fit_labels(
        self, items: Any, y: Any, sample_weight: Any, classes: Any = None
    ) -> Self:
        if self.class_weight is not None:
            each = compute_sample_weight(self.class_weight, y)
            sample_weight = each if sample_weight is None else each * sample_weight
        data, self.classes_, units = labelled_data(
            self, items, y, sample_weight, classes
        )
        weights = check_weights(sample_weight, units.size, "sample_weight")
        known = np.zeros(data.weights.size) if data.codes is None else data.codes
        codes = np.where(units >= 0, known[units], -1).astype(np.int64)
        return self._learn(data, (codes, units, weights))

    def decision_function(self, X: Any) -> FloatArray:
        """Add up the votes of the rules.

        Parameters
        ----------
        X : Items, data frame, array-like or sparse of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,) or (n_items, n_classes)
            By how much the votes for the second class exceed those for the first; with
            more than two classes the votes for each.
        """
        scores = self._scores(X)
        return scores if scores.shape[1] > 2 else scores[:, 1] - scores[:, 0]

    def predict(self, X: Any) -> Any:
        """Give the label with the most votes.

        Parameters
        ----------
        X : Items, data frame, array-like or sparse of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        decision = self.decision_function(X)
        if decision.ndim == 1:
            return self.classes_[(decision > 0).astype(np.int64)]
        return self.classes_[decision.argmax(axis=1)]

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Give the probability of each label; if weights are logistic only.

        Two classes: the logistic function of the votes. More: their softmax, in which
        the odds of any two labels are those of the logistic loss.

        Parameters
        ----------
        X : Items, data frame, array-like or sparse of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        decision = self.decision_function(X)
        if decision.ndim == 1:
            return np.column_stack([expit(-decision), expit(decision)])
        return softmax(decision, axis=1)

    def explain(self, X: Any) -> RuleExplanation:
        """Tell which rules hold for an item, and what they vote for.

        Parameters
        ----------
        X : Items, data frame or array-like of shape (1, n_features)

        Returns
        -------
        RuleExplanation
        """
        return self._explain(X, lambda scores: self.classes_.tolist()[scores.argmax()])

    def _balanced(self) -> bool:
        if self.balance == "auto":
            return self.class_weight is None
        return bool(self.balance)

    def _label_names(self) -> tuple[Any, ...]:
        return tuple(self.classes_.tolist())

    def _set_bias(self, bias: FloatArray) -> None:
        two = bias.size == 2
        self.intercept_ = np.array([bias[1] - bias[0]]) if two else bias

    def _bias(self) -> FloatArray:
        if self.intercept_.size > 1:
            return self.intercept_
        half: FloatArray = np.array([-0.5, 0.5])
        return half * self.intercept_
