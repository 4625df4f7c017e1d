"""The command line: ``python -m benchmarks [NAME...]``."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks._measure import measure
from benchmarks._report import load_results, render_page, save_result, terminal_table
from experiments._machine import machine_line, versions
from experiments._report import show
from penchant.exceptions import PenchantError

__all__ = ["UnknownBenchmarkError", "find_benchmarks", "main", "run_benchmark"]

HERE = Path(__file__).resolve().parent


class UnknownBenchmarkError(PenchantError, LookupError):
    """No benchmark has that name."""


def main(
    arguments: Sequence[str] | None = None,
    *,
    results: Path = HERE / "results",
    page: Path = HERE.parent / "docs" / "benchmarks.md",
) -> int:
    """Run the named benchmarks or all, store results, render the page.

    Returns 1 when a name is unknown or a claim does not hold.
    """
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure our claims against peers."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    names = parser.parse_args(arguments).names
    try:
        modules = find_benchmarks(names)
    except UnknownBenchmarkError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    holds = True
    for module in modules:
        result = run_benchmark(module)
        save_result(result, results)
        show(terminal_table(result))
        holds &= all(case["holds"] for case in result["cases"])
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(render_page(load_results(results)), encoding="utf-8")
    return 0 if holds else 1


def find_benchmarks(names: Sequence[str] = ()) -> list[ModuleType]:
    """Import ``benchmarks/bench_<name>.py`` for the given names, or for all.

    A benchmark's docstring states the claim in its first line; its function
    ``cases()`` is a context manager that yields a list of `Case` and `Budget`.
    """
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UnknownBenchmarkError(
            f"No benchmark is called {unknown[0]!r}. "
            f"Known benchmarks: {', '.join(known)}."
        )
    wanted = names or known
    return [importlib.import_module(f"benchmarks.bench_{name}") for name in wanted]


def run_benchmark(module: ModuleType) -> dict[str, Any]:
    """Run all cases of a benchmark and say on what they ran."""
    with module.cases() as cases:
        measured = [measure(case) for case in cases]
    return {
        "benchmark": module.__name__.rpartition("bench_")[2],
        "claim": claim_of(module),
        "cases": measured,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine_line(),
        "versions": versions(*getattr(module, "PACKAGES", ())),
    }


def claim_of(module: ModuleType) -> str:
    """Return the first line of a benchmark's docstring."""
    return (module.__doc__ or "").partition("\n")[0]
