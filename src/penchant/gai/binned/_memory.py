"""Refuse work that would not fit into memory, before it starts."""

import os

from penchant.exceptions import DataError

__all__ = ["check_memory"]

_SHARE = 0.8


def check_memory(need: float, what: str, advice: str) -> None:
    """Raise if work needs more bytes than most of this machine's memory."""
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need > _SHARE * have:
        raise DataError(
            f"{what} needs about {need / 2**30:.0f} GB, and there are "
            f"{have / 2**30:.0f} GB. Use {advice}."
        )
