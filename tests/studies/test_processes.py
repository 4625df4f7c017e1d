"""Several processes share one database."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from penchant.studies import SqlStore

SCRIPT = Path(__file__).with_name("many_processes.py")
N_PROCESSES = 4
N_EVENTS = 20


def test_processes_migrate_write_and_lease_together(any_url: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), any_url, str(N_PROCESSES)],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    assert len(outcomes) == N_PROCESSES
    assert len({one["study"] for one in outcomes}) == 1
    assert len({one["participant"] for one in outcomes}) == 1
    assert [one["lease"] for one in outcomes].count(True) == 1
    with SqlStore(any_url) as store:
        log = store.events(outcomes[0]["participant"])
    assert [event.position for event in log] == list(range(len(log)))
    by = Counter(event.body["by"] for event in log)
    assert by == dict.fromkeys(range(N_PROCESSES), N_EVENTS)
    for process in range(N_PROCESSES):
        own = [event.body["n"] for event in log if event.body["by"] == process]
        assert own == list(range(N_EVENTS))
