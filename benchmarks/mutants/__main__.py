"""Draw mistakes, run the nearest tests on each: ``python -m benchmarks.mutants``.

The nearest tests of ``src/penchant/room/_name.py`` are ``tests/room/test_name.py`` if
that exists, else those of the room. They stop at the first failure. A mistake counts as
noticed if they fail or hang. The others are written down, to be looked at: some change
nothing that can be seen.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from benchmarks.mutants._mutate import Mutant, mutant, places
from experiments._machine import machine_line, versions
from penchant._parallel import track

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "kernels",
    "gai",
    "rules",
    "choquet",
    "gp",
    "utility",
    "elicitation",
    "explanation",
    "studies",
)
LONGEST = 240
"""Seconds after which tests of a mistake end: it made them hang, or they are slow."""


@dataclass(frozen=True)
class Verdict:
    """What became of one mistake: "noticed", "survived" or "too slow"."""

    mutant: Mutant
    tests: str
    outcome: str
    seconds: float


def draw(n: int, seed: int) -> list[Mutant]:
    """Draw among all mistakes that the rules know."""
    source = ROOT / "src"
    paths = [
        path.relative_to(source)
        for room in ROOMS
        for path in sorted((source / "penchant" / room).rglob("*.py"))
        if "migrations" not in path.parts and path.name != "__init__.py"
    ]
    every = [
        (path, place)
        for path in paths
        for place in places((source / path).read_text(encoding="utf-8"))
    ]
    drawn = random.Random(seed).sample(every, min(n, len(every)))
    return [mutant(path, source, place) for path, place in drawn]


def nearest_tests(path: Path) -> Path:
    """Give the tests of a module: its own file, else those of its room."""
    _, *rooms, name = path.with_suffix("").parts
    folder = ROOT.joinpath("tests", *rooms)
    own = folder / f"test{name if name.startswith('_') else '_' + name}.py"
    while not own.exists():
        own, folder = folder, folder.parent
    return own


def try_out(wrong: Mutant, folder: Path) -> Verdict:
    """Run the nearest tests on sources with the mistake, in a folder of their own."""
    target = folder / "src" / wrong.path
    right = target.read_text(encoding="utf-8")
    tests = nearest_tests(wrong.path)
    quiet = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow and not soak"]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    places = {
        "PYTHONPATH": os.pathsep.join([str(folder / "src"), str(ROOT)]),
        "NUMBA_CACHE_DIR": str(folder / "numba"),
    }
    target.write_text(wrong.source, encoding="utf-8")
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *quiet, str(tests)],
            cwd=ROOT,
            env={**os.environ, **threads, **places},
            capture_output=True,
            timeout=LONGEST,
            check=False,
        )
        outcome = "survived" if done.returncode in (0, 5) else "noticed"
    except subprocess.TimeoutExpired:
        outcome = "too slow"
    finally:
        target.write_text(right, encoding="utf-8")
    seconds = round(time.monotonic() - began, 1)
    return Verdict(wrong, str(tests.relative_to(ROOT)), outcome, seconds)


def run(mutants: list[Mutant], jobs: int) -> Iterator[Verdict]:
    """Try all, several at once, each in its own copy of the sources."""
    with tempfile.TemporaryDirectory() as name:
        free: SimpleQueue[Path] = SimpleQueue()
        for k in range(jobs):
            folder = Path(name, str(k))
            shutil.copytree(ROOT / "src", folder / "src")
            free.put(folder)

        def one(wrong: Mutant) -> Verdict:
            folder = free.get()
            try:
                return try_out(wrong, folder)
            finally:
                free.put(folder)

        with ThreadPoolExecutor(jobs) as pool:
            yield from track(pool.map(one, mutants), "Mistakes", total=len(mutants))


def report(verdicts: list[Verdict], seed: int) -> dict[str, object]:
    """Sum up, and list what went unnoticed."""
    counts = {
        outcome: sum(each.outcome == outcome for each in verdicts)
        for outcome in ("noticed", "too slow", "survived")
    }
    return {
        "seed": seed,
        "n": len(verdicts),
        **counts,
        "share": round(1.0 - counts["survived"] / len(verdicts), 3),
        "machine": machine_line(),
        "versions": versions(),
        "survivors": [
            {
                "where": f"{each.mutant.path}:{each.mutant.line}",
                "before": each.mutant.before[:200],
                "after": each.mutant.after[:200],
                "tests": each.tests,
            }
            for each in verdicts
            if each.outcome == "survived"
        ],
    }


def main() -> int:
    """Draw, try, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants")
    parser.add_argument("-n", type=int, default=200, help="how many mistakes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    path = ROOT / "benchmarks" / "mutants" / "results.json"
    verdicts: list[Verdict] = []
    for verdict in run(draw(options.n, options.seed), options.jobs):
        verdicts.append(verdict)
        found = report(verdicts, options.seed)
        text = json.dumps(found, indent=2, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")
    print(f"{found['share']:.1%} of {found['n']} mistakes noticed; see {path.name}.")
    return 0 if float(str(found["share"])) >= 0.85 else 1


if __name__ == "__main__":
    sys.exit(main())
