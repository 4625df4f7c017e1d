"""The command line: ``python -m experiments PAPER``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments._outcome import Record
from experiments._published import PAPERS, load_published
from experiments._report import render_readme, show, terminal_table
from experiments._run import HERE, find_scripts, run_script
from penchant._parallel import parallel
from penchant.exceptions import PenchantError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None, *, folder: Path = HERE) -> int:
    """Run what the arguments ask for; results and report are written to `folder`."""
    options = _parser().parse_args(arguments)
    try:
        scripts = find_scripts(options.paper, options.table)
        tables = load_published(HERE / options.paper)
        with parallel(options.jobs, options.cluster, package=HERE):
            for script in scripts:
                record = run_script(options.paper, script, quick=options.quick)
                if not options.quick:
                    record = _store(record, folder)
                show(terminal_table(record, tables[record.outcome.table]))
    except PenchantError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if options.quick:
        print("A quick run: nothing was written.")
    else:
        (folder / "README.md").write_text(render_readme(folder), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description="Run a paper's experiments and compare with what it printed.",
    )
    parser.add_argument("paper", help=", ".join(PAPERS))
    parser.add_argument(
        "--quick", action="store_true", help="under a minute; writes nothing"
    )
    parser.add_argument("--table", metavar="NAME", help="only this script")
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes; -1: all cores"
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="a Dask scheduler, tcp://HOST:PORT"
    )
    return parser


def _store(record: Record, folder: Path) -> Record:
    """Save a full run; cells whose data are not here keep their earlier value."""
    path = folder / record.paper / "results" / f"{record.script}.json"
    if path.exists():
        record = record.keeping(Record.load(path))
    record.save(path)
    return record
