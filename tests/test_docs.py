import doctest
import importlib.util
import re
from pathlib import Path

import pytest

import penchant

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if BLOCK.search(page.read_text())]


def test_there_are_pages_with_sessions():
    assert PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_sessions_in_page_are_true(page):
    # The sessions of a page continue each other, as a reader would type them.
    session = "\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    report: list[str] = []
    failed, tried = doctest.DocTestRunner(optionflags=FLAGS).run(
        test, out=report.append
    )
    assert tried > 0
    assert failed == 0, "".join(report)


def test_every_formula_that_docstrings_cite_is_on_the_page():
    label = re.compile(r"\b(?:GAI|CH|PRL|GP|EX|GR)-\d+")
    source = DOCS.parent / "src"
    cited = {
        found
        for module in source.rglob("*.py")
        for found in label.findall(module.read_text(encoding="utf-8"))
    }
    page = (DOCS / "methods.md").read_text(encoding="utf-8")
    numbered = {
        found
        for heading in re.findall(r"\*\*([^*]+)\*\*", page)
        for found in label.findall(heading)
    }
    assert len(cited) > 40
    assert cited - numbered == set()


def test_which_estimator_names_them_all():
    page = (DOCS / "guide" / "choosing.md").read_text(encoding="utf-8")
    spec = importlib.util.spec_from_file_location(
        "draw_estimators", DOCS / "images" / "draw_estimators.py"
    )
    drawing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawing)
    drawn = {name.replace("\n", "") for *_, names in drawing.ROWS for name in names}

    kinds = ("Regressor", "Classifier", "Ranker", "CV", "SVC", "SVR", "PopulationGP")
    known = {name for name in penchant.models.__all__ if name.endswith(kinds)}
    assert drawn - {""} <= known
    assert {name for name in known - drawn if f"`{name}`" not in page} == set()
