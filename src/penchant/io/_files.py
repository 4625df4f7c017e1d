"""The model file: a zip that NumPy reads as .npz, with a member model.json.

The members ``*.npy`` hold the arrays; ``model.json`` holds everything else (see
`penchant.io._codec`) under a header with the format's name and version.
"""

import io
import json
import math
import os
import secrets
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

import penchant
from penchant.exceptions import DataError, FormatError
from penchant.io._classes import class_tag
from penchant.io._codec import PLAIN_KINDS, Decoder, Encoder

_FORMAT = "penchant-model"
_VERSION = 1
_TREE = "model.json"
# The same model gives the same bytes: no time of saving in the file.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile, zlib, json and NumPy raise on bytes that are not what they expect,
# and what constructors raise on values that were changed by hand.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save an estimator of penchant to one file.

    The file holds the constructor's parameters and what `fit` learned, as JSON and
    arrays. It contains no code and no pickle, so loading a file of unknown origin
    cannot run anything. ``numpy.load`` opens it too and shows the arrays. The file is
    written beside its destination and then moved there, so that an error leaves an
    existing file as it was.

    Parameters
    ----------
    model : estimator
        An estimator of penchant, fitted or not; attributes whose names end in an
        underscore are what it learned.
    path : str or path-like
        Where to write. An existing file is replaced.

    Raises
    ------
    DataError
        The model is not an estimator of penchant, or something in it has no form
        in a file (for instance a ``RandomState`` object as ``random_state``); the
        message names the attribute.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from penchant.io import load, save
    >>> from penchant.testing import LinearRanker
    >>> ranker = LinearRanker().fit([[[3.0], [1.0]], [[2.0], [4.0]]], [1, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(ranker, Path(folder) / "ranker.npz")
    ...     copy = load(Path(folder) / "ranker.npz")
    >>> bool(copy.utility([[5.0]]) == ranker.utility([[5.0]]))
    True
    """
    if not isinstance(model, BaseEstimator) or class_tag(type(model)) is None:
        raise DataError(
            "save needs an estimator of penchant, with a tag in penchant.io. "
            f"Got {type(model).__module__}.{type(model).__qualname__}."
        )
    encoder = Encoder()
    try:
        tree = encoder.estimator(model)
        text = json.dumps(
            {
                "format": _FORMAT,
                "version": _VERSION,
                "penchant": penchant.__version__,
                "model": tree,
            },
            allow_nan=False,
            indent=1,
        )
    except RecursionError as error:
        raise DataError(
            f"This {type(model).__qualname__} cannot be saved: one of its attributes "
            "contains itself or is nested too deeply."
        ) from error
    _write(Path(path), text, encoder.arrays)


def load(path: str | os.PathLike[str], *, max_bytes: int = 2**30) -> Any:
    """Load an estimator that `save` wrote.

    Its predictions are bit by bit those of the model that was saved, given the same
    versions of the numerical libraries. Only classes of penchant are created.

    Parameters
    ----------
    path : str or path-like
        The file.
    max_bytes : int, default=2**30
        Refuse files whose content would take more memory than this when unpacked.

    Returns
    -------
    estimator
        A new estimator of the class that was saved.

    Raises
    ------
    FormatError
        The file is foreign, damaged, too large, or written by a newer version.
    FileNotFoundError
        There is no such file.

    Examples
    --------
    See `save`.
    """
    with Path(path).open("rb") as file:
        try:
            return _read(file, max_bytes)
        except FormatError as error:
            raise FormatError(f"Cannot load {os.fspath(path)!r}: {error}.") from error
        except _DAMAGE as error:
            raise FormatError(
                f"Cannot load {os.fspath(path)!r}: the file is damaged "
                f"({type(error).__name__}: {error}). Save the model again."
            ) from error


def _write(path: Path, text: str, arrays: dict[str, npt.NDArray[Any]]) -> None:
    target = path.resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"save needs an existing folder. There is no {str(target.parent)!r}."
        )
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                _add(archive, _TREE, text.encode("ascii"))
                for name, array in arrays.items():
                    _add(archive, f"{name}.npy", _array_bytes(array))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, date_time=_EPOCH)
    info.external_attr = 0o644 << 16
    archive.writestr(info, data, compress_type=zipfile.ZIP_DEFLATED)


def _array_bytes(array: npt.NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def _read(file: Any, max_bytes: int) -> Any:
    if not zipfile.is_zipfile(file):
        raise FormatError("it is not a model of penchant, or its end is missing")
    with zipfile.ZipFile(file) as archive:
        _check_members(archive, max_bytes)
        tree = _read_tree(archive)
        names = set(archive.namelist())

        def read_array(name: str) -> npt.NDArray[Any]:
            member = f"{name}.npy"
            if member not in names:
                raise FormatError(f"the array {name!r} is missing")
            return _parse_array(archive.read(member), name)

        return Decoder(read_array).estimator(tree)


def _check_members(archive: zipfile.ZipFile, max_bytes: int) -> None:
    members = archive.infolist()
    if len({member.filename for member in members}) < len(members):
        raise FormatError("two of its members have the same name")
    if any(member.compress_type not in _METHODS for member in members):
        raise FormatError("it is compressed in a way that save does not use")
    # zipfile never unpacks more than a member declares.
    size = sum(member.file_size for member in members)
    if size > max_bytes:
        raise FormatError(
            f"it unpacks to {size} bytes and max_bytes is {max_bytes}. If you trust "
            "it, give a larger max_bytes"
        )


def _read_tree(archive: zipfile.ZipFile) -> dict[str, Any]:
    if _TREE not in archive.namelist():
        raise FormatError(f"it is not a model of penchant: it has no {_TREE}")
    tree = json.loads(archive.read(_TREE))
    if not isinstance(tree, dict) or tree.get("format") != _FORMAT:
        raise FormatError("it is not a model of penchant")
    version = tree.get("version")
    if type(version) is not int or version < 1:
        raise FormatError(f"its format version must be 1 or more, not {version!r}")
    if version > _VERSION:
        raise FormatError(
            f"it was saved by penchant {tree.get('penchant')} in format version "
            f"{version}; this is penchant {penchant.__version__}, which reads up to "
            f"version {_VERSION}. Update penchant"
        )
    return tree["model"]


def _parse_array(data: bytes, name: str) -> npt.NDArray[Any]:
    """Read a .npy member; its header must agree with its size before memory is used."""
    buffer = io.BytesIO(data)
    if np.lib.format.read_magic(buffer) != (1, 0):
        raise FormatError(f"the array {name!r} has an unknown version")
    shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(buffer)
    start = buffer.tell()
    if dtype.kind not in PLAIN_KINDS:
        raise FormatError(f"the array {name!r} has the dtype {dtype}")
    if start + math.prod(shape) * dtype.itemsize != len(data):
        raise FormatError(f"the array {name!r} does not have the size it declares")
    order: Literal["C", "F"] = "F" if fortran_order else "C"
    view = np.ndarray(shape, dtype, buffer=data, offset=start, order=order)
    return view.copy(order="K")
