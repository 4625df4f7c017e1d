"""Turn values into a JSON tree plus named arrays, and back.

JSON's own null, booleans, integers, finite floats, strings and lists stand for
themselves. Everything else is an object with the tag ``"$"``:

==========  ==============================================================
tag         meaning
==========  ==============================================================
float       ``value`` is "nan", "inf" or "-inf"
scalar      NumPy scalar: ``dtype`` and ``value``
tuple       ``items``; likewise set and frozenset (sorted by their JSON)
dict        ``items`` is a list of [key, value]
array       ``name`` of the member ``<name>.npy``
objects     array of Python objects: ``shape`` and ``items`` in C order
dataclass   ``class`` and ``fields``
estimator   ``class``, ``params`` and ``learned``
==========  ==============================================================

A ``class`` is written as its tag, see `penchant.io._classes`.
"""

import dataclasses
import inspect
import json
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NoReturn

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from penchant.exceptions import DataError, FormatError
from penchant.io._classes import class_tag, find_class, learned_names

AnyArray = npt.NDArray[Any]

# Kinds of dtype that NumPy writes without pickle and that have no fields:
# booleans, integers, floats, complex numbers, times, bytes and strings.
PLAIN_KINDS = frozenset("biufcmMSU")
_TAG = "$"
_UNTOUCHED = (type(None), bool, int, str)
_COLLECTIONS: dict[str, type] = {"tuple": tuple, "set": set, "frozenset": frozenset}
_GENERATORS = (np.random.RandomState, np.random.Generator)


