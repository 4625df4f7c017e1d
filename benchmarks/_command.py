"""The command line: ``python -m benchmarks [NAME...]``."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks._load import Gauge, check_idle, others_share
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
    gauge: Gauge | None = None,
) -> int:
    """Run the named benchmarks or all, store results, render the page.

    What was measured while other work kept the machine busy is not stored. Returns 1
    when a name is unknown, a claim does not hold or a result cannot be stored.
    """
    options = _parser().parse_args(arguments)
    gauge = Gauge() if gauge is None else gauge
    try:
        modules = find_benchmarks(options.names, options.peer)
        if options.store:
            check_idle(gauge.before, "the load average of the last minute")
    except PenchantError as error:
        return _fail(error)
    failures = 0
    for module in modules:
        result = run_benchmark(module, gauge)
        show(terminal_table(result))
        failures += not all(case.get("holds", True) for case in result["cases"])
        if options.store:
            failures += _store(result, results)
    if options.store:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(render_page(load_results(results)), encoding="utf-8")
    return 1 if failures else 0


def _store(result: dict[str, Any], folder: Path) -> int:
    """Save a result, or say why not and return 1; the next may still be stored."""
    name, share = result["benchmark"], result["load"]["others"]
    try:
        check_idle(share, f"the processor time of others while {name!r} ran")
    except PenchantError as error:
        return _fail(error)
    save_result(result, folder)
    return 0


def _fail(error: PenchantError) -> int:
    print(f"Error: {error}", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure our claims against peers."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument(
        "--peer", metavar="NAME", help="only those against this peer, such as shap"
    )
    parser.add_argument(
        "--no-store",
        dest="store",
        action="store_false",
        help="show the figures only, also on a busy machine",
    )
    return parser


def find_benchmarks(
    names: Sequence[str] = (), peer: str | None = None
) -> list[ModuleType]:
    """Import ``benchmarks/bench_<name>.py`` for the given names, or for all.

    With a peer, those of them that name it in ``PEERS``. A benchmark's docstring states
    the claim in its first line; its function ``cases()`` is a context manager that
    yields a list of `Case`, `Budget`, `Waits` and `Missing`; ``SEEDS`` says with what
    it draws, if not with 0.
    """
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UnknownBenchmarkError(
            f"No benchmark is called {unknown[0]!r}. "
            f"Known benchmarks: {', '.join(known)}."
        )
    wanted = names or known
    found = [importlib.import_module(f"benchmarks.bench_{name}") for name in wanted]
    if peer is None:
        return found
    against = [each for each in found if peer in getattr(each, "PEERS", ())]
    if not against:
        raise UnknownBenchmarkError(f"No benchmark has a peer called {peer!r}.")
    return against


def run_benchmark(module: ModuleType, gauge: Gauge | None = None) -> dict[str, Any]:
    """Run all cases of a benchmark and say on what they ran, and beside what."""
    gauge = Gauge() if gauge is None else gauge
    start = gauge.read()
    with module.cases() as cases:
        measured = [measure(case) for case in cases]
    others = others_share(start, gauge.read())
    return {
        "benchmark": module.__name__.rpartition("bench_")[2],
        "claim": claim_of(module),
        "cases": measured,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine_line(),
        "load": {"before": round(gauge.before, 3), "others": round(others, 3)},
        "versions": versions(*getattr(module, "PACKAGES", ())),
        "seeds": _seeds(module),
    }


def _seeds(module: ModuleType) -> str:
    """Tell what a benchmark draws with: its ``SEEDS``, numbers or words, else 0."""
    seeds = getattr(module, "SEEDS", (0,))
    return seeds if isinstance(seeds, str) else ", ".join(map(str, seeds))


def claim_of(module: ModuleType) -> str:
    """Return the first line of a benchmark's docstring."""
    return (module.__doc__ or "").partition("\n")[0]
