"""Fitting a population in a process of its own, so that nobody waits for answers.

A thread would not do: compiled code and LAPACK keep the interpreter to themselves for
as long as they run.
"""

import json
import os
import subprocess
import sys

from penchant.data import Comparisons, Items
from penchant.exceptions import PenchantError
from penchant.models import PopulationGP
from penchant.studies._packed_models import pack_model
from penchant.studies._start import complete

__all__ = ["fit_apart", "fit_here"]

_NICE = 10
"""How far the process stands back behind those who answer requests."""

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)


def fit_here(items: Items, answered: Comparisons) -> bytes:
    """Fit the population to the answers of all, and give the model as bytes."""
    return pack_model(PopulationGP().fit(complete(items), answered))


def fit_apart(items: Items, answered: Comparisons) -> bytes:
    """Do the same in another process, at low priority, and wait for it."""
    job = {
        "items": items.to_dict(),
        "winners": answered.winners.tolist(),
        "losers": answered.losers.tolist(),
        "ties": answered.ties.tolist(),
        "users": answered.users.tolist(),
    }
    done = subprocess.run(
        [sys.executable, "-m", "penchant.studies._fit_apart"],
        input=json.dumps(job).encode(),
        capture_output=True,
        env={**os.environ, **_ONE_THREAD},
    )
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise PenchantError(f"The process that fits a population ended: {reason}.")
    return done.stdout


def _main() -> None:
    if hasattr(os, "nice"):
        os.nice(_NICE)
    job = json.load(sys.stdin.buffer)
    items = Items.from_dict(job.pop("items"))
    sys.stdout.buffer.write(fit_here(items, Comparisons(**job)))


if __name__ == "__main__":
    _main()
