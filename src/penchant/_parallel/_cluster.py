"""A connection to a Dask cluster that fails early and survives lost workers."""

# mypy: allow-untyped-calls
# distributed declares itself typed, and most of its functions are not.

import asyncio
import shutil
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dask
from distributed import Client, KilledWorker
from distributed.client import FutureCancelledError
from distributed.comm.core import connect
from distributed.security import Security
from distributed.versions import VersionMismatchWarning
from joblib import parallel_config

from penchant.exceptions import ClusterError

# A scheduler passes messages on; workers also compute, so they need equal numerics.
_SCHEDULER_PACKAGES = ("python", "dask", "distributed")
_WORKER_PACKAGES = (
    *_SCHEDULER_PACKAGES,
    "cloudpickle",
    "joblib",
    "numpy",
    "penchant",
    "scikit-learn",
    "scipy",
)
# Data travel once inside a task (see _DurableClient); Dask would warn of its size.
_ONE_LARGE_TASK = {"distributed.admin.large-graph-warning-threshold": "1TB"}
# Seconds to wait for a scheduler that may be gone; Dask waits twice the timeout.
_GOODBYE = 5.0


@contextmanager
def on_cluster(
    address: str, *, timeout: float, package: Path | None = None
) -> Iterator[None]:
    """Send every joblib call in the block to the Dask scheduler at `address`."""
    client = _checked_client(address, timeout, package)
    try:
        with dask.config.set(_ONE_LARGE_TASK), parallel_config("dask", client=client):
            yield
    except (FutureCancelledError, KilledWorker) as error:
        raise ClusterError(
            f"The cluster at {address!r} lost work that it could not repeat "
            f"({_cause(error)}). Check that its scheduler and workers still run and "
            "have enough memory, then start again."
        ) from error
    finally:
        client.close(timeout=_GOODBYE)


class _DurableClient(Client):
    """A client whose data outlive the worker that holds them.

    joblib scatters large arguments to one worker; data placed so are lost with that
    worker, and all tasks that need them are cancelled. The result of a task can be
    computed again, and its input stays on the scheduler: so data become the result
    of a task that returns its argument.
    """

    async def scatter(self, data: Any, *_: Any, **__: Any) -> Any:
        return self.submit(_identity, data, pure=False)


def _identity(data: Any) -> Any:
    return data


def _checked_client(
    address: str, timeout: float, package: Path | None
) -> _DurableClient:
    """Connect, wait for a worker, compare versions; all within `timeout` seconds."""
    deadline = time.monotonic() + timeout

    def left() -> float:
        return max(deadline - time.monotonic(), 0.1)

    with _naming(address, "cannot be reached"):
        _shake_hands(address, left())
        client = _connect(address, left())
    try:
        with _naming(address, f"has no workers after {timeout:g} s"):
            client.wait_for_workers(1, timeout=left())
        with _naming(address, f"did not tell its versions within {timeout:g} s"):
            versions = client.sync(
                client._get_versions,
                packages=list(_WORKER_PACKAGES[1:]),
                callback_timeout=left(),
            )
        _check_versions(address, versions)
        if package is not None:
            with _naming(address, f"did not accept the package {package.name!r}"):
                _send_package(client, package)
    except BaseException:
        client.close(timeout=_GOODBYE)
        raise
    return client


def _shake_hands(address: str, timeout: float) -> None:
    """Open and close one connection, since `Client` waits for ever on a mute peer."""
    arguments = Security().get_connection_args("client")

    async def greet() -> None:
        # It must give up before we do, so that it tells what went wrong.
        comm = await connect(address, timeout=0.8 * timeout, **arguments)
        await comm.close()

    async def greet_in_time() -> None:
        await asyncio.wait_for(greet(), timeout)

    # A thread of its own: the caller may already be inside an event loop.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(greet_in_time())).result()


def _connect(address: str, timeout: float) -> _DurableClient:
    with warnings.catch_warnings():
        # `_check_versions` turns the same finding into an error.
        warnings.simplefilter("ignore", VersionMismatchWarning)
        return _DurableClient(address, timeout=timeout, set_as_default=False)


def _check_versions(address: str, versions: dict[str, Any]) -> None:
    """Raise when the scheduler or a worker runs other versions than this process."""
    ours = versions["client"]["packages"]
    differing = [
        f"{package} is {_short(package, theirs)} on {place} and "
        f"{_short(package, ours.get(package))} here"
        for place, packages, theirs_by_package in _places(versions)
        for package in packages
        if _short(package, theirs := theirs_by_package.get(package))
        != _short(package, ours.get(package))
    ]
    if differing:
        raise ClusterError(
            f"The cluster at {address!r} must run the same versions as this machine: "
            f"{'; '.join(differing)}. Install the same versions on both."
        )


def _places(
    versions: dict[str, Any],
) -> Iterator[tuple[str, tuple[str, ...], dict[str, str | None]]]:
    """Yield each place, the packages that matter there, and its versions."""
    yield "the scheduler", _SCHEDULER_PACKAGES, versions["scheduler"]["packages"]
    for address, answer in sorted(versions["workers"].items()):
        yield f"worker {address}", _WORKER_PACKAGES, answer["packages"]


def _short(package: str, version: str | None) -> str:
    """Drop what does not matter: code moves between patch releases of Python."""
    if version is None:
        return "missing"
    return ".".join(version.split(".")[:2]) if package == "python" else version


def _send_package(client: Client, package: Path) -> None:
    with TemporaryDirectory() as folder:
        archive = shutil.make_archive(
            str(Path(folder) / package.name), "zip", package.parent, package.name
        )
        client.upload_file(archive)


@contextmanager
def _naming(address: str, complaint: str) -> Iterator[None]:
    """Turn whatever goes wrong into a `ClusterError` that names address and cause."""
    try:
        yield
    except Exception as error:
        raise ClusterError(
            f"The cluster at {address!r} {complaint} ({_cause(error)}). Check the "
            "address and that `dask scheduler` and `dask worker` run there."
        ) from error


def _cause(error: BaseException) -> str:
    """Name the deepest cause that says something, in one line."""
    told = [error]
    while (deeper := told[-1].__cause__) is not None:
        told.append(deeper)
    for candidate in reversed(told):
        if text := " ".join(str(candidate).split()):
            return f"{type(candidate).__name__}: {text}"
    return "no answer in time"
