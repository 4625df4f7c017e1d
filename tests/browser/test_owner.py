"""Whole journeys of an owner in a real browser."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from penchant.cli import _serve
from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study
from penchant.web import create_app, hash_password
from penchant.web.security._limiter import Limiter
from tests.browser.conftest import SIZES, Watched, serving

Opened = Callable[..., Any]
Made = Callable[..., Study]

FLATS = load_flats().take(range(10))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "our_flats.csv"
    frame = FLATS.frame.copy()
    frame.insert(0, "name", FLATS.names)
    frame.to_csv(path, index=False)
    return path


def _upload(page: Any, address: str, table: Path) -> None:
    page.goto(f"{address}/")
    page.locator("#table").set_input_files(table)
    page.get_by_role("button", name="Check the columns").click()


def _number(page: Any) -> int:
    found = re.search(r"Question (\d+)", page.locator(".progress").inner_text())
    assert found is not None
    return int(found[1])


def _download(page: Any, name: str) -> bytes:
    with page.expect_download() as waiting:
        page.locator(f'a[href$="{name}"]').click()
    return Path(waiting.value.path()).read_bytes()


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def test_from_a_table_to_the_result_of_a_group(
    address: str, open_page: Opened, table: Path
) -> None:
    watched, guest = open_page(), open_page("phone")
    page, theirs = watched.page, guest.page
    _upload(page, address, table)
    page.get_by_label("Name of the study").fill("Our next flat")
    page.get_by_label("One of them is").fill("flat")
    page.get_by_label("Several are").fill("flats")
    page.get_by_role("button", name="Save and continue").last.click()
    page.get_by_role("heading", name="The flats").wait_for()
    study_path = page.url
    page.get_by_role("link", name="Group result", exact=True).click()
    page.get_by_role("heading", name="Nobody has answered yet").wait_for()
    page.goto(study_path)

    theirs.goto(page.get_by_label("Link for everybody you invite").input_value())
    theirs.get_by_label("Your name").fill("Ada")
    theirs.get_by_role("button", name="Start").click()
    theirs.wait_for_url("**/p/*")
    link = theirs.url
    for number in range(1, 5):
        theirs.locator(".progress", has_text=f"Question {number}.").wait_for()
        theirs.get_by_role("button", name="Choose A").click()
    theirs.locator(".progress", has_text="Question 5.").wait_for()
    theirs.get_by_role("button", name="Undo").click()
    theirs.locator(".progress", has_text="Question 4.").wait_for()
    theirs.goto("about:blank")
    guest.faults.clear()
    theirs.goto(link)
    assert _number(theirs) == 4
    progress = theirs.locator(".progress").inner_text()
    assert "sure of a best flat, or one as good" in progress
    theirs.get_by_role("button", name="Show my result now").click()
    theirs.wait_for_url("**/result")
    theirs.locator("#ranking-fold > summary").click()
    theirs.locator("#ranking a").nth(1).click()
    theirs.get_by_role("link", name="Compare with your best match").click()
    theirs.get_by_text("What would change the choice?").wait_for()
    theirs.goto(f"{link}/result")
    own = _rows(_download(theirs, "/export/answers.csv"))
    assert [row["answer"] for row in own] == ["left"] * 3
    mine = _rows(_download(theirs, "/export/ranking.csv"))
    assert {row["name"] for row in mine} == set(FLATS.names)

    page.goto(study_path)
    page.get_by_text("Ada").wait_for()
    page.get_by_role("link", name="Group result", exact=True).click()
    title = page.get_by_role("heading", level=1).inner_text()
    # three answers of one person put nothing clearly in front
    assert title == "Nothing is clearly in front for the whole group"
    exported = json.loads(_download(page, "study.json"))
    assert exported["items"]["names"] == list(FLATS.names)
    assert exported["settings"]["nouns"] == {"en": ["flat", "flats"]}
    answers = _rows(_download(page, "answers.csv"))
    assert {row["label"] for row in answers} == {"Ada"}
    assert len(answers) == 3
    ranking = _rows(_download(page, "/export/ranking.csv"))
    assert {row["alternative"] for row in ranking} == set(FLATS.names)
    assert b"<svg" in _download(page, "charts/ranking.svg")
    assert _download(page, "charts/curves.png").startswith(b"\x89PNG")
    notebook = json.loads(_download(page, "notebook.ipynb"))
    assert notebook["nbformat"] == 4

    page.goto(study_path)
    page.get_by_role("link", name="Settings").click()
    page.get_by_text("Set the numbers myself").first.click()
    page.locator("details > summary", has_text="Set the numbers myself").click()
    page.get_by_label("Most questions per person").fill("7")
    page.get_by_label("One (Français)").fill("appartement")
    page.get_by_label("Several (Français)").fill("appartements")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Français").click()
    page.get_by_role("heading", name="Les appartements").wait_for()
    assert watched.faults == []
    assert guest.faults == []


def test_everything_works_without_scripts(
    address: str, open_page: Opened, table: Path
) -> None:
    page = open_page("phone", scripts=False).page
    _upload(page, address, table)
    page.get_by_role("button", name="Save and continue").last.click()
    page.wait_for_url("**/studies/*")
    study_path = page.url
    page.get_by_text("Make personal links").click()
    page.get_by_label("Name or initials").fill("Bob")
    page.get_by_role("button", name="Make the link").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.goto(link)
    for number in (2, 3):
        page.get_by_role("button", name="Choose B").click()
        page.locator(".progress", has_text=f"Question {number}.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.locator(".progress", has_text="Question 2.").wait_for()
    page.goto(f"{study_path}/group")
    page.locator("#curves-fold > summary").click()
    assert page.locator(".curve").count() == len(FLATS.attributes)
    page.goto(study_path)
    page.get_by_label("More about Bob").click()
    page.get_by_role("link", name="Remove Bob").click()
    page.get_by_role("button", name="Remove the participant").click()
    page.get_by_text("Nobody has joined yet.").wait_for()
    page.goto(link)
    page.get_by_role("heading", name="This link does not work").wait_for()


@pytest.fixture(scope="module")
def login_address(store: SqlStore) -> Iterator[str]:
    """Where owners must log in: ada, who has a study, and an admin."""
    ada = store.add_owner("ada", hash_password("correct horse"), "analyst")
    store.add_owner("bob", hash_password("correct horse"), "analyst")
    store.add_owner("root", hash_password("correct horse"), "admin")
    store.create_study("Flats of Ada", FLATS, owner=ada)
    app = create_app(store, login=True)
    app.state.access.by_name = Limiter(2, 900.0)
    with serving(app) as found:
        yield found


def _log_in(page: Any, name: str, password: str = "correct horse") -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def test_owners_see_what_is_theirs(chromium: Any, login_address: str, axe: str) -> None:
    context = chromium.new_context(locale="en-GB")
    watched = Watched(context.new_page(), login_address)
    page, wrong = watched.page, {}
    page.goto(f"{login_address}/")
    wrong["login"] = watched.look_all(axe)
    _log_in(page, "ada", "wrong horse")
    page.get_by_text("The name or the password is wrong.").wait_for()
    wrong["refused"] = watched.look_all(axe)
    _log_in(page, "ada")
    page.get_by_role("link", name="Flats of Ada").click()
    page.get_by_role("heading", name="Flats of Ada").wait_for()
    path = page.url
    page.get_by_role("button", name="Log out ada").click()
    _log_in(page, "bob")
    page.get_by_role("button", name="Log out bob").wait_for()
    assert page.get_by_text("Flats of Ada").count() == 0
    page.goto(path)
    page.get_by_role("heading", name="Nothing is here").wait_for()
    page.goto(f"{login_address}/")
    page.get_by_role("button", name="Log out bob").click()
    _log_in(page, "root")
    page.goto(path)
    page.get_by_role("heading", name="Flats of Ada").wait_for()
    page.get_by_role("button", name="Log out root").click()
    refused = page.get_by_role("heading", name="Too many attempts")
    while not refused.count():  # the pause grows until this is too fast
        with page.expect_navigation():
            _log_in(page, "eve", "guess")
    wrong["429"] = watched.look_all(axe)
    assert {state: found for state, found in wrong.items() if found} == {}
    context.close()


def test_local_app_opens_with_its_link_only(
    chromium: Any, store: SqlStore, axe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = chromium.new_context(locale="en-GB")
    with serving(create_app(store, secret="a-secret-word")) as address:
        watched = Watched(context.new_page(), address)
        page = watched.page
        page.goto(f"{address}/")
        page.get_by_role("heading", name="This app is private").wait_for()
        assert watched.look_all(axe) == []
        # As the command opens it: by a file that leads on.
        monkeypatch.setattr("webbrowser.open", page.goto)
        monkeypatch.setattr(_serve, "_READ_IN", 0.0)
        _serve._open(f"{address}/?token=a-secret-word")
        page.wait_for_url(f"{address}/")
        page.get_by_role("heading", name="Decide, and know why").wait_for()
        page.reload()
        page.get_by_role("button", name="Check the columns").wait_for()
    context.close()


@pytest.fixture(scope="module")
def group(make_study: Made) -> Study:
    """Give a study that eight people of two kinds have answered."""
    study = make_study(max_questions=5)
    for number in range(8):
        person, _ = study.join(f"Person {number}", simulated=number > 5)
        wanted = study.items.frame["price" if number % 2 else "size"]
        while (question := study.ask(person.id)) is not None:
            left, right = question.items
            first = (wanted[left] < wanted[right]) == bool(number % 2)
            study.tell(person.id, question.id, "left" if first else "right")
    study.group_models()
    return study


@pytest.mark.slow
def test_every_page_of_an_owner_can_be_read_by_everybody(
    address: str, open_page: Opened, make_study: Made, group: Study, axe: str
) -> None:
    own, empty = f"/studies/{group.id}", f"/studies/{make_study().id}"
    person = group.store.list_participants(group.id)[0].id
    paths = {
        "home": "/",
        "study": f"{own}?simulated=1",
        "new study": empty,
        "group": own + "/group",
        "empty group": empty + "/group",
        "model": own + "/model",
        "report": own + "/report",
        "empty report": empty + "/report",
        "settings": own + "/settings",
        "delete": own + "/delete",
        "remove": f"{own}/participants/{person}/remove",
        "404": "/nowhere",
        "409": empty + "/charts/ranking.svg",
        "422": own + "?people=99",
        "lost link": "/p/nobody",
        "lost invitation": "/s/nowhere/join",
    }
    watched = open_page()
    wrong = {}
    for state, path in paths.items():
        watched.page.goto(address + path)
        wrong[state] = watched.look_all(axe)
        watched.faults.clear()
    assert {state: found for state, found in wrong.items() if found} == {}


@pytest.mark.slow
def test_what_goes_wrong_can_be_read_by_everybody(
    address: str, open_page: Opened, make_study: Made, table: Path, axe: str
) -> None:
    watched = open_page(scripts=True)
    page, wrong = watched.page, {}
    bad = table.with_name("bad.csv")
    bad.write_text("just one line\n", encoding="utf-8")
    _upload(page, address, bad)
    wrong["bad upload"] = watched.look_all(axe)
    _upload(page, address, table)
    wrong["columns"] = watched.look_all(axe)
    page.reload()  # what lies open covers the button
    page.locator("#role-1").select_option("name")
    page.get_by_label("One of them is").fill("flat")
    page.get_by_role("button", name="Save and continue").last.click()
    page.locator(".alert").first.wait_for()
    wrong["columns to correct"] = watched.look_all(axe)
    study = make_study()
    page.goto(f"{address}/studies/{study.id}/settings")
    page.get_by_label("One (English)").fill("flat")
    page.get_by_role("button", name="Save").click()
    page.locator(".alert").wait_for()
    wrong["settings to correct"] = watched.look_all(axe)
    person, token = study.join("Ada")
    page.goto(f"{address}/p/{token}")
    question = study.ask(person.id)
    assert question is not None
    study.tell(person.id, question.id, "right")
    page.get_by_role("button", name="Choose A").click()
    page.locator(".alert").wait_for()
    wrong["answer refused"] = watched.look_all(axe)
    page.goto(f"{address}/p/{token}/withdraw")
    wrong["withdraw"] = watched.look_all(axe)
    page.get_by_role("button", name="Delete my answers").click()
    page.get_by_role("heading", name="Your answers are deleted").wait_for()
    wrong["withdrawn"] = watched.look_all(axe)
    page.goto(f"{address}/s/{make_study(open=False).id}/join")
    wrong["closed"] = watched.look_all(axe)
    assert {state: found for state, found in wrong.items() if found} == {}


CUT = """() => [...document.querySelectorAll("main *")].filter((e) => {
    const box = e.getBoundingClientRect();
    const wide = box.right > document.documentElement.clientWidth + 1;
    const tall = e.matches("li, tr, .curve") && box.height > 400;
    return box.width && !e.closest("svg svg, details:not(.fold)") && (wide || tall);
}).map((e) => e.outerHTML.slice(0, 80))"""
"""What does not fit a printed page: too wide, or one thing too tall."""


@pytest.mark.parametrize("size", SIZES)
def test_a_template_becomes_a_study(address: str, open_page: Opened, size: str) -> None:
    page = open_page(size).page
    page.goto(address)
    page.get_by_role("button", name="Make a study: Holiday for all of us").click()
    page.get_by_role("heading", name="Holiday for all of us").wait_for()
    with page.expect_download() as table:
        page.goto(address)
        page.get_by_role("link", name="Table (CSV): What to build next").click()
    assert table.value.suggested_filename == "features.csv"


@pytest.mark.parametrize("size", SIZES)
def test_what_would_change_the_first_place_and_the_workbook(
    address: str, open_page: Opened, group: Study, size: str
) -> None:
    page = open_page(size).page
    page.goto(f"{address}/studies/{group.id}/group")
    page.get_by_role("heading", name="What would have to change").click()
    found = group.group().another_winner
    assert found is not None
    assert page.get_by_text("Counted with the points that people have now").is_visible()
    with page.expect_download() as book:
        page.get_by_role("link", name="Workbook (XLSX)").click()
    assert book.value.suggested_filename.endswith(".xlsx")


def test_one_page_holds_everything_for_print(
    address: str, open_page: Opened, group: Study
) -> None:
    page = open_page().page
    page.goto(f"{address}/studies/{group.id}/report")
    page.emulate_media(media="print")
    assert page.locator("nav").first.is_hidden()
    headings = page.locator("h2").all_inner_texts()
    for words in ("Other ways to count", "The rules of the whole group"):
        assert words in headings
    assert page.locator(".curve").count() >= len(group.items.attributes)
    for size, width in (("A4", 680), ("Letter", 702)):  # px between the margins
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(CUT) == []
        pdf = page.pdf(format=size, print_background=True)
        assert 3 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 12
    page.set_viewport_size({"width": 1280, "height": 900})
    report = _download_report(page, address, group)
    page.set_content(report.decode())
    inside = page.locator("h2").all_inner_texts()
    assert [each.strip() for each in inside] == [h.strip() for h in headings[:-1]]


def _download_report(page: Any, address: str, study: Study) -> bytes:
    found = page.request.get(f"{address}/studies/{study.id}/export/report.html")
    content: bytes = found.body()
    assert b"http" not in re.sub(rb"http-equiv", b"", content)
    return content


@pytest.mark.parametrize("scripts", [True, False])
def test_the_page_that_is_shown_is_named_in_view_on_a_phone(
    address: str, open_page: Opened, make_study: Callable[..., Study], scripts: bool
) -> None:
    page = open_page("phone", scripts=scripts).page
    page.goto(f"{address}/studies/{make_study().id}/settings")
    here = page.locator(".pages [aria-current]").bounding_box()
    assert here["x"] >= 0
    assert here["x"] + here["width"] <= 375
    assert not scripts or page.evaluate("scrollY") == 0
