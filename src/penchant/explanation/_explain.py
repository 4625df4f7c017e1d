"""Why this, and why this rather than that: the two questions to any model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.explanation._attribution import Attribution
from penchant.explanation._players import Players, check_players
from penchant.explanation._sampling import contrast_any, output_of
from penchant.explanation._tables import as_row, as_rows, shown_rows, stack_rows
from penchant.explanation.closed_forms._closed_form import (
    CONTRAST,
    averaged_over,
    closed_form,
)
from penchant.explanation.closed_forms._posterior import (
    contrast_posterior,
    explain_posterior,
)
from penchant.explanation.retraining._explainers import LeastSquaresExplainer
from penchant.gp import Posterior
from penchant.typing import FloatArray, RandomState


def explain(
    model: Any,
    X: Any,
    *,
    background: Any = None,
    players: Mapping[str, Sequence[Any]] | None = None,
) -> Attribution:
    """Tell what each attribute adds to the prediction of each item.

    Exact and without sampling for our models and for kernel machines of scikit-learn
    whose kernel is made of kernels on single attributes (EX-10). All other models are
    fitted again on sets of attributes, by `LeastSquaresExplainer` (EX-7), which needs
    their training data. The games differ; `Attribution.game` says which one it was.

    Parameters
    ----------
    model : fitted model
        One of ours; SVR, KernelRidge or GaussianProcessRegressor with a product
        kernel, also behind scalers in a Pipeline or in a search; a `Posterior`; or
        any estimator of scikit-learn.
    X : Items, DataFrame or array-like of shape (n, d)
        Items to explain. For a `Posterior`: all its items, in its order.
    background : (X, y), or X alone where no model is fitted again, optional
        Training data. Kernel machines and rules are explained against the values of
        its rows; the other models of ours bring what they are explained against.
    players : mapping from str to columns, optional
        Columns that belong together, such as one-hot columns of one attribute.

    Returns
    -------
    Attribution

    Examples
    --------
    >>> from penchant.datasets import make_gai
    >>> from penchant.explanation import explain
    >>> from penchant.models import GAIRegressor
    >>> sample = make_gai(100, 4, n_factors=3, noise=0.01, random_state=0)
    >>> model = GAIRegressor(C=10.0, sigma=0.3, max_order=2).fit(sample.X, sample.y)
    >>> found = explain(model, sample.X[:2])
    >>> found.values.shape, bool(abs(found.gap).max() < 1e-12)
    ((2, 4), True)
    """
    if isinstance(model, Posterior):
        return explain_posterior(model, X)
    rows = as_rows(model, X)
    form = closed_form(model)
    if form is None:
        return _explain_by_fits(model, rows, background, players)
    reference, game = None, form.game
    if background is not None and form.takes_background:
        reference = form.encode(as_rows(model, _features_of(background)))
        game = averaged_over("rows of the background")
    if players is not None:
        form = form.merged(check_players(players, rows))
    shares = form.explain(form.encode(rows), reference)
    shown = _players_of(model, rows, players)
    return Attribution(
        shares.values,
        np.zeros(len(rows)) if shares.base is None else shares.base,
        form.predict(rows),
        shown[0].names,
        game,
        cov=shares.cov,
        data=shown[1],
    )


def _explain_by_fits(
    model: Any, rows: Any, background: Any, players: Any
) -> Attribution:
    if not isinstance(background, tuple | list) or len(background) != 2:
        raise DataError(
            f"{type(model).__name__} has no exact formula, so it is explained by "
            "models of part of the attributes. Give its training data: "
            "explain(model, X, background=(X_train, y_train))."
        )
    explainer = LeastSquaresExplainer(players=players).fit(model, *background)
    return explainer.explain(rows)


def _features_of(background: Any) -> Any:
    is_pair = isinstance(background, tuple | list) and len(background) == 2
    return background[0] if is_pair and np.ndim(background[0]) != 1 else background


def _players_of(model: Any, rows: Any, players: Any) -> tuple[Players, Any]:
    """Give the players, and the rows with one column for each."""
    frame = shown_rows(model, rows)
    found = check_players(players, frame)
    return found, frame if players is None else found.describe(frame)


def contrast(
    model: Any,
    a: Any,
    b: Any,
    *,
    items: Any = None,
    players: Mapping[str, Sequence[Any]] | None = None,
    n_orders: int = 100,
    random_state: RandomState = 0,
) -> Attribution:
    """Tell why item a is better (or worse) than item b.

    The difference of the two predictions is shared out among the attributes in which
    they differ, by the Shapley values of the game in which attributes of b are
    replaced by those of a (EX-10). Exact for the models of `explain` that need no
    background, in milliseconds for any number of attributes; exact for any other
    model where up to 12 attributes differ, else from some of the sets of attributes
    (EX-7), with standard errors in `std`.

    Parameters
    ----------
    model : fitted model
        With `utility` or `predict`; or a `Posterior`.
    a, b : Items or DataFrame with one row, Series, mapping or array-like of shape (d,)
        The two items. For a `Posterior`: numbers or names of items.
    items : Items, DataFrame or array-like of shape (n_items, d), optional
        For a `Posterior`: its items, in its order.
    players : mapping from str to columns, optional
        Columns that belong together, such as one-hot columns of one attribute.
    n_orders : int, default=100
        Effort where more than 12 attributes differ and the model has no formula: ten
        sets of attributes for each, at most 4,096 sets. By default that is a third or
        less of what 100 random orders with their reverses would ask of the model, for
        values that come nearer.
    random_state : int, RandomState or None, default=0
        Draws the sets.

    Returns
    -------
    Attribution
        Of one row: `base` is the prediction of b, `predictions` that of a.
        Gaussian processes give `cov`: contributions are jointly normal, and
        ``cov[0].sum()`` is the variance of the difference.

    Examples
    --------
    >>> from penchant.explanation import contrast
    >>> from penchant.models import GAIRanker
    >>> pairs = [[[3, 1], [1, 2]], [[2, 0], [1, 1]], [[1, 1], [1, 3]]]
    >>> ranker = GAIRanker().fit(pairs, [1, 1, 0])
    >>> contrast(ranker, [3, 0], [1, 3]).values.round(2)
    array([[ 2.16, -1.23]])
    """
    if isinstance(model, Posterior):
        return contrast_posterior(model, a, b, items)
    both = stack_rows(as_row(model, a), as_row(model, b))
    named, shown = _players_of(model, both, players)
    form = closed_form(model)
    cov = std = None
    output: Callable[[Any], FloatArray]
    if form is not None:
        output = form.predict
        form = form if players is None else form.merged(named)
        shares = form.contrast(*form.encode(both))
        values, cov = shares.values, shares.cov
    else:
        output = output_of(model, both)
        rng = check_random_state(random_state)
        values, std = contrast_any(output, both, named, n_orders=n_orders, rng=rng)
    predictions = np.asarray(output(both), dtype=np.float64)
    return Attribution(
        values,
        predictions[1:],
        predictions[:1],
        named.names,
        CONTRAST,
        std=std,
        cov=cov,
        data=_named(shown[:1], a),
        reference=_named(shown[1:], b),
    )


def _named(row: pd.DataFrame, item: Any) -> pd.DataFrame:
    """Give a row the name that the item came with."""
    name = item.names[0] if isinstance(item, Items) else None
    if isinstance(item, pd.DataFrame):
        name = item.index[0]
    elif isinstance(item, pd.Series):
        name = item.name
    return row if name is None else row.set_axis([name], axis="index")
