"""What a package offers is what its `__all__` lists (ruff keeps it sorted)."""

import importlib
import pkgutil
from pathlib import Path

import pytest

import penchant

ROOT = Path(penchant.__file__).parent
PACKAGES = sorted(
    module.name
    for module in pkgutil.iter_modules(penchant.__path__, "penchant.")
    if not module.name.rsplit(".", 1)[1].startswith("_")
)


@pytest.mark.parametrize("name", PACKAGES)
def test_all_is_complete(name):
    module = importlib.import_module(name)
    listed = list(getattr(module, "__all__", []))
    public = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and is_ours(value, name)
    }
    assert public <= set(listed), "offered without being listed in __all__"
    assert all(hasattr(module, key) for key in listed), "listed but not there"


def is_ours(value, name):
    """Tell a class or function of penchant from a module or a foreign import."""
    home = getattr(value, "__module__", "")
    return isinstance(home, str) and home.startswith(name)


@pytest.mark.parametrize(
    "path", sorted(ROOT.rglob("*/__init__.py")), ids=lambda path: path.parent.name
)
def test_init_files_hold_imports_only(path):
    import ast

    body = ast.parse(path.read_text(encoding="utf-8")).body
    kinds = {type(node) for node in body}
    assert kinds <= {ast.Expr, ast.Import, ast.ImportFrom, ast.Assign}
    targets = [node.targets[0].id for node in body if isinstance(node, ast.Assign)]
    assert targets in ([], ["__all__"])
