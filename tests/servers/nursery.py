"""Real servers that start at once; a script that the tests run.

    python nursery.py

For every line ``URL<tab>LOG`` on its input it starts `penchant serve` on that database,
on a free port, in a process of its own, and prints the number of the process. What the
server says goes to the file LOG. It is the whole server; only the imports, and what is
compiled, are there already.
"""

import os
import signal
import sys

import uvicorn  # noqa: F401 - so that the servers need not import it

from penchant.cli._app import app
from penchant.studies import warm_up
from penchant.web import create_app  # noqa: F401 - as above


def serve(url: str, log: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor in (1, 2):
        os.dup2(target, descriptor)
    app(["serve", "--no-open", "--port", "0", "--data", url])


def main() -> None:
    warm_up()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead need no burial
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            serve(*line.rstrip("\n").split("\t"))
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
