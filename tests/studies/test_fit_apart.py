"""A population fitted in a process of its own is the same."""

import io
import json
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from penchant.datasets import load_flats, make_flats_population
from penchant.exceptions import PenchantError
from penchant.studies import _fit_apart as module
from penchant.studies._fit_apart import fit_apart, fit_here
from penchant.studies._packed_models import unpack_model

FLATS = load_flats()
ANSWERED = make_flats_population(6, n_comparisons=5, random_state=0).comparisons


@pytest.mark.slow
def test_another_process_finds_the_same_model() -> None:
    here, apart = (
        unpack_model(fit(FLATS, ANSWERED)).for_user() for fit in (fit_here, fit_apart)
    )
    np.testing.assert_allclose(apart.mean, here.mean, atol=1e-6)
    np.testing.assert_allclose(apart.variance, here.variance, atol=1e-6)


def test_the_work_of_that_process(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        name: getattr(ANSWERED, name).tolist()
        for name in ("winners", "losers", "ties", "users")
    }
    job = json.dumps({"items": FLATS.to_dict(), **told}).encode()
    out = io.BytesIO()
    stepped_back: list[int] = []
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(job)))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out))
    monkeypatch.setattr(os, "nice", stepped_back.append, raising=False)
    module._main()
    assert out.getvalue() == fit_here(FLATS, ANSWERED)
    assert stepped_back == [10]


def test_a_process_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(PenchantError, match="process that fits a population ended"):
        fit_apart(FLATS, ANSWERED)
