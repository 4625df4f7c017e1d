"""The command line: ``python -m experiments.truth``."""

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from experiments.truth import real
from experiments.truth._bars import Bar, all_bars, group_bars, real_bars
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
_APART = ("groups", "real")
"""Beside single simulated people: what groups are told, and real answers."""

_QUICK = ["additive", "matched", "--items", "40", "--tables", "3"]
_QUICK += ["--variants", "none", "truth"]


def main(
    arguments: Sequence[str] | None = None,
    *,
    results: Path = RESULTS,
    docs: Path = _DOCS,
) -> int:
    """Run what is missing, store it family by family, and write the page."""
    options = _parser().parse_args(arguments)
    if options.quick:
        options = _parser().parse_args([*_QUICK, "--jobs", str(options.jobs)])
        _show(all_bars(_run(options, {}, None)))
        print("A quick run: nothing was written.")
        return 0
    _run(options, load_cells(results), results)
    if "real" in options.apart:
        _save(results / "real.json", real.run())
    if "groups" in options.apart:
        groups = import_module("experiments.truth.groups")  # needs whole studies
        figures = groups.run(options.groups, random_state=0)
        _save(results / "groups.json", {"n_groups": options.groups, "figures": figures})
    _write_page(results, docs)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.truth",
        description="Compare what simulated people are told with what is true.",
    )
    add = parser.add_argument
    add("families", nargs="*", default=[*FAMILIES, *POPULATED], help="default: all")
    add("--quick", action="store_true", help="under a minute; writes nothing")
    add("--items", type=int, nargs="*", default=[40, 200], help="sizes of tables")
    add("--variants", nargs="*", default=_VARIANTS, choices=_VARIANTS)
    add("--tables", type=int, default=N_TABLES, help="12 or 13 people each")
    add("--groups", type=int, default=100, help="groups per world")
    add("--apart", nargs="*", default=_APART, choices=_APART)
    add("--confirm", action="store_true", help="keep cells that new code repeats")
    add("--jobs", type=int, default=-1, help="processes; -1: all cores")
    return parser


def _run(options: Any, cells: dict[Any, Cell], results: Path | None) -> dict[Any, Cell]:
    """Complete the wanted cells, and store each family as soon as one is."""
    wanted = itertools.product(options.families, options.items, options.variants)
    for key in wanted:
        family, _, variant = key
        tapped, today = variant in TAPS, variant == "today"
        if (tapped and family == "plain") or (today and family not in POPULATED):
            continue  # nothing to tap; no earlier people
        cells[key] = _complete(cells.get(key), key, options)
        if results is not None:
            store(family, [c for c in cells.values() if c.family == family], results)
    return cells


def _complete(cell: Cell | None, key: tuple[str, int, str], options: Any) -> Cell:
    """Run the tables that are missing or were measured with other code."""
    engine = fingerprint()
    if cell is None or (cell.stale and not (options.confirm and _repeats(cell))):
        cell = Cell(*key)
    cell.engine = engine
    missing = [n for n in range(options.tables) if n not in cell.tables]
    found = Parallel(options.jobs)(delayed(_timed)(*key, n) for n in missing)
    for number, (tally, seconds) in zip(missing, found, strict=True):
        cell.tables[number] = tally
        cell.seconds += seconds
    print(*key, f"{len(missing)} tables, {cell.seconds:.0f} CPU s", file=sys.stderr)
    return cell


def _repeats(cell: Cell) -> bool:
    """Say whether its first table, run again, gives the same in everything but time.

    To a thousandth: another order of a sum moves a draw over an edge now and then, but
    another question moves everything.
    """
    number, none = min(cell.tables), (0.0, 0.0)
    before, now = cell.tables[number].sums, run_table(*cell.key, number).sums
    return all(
        np.allclose(before.get(k, none), now.get(k, none), rtol=1e-3, atol=1e-2)
        for k in (before.keys() | now.keys()) - {"cpu ms"}
    )


def _timed(family: str, n_items: int, variant: str, number: int) -> tuple[Tally, float]:
    start = time.process_time()
    tally = run_table(family, n_items, variant, number)
    return tally, time.process_time() - start


def _save(path: Path, found: Any) -> None:
    """Write a result with its circumstances; None: it could not be measured here."""
    if found is not None:
        text = json.dumps(found | circumstances(), indent=1)
        path.write_text(text + "\n", encoding="utf-8")


def _write_page(results: Path, docs: Path) -> None:
    """Write the page and the picture from what is stored."""
    cells, apart = load_cells(results), {}
    for name in (*_APART, "calibration"):
        path = results / f"{name}.json"
        apart[name] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    groups, sets = apart["groups"], apart["real"].get("sets", {})
    current = {key: cell for key, cell in cells.items() if not cell.stale}
    bars = all_bars(current)
    bars += group_bars(groups.get("figures", {}), groups.get("n_groups", 0))
    bars += real_bars(sets)
    page = render_page(cells, bars, apart["calibration"])
    (docs / "truth.md").write_text(page, encoding="utf-8")
    draw_reliability(current, docs / "images" / "truth.png")
    _show(bars)


def _show(bars: Iterable[Bar]) -> None:
    for bar in bars:
        print(f"{bar.verdict:8} {bar.what} ({bar.limit}): {bar.measured}")
