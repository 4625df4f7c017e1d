"""A whole site under load: nginx, two processes of penchant, PostgreSQL.

    python -m benchmarks.site --people 800

starts all parts on free ports of this machine with `hosting/nginx.conf` (without https
and path, and with one address for everybody), lets people join, think 3 s on average
over every question, answer until the study is sure of their best item, and look at
their result; then it ends all parts. It prints errors, waits from an answer to the page
with the next question, and the CPU time of each part per answer. PostgreSQL and nginx
must be installed (Debian: postgresql, nginx-light). The people take CPU time, too: with
two cores they and the site share them.
"""

import argparse
import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from string import Template

import numpy as np
import psutil

from benchmarks import bench_load
from benchmarks._crowd import Participant
from penchant.studies import SqlStore, check_store
from tests.postgres import Postgres

ROOT = Path(__file__).resolve().parents[1]
N_PROCESSES = 2
GOAL = 8.0
"""Milliseconds of CPU time per answer, of all processes of penchant together."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it, and return 1 if anything went wrong for anybody."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.site")
    parser.add_argument("--people", type=int, default=800)
    parser.add_argument("--items", type=int, default=bench_load.N_ITEMS)
    parser.add_argument("--arrive", type=float, default=20.0, help="seconds")
    options = parser.parse_args(arguments)
    # All parts are ended, however this ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        url = stack.enter_context(_postgres(folder / "database"))
        store = stack.enter_context(SqlStore(url))
        study, utilities = bench_load.make_study(store, options.items)
        servers = [
            stack.enter_context(_penchant(url, folder / str(number)))
            for number in range(N_PROCESSES)
        ]
        port = stack.enter_context(_nginx(folder, [port for _, port in servers]))
        bench_load.ARRIVE = options.arrive
        before, began = _seconds(servers), time.perf_counter()
        people = asyncio.run(
            bench_load.crowd(
                bench_load.Server(port), study.id, utilities, options.people, 0.0
            )
        )
        passed, spent = time.perf_counter() - began, _seconds(servers) - before
        problems = check_store(store).problems
        n_kept = sum(e.kind == "answered" for e in store.study_events(study.id))
    n_said = sum(len(person.acknowledged) for person in people)
    faults = [fault for person in people for fault in person.faults]
    _tell(people, passed, spent)
    print(f"errors {len(faults)} {faults[:2]}, kept {n_kept}")
    print(f"problems {len(problems)} {problems[:2]}")
    return 1 if faults or problems or n_kept < n_said else 0


def _tell(people: Sequence[Participant], passed: float, spent: np.ndarray) -> None:
    waits = np.array([wait for person in people for wait in person.waits])
    n_answers = sum(len(person.acknowledged) for person in people)
    per_answer = 1000 * spent / n_answers
    print(
        f"{len(people)} people, {n_answers} answers in {passed:.0f} s; wait "
        f"p50 {np.median(waits):.3f} s, p95 {np.quantile(waits, 0.95):.3f} s, "
        f"largest {waits.max():.3f} s; CPU per answer: penchant {per_answer[0]:.1f} ms "
        f"(goal {GOAL:g}), fits {per_answer[1]:.1f} ms, all with PostgreSQL and nginx "
        f"{per_answer[2]:.1f} ms; load {os.getloadavg()[0]:.1f}"
    )


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
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    server = Postgres(places[-1], folder)
    try:
        yield from server.databases()
    finally:
        server.stop()


@contextmanager
def _penchant(url: str, folder: Path) -> Iterator[tuple[int, int]]:
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
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise RuntimeError("nginx is not installed (Debian: nginx-light).")
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
    with _running([program, "-c", str(config), "-g", "daemon off;"], []):
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
            except OSError:
                time.sleep(0.05)
            else:
                break
        yield port


@contextmanager
def _running(
    command: list[str], options: list[str], **how: object
) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([*command, *options], **how)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


if __name__ == "__main__":
    sys.exit(main())
