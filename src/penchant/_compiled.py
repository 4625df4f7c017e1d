"""Loops that Numba compiles at their first call, which is also when it is imported."""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["compiled"]


class _Compiled:
    """A function as `numba.njit` gives it, made when it is called or needed by others.

    To import Numba takes a sixth as long as NumPy, SciPy, scikit-learn and pandas
    together, and most models never call what it compiles.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self._function, self._options = function, options

    @cached_property
    def _dispatcher(self) -> Any:
        from numba import njit

        return njit(**self._options)(self._function)

    @property
    def _numba_type_(self) -> Any:
        # Numba asks for this where compiled code calls the function.
        return self._dispatcher._numba_type_

    def __reduce__(self) -> str:  # pickled by its name, as functions are
        return self._function.__qualname__

    def __call__(self, *values: Any) -> Any:
        # From the second call on it is the compiled function that is called.
        direct = {"__call__": staticmethod(self._dispatcher)}
        self.__class__ = type("_Called", (_Compiled,), direct)
        return self._dispatcher(*values)


def compiled(**options: Any) -> Callable[[Function], Function]:
    """Compile a function when it is first called; options as of `numba.njit`."""

    def decorate(function: Function) -> Function:
        return cast(Function, _Compiled(function, options))

    return decorate
