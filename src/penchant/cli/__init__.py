"""The `penchant` command."""

from penchant.cli._main import main

__all__ = ["main"]
