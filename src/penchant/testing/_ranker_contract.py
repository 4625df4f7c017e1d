"""Checks of what a ranker promises to scikit-learn and to its callers."""

import tempfile
import warnings
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from penchant.io import load, save
from penchant.testing._example_answers import make_answers
from penchant.testing._requirements import (
    clear_differences,
    fresh,
    require,
    require_error,
    require_same_utility,
)


def check_constructor_only_stores(ranker: Any) -> None:
    """Check that the constructor stores its arguments and does nothing else."""
    cls = type(ranker)
    kinds = {p.kind for p in signature(cls).parameters.values()}
    require(
        not kinds & {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD},
        f"{cls.__name__} must name its parameters: no *args, no **kwargs",
    )
    given = ranker.get_params(deep=False)
    made = cls(**given)
    require(
        vars(made).keys() == given.keys(),
        f"the constructor must set {sorted(given)} and nothing else. "
        f"It set {sorted(vars(made))}",
    )
    for name, value in made.get_params(deep=False).items():
        require(value is given[name], f"parameter {name} must be stored as it came")


def check_clone_and_set_params(ranker: Any) -> None:
    """Check that clone copies parameters and set_params writes them."""
    copy = clone(ranker)
    kinds = [
        {name: type(value) for name, value in r.get_params(deep=False).items()}
        for r in (ranker, copy)
    ]
    require(kinds[0] == kinds[1], f"the clone of {ranker!r} is {copy!r}")
    for name in copy.get_params(deep=False):
        marker = object()
        require(
            copy.set_params(**{name: marker}) is copy, "set_params must return self"
        )
        require(
            copy.get_params(deep=False)[name] is marker,
            f"set_params({name}=...) must be what get_params reads",
        )
    require_error(
        ValueError,
        "no_such_parameter",
        lambda: copy.set_params(no_such_parameter=1),
        "set_params with an unknown name",
    )


def check_fit_returns_self(ranker: Any) -> None:
    """Check that fit returns self, counts features and keeps the parameters."""
    answers = make_answers()
    model = fresh(ranker)
    before = model.get_params(deep=False)
    require(model.fit(answers.pairs, answers.y) is model, "fit must return self")
    after = model.get_params(deep=False)
    for name, value in before.items():
        require(after[name] is value, f"fit must not change the parameter {name}")
    require(
        getattr(model, "n_features_in_", None) == 3,
        "fit must set n_features_in_ to 3, the last dimension of X",
    )
    require(
        not hasattr(model, "feature_names_in_"),
        "feature_names_in_ must not exist when X has no names",
    )


def check_utility(ranker: Any) -> None:
    """Check that utility is one finite number per item, whatever its company."""
    answers = make_answers()
    model = fresh(ranker).fit(answers.pairs, answers.y)
    values = make_answers(n_items=17, seed=9).values
    utility = np.asarray(model.utility(values))
    require(
        utility.shape == (17,), f"utility must have shape (17,). Got {utility.shape}"
    )
    require(np.isfinite(utility).all(), f"utility must be finite. Got {utility}")
    alone = np.array([model.utility(row[None])[0] for row in values])
    require(
        np.allclose(alone, utility, rtol=1e-9, atol=1e-9 * np.ptp(utility)),
        "the utility of an item must not depend on the other rows of X",
    )
    require_same_utility(
        utility,
        model.utility(values.tolist()),
        "utility of an array and of the same lists",
    )


def check_inputs_unchanged(ranker: Any) -> None:
    """Check that inputs are not written to, and may be read-only."""
    answers = make_answers()
    pairs, y, values = (np.array(a) for a in (answers.pairs, answers.y, answers.values))
    fresh(ranker).fit(pairs, y).utility(values)
    for name, now, before in (
        ("X", pairs, answers.pairs),
        ("y", y, answers.y),
        ("items", values, answers.values),
    ):
        require(np.array_equal(now, before), f"{name} must not be changed")
    for array in (pairs, y, values):
        array.setflags(write=False)
    model = fresh(ranker).fit(pairs, y)
    model.predict(pairs)
    model.utility(values)


def check_predict_follows_utility(ranker: Any) -> None:
    """Check that predict gives 1 where the first utility is larger, else 0."""
    answers = make_answers()
    model = fresh(ranker).fit(answers.pairs, answers.y)
    test = make_answers(n_items=30, seed=8)
    predicted = np.asarray(model.predict(test.pairs))
    require(
        predicted.shape == test.y.shape and np.isin(predicted, (0, 1)).all(),
        f"predict must give {test.y.shape} values in {{0, 1}}. Got {predicted!r}",
    )
    clear = clear_differences(model, test.pairs)
    first, second = (model.utility(test.pairs[:, side]) for side in (0, 1))
    require(
        np.array_equal(predicted[clear], (first > second)[clear]),
        "predict must be 1 where the utility of the first item is larger",
    )


