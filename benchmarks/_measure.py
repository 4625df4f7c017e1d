"""Time a function against a peer or against a limit, and waits for a server."""

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from penchant._parallel import track

__all__ = [
    "Budget",
    "Case",
    "Missing",
    "Timing",
    "Waits",
    "compare",
    "measure",
    "spend",
    "wait",
]

_N_REPEATS = 5


@dataclass(frozen=True)
class Case:
    """One comparison of us with a peer.

    Parameters
    ----------
    name : str
        What is done, with sizes.
    ours, theirs : callable without arguments
        The two ways to do it; set-up belongs outside.
    peer : str
        Who `theirs` is.
    at_most : float
        The claim: our CPU time divided by the peer's is at most this.
    agree : callable, default=None
        Called with both results; returns whether they are the same work. None when
        the results cannot be compared.
    """

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    peer: str
    at_most: float
    agree: Callable[[Any, Any], bool] | None = None


@dataclass(frozen=True)
class Budget:
    """Work of ours that must be done within a time, where no peer does the same.

    Parameters
    ----------
    name : str
        What is done, with sizes.
    ours : callable without arguments
        Set-up belongs outside.
    seconds : float
        The claim: it takes at most this CPU time.
    check : callable, default=None
        Called with the result; returns whether it is what the claim speaks of.
    facts : callable, default=None
        Called with the last result; returns what is told beside the time.
    n_repeats : int, default=3
        Measured runs.
    """

    name: str
    ours: Callable[[], Any]
    seconds: float
    check: Callable[[Any], bool] | None = None
    facts: Callable[[Any], dict[str, Any]] | None = None
    n_repeats: int = 3


@dataclass(frozen=True)
class Waits:
    """Waits of many clients for a server of ours, most of which must be short.

    Parameters
    ----------
    name : str
        Who waits for what, with sizes.
    ours : callable without arguments
        Gives the seconds of all waits, as clients saw them: wall time.
    share : float
        The part of the waits that the claim is about.
    seconds : float
        The claim: so large a share waits at most this long.
    """

    name: str
    ours: Callable[[], Sequence[float]]
    share: float
    seconds: float


@dataclass(frozen=True)
class Missing:
    """A comparison that was not run since the peer is not installed.

    Parameters
    ----------
    name : str
        What would have been done.
    peer : str
        With whom.
    needs : str
        What to install: ``benchmarks/peers/<needs>.txt``.
    """

    name: str
    peer: str
    needs: str


@dataclass(frozen=True)
class Timing:
    """Seconds of all repeats of one function."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]

    def summary(self) -> dict[str, float]:
        """Return best and median of CPU and wall time."""
        return {
            "cpu_best": round(min(self.cpu), 6),
            "cpu_median": round(statistics.median(self.cpu), 6),
            "wall_best": round(min(self.wall), 6),
            "wall_median": round(statistics.median(self.wall), 6),
        }


def measure(case: Case | Budget | Waits | Missing) -> dict[str, Any]:
    """Run a case, a budget or waits and return the figures."""
    if isinstance(case, Missing):
        return {"name": case.name, "peer": case.peer, "missing": case.needs}
    if isinstance(case, Waits):
        return wait(case)
    return compare(case) if isinstance(case, Case) else spend(case)


def wait(waits: Waits) -> dict[str, Any]:
    """Run waits once and return their figures."""
    found = sorted(waits.ours())

    def longest_of(share: float) -> float:
        return found[math.ceil(share * len(found)) - 1]

    return {
        "name": waits.name,
        "repeats": 1,
        "ours": {
            "n_waits": len(found),
            "wall_median": round(longest_of(0.5), 6),
            "wall_share": round(longest_of(waits.share), 6),
            "wall_worst": round(found[-1], 6),
        },
        "share": waits.share,
        "seconds": waits.seconds,
        "holds": longest_of(waits.share) <= waits.seconds,
    }


def spend(budget: Budget) -> dict[str, Any]:
    """Run a budget, once unmeasured, and return its figures.

    The claim is about the best CPU time, and fails too if the result is not what it
    speaks of.
    """
    results = [budget.ours()]

    def ours_again() -> None:
        results[0] = budget.ours()

    is_right = budget.check is None or budget.check(results[0])
    laps = track(range(budget.n_repeats), budget.name)
    ours = _timing([_lap(ours_again) for _ in laps])
    facts = {} if budget.facts is None else {"facts": budget.facts(results[0])}
    return {
        "name": budget.name,
        "repeats": budget.n_repeats,
        "ours": ours.summary(),
        "seconds": budget.seconds,
        "holds": is_right and min(ours.cpu) <= budget.seconds,
        **facts,
    }


def compare(case: Case, n_repeats: int = _N_REPEATS) -> dict[str, Any]:
    """Run a case and return its figures.

    Each side runs once unmeasured, which compiles, fills caches and shows that both
    do the same work. Then they take turns, so that a slow moment of the machine hits
    both. The ratio is that of the best CPU times, which other processes disturb least.
    """
    _check_agreement(case)
    laps: dict[str, list[tuple[float, float]]] = {"ours": [], "theirs": []}
    for _ in track(range(n_repeats), case.name):
        laps["ours"].append(_lap(case.ours))
        laps["theirs"].append(_lap(case.theirs))
    ours, theirs = (_timing(laps[side]) for side in ("ours", "theirs"))
    ratio = min(ours.cpu) / min(theirs.cpu)
    return {
        "name": case.name,
        "peer": case.peer,
        "repeats": n_repeats,
        "ours": ours.summary(),
        "theirs": theirs.summary(),
        "cpu_ratio": round(ratio, 3),
        "wall_ratio": round(min(ours.wall) / min(theirs.wall), 3),
        "at_most": case.at_most,
        "holds": ratio <= case.at_most,
    }


def _check_agreement(case: Case) -> None:
    ours, theirs = case.ours(), case.theirs()
    if case.agree is not None and not case.agree(ours, theirs):
        raise ValueError(
            f"{case.name}: our result and that of {case.peer} must be the same work. "
            "They differ, so their times cannot be compared."
        )


def _lap(function: Callable[[], Any]) -> tuple[float, float]:
    """Return CPU and wall seconds of one call."""
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    function()
    return time.process_time() - cpu, time.perf_counter() - wall


def _timing(laps: list[tuple[float, float]]) -> Timing:
    cpu, wall = zip(*laps, strict=True)
    return Timing(cpu, wall)
