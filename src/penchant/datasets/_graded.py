"""Graded tables from an installed package."""

from importlib import import_module

import numpy as np
from sklearn.utils import Bunch

from penchant.exceptions import MissingExtraError


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
    return Bunch(
        data=source.data,
        target=frame["out"],
        feature_names=[str(column) for column in source.data.columns],
        target_names=list(source.target_names),
        frame=frame,
        DESCR=source.DESCR,
    )
