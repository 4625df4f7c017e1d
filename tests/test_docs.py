import doctest
import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import penchant
from penchant.testing import LinearRanker

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPT = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if BLOCK.search(page.read_text())]


def test_there_are_pages_with_sessions():
    assert PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_sessions_in_page_are_true(page, monkeypatch):
    # The sessions of a page continue each other, as a reader would type them.
    text = page.read_text(encoding="utf-8")
    session = "\n".join(BLOCK.findall(text))
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    report: list[str] = []
    failed, tried = doctest.DocTestRunner(optionflags=FLAGS).run(
        test, out=report.append, clear_globs=False
    )
    assert tried > 0
    assert failed == 0, "".join(report)
    if scripts := SCRIPT.findall(text):
        _lend(test.globs, monkeypatch)
    for script in scripts:
        exec(compile(script, str(page), "exec"), test.globs)


def _lend(names, monkeypatch):
    """Lend a page what stands for something of the reader: a cluster, a table."""
    distributed = pytest.importorskip("distributed")
    array = importlib.import_module("dask.array")

    class Client(distributed.Client):
        def __init__(self, address):
            super().__init__(processes=False, n_workers=1, dashboard_address=None)

    monkeypatch.setattr(distributed, "Client", Client)
    table = np.random.default_rng(0).uniform(size=(200, 3))
    monkeypatch.setattr(
        array, "from_zarr", lambda name, chunks: array.from_array(table, chunks)
    )
    names |= {"y": table.sum(axis=1), "MyRanker": LinearRanker}


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
    drawing = _module(DOCS / "images" / "draw_estimators.py")
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


def _module(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


claims = _module(DOCS / "claims.py")


def _paragraphs(text: str) -> list[str]:
    """Split prose, tables and lists; no code."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.split(r"\n\s*\n|\n(?=\| |- )", prose)


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=lambda claim: claim.says[:50])
def test_a_claim_says_what_was_stored_and_links_to_it(claim):
    text = (ROOT / claim.page).read_text(encoding="utf-8")
    assert claim.mend(text) == text, "run python docs/claims.py"
    (paragraph,) = [each for each in _paragraphs(text) if claim.find(each)]
    links = LINK.findall(paragraph)
    for file in claim.files:
        path = Path(file.path)
        shown = {path.stem, path.parent.parent.name}  # a table, or its paper
        assert file.path in paragraph or any(
            link.partition("#")[2] in shown or path.name in link for link in links
        ), (file.path, links)


# Pages of definitions, and pages that a test compares with the results they come from.
OTHER_PAGES = {"methods", "glossary", "benchmarks", "strong", "truth", "reproduced"}
CLAIMED = re.compile(
    r"\d ?%|\b\d+ (?:out )?of \d|\d (?:ms|MB|CPU s)\b|\d s o[fn]|standard errors on"
    r"|times (?:as|faster|slower)|simulated (?:people|groups).* \d|(?<!\w)\.\d"
    r"|\d\S* (?:people|tables|data sets)\b|\b(?:better|worse|ahead|behind) on \d"
    r"|on (?:two|three|four|five|six|seven|eight|nine|ten|nearly all|most) (?:of|tables"
    r"|data sets|tasks)",
    re.DOTALL,
)
# What has a number but measures nothing: limits, levels of ranges, examples.
NO_CLAIM = (
    "**A question for you.**",
    "90 % range",
    "(50 % would be chance)",
    "95 % sure",
    'a wrong "80 % sure" would hurt',
    '"17 came as predicted, and we had expected',
    "tables may have 10 MB",
    "that is 4 MB",
    "their correlation is .9",
)


@pytest.mark.parametrize(
    "sentence",
    [
        "It was right for 95 % of them.",
        "The best was found for 80 of 100 people.",
        "An answer takes 5 ms.",
        "It is ten times faster.",
        "It predicts .93 of the answers.",
        "Of simulated people, half are done after 7.",
    ],
)
def test_a_claim_is_recognised(sentence):
    assert CLAIMED.search(sentence)
    assert not any(claim.find(sentence) for claim in claims.CLAIMS)


@pytest.mark.parametrize("page", READ, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_number_is_claimed_that_is_not_listed(page):
    if page.stem in OTHER_PAGES:
        return
    text = page.read_text(encoding="utf-8")
    known = [c for c in claims.CLAIMS if ROOT / c.page == page]
    unknown = [
        paragraph
        for paragraph in _paragraphs(text)
        if CLAIMED.search(re.sub(r"`[^`]*`|\]\([^)]*\)", "", paragraph))
        and not any(phrase in paragraph for phrase in NO_CLAIM)
        and not any(claim.find(paragraph) for claim in known)
    ]
    assert unknown == [], "list it in docs/claims.py, or reword it"


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
