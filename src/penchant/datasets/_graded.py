"""Tables for regression and classification: from a package or from a file."""

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from penchant.exceptions import DataError, MissingExtraError

_VARIABLE = "PENCHANT_DATA"
_REPOSITORY = Path(__file__).resolve().parents[3]


def load_esl() -> Bunch:
    """Load "employee selection": 488 candidates, 4 test scores, a grade 1 to 9.

    All attributes are graded, larger is better. Needs ``penchant[data]``.

    Returns
    -------
    Bunch
        ``data``, DataFrame of shape (488, 4); ``target``, Series of grades;
        ``feature_names``; ``target_names``; ``frame``: both together; ``DESCR``.

    References
    ----------
    Ben-David, "Automatic generation of symbolic multiattribute ordinal
    knowledge-based DSSs", Decision Sciences 23(6), 1992.

    Examples
    --------
    >>> from penchant.datasets import load_esl
    >>> load_esl().data.shape
    (488, 4)
    """
    return _load_ordinal("esl")


def load_lev() -> Bunch:
    """Load "lecturers evaluation": 1000 lectures, 4 scores, a grade 1 to 5.

    All attributes are graded, larger is better. Needs ``penchant[data]``.

    Returns
    -------
    Bunch
        As `load_esl`; ``data`` has shape (1000, 4).

    Examples
    --------
    >>> from penchant.datasets import load_lev
    >>> int(load_lev().target.max())
    5
    """
    return _load_ordinal("lev")


def load_era() -> Bunch:
    """Load "employee rejection/acceptance": 1000 candidates, a grade 1 to 9.

    The four attributes are graded, larger is better. Needs ``penchant[data]``.

    Returns
    -------
    Bunch
        As `load_esl`; ``data`` has shape (1000, 4).

    Examples
    --------
    >>> from penchant.datasets import load_era
    >>> len(load_era().data.drop_duplicates())
    44
    """
    return _load_ordinal("era")


def load_swd() -> Bunch:
    """Load "social workers' decisions": 1000 cases, 10 scores, a grade 1 to 4.

    All attributes are graded, larger is better. Needs ``penchant[data]``.

    Returns
    -------
    Bunch
        As `load_esl`; ``data`` has shape (1000, 10).

    Examples
    --------
    >>> from penchant.datasets import load_swd
    >>> load_swd().data.shape
    (1000, 10)
    """
    return _load_ordinal("swd")


def _load_ordinal(name: str) -> Bunch:
    try:
        package = import_module("skordinal.datasets")
    except ModuleNotFoundError:
        raise MissingExtraError("skordinal", "data") from None
    source = getattr(package, f"load_{name}")(as_frame=True)
    # skordinal counts classes from 0; target_names holds the grades themselves
    grades = source.target_names[source.target].astype(np.int64)
    frame = source.data.assign(out=grades)
    return _bunch(
        frame, "out", target_names=list(source.target_names), DESCR=source.DESCR
    )


def data_folder() -> Path:
    """Find the folder with data for experiments, which is not part of penchant.

    Returns
    -------
    Path
        The folder that the environment variable PENCHANT_DATA names, else
        ``../shared/data`` beside the repository.

    Raises
    ------
    DataError
        If there is no such folder.
    """
    named = os.environ.get(_VARIABLE)
    folder = Path(named) if named else _REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        raise DataError(
            f"The data for experiments must be in a folder; {folder} is none. "
            f"Set the environment variable {_VARIABLE} to the folder that has them."
        )
    return folder


def read_csv(name: str | Path, *, target: str, drop: Sequence[str] = ()) -> Bunch:
    r"""Read a table for regression or classification.

    Parameters
    ----------
    name : str or Path
        A CSV file (also gzipped), or the name of one in `data_folder`, with or
        without ``.csv`` or ``.csv.gz``, such as ``"regression/cpu"``.
    target : str
        The column to predict.
    drop : sequence of str
        Columns to leave out, such as identifiers.

    Returns
    -------
    Bunch
        ``data``, DataFrame of shape (n_samples, n_features); ``target``, Series of
        shape (n_samples,); ``feature_names``; ``frame``: both together.

    Raises
    ------
    DataError
        If there is no such file or no such column.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> from penchant.datasets import read_csv
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "cars.csv"
    ...     _ = path.write_text("name,power,price\na,50,9.5\nb,70,12\n")
    ...     cars = read_csv(path, target="price", drop=["name"])
    >>> cars.feature_names, cars.target.tolist()
    (['power'], [9.5, 12.0])
    """
    path = _find(name)
    try:
        frame = pd.read_csv(path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        raise DataError(f"{path} is not a CSV table in UTF-8: {error}") from error
    unknown = [column for column in (target, *drop) if column not in frame]
    if unknown:
        raise DataError(
            f"{path.name} has no column {unknown[0]!r}. "
            f"Its columns are: {', '.join(map(str, frame.columns))}."
        )
    return _bunch(frame.drop(columns=list(drop)), target)


def _find(name: str | Path) -> Path:
    if Path(name).is_file():
        return Path(name)
    folder = data_folder()
    for suffix in ("", ".csv", ".csv.gz"):
        path = folder / f"{name}{suffix}"
        if path.is_file():
            return path
    raise DataError(
        f"There is no file {str(name)!r}, nor {name}, {name}.csv or {name}.csv.gz in "
        f"{folder}. Give a path, or set {_VARIABLE} to the folder that has it."
    )


def _bunch(frame: pd.DataFrame, target: str, **more: object) -> Bunch:
    data = frame.drop(columns=target)
    return Bunch(
        data=data,
        target=frame[target],
        feature_names=[str(column) for column in data.columns],
        frame=frame,
        **more,
    )
