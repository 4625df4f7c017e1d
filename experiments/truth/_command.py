"""The command line: ``python -m experiments.truth``."""

import argparse
import itertools
import json
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from experiments.truth import real
from experiments.truth._bars import all_bars, group_bars, real_bars
from experiments.truth._conversations import TAPS, Tally, run_table
from experiments.truth._page import draw_reliability, render_page
from experiments.truth._people import FAMILIES, POPULATED
from experiments.truth._store import (
    RESULTS,
    Cell,
    circumstances,
    fingerprint,
    load_cells,
    store,
)
from experiments.truth._worlds import N_TABLES

__all__ = ["main"]

_DOCS = Path(__file__).parents[2] / "docs"
_VARIANTS = ("none", *TAPS, "today")
_QUICK = ("additive", "threshold", "matched")
_APART = ("groups", "real")
"""Beside single simulated people: what groups are told, and real answers."""


def main(
    arguments: Sequence[str] | None = None,
    *,
    results: Path = RESULTS,
    docs: Path = _DOCS,
) -> int:
    """Run what is missing, store it family by family, and write the page."""
    options = _parser().parse_args(arguments)
    if options.quick:
        return _run_quick(options.jobs)
    cells = load_cells(results)
    for family in options.families:
        wanted = itertools.product(options.items, options.variants)
        for n_items, variant in sorted(wanted, key=str):
            if _makes_sense(family, variant):
                cell = _complete(cells, (family, n_items, variant), options)
                cells[cell.key] = cell
                kin = [c for c in cells.values() if c.family == family]
                store(family, kin, results)
    if "real" in options.apart:
        _save(results / "real.json", real.run())
    if "groups" in options.apart:
        groups = import_module("experiments.truth.groups")  # needs whole studies
        figures = groups.run(options.groups, random_state=0)
        _save(results / "groups.json", {"n_groups": options.groups, "figures": figures})
    write_page(results, docs)
    return 0


def _save(path: Path, found: Any) -> None:
    """Write a result with its circumstances; None: it could not be measured here."""
    if found is not None:
        text = json.dumps(found | circumstances(), indent=1)
        path.write_text(text + "\n", encoding="utf-8")


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def write_page(results: Path, docs: Path) -> None:
    """Write the page and the picture from what is stored."""
    cells = load_cells(results)
    crowd = _load(results / "groups.json") or {"n_groups": 0, "figures": {}}
    answers = _load(results / "real.json") or {"sets": {}}
    bars = all_bars(cells) + group_bars(crowd["figures"], crowd["n_groups"])
    bars += real_bars(answers["sets"])
    (docs / "truth.md").write_text(render_page(cells, bars), encoding="utf-8")
    draw_reliability(cells, docs / "images" / "truth.png")
    for bar in bars:
        print(f"{bar.verdict:8} {bar.what} ({bar.limit}): {bar.measured}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.truth",
        description="Compare what simulated people are told with what is true.",
    )
    parser.add_argument(
        "families", nargs="*", default=[*FAMILIES, *POPULATED], help="default: all"
    )
    parser.add_argument(
        "--quick", action="store_true", help="under a minute; writes nothing"
    )
    parser.add_argument("--items", type=int, nargs="*", default=[40, 200])
    parser.add_argument("--variants", nargs="*", default=_VARIANTS, choices=_VARIANTS)
    parser.add_argument("--tables", type=int, default=N_TABLES)
    parser.add_argument("--groups", type=int, default=100, help="groups per world")
    parser.add_argument("--apart", nargs="*", default=_APART, choices=_APART)
    parser.add_argument("--jobs", type=int, default=-1, help="processes; -1: all cores")
    return parser


def _makes_sense(family: str, variant: str) -> bool:
    """Leave out taps on a list, and the Gaussian belief without earlier people."""
    if family == "plain":
        return variant == "none"
    return variant != "today" or family in POPULATED


def _complete(cells: Any, key: tuple[str, int, str], options: Any) -> Cell:
    """Run the tables that are missing or were measured with other code."""
    engine = fingerprint()
    cell = cells.get(key)
    if cell is None or cell.engine != engine:
        cell = Cell(*key, engine=engine)
    missing = [n for n in range(options.tables) if n not in cell.tables]
    found = Parallel(options.jobs)(delayed(_timed)(*key, n) for n in missing)
    for number, (tally, seconds) in zip(missing, found, strict=True):
        cell.tables[number] = tally
        cell.seconds += seconds
    print(*key, f"{len(missing)} tables, {cell.seconds:.0f} CPU s", file=sys.stderr)
    return cell


def _timed(family: str, n_items: int, variant: str, number: int) -> tuple[Tally, float]:
    start = time.process_time()
    tally = run_table(family, n_items, variant, number)
    return tally, time.process_time() - start


def _run_quick(jobs: int) -> int:
    """Show that everything runs, with few people; the figures mean little."""
    cells = {}
    for family, variant in itertools.product(_QUICK, ("none", "truth")):
        cell = Cell(family, 40, variant)
        cell.tables = dict(
            enumerate(
                Parallel(jobs)(
                    delayed(run_table)(family, 40, variant, n) for n in range(2)
                )
            )
        )
        cells[cell.key] = cell
    for bar in all_bars(cells):
        print(f"{bar.verdict:8} {bar.what} ({bar.limit}): {bar.measured}")
    print("A quick run: nothing was written.")
    return 0
