"""Choose a peer's settings by folds of the training rows, for each number of rules."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from experiments.prl._peers import Fitted, Peer, Setting

__all__ = ["Choice", "choose"]

N_FOLDS = 3


class Choice(NamedTuple):
    """A fitted model with at most `cap` rules (None: any number) and its setting."""

    cap: int | None
    model: Fitted
    setting: Setting


def choose(peer: Peer, X: np.ndarray, y: np.ndarray) -> Iterator[Choice]:
    """Yield the model of each cap.

    Among the settings whose model of all rows has at most `cap` rules, it has the best
    mean accuracy on inner folds; the first of equals. Without such a setting it is the
    model without rules: always the larger class.
    """
    settings = peer.settings(None)
    models = {setting: peer.fit(X, y, **dict(setting)) for setting in settings}
    accuracies = {setting: _accuracy(peer, setting, X, y) for setting in settings}
    for cap in peer.caps or (None,):
        allowed = [
            setting
            for setting in peer.settings(cap)
            if cap is None or models[setting].n_rules <= cap
        ]
        if allowed:
            best = max(allowed, key=accuracies.__getitem__)
            yield Choice(cap, models[best], best)
        else:
            yield Choice(cap, _majority(y), ())


def _accuracy(peer: Peer, setting: Setting, X: np.ndarray, y: np.ndarray) -> float:
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    shares = []
    for train, test in folds.split(X, y):
        model = peer.fit(X[train], y[train], **dict(setting))
        shares.append(np.mean(model.predict(X[test]) == y[test]))
    return float(np.mean(shares))


def _majority(y: np.ndarray) -> Fitted:
    label = int(2 * y.sum() > y.size)
    return Fitted(lambda rows: np.full(len(rows), label), 0)
