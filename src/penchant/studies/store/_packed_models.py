"""Fitted models as bytes, which is how a store keeps them."""

import io
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Final

from penchant.exceptions import FormatError
from penchant.gp import PopulationGP
from penchant.io import load, save

_MAX_BYTES: Final = 2**27
"""After unpacking; a covariance of 2,000 items has 32 MB."""

_DEEPEST: Final = 50
"""Brackets within brackets in what describes a model; ours have fewer than 20."""

_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])')


def pack_model(model: Any) -> bytes:
    """Write a fitted model as bytes, without pickle."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        save(model, path)
        return path.read_bytes()


def load_packed(body: bytes) -> Any:
    """Read a model that `pack_model` wrote.

    Raises
    ------
    FormatError
        If it is damaged, something else, too large when unpacked, or nested so deeply
        that no model of ours can be it.
    """
    _check_depth(body)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        path.write_bytes(body)
        try:
            model = load(path, max_bytes=_MAX_BYTES)
        except FormatError as error:
            # Not where it lay for a moment, but why.
            raise FormatError(f"The model cannot be read: {error.__cause__}.") from None
    return model


def unpack_model(body: bytes) -> PopulationGP:
    """Read a population that `pack_model` wrote, or raise a FormatError."""
    model = load_packed(body)
    if not isinstance(model, PopulationGP):
        raise FormatError(
            f"The model must be a PopulationGP. Got a {type(model).__name__}."
        )
    return model


def _check_depth(body: bytes) -> None:
    """Refuse what would take a parser to its limits."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            if archive.getinfo("model.json").file_size > _MAX_BYTES:
                return  # `load` says so
            text = archive.read("model.json")
    except (zipfile.BadZipFile, LookupError, RuntimeError, ValueError, EOFError):
        return  # the same
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth += bool(bracket[1]) - bool(bracket[2])
        if depth > _DEEPEST:
            raise FormatError(
                f"The model is nested more than {_DEEPEST} levels deep, which none "
                "of ours is."
            )
