"""Say on what a number was measured, without naming the machine or its owner."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from penchant import __version__

__all__ = ["machine_line", "versions"]


def machine_line() -> str:
    """Return processor, cores, system and Python in one line."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}"
    )


def versions(*extra: str) -> dict[str, str]:
    """Return the versions of the libraries that numbers depend on."""
    names = ["numpy", "scipy", "scikit-learn", "pandas", "numba", *extra]
    return {"penchant": __version__} | {name: _version(name) for name in names}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    """Name the processor model, which only Linux keeps in a file."""
    table = Path("/proc/cpuinfo")
    lines = table.read_text().splitlines() if table.exists() else []
    models = [line.split(":", 1)[1] for line in lines if line.startswith("model name")]
    name = models[0] if models else platform.processor() or platform.machine()
    return " ".join(name.split())
