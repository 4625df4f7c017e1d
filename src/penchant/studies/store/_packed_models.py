"""Fitted models as bytes, which is how a store keeps them."""

import tempfile
from pathlib import Path
from typing import Any

from penchant.io import load, save

__all__ = ["pack_model", "unpack_model"]


def pack_model(model: Any) -> bytes:
    """Write a fitted model as bytes, without pickle."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        save(model, path)
        return path.read_bytes()


def unpack_model(body: bytes) -> Any:
    """Read a model that `pack_model` wrote."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        path.write_bytes(body)
        return load(path)
