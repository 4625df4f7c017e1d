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


ROOT = DOCS.parent
LINK = re.compile(r"(?<!\\)\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^```\{include\} (\S+)\n```$", re.MULTILINE)
BUILT = ("gallery/", "api/generated/")  # Sphinx makes these
READ = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def _text(page: Path) -> str:
    """Give a page with what it includes."""
    text = page.read_text(encoding="utf-8")
    return INCLUDE.sub(lambda found: _text(page.parent / found[1]), text)


def _anchors(page: Path) -> set[str]:
    """Name the headings of a page as GitHub and MyST do, and its own labels."""
    text = _text(page)
    named = re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    seen: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-")
        seen[plain] = seen.get(plain, -1) + 1
        named.append(f"{plain}-{seen[plain]}" if seen[plain] else plain)
    return set(named)


def _links(page: Path) -> list[str]:
    """Give the links of a page that point into the project."""
    found = LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return [each for each in found if not re.match(r"[a-z]+:", each)]


@pytest.mark.parametrize("page", READ, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    wrong = []
    for link in _links(page):
        path, _, anchor = link.partition("#")
        target = DOCS / path[1:] if path.startswith("/") else page.parent / path
        target = target.resolve() if path else page
        if any(built in path for built in BUILT):
            continue
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            wrong.append(link)
    assert wrong == []


def test_numbers_in_the_readme_point_to_what_was_measured():
    # A paragraph that speaks of simulated people or of shares links to stored figures.
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    claims = [
        paragraph
        for paragraph in re.split(r"\n\s*\n", prose)
        if re.search(r"\d %|\bof \d{3,}\b|times (?:faster|slower)", paragraph)
    ]
    measured = ("experiments/README.md#", "docs/benchmarks.md", "docs/truth.md")
    assert claims
    assert [c for c in claims if not any(place in c for place in measured)] == []


def test_the_course_has_ten_pages_that_teach():
    pages = sorted((DOCS / "course").glob("[0-9]*.md"))
    assert len(pages) == 10
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "After this page you " in text, page
        assert "**A question for you.**" in text, page
        assert "<summary>Answer</summary>" in text, page
        assert "## What can go wrong" in text, page
        assert "../images/" in text or "{{ picture" in text, page
        assert page in PAGES, page


def test_a_first_result_is_at_most_four_clicks_away():
    # index, a way in, and there are the commands
    ways = {"course/02_decision.md", "guide/ratings.md", "getting_started.md"}
    assert ways <= set(_links(DOCS / "index.md"))


def test_every_picture_is_shown():
    shown = "".join(page.read_text(encoding="utf-8") for page in READ)
    shown += (DOCS / "conf.py").read_text(encoding="utf-8")
    drawn = [
        p.name for p in (DOCS / "images").iterdir() if p.suffix in (".svg", ".png")
    ]
    assert [name for name in drawn if name not in shown] == []
