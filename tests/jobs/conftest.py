"""Small files to learn from, and a store of jobs."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from penchant.jobs import JobSettings
from penchant.learning import _report
from penchant.studies import SqlStore


def flats(n: int = 40) -> bytes:
    """Flats with a rating that rent, size and noise make."""
    rng = np.random.RandomState(0)
    lines = ["name,rent,size,noise,rating"]
    for k in range(n):
        rent, size = rng.randint(300, 1200), rng.randint(20, 100)
        noise = rng.choice(["quiet", "busy"])
        rating = 60 - 0.05 * rent + 0.6 * size - 8 * (noise == "busy") + rng.randn()
        lines.append(f"Flat {k},{rent},{size},{noise},{rating:.1f}")
    return "\n".join(lines).encode()


def pairs(table: bytes, n: int = 60) -> bytes:
    """Answers about flats: the better rated one wins."""
    rows = [line.split(",") for line in table.decode().splitlines()[1:]]
    rng = np.random.RandomState(1)
    lines = ["winner,loser"]
    while len(lines) <= n:
        i, j = rng.choice(len(rows), 2, replace=False)
        better, worse = sorted((rows[i], rows[j]), key=lambda row: -float(row[4]))
        lines.append(f"{better[0]},{worse[0]}")
    return "\n".join(lines).encode()


FAST = {"candidates": ["linear", "choquet"], "n_folds": 2}


@pytest.fixture(autouse=True)
def few_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bands and coalitions take few fits."""
    monkeypatch.setattr(_report, "_MOST_RESAMPLES", 4)
    monkeypatch.setattr(_report, "_MOST_MODELS", 8)


@pytest.fixture
def store(new_url: str) -> Iterator[SqlStore]:
    with SqlStore(new_url) as opened:
        yield opened


@pytest.fixture
def add_job(store: SqlStore) -> Callable[..., str]:
    """Add a job about flats that waits."""

    def add(**settings: Any) -> str:
        told = JobSettings.from_dict(
            {"target": "rating", "table": "flats.csv", **FAST, **settings}
        )
        job = store.add_job("Flats", told.to_dict(), {"table": flats()})
        store.queue_job(job)
        return job

    return add
