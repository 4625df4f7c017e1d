"""Run tests on sources with a mistake, in a child that starts with its imports done."""

import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["Run", "prepare", "run_tests"]

LONGEST = 60
"""Seconds of processor time after which tests end; much longer by the clock."""
TO_COMPILE = 90
"""Seconds more where nothing is compiled yet."""
BEFORE = (
    "alembic.command",
    "fastapi.testclient",
    "matplotlib.pyplot",
    "numba",
    "pandas",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.utils.estimator_checks",
    "sqlalchemy.orm",
)
"""What most tests import: once, in the parent."""
OPTIONS = (
    "-xqpno:cacheprovider",
    "-mnot slow and not soak",
    "-Wignore::pytest.PytestAssertRewriteWarning",  # of plugins imported before
)


@dataclass(frozen=True)
class Run:
    """What became of tests: "passed", "failed" or "endless", and the first to fail."""

    outcome: str
    failed: str
    seconds: float


class _FirstFailure:
    """A plugin of pytest: no database server, and which test failed first."""

    def __init__(self) -> None:
        self.name = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out tests on PostgreSQL: they repeat what others try on SQLite."""
        items[:] = [
            item
            for item in items
            if "postgresql" not in item.name
            and not any(n.startswith("postgres") for n in _fixtures(item))
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a test that failed or could not begin."""
        if report.failed:
            self.name = self.name or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember a file that could not be read."""
        if report.failed:
            self.name = self.name or report.nodeid


def _fixtures(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


def prepare() -> None:
    """Import what most tests need, so that every child has it."""
    for name in BEFORE:
        importlib.import_module(name)
    for name in [name for name in sys.modules if name.split(".")[0] == "penchant"]:
        del sys.modules[name]  # each child imports its own


def run_tests(root: Path, sources: Path, tests: str, cache: Path) -> Run:
    """Run tests of a tree with other sources, and stop at the first that fails."""
    longest = LONGEST + (0 if any(cache.glob("*")) else TO_COMPILE)
    with tempfile.NamedTemporaryFile() as told:
        child = os.fork()
        if child == 0:
            _run_child(root, sources, tests, cache, Path(told.name), longest)
        _, status, used = os.wait4(child, 0)
        text = Path(told.name).read_text(encoding="utf-8")
    seconds = round(used.ru_utime + used.ru_stime, 1)
    if os.WIFSIGNALED(status):
        endless = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM)
        return Run("endless" if endless else "failed", "", seconds)
    if os.WEXITSTATUS(status):
        raise RuntimeError(text)
    found = json.loads(text)
    passed = found["code"] in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return Run("passed" if passed else "failed", found["failed"], seconds)


def _run_child(
    root: Path, sources: Path, tests: str, cache: Path, told: Path, longest: int
) -> None:
    """Never returns."""
    try:
        os.environ.update(
            OMP_NUM_THREADS="1",
            OPENBLAS_NUM_THREADS="1",
            PYTHONPATH=os.pathsep.join([str(sources), str(root)]),
            NUMBA_CACHE_DIR=str(cache),
        )
        importlib.import_module("numba.core.config").CACHE_DIR = str(cache)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (longest, longest + 5))
        signal.alarm(20 * longest)
        os.chdir(root)
        sys.path[:0] = [str(sources)]
        first = _FirstFailure()
        found = {"code": int(pytest.main([*OPTIONS, tests], plugins=[first]))}
        told.write_text(json.dumps({**found, "failed": first.name}), encoding="utf-8")
        os._exit(0)
    except BaseException:
        told.write_text(traceback.format_exc(), encoding="utf-8")
    finally:
        os._exit(1)
