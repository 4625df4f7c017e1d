"""A whole site under load: nginx, two processes of penchant, PostgreSQL.

    python -m benchmarks.site --people 800

starts all parts on free ports of this machine with `hosting/nginx.conf` (without https
and path, and with one address for everybody), lets people join, think 3 s on average
over every question, answer until the study is sure of their best item, and look at
their result; then it ends all parts. It prints errors, waits from an answer to the page
with the next question, and the CPU time of each part per answer, all other pages
included, and stores them with machine, load and versions in
`benchmarks/results/site/800-people.json` (`--no-store`: only prints them). PostgreSQL
and nginx must be installed (Debian: postgresql, nginx-light). The people take CPU time,
too: with two cores they and the site share them.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import psutil

from benchmarks import bench_load
from benchmarks._load import Gauge, others_share
from experiments._machine import machine_line, versions
from penchant.studies import SqlStore, check_store
from tests.postgres import Postgres

ROOT = Path(__file__).resolve().parents[1]
N_PROCESSES = 2
RESULTS = ROOT / "benchmarks" / "results" / "site"
GOAL = 8.0
"""Milliseconds of CPU time per answer, of all processes of penchant together."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it, and return 1 if anything went wrong for anybody."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.site")
    parser.add_argument("--people", type=int, default=800)
    parser.add_argument("--items", type=int, default=bench_load.N_ITEMS)
    parser.add_argument("--arrive", type=float, default=20.0, help="seconds")
    parser.add_argument("--no-store", action="store_true")
    options = parser.parse_args(arguments)
    # All parts are ended, however this ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    found = run(options.people, options.items, options.arrive)
    text = json.dumps(found, indent=2, ensure_ascii=False)
    print(text)
    if not options.no_store:
        file = RESULTS / f"{options.people}-people.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n", encoding="utf-8")
    wrong = found["errors"] + found["answers lost"] + found["problems in the database"]
    return 1 if wrong else 0


def run(n_people: int, n_items: int, arrive: float) -> dict[str, Any]:
    """Start a site, let people take part, and give the figures."""
    gauge = Gauge()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        url = stack.enter_context(_postgres(folder / "database"))
        store = stack.enter_context(SqlStore(url))
        study, utilities = bench_load.make_study(store, n_items)
        servers = [stack.enter_context(_penchant(url)) for _ in range(N_PROCESSES)]
        port = stack.enter_context(_nginx(folder, [port for _, port in servers]))
        bench_load.ARRIVE = arrive
        start, before, began = gauge.read(), _seconds(servers), time.perf_counter()
        people = asyncio.run(
            bench_load.crowd(
                bench_load.Server(port), study.id, utilities, n_people, 0.0
            )
        )
        passed, spent = time.perf_counter() - began, _seconds(servers) - before
        others = others_share(start, gauge.read())
        problems = check_store(store).problems
        log = store.study_events(study.id)
    kept = {event.body.get("question") for event in log if event.kind == "answered"}
    said = {question for person in people for question in person.acknowledged}
    faults = [fault for person in people for fault in person.faults]
    waits = np.array([wait for person in people for wait in person.waits] or [0.0])
    own, fits, whole = np.round(1000 * spent / max(len(said), 1), 2).tolist()
    return {
        "people": len(people),
        "items": n_items,
        "think time, s": bench_load.THINK,
        "answers": len(said),
        "seconds": round(passed, 1),
        "errors": len(faults),
        "first errors": [fault[:500] for fault in faults[:3]],
        "answers lost": len(said - kept),
        "problems in the database": len(problems),
        "wait for the next question, s": {
            "median": round(float(np.median(waits)), 4),
            "p95": round(float(np.quantile(waits, 0.95)), 4),
            "longest": round(float(waits.max()), 4),
        },
        "CPU per answer, ms": {
            "processes of penchant": own,
            "goal": GOAL,
            "fits of the population": fits,
            "with PostgreSQL and nginx": whole,
        },
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine_line(),
        "load": {"before": round(gauge.before, 3), "others": round(others, 3)},
        "versions": {
            **versions("sqlalchemy", "psycopg", "fastapi", "uvicorn"),
            "nginx": _said([str(_nginx_program()), "-v"]),
            "PostgreSQL": _said([str(_binaries() / "postgres"), "--version"]),
        },
    }


def _said(command: list[str]) -> str:
    """Give the version that a program tells of itself."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r"\d[\d.]*", done.stdout + done.stderr)
    return "unknown" if found is None else found[0]


def _seconds(servers: Sequence[tuple[int, int]]) -> np.ndarray:
    """Give the CPU seconds of servers, of what they started, and of the whole site."""
    own, started, site = 0.0, 0.0, 0.0
    pids = {pid for pid, _ in servers}
    for process in psutil.Process().children(recursive=True):
        times = process.cpu_times()
        used = times.user + times.system
        site += used + times.children_user + times.children_system
        if process.pid in pids:
            own += used
            started += times.children_user + times.children_system
    return np.array([own, started, site])


@contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    folder.mkdir()
    server = Postgres(_binaries(), folder)
    try:
        yield from server.databases()
    finally:
        server.stop()


def _binaries() -> Path:
    return max(Path("/usr/lib/postgresql").glob("*/bin"))


@contextmanager
def _penchant(url: str) -> Iterator[tuple[int, int]]:
    """Start a process; give its number and its port."""
    program = "from penchant.cli import main; main()"
    with _running(
        [sys.executable, "-c", program, "serve", "--no-open", "--port", "0"],
        ["--data", url, "--proxy", "127.0.0.1"],
        stdout=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as process:
        assert process.stdout is not None
        words = process.stdout.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", words)
        if found is None:
            raise RuntimeError(f"penchant did not start: {words}")
        yield process.pid, int(found[1])


@contextmanager
def _nginx(folder: Path, ports: Sequence[int]) -> Iterator[int]:
    """Start nginx in front of the processes; give its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    text = Template((ROOT / "hosting" / "nginx.conf").read_text()).safe_substitute(
        PENCHANT_UPSTREAM="; server ".join(f"127.0.0.1:{each}" for each in ports),
        PENCHANT_LISTEN=f"127.0.0.1:{port}",
        PENCHANT_NAME="localhost",
    )
    text = re.sub(r".*ssl_certificate.*\n", "", text).replace(" ssl;", ";")
    text = text.replace("/penchant/ {", "/ {").replace("people 200;", "people 9999;")
    places = "".join(
        f"    {kind}_temp_path {folder / kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    head = f"pid {folder / 'nginx.pid'};\nerror_log {folder / 'error.log'};\n"
    user = "user root;\n" if os.geteuid() == 0 else ""
    config = folder / "nginx.conf"
    config.write_text(head + user + text.replace("http {\n", f"http {{\n{places}", 1))
    with _running([_nginx_program(), "-c", str(config), "-g", "daemon off;"], []):
        _wait_for(port)
        yield port


def _nginx_program() -> str:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise RuntimeError("nginx is not installed (Debian: nginx-light).")
    return program


def _wait_for(port: int) -> None:
    """Wait until penchant answers through nginx."""
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz"):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("nginx or penchant does not answer.")


@contextmanager
def _running(
    command: list[str], options: list[str], **how: object
) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([*command, *options], **how)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


if __name__ == "__main__":
    sys.exit(main())
