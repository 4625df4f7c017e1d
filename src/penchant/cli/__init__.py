"""The `penchant` command."""

from penchant.cli._app import main

__all__ = ["main"]
