"""Logit models of xlogit behind one function each; chances of choices and of people."""

from typing import Any

import numpy as np
from scipy.special import log_softmax

__all__ = ["long_form", "mixed", "multinomial", "person_chances"]

N_DRAWS = 200


def long_form(X: np.ndarray) -> dict[str, Any]:
    """Lay choice sets of shape (n, n_alternatives, d) out in rows, as xlogit wants."""
    n, n_alternatives, d = X.shape
    return {
        "X": X.reshape(-1, d),
        "varnames": [f"x{i}" for i in range(d)],
        "alts": np.tile(np.arange(n_alternatives), n),
        "ids": np.repeat(np.arange(n), n_alternatives),
    }


def multinomial(X: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Fit a multinomial logit; its coefficients."""
    from xlogit import MultinomialLogit

    model = MultinomialLogit()
    picked = (np.arange(X.shape[1]) == chosen[:, None]).ravel()
    model.fit(**long_form(X), y=picked, verbose=0, skip_std_errs=True, num_hess=False)
    return np.asarray(model.coeff_)


def mixed(X: np.ndarray, chosen: np.ndarray, people: np.ndarray | None) -> Any:
    """Fit a mixed logit: a normal coefficient per column, independent of the others."""
    from xlogit import MixedLogit

    model, form = MixedLogit(), long_form(X)
    picked = (np.arange(X.shape[1]) == chosen[:, None]).ravel()
    panels = None if people is None else np.repeat(people, X.shape[1])
    model.fit(
        **form,
        y=picked,
        randvars=dict.fromkeys(form["varnames"], "n"),
        panels=panels,
        n_draws=N_DRAWS,
        random_state=0,
        verbose=0,
        skip_std_errs=True,
    )
    return model


def normal_of(model: Any, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Give means and standard deviations of the coefficients of a mixed logit."""
    return np.asarray(model.coeff_[:d]), np.abs(model.coeff_[d : 2 * d])


def person_chances(
    coefficients: np.ndarray,
    known: tuple[np.ndarray, np.ndarray],
    asked: np.ndarray,
) -> np.ndarray:
    """Give chances of choices of a person some of whose choices are known.

    Draws of the coefficients count by how likely they make what is known (Train,
    "Discrete choice methods with simulation", chapter 11).

    Parameters
    ----------
    coefficients : ndarray of shape (n_draws, d)
    known : (ndarray of shape (n, n_alternatives, d), ndarray of int of shape (n,))
        Choice sets and what was chosen; none: the mean over all draws.
    asked : ndarray of shape (m, n_alternatives, d)

    Returns
    -------
    ndarray of shape (m, n_alternatives)
    """
    X, chosen = known
    logs = log_softmax(X @ coefficients.T, axis=1)  # (n, n_alternatives, n_draws)
    score = logs[np.arange(len(X)), chosen].sum(axis=0)
    weights = np.exp(score - score.max())
    chances = np.exp(log_softmax(asked @ coefficients.T, axis=1))
    return chances @ (weights / weights.sum())
