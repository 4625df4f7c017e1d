"""How busy other work keeps the machine, before and while a benchmark runs."""

from typing import NamedTuple

import psutil

from penchant.exceptions import PenchantError

__all__ = [
    "LIMIT",
    "BusyMachineError",
    "Gauge",
    "Reading",
    "check_idle",
    "others_share",
]

LIMIT = 0.25
"""The largest share of all cores that other work may take if figures are to count.

Half a core of two: an open mail program passes, another computation does not.
"""


class BusyMachineError(PenchantError, RuntimeError):
    """Other work takes so much of the machine that figures say nothing."""


class Reading(NamedTuple):
    """Processor seconds of all cores together since the machine started."""

    passed: float
    """Seconds, times cores."""
    busy: float
    """Those in which a core worked, for whomever."""
    own: float
    """Those of this process and of all that it started."""


class Gauge:
    """Tell how busy this machine is; tests put another one in its place.

    Attributes
    ----------
    before : float
        Load average of the minute before the gauge was made, divided by the cores.
        Read once: after a benchmark it would tell of that benchmark.
    """

    def __init__(self) -> None:
        self.before = float(psutil.getloadavg()[0]) / (psutil.cpu_count() or 1)

    def read(self) -> Reading:
        """Return the processor seconds until now."""
        times = psutil.cpu_times()._asdict()
        # Linux counts the time of guests among that of users already.
        guests = times.get("guest", 0.0) + times.get("guest_nice", 0.0)
        passed = sum(times.values()) - guests
        idle = times["idle"] + times.get("iowait", 0.0)
        process = psutil.Process()
        family = [process, *process.children(recursive=True)]
        return Reading(passed, passed - idle, sum(map(_seconds, family)))


def others_share(start: Reading, end: Reading) -> float:
    """Return the share of all cores that other processes took between two readings."""
    others = (end.busy - start.busy) - (end.own - start.own)
    # The clocks of cores and of processes tick apart, so a short time may give -0.1.
    return min(max(others / max(end.passed - start.passed, 1e-9), 0.0), 1.0)


def check_idle(share: float, what: str) -> None:
    """Refuse to store figures if `what` is too large a share of all cores."""
    if share > LIMIT:
        raise BusyMachineError(
            f"To store results, {what} must be at most {LIMIT:.0%} of all cores. "
            f"It is {share:.0%}: wait until the machine is idle, or add --no-store to "
            "see the figures without storing them."
        )


def _seconds(process: psutil.Process) -> float:
    """Return the processor seconds of a process and of its children that ended."""
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:  # it ended a moment ago
        return 0.0
    return float(
        times.user + times.system + times.children_user + times.children_system
    )
