"""Write one page per public package, so that new public names appear by themselves."""

import importlib
import pkgutil
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import penchant

_LEFT_OUT = ("cli", "views")  # the guide describes the commands and pages
_FACADES = ("models", "solvers")
_PAGE = """\
{title}
{line}

.. automodule:: {module}
   :no-members:

.. currentmodule:: {module}

.. autosummary::
   :toctree: ../names
   :nosignatures:

{names}
"""


def public_packages() -> list[ModuleType]:
    """Import the public parts of penchant that export something."""
    found = sorted(part.name for part in pkgutil.iter_modules(penchant.__path__))
    modules = [
        importlib.import_module(f"penchant.{name}")
        for name in found
        if not name.startswith("_") and name not in _LEFT_OUT
    ]
    return [module for module in modules if documented_names(module)]


def documented_names(module: ModuleType) -> list[str]:
    """List classes and functions; aliases of types have nothing to document.

    What a facade offers is described there, and all else where it lives.
    """
    names, home = set(getattr(module, "__all__", ())), "penchant"
    if module.__name__.removeprefix("penchant.") not in _FACADES:
        home = module.__name__
        for facade in _FACADES:
            names -= set(importlib.import_module(f"penchant.{facade}").__all__)
    return sorted(name for name in names if _is_ours(getattr(module, name), home))


def write_pages(folder: Path) -> None:
    """Replace the generated pages."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "packages").mkdir(parents=True)
    for module in public_packages():
        title = module.__name__
        names = "\n".join(f"   {name}" for name in documented_names(module))
        page = _PAGE.format(
            title=title, line="=" * len(title), module=title, names=names
        )
        (folder / "packages" / f"{title}.rst").write_text(page, encoding="utf-8")


def _is_ours(value: Any, home: str = "penchant") -> bool:
    return f"{getattr(value, '__module__', '')}.".startswith(f"{home}.")


def _skip(_app: Any, _what: str, _name: str, value: Any, skip: bool, _: Any) -> bool:
    """Leave out members that scikit-learn or Python brings, such as set_fit_request."""
    function = getattr(value, "fget", None) or getattr(value, "__func__", value)
    return skip or (callable(function) and not _is_ours(function))


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    write_pages(Path(app.srcdir) / "api" / "generated")
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
