"""Fit rumboost in a Python of its own: ``python _rumboost_alone.py IN.npz OUT.npz``.

Nothing of penchant is imported here: rumboost pins versions that do not go with it.
IN holds ``train``, ``chosen``, ``people`` and ``test``; OUT gets the logarithms of the
chances at the test sets, and CPU seconds. Boosted trees of depth 1 per attribute and
alternative, as in its paper, with early stopping on a fifth of the training people.
"""

import sys
import time

import lightgbm
import numpy as np
import pandas as pd
from rumboost.rumboost import rum_train

SETTINGS = {
    "objective": "multiclass",
    "learning_rate": 0.1,
    "max_depth": 1,
    "num_leaves": 2,
    "min_data_in_leaf": 20,
    "num_threads": 1,
    "verbosity": -1,
    "early_stopping_round": 50,
}
N_ROUNDS = 1_000


def predict(
    train: np.ndarray, chosen: np.ndarray, people: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Fit, and give the chances at the test sets."""
    _, n_alternatives, d = train.shape
    everyone, who = np.unique(people, return_inverse=True)
    held_out = (np.random.default_rng(0).random(len(everyone)) < 0.2)[who]
    fit = dataset(train[~held_out], chosen[~held_out])
    check = dataset(train[held_out], chosen[held_out])
    structure = [
        {
            "columns": [f"x{k * d + i}" for i in range(d)],
            "monotone_constraints": [0] * d,
            "interaction_constraints": [[i] for i in range(d)],
            "betas": [f"b{i}" for i in range(d)],
        }
        for k in range(n_alternatives)
    ]
    model = rum_train(
        {**SETTINGS, "num_classes": n_alternatives},
        fit,
        structure,
        num_boost_round=N_ROUNDS,
        valid_sets=[check],
    )
    asked = dataset(test, np.zeros(len(test)))
    return np.asarray(model.predict(asked, num_iteration=model.best_iteration))


def dataset(X: np.ndarray, chosen: np.ndarray) -> lightgbm.Dataset:
    """Lay choice sets out with a column per alternative and attribute."""
    frame = pd.DataFrame(X.reshape(len(X), -1)).rename(columns="x{}".format)
    return lightgbm.Dataset(frame, chosen, free_raw_data=False)


if __name__ == "__main__":
    data = np.load(sys.argv[1])
    start = time.process_time()
    chances = predict(*(data[name] for name in ("train", "chosen", "people", "test")))
    seconds = time.process_time() - start
    np.savez(sys.argv[2], logs=np.log(np.maximum(chances, 1e-6)), seconds=seconds)
