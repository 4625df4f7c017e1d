"""What simulations depend on, so that they are kept on disk no longer than right."""

from functools import cache
from hashlib import sha256
from pathlib import Path

import penchant

__all__ = ["code_state"]

_SOURCES = ("elicitation/**/*.py", "gp/**/*.py")
_HERE = ("_asking.py", "_methods.py", "_people.py")


@cache
def code_state() -> str:
    """Return a hash of the code that asks, learns and infers, as it is at the start."""
    library, here = Path(penchant.__file__).parent, Path(__file__).parent
    paths = [path for pattern in _SOURCES for path in sorted(library.glob(pattern))]
    digest = sha256()
    for path in (*paths, *(here / name for name in _HERE)):
        digest.update(path.read_bytes())
    return digest.hexdigest()
