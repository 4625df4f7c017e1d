"""Draw mistakes, run the nearest tests on each: ``python -m benchmarks.mutants``.

The nearest tests of ``src/penchant/room/_name.py`` are those in
``tests/room/test_name.py``; where it does not exist or notices nothing, those in its
folder, for at most a minute, and the test of all defaults. They stop at the first
failure. A mistake counts as noticed if a test fails that passes without it, or if tests
do not end that do so without it.

Every verdict is stored as soon as it is known, and a run goes on where the last one
stopped. ``--again`` tries those that went unnoticed once more, with the tests as they
are now; what they said at first stays in the file.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.mutants._mutate import Mutant, mutant, places
from benchmarks.mutants._tests import Run, prepare, run_tests
from experiments._machine import machine_line, versions

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "mutants" / "results.json"
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
DEFAULTS = ROOT / "tests" / "test_defaults.py"
"""Looks at the parameters of all rooms, in two seconds."""
GOAL = 0.85

Verdict = dict[str, Any]
"""Number, where, before, after, tests, outcome ("noticed" or "survived"), by, seconds.

With ``--again`` also what tests say now. A note, by hand, says why nothing can be seen.
"""


def modules() -> list[Path]:
    """List the modules that mistakes are drawn from, relative to the sources."""
    source = ROOT / "src"
    return [
        path.relative_to(source)
        for room in ROOMS
        for path in sorted((source / "penchant" / room).rglob("*.py"))
        if "migrations" not in path.parts and path.name != "__init__.py"
    ]


def draw(n: int, seed: int) -> list[Mutant]:
    """Draw among all mistakes that the rules know."""
    source = ROOT / "src"
    every = [
        (path, place)
        for path in modules()
        for place in places((source / path).read_text(encoding="utf-8"))
    ]
    drawn = random.Random(seed).sample(every, min(n, len(every)))
    return [mutant(path, source, place) for path, place in drawn]


def fingerprint() -> str:
    """Give a number that changes when a module does that mistakes are drawn from."""
    text = b"".join((ROOT / "src" / path).read_bytes() for path in modules())
    return hashlib.sha256(text).hexdigest()[:16]


def nearest_tests(path: Path) -> list[Path]:
    """Give the tests of a module: its own file if it has one, then those around it."""
    _, *rooms, name = path.with_suffix("").parts
    folder = ROOT.joinpath("tests", *rooms)
    own = folder / f"test{name if name.startswith('_') else '_' + name}.py"
    while not folder.exists():
        folder = folder.parent
    return [*([own] if own.exists() else []), folder, DEFAULTS]


class Bench:
    """A copy of the sources in which one module at a time is wrong."""

    def __init__(self) -> None:
        folder = Path(tempfile.gettempdir(), f"penchant-mutants-{fingerprint()}")
        self._sources = folder / "src"
        self._cache = folder / "numba"  # kept from run to run
        self._fine_without: dict[tuple[str, bool], bool] = {}
        shutil.rmtree(self._sources, ignore_errors=True)
        shutil.copytree(ROOT / "src", self._sources)

    def try_out(self, wrong: Mutant) -> Verdict:
        """Run the nearest tests, and the failing one without the mistake as well."""
        seconds = 0.0
        noticed, by = False, ""
        for tests in nearest_tests(wrong.path):
            run = self._wrong(wrong, tests)
            seconds += run.seconds
            noticed = run.outcome != "passed" and self._fine(wrong, run, tests)
            if noticed:
                by = run.failed or run.outcome
                break
        return {
            "where": f"{wrong.path}:{wrong.line}",
            "before": wrong.before[:200],
            "after": wrong.after[:200],
            "tests": str(tests.relative_to(ROOT)),
            "outcome": "noticed" if noticed else "survived",
            "by": by,
            "seconds": round(seconds, 1),
        }

    def _wrong(self, wrong: Mutant, tests: Path) -> Run:
        target = self._sources / wrong.path
        right, stamp = target.read_text(encoding="utf-8"), target.stat()
        target.write_text(wrong.source, encoding="utf-8")
        try:
            return self._run(wrong, str(tests))
        finally:
            target.write_text(right, encoding="utf-8")
            os.utime(target, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    def _fine(self, wrong: Mutant, run: Run, tests: Path) -> bool:
        """Tell whether all is well without the mistake."""
        if run.failed and "::" not in run.failed:
            return True  # the module could not be imported
        # A room that takes too long does so each time: one look is enough.
        key = run.failed or str(tests), "numba" in wrong.source
        if key not in self._fine_without:
            self._fine_without[key] = self._run(wrong, key[0]).outcome == "passed"
        return self._fine_without[key]

    def _run(self, wrong: Mutant, tests: str) -> Run:
        if "numba" not in wrong.source:
            return run_tests(ROOT, self._sources, tests, self._cache)
        # Code that was compiled before may have the right lines in it.
        with tempfile.TemporaryDirectory() as empty:
            return run_tests(ROOT, self._sources, tests, Path(empty))


def sum_up(verdicts: list[Verdict], seed: int) -> dict[str, Any]:
    """Count, at first and now, and keep every verdict."""
    n = len(verdicts)
    first = sum(each["outcome"] == "noticed" for each in verdicts)
    now = sum("noticed" in (each["outcome"], each.get("now")) for each in verdicts)
    alike = sum("note" in each for each in verdicts)
    return {
        "seed": seed,
        "sources": fingerprint(),
        "n": n,
        "noticed": first,
        "share": round(first / n, 3),
        "noticed_now": now,
        "share_now": round(now / n, 3),
        "nothing_to_see": alike,
        "machine": machine_line(),
        "versions": versions(),
        "verdicts": verdicts,
    }


def stored(seed: int) -> list[Verdict]:
    """Read the verdicts of an earlier run on the same sources."""
    if not RESULTS.exists():
        return []
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    if (found["seed"], found["sources"]) != (seed, fingerprint()):
        return []
    verdicts: list[Verdict] = found["verdicts"]
    return verdicts


def store(verdicts: list[Verdict], seed: int) -> None:
    """Write all that is known."""
    text = json.dumps(sum_up(verdicts, seed), indent=2, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")


def run(options: argparse.Namespace) -> list[Verdict]:
    """Try those that have no verdict, or again those that went unnoticed."""
    known = {each["number"]: each for each in stored(options.seed)}
    drawn = dict(enumerate(draw(options.n, options.seed), 1))
    if options.again:
        left = [
            number
            for number, each in known.items()
            if "noticed" not in (each["outcome"], each.get("now"))
            and "note" not in each
        ]
    else:
        left = [number for number in drawn if number not in known]
    prepare()
    bench = Bench()
    for number in left[: options.most]:
        verdict = bench.try_out(drawn[number])
        if number in known:
            known[number] |= {"now": verdict["outcome"], "now_by": verdict["by"]}
        else:
            known[number] = {"number": number, **verdict}
        store(list(known.values()), options.seed)
        print(number, verdict["where"], verdict["outcome"], verdict["by"], flush=True)
    return list(known.values())


def main() -> int:
    """Draw, try, and write what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants")
    parser.add_argument("-n", type=int, default=200, help="how many mistakes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, help="try so many in this run")
    parser.add_argument("--again", action="store_true", help="those that survived")
    found = sum_up(run(options := parser.parse_args()), options.seed)
    print(f"{found['share_now']:.1%} of {found['n']} mistakes are noticed now.")
    return 0 if found["share_now"] >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