def check_score(ranker: Any) -> None:
    """Check that score is the share of right pairs; equal utilities count half."""
    answers = make_answers()
    model = fresh(ranker).fit(answers.pairs, answers.y)
    first, second = (model.utility(answers.pairs[:, side]) for side in (0, 1))
    right = np.where(first == second, 0.5, (first > second) == answers.y).mean()
    score = model.score(answers.pairs, answers.y)
    require(np.isclose(score, right), f"score must be {right}. Got {score}")
    require(
        score > 0.6,
        f"a noiseless increasing utility must be learned at all. Accuracy is {score}",
    )


def check_feature_names(ranker: Any) -> None:
    """Check that named items bring their names; a later fit without forgets them."""
    answers = make_answers()
    names = [attribute.name for attribute in answers.items.attributes]
    frame = pd.DataFrame(answers.values, columns=names)
    model = fresh(ranker)
    for kind, X in (("Items", answers.items), ("a data frame", frame)):
        model.fit(X, answers.comparisons)
        found = list(getattr(model, "feature_names_in_", ()))
        require(
            found == names,
            f"fit with {kind} must set feature_names_in_ to {names}. Got {found}",
        )
        require(model.n_features_in_ == 3, f"fit with {kind} must set n_features_in_")
        model.fit(answers.pairs, answers.y)
        require(
            not hasattr(model, "feature_names_in_"),
            "a fit without names must remove feature_names_in_",
        )


def check_no_warning_about_names(ranker: Any) -> None:
    """Check that a ranker fitted with Items takes pairs and Items silently."""
    answers = make_answers()
    model = fresh(ranker).fit(answers.items, answers.comparisons)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.predict(answers.pairs)
        model.utility(answers.items)
        model.score(answers.pairs, answers.y)
    texts = [str(warning.message) for warning in caught]
    require(not texts, f"a ranker fitted with Items must not warn. It said: {texts}")


def check_refit_equals_fresh_fit(ranker: Any) -> None:
    """Check that a second fit forgets the first, even one with other features."""
    other, answers = make_answers(n_features=2, seed=5), make_answers()
    refitted = fresh(ranker).fit(other.pairs, other.y).fit(answers.pairs, answers.y)
    new = fresh(ranker).fit(answers.pairs, answers.y)
    require(refitted.n_features_in_ == 3, "the second fit must set n_features_in_")
    require(
        np.array_equal(refitted.utility(answers.values), new.utility(answers.values)),
        "a refitted ranker must equal a fresh one bit by bit",
    )


def check_deterministic(ranker: Any) -> None:
    """Check that the same random state gives the same model, bit by bit."""
    answers = make_answers()
    first, second = (
        fresh(ranker).fit(answers.pairs, answers.y).utility(answers.values)
        for _ in range(2)
    )
    require(np.array_equal(first, second), "two equal fits must agree bit by bit")


def check_model_selection(ranker: Any) -> None:
    """Check that the ranker works in cross_val_score and GridSearchCV."""
    answers = make_answers()
    folds = KFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(
        fresh(ranker), answers.pairs, answers.y, cv=folds, error_score="raise"
    )
    require(
        scores.shape == (3,) and np.all((scores >= 0) & (scores <= 1)),
        f"cross_val_score must give 3 accuracies. Got {scores}",
    )
    grid = {
        k: [v, v] for k, v in list(fresh(ranker).get_params(deep=False).items())[:1]
    }
    search = GridSearchCV(fresh(ranker), grid, cv=folds, error_score="raise")
    search.fit(answers.pairs, answers.y)
    require(
        np.isclose(search.best_score_, scores.mean()),
        "GridSearchCV and cross_val_score must agree on the same candidate",
    )
    require(
        np.array_equal(
            search.best_estimator_.utility(answers.values),
            fresh(ranker).fit(answers.pairs, answers.y).utility(answers.values),
        ),
        "the ranker that GridSearchCV refits must equal a direct fit",
    )


def check_pipeline(ranker: Any) -> None:
    """Check that the ranker works as the last step of a Pipeline."""
    answers = make_answers()
    pipeline = Pipeline([("same", FunctionTransformer()), ("ranker", fresh(ranker))])
    pipeline.fit(answers.pairs, answers.y)
    direct = fresh(ranker).fit(answers.pairs, answers.y)
    require(
        np.array_equal(pipeline.predict(answers.pairs), direct.predict(answers.pairs)),
        "predict of a Pipeline must be that of the ranker",
    )
    require(
        pipeline.score(answers.pairs, answers.y)
        == direct.score(answers.pairs, answers.y),
        "score of a Pipeline must be that of the ranker",
    )


def check_save_and_load(ranker: Any) -> None:
    """Check that a saved and reloaded ranker has the same utilities, bit by bit.

    Rankers from outside penchant are passed over: `penchant.io` refuses them.
    """
    if not type(ranker).__module__.startswith("penchant."):
        return
    answers = make_answers()
    model = fresh(ranker).fit(answers.items, answers.comparisons)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ranker.npz"
        save(model, path)
        copy = load(path)
    require(
        np.array_equal(copy.utility(answers.items), model.utility(answers.items)),
        "the reloaded ranker must have the same utilities bit by bit",
    )
    require(
        list(copy.feature_names_in_) == list(model.feature_names_in_),
        "the reloaded ranker must have the same feature names",
    )
