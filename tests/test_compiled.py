"""Compiled loops, and that nobody waits for the compiler who does not call them."""

import pickle
import subprocess
import sys

import numpy as np
from numba import njit

from penchant._compiled import compiled

FIRST = """
import sys
import numpy as np
from penchant.models import GAIRegressor

X = np.random.default_rng(0).random((30, 2))
GAIRegressor().fit(X, X[:, 0]).predict(X)
assert "numba" not in sys.modules
"""


@compiled()
def _halved(x: float) -> float:
    return x / 2.0


@compiled(error_model="numpy")
def _over(x: float) -> float:
    return 1.0 / x


@njit
def _quartered(x):
    return _halved(_halved(x))


def test_is_compiled_at_the_first_call():
    assert _halved(3.0) == 1.5
    assert _over(0.0) == np.inf  # by the option that it was given


def test_compiled_code_may_call_it():
    assert _quartered(2.0) == 0.5


def test_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(_halved)) is _halved


def test_a_first_model_does_not_wait_for_numba():
    subprocess.run([sys.executable, "-c", FIRST], check=True)
