"""What packages offer, what they keep to themselves, and what they offered before."""

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import penchant

ROOT = Path(penchant.__file__).parent
OFFERED_BEFORE = json.loads(
    (Path(__file__).parent / "golden" / "names-0.1.0.json").read_text(encoding="utf-8")
)
FACADES = ("penchant.models", "penchant.solvers")
# Taken away on purpose; each has a line in the changelog.
GONE = {
    "AnovaEvidence",
    "AnovaEvidenceResult",
    "FactorTerm",
    "Forecast",
    "PersonalUtility",
    "SPLIT_SHARE",
    "Sushi",
    "SupportVectorProblem",
    "SupportVectors",
    "TiltedMoments",
    "data_folder",
    "encode_poker",
    "make_poker",
    "plot_pixel_rules",
    "read_csv",
    "read_sushi",
    "regret_matching",
}


def packages(path=None, prefix="penchant."):
    """Name all public packages and modules, rooms within rooms included."""
    for found in pkgutil.iter_modules(path or penchant.__path__, prefix):
        if not found.name.rsplit(".", 1)[1].startswith("_"):
            yield found.name
            if found.ispkg:
                below = importlib.import_module(found.name).__path__
                yield from packages(below, f"{found.name}.")


@pytest.mark.parametrize("name", sorted(packages()))
def test_all_is_complete(name):
    module = importlib.import_module(name)
    listed = list(getattr(module, "__all__", []))
    public = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and is_ours(value, name)
    }
    assert name in FACADES or public <= set(listed), "offered, but not in __all__"
    assert all(hasattr(module, key) for key in listed), "listed but not there"


def is_ours(value, name):
    """Tell a class or function of penchant from a module or a foreign import."""
    home = getattr(value, "__module__", "")
    return isinstance(home, str) and home.startswith(name)


@pytest.mark.parametrize("package", sorted(OFFERED_BEFORE))
def test_names_of_the_first_version_can_still_be_imported(package):
    module = importlib.import_module(package)
    names = [name for name in OFFERED_BEFORE[package] if name not in GONE]
    assert [name for name in names if not hasattr(module, name)] == []


@pytest.mark.parametrize("name", FACADES)
def test_a_facade_tells_its_names_and_knows_no_others(name):
    module = importlib.import_module(name)
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = module.Nothing


@pytest.mark.parametrize(
    "path", sorted(ROOT.rglob("*/__init__.py")), ids=lambda path: path.parent.name
)
def test_init_files_hold_imports_only(path):
    body = ast.parse(path.read_text(encoding="utf-8")).body
    kinds = {type(node) for node in body}
    assert kinds <= {ast.Expr, ast.Import, ast.ImportFrom, ast.Assign}
    targets = [node.targets[0].id for node in body if isinstance(node, ast.Assign)]
    assert targets in ([], ["__all__"])


def test_no_package_reaches_into_the_private_modules_of_another():
    reached = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in ROOT.rglob("*.py")
        for target in imported(path)
        if is_private(target) and room(target) != path.relative_to(ROOT).parts[0]
    ]
    assert reached == []


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def room(target):
    return target.split(".")[1]


def is_private(target):
    """Tell a name in a private module of a room: penchant.gai._fit.fit, say."""
    parts = target.split(".")
    return parts[0] == "penchant" and any(p.startswith("_") for p in parts[2:-1])


def test_rooms_are_there_as_soon_as_the_package_is():
    script = (
        "import sys, penchant\n"
        "assert not any(name.startswith('penchant.gai') for name in sys.modules)\n"
        "assert {'models', 'elicitation', '__version__'} <= set(dir(penchant))\n"
        "penchant.models.GAIRegressor\n"
        "penchant.exceptions.DataError\n"
        "slow = {'rich', 'sklearn.svm', 'sklearn.metrics', 'sklearn.linear_model'}\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = penchant.nothing


def test_every_room_is_offered_by_the_package():
    rooms = {found.name for found in pkgutil.iter_modules(penchant.__path__)}
    hidden = {"cli", "texts", "views", "web"}  # the app, not the library
    assert {room for room in rooms if room[0] != "_"} - hidden == set(penchant.__all__)
