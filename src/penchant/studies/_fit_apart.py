"""Fitting a population in a process of its own, so that nobody waits for answers.

A thread would not do: compiled code and LAPACK keep the interpreter to themselves for
as long as they run, and so does reading the answers of all.
"""

import json
import os
import subprocess
import sys

from penchant.exceptions import PenchantError

# It stands back behind those who answer requests from its first import on.
_PROGRAM = """
import os
if hasattr(os, "nice"):
    os.nice(10)
from penchant.studies._population import fit_as_told
fit_as_told()
"""

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)


def fit_apart(address: str, study_id: str) -> str | None:
    """Let another process fit the population of a study, and wait for it.

    Parameters
    ----------
    address : str
        Where the store is; it may hold a password, and is told in private.
    study_id : str
        The study.

    Returns
    -------
    str or None
        What `penchant.studies._population.fit` gives.
    """
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps({"address": address, "study": study_id}).encode(),
        capture_output=True,
        env={**os.environ, **_ONE_THREAD},
    )
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise PenchantError(f"The process that fits a population ended: {reason}.")
    return done.stdout.decode().strip() or None
