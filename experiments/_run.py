"""Find the scripts of a paper, run them, and record under which circumstances."""

import importlib
import os
import pkgutil
import time
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

from experiments._machine import machine_line, versions
from experiments._outcome import Outcome, Record
from experiments._published import PAPERS
from penchant.exceptions import PenchantError

__all__ = ["HERE", "UnknownExperimentError", "find_scripts", "run_script"]

HERE = Path(__file__).resolve().parent


class UnknownExperimentError(PenchantError, LookupError):
    """No paper or no table has that name."""


def find_scripts(paper: str, table: str | None = None) -> list[ModuleType]:
    """Import the scripts of a paper, or the one that `table` names.

    A script is a public module of ``experiments/<paper>/`` with a function
    ``run(*, quick: bool) -> Outcome``; a tuple ``PACKAGES`` names libraries whose
    versions belong to its results.
    """
    if paper not in PAPERS:
        raise UnknownExperimentError(
            f"No paper is called {paper!r}. Known papers: {', '.join(PAPERS)}."
        )
    names = [
        module.name
        for module in pkgutil.iter_modules([str(HERE / paper)])
        if not module.name.startswith("_")
    ]
    if not names:
        raise UnknownExperimentError(f"The paper {paper!r} has no scripts yet.")
    if table is not None and table not in names:
        raise UnknownExperimentError(
            f"The paper {paper!r} has no table {table!r}. "
            f"Known tables: {', '.join(names)}."
        )
    wanted = names if table is None else [table]
    return [importlib.import_module(f"experiments.{paper}.{name}") for name in wanted]


def run_script(paper: str, script: ModuleType, *, quick: bool) -> Record:
    """Run one script and record what it measured, when, how long and on what."""
    start = time.perf_counter()
    outcome: Outcome = script.run(quick=quick)
    return Record(
        paper=paper,
        script=script.__name__.rpartition(".")[2],
        outcome=outcome,
        date=datetime.now(UTC).date().isoformat(),
        seconds=round(time.perf_counter() - start, 2),
        machine=machine_line(),
        versions=versions(*getattr(script, "PACKAGES", ())),
        load_average=round(os.getloadavg()[0], 1),
    )