class Encoder:
    """Encode values and collect their arrays.

    Attributes
    ----------
    arrays : dict of str to ndarray
        The arrays met so far, named after the place where they stood, such as
        ``"coef_"`` or ``"params.domain.0"``.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, AnyArray] = {}

    def encode(self, value: Any, place: str) -> Any:
        """Give the JSON form of a value that stands at a place in the model."""
        if type(value) in _UNTOUCHED:
            return value
        method = self._methods.get(type(value))
        if method is not None:
            return method(self, value, place)
        if isinstance(value, np.generic):
            return self._scalar(value, place)
        if class_tag(type(value)) is not None:
            if isinstance(value, BaseEstimator):
                return self.estimator(value, place)
            return self._dataclass(value, place)
        return _refuse(value, place)

    def estimator(self, model: Any, place: str = "") -> dict[str, Any]:
        """Encode the parameters and the learned attributes of an estimator."""
        cls = type(model)
        inner = f"{place}." if place else ""
        params = model.get_params(deep=False)
        if "callback" in params:
            params["callback"] = None  # who watched the fit is no part of the model
        return {
            _TAG: "estimator",
            "class": class_tag(cls),
            "params": {
                name: self.encode(value, f"{inner}params.{name}")
                for name, value in params.items()
            },
            "learned": {
                name: self.encode(getattr(model, name), f"{inner}{name}")
                for name in learned_names(vars(model))
            },
        }

    def _all(self, values: Iterable[Any], place: str) -> list[Any]:
        return [self.encode(v, f"{place}.{i}") for i, v in enumerate(values)]

    def _float(self, value: float, place: str) -> Any:
        if np.isfinite(value):
            return value
        return {_TAG: "float", "value": str(value)}

    def _scalar(self, value: np.generic, place: str) -> Any:
        if isinstance(value, np.str_):
            return str(value)
        item = value.item()
        if type(item) not in (bool, int, float):
            _refuse(value, place)
        return {
            _TAG: "scalar",
            "dtype": value.dtype.name,
            "value": self.encode(item, place),
        }

    def _collection(self, value: Any, place: str) -> Any:
        items = self._all(value, place)
        if not isinstance(value, tuple):
            # Sorted, because the order of a set of strings differs between processes.
            items.sort(key=json.dumps)
        return {_TAG: type(value).__name__, "items": items}

    def _dict(self, value: dict[Any, Any], place: str) -> Any:
        pairs = [
            [self.encode(k, f"{place}.{i}.key"), self.encode(v, f"{place}.{i}.value")]
            for i, (k, v) in enumerate(value.items())
        ]
        return {_TAG: "dict", "items": pairs}

    def _array(self, value: AnyArray, place: str) -> Any:
        if value.dtype == object:
            items = self._all(value.ravel().tolist(), place)
            return {_TAG: "objects", "shape": list(value.shape), "items": items}
        if value.dtype.kind not in PLAIN_KINDS:
            raise DataError(
                f"{place!r} holds an array of dtype {value.dtype}, which cannot be "
                "saved. Keep the fields of structured arrays in separate arrays."
            )
        self.arrays[place] = np.asarray(value)
        return {_TAG: "array", "name": place}

    def _dataclass(self, value: Any, place: str) -> Any:
        # Fields without init are derived: the constructor makes them again.
        return {
            _TAG: "dataclass",
            "class": class_tag(type(value)),
            "fields": {
                field.name: self.encode(
                    getattr(value, field.name), f"{place}.{field.name}"
                )
                for field in dataclasses.fields(value)
                if field.init
            },
        }

    _methods: ClassVar[dict[type, Callable[["Encoder", Any, str], Any]]] = {
        float: _float,
        list: _all,
        **dict.fromkeys(_COLLECTIONS.values(), _collection),
        dict: _dict,
        np.ndarray: _array,
        np.memmap: _array,
    }


class Decoder:
    """Decode what an `Encoder` wrote.

    Parameters
    ----------
    read_array : callable
        Gives the array of a name.
    """

    def __init__(self, read_array: Callable[[str], AnyArray]) -> None:
        self._read_array = read_array

    def decode(self, node: Any) -> Any:
        """Give the value of a JSON node."""
        if isinstance(node, list):
            return [self.decode(child) for child in node]
        if not isinstance(node, dict):
            return node
        tag = node.get(_TAG)
        method = self._methods.get(tag) if isinstance(tag, str) else None
        if method is None:
            raise FormatError(f"model.json holds an unknown kind of value, {tag!r}")
        return method(self, node)

    def estimator(self, node: dict[str, Any]) -> Any:
        """Build an estimator and give it back what it had learned."""
        cls = find_class(node["class"])
        if not issubclass(cls, BaseEstimator):
            raise FormatError(f"the file names {node['class']} as an estimator")
        _check_known(node["params"], inspect.signature(cls).parameters, cls)
        _check_known(node["learned"], learned_names(node["learned"]), cls)
        model = cls(**self._values(node["params"]))
        for name, value in self._values(node["learned"]).items():
            setattr(model, name, value)
        return model

    def _values(self, nodes: dict[str, Any]) -> dict[str, Any]:
        return {name: self.decode(child) for name, child in nodes.items()}

    def _float(self, node: dict[str, Any]) -> float:
        return float(node["value"])

    def _scalar(self, node: dict[str, Any]) -> Any:
        dtype = np.dtype(node["dtype"])
        if dtype.kind not in "biuf":
            raise FormatError(f"model.json holds a scalar of dtype {dtype}")
        return dtype.type(self.decode(node["value"]))

    def _collection(self, node: dict[str, Any]) -> Any:
        return _COLLECTIONS[node[_TAG]](self.decode(node["items"]))

    def _dict(self, node: dict[str, Any]) -> dict[Any, Any]:
        return {self.decode(key): self.decode(value) for key, value in node["items"]}

    def _array(self, node: dict[str, Any]) -> AnyArray:
        return self._read_array(node["name"])

    def _objects(self, node: dict[str, Any]) -> AnyArray:
        items = np.empty(len(node["items"]), dtype=object)
        for i, child in enumerate(node["items"]):
            items[i] = self.decode(child)
        return items.reshape(node["shape"])

    def _dataclass(self, node: dict[str, Any]) -> Any:
        cls = find_class(node["class"])
        _check_known(node["fields"], inspect.signature(cls).parameters, cls)
        return cls(**self._values(node["fields"]))

    _methods: ClassVar[dict[str, Callable[["Decoder", dict[str, Any]], Any]]] = {
        "float": _float,
        "scalar": _scalar,
        **dict.fromkeys(_COLLECTIONS, _collection),
        "dict": _dict,
        "array": _array,
        "objects": _objects,
        "dataclass": _dataclass,
        "estimator": estimator,
    }


def _refuse(value: object, place: str) -> NoReturn:
    cls = type(value)
    if isinstance(value, _GENERATORS):
        advice = "Use an integer or None as the random state of a model to be saved."
    else:
        advice = (
            "Models are saved without pickle: use numbers, strings, None, arrays, "
            "lists, tuples, dicts, sets, or dataclasses and estimators of penchant "
            "with a tag in penchant.io."
        )
    raise DataError(
        f"{place!r} holds a {cls.__module__}.{cls.__qualname__}, which cannot be "
        f"saved. {advice}"
    )


def _check_known(given: Iterable[str], known: Iterable[str], cls: type) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise FormatError(
            f"the file gives {', '.join(unknown)} to {cls.__qualname__}, which does "
            "not have that in this version of penchant"
        )
