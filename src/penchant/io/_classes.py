"""Names of the classes that a model file may hold, and the way back from a name."""

import dataclasses
import importlib
import re
import sys

from sklearn.base import BaseEstimator

from penchant.exceptions import FormatError

__all__ = ["class_name", "find_class", "is_ours", "learned_names"]

# Models consist of classes from these parts. Classes that open files or connections
# live elsewhere, and a file that names one of those gets no further than its name.
_PARTS = (
    "data|kernels|encoding|utility|gai|choquet|rules|gp|metrics|models|solvers|"
    "elicitation|explanation|testing"
)
_NAME = re.compile(rf"penchant\.({_PARTS})(\.(?!__)[A-Za-z_]\w*)+", re.ASCII)
_ALWAYS_LEARNED = ("n_features_in_", "feature_names_in_", "attributes_in_")


def is_ours(cls: type) -> bool:
    """Tell whether a class is a dataclass or an estimator that penchant defines."""
    defined_here = _NAME.fullmatch(f"{cls.__module__}.{cls.__name__}") is not None
    known_kind = dataclasses.is_dataclass(cls) or issubclass(cls, BaseEstimator)
    return defined_here and known_kind


def class_name(cls: type) -> str | None:
    """Give the shortest dotted name that leads to a class of ours, None without one.

    Public names win over those of private modules, so that files survive when a
    class moves from one private module to another.
    """
    parts = cls.__module__.split(".")
    for length in range(2, len(parts) + 1):  # from "penchant.models" on
        module = ".".join(parts[:length])
        if getattr(sys.modules.get(module), cls.__qualname__, None) is cls:
            return f"{module}.{cls.__qualname__}"
    return None


def find_class(name: str) -> type:
    """Find a class of ours by its dotted name; nothing outside penchant is imported."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise FormatError(_unknown(name))
    module, _, attribute = name.rpartition(".")
    try:
        cls = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise FormatError(_unknown(name)) from error
    if not isinstance(cls, type) or not is_ours(cls):
        raise FormatError(_unknown(name))
    return cls


def learned_names(cls: type) -> tuple[str, ...]:
    """Name the attributes that are saved beside the constructor's parameters."""
    declared: tuple[str, ...] = getattr(cls, "_learned", ())
    return tuple(dict.fromkeys((*_ALWAYS_LEARNED, *declared)))


def _unknown(name: object) -> str:
    return (
        f"the file names the class {name!r}, which is no estimator or dataclass of "
        "this version of penchant. Load it with the version that saved it"
    )
