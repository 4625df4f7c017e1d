"""Journeys with questions about people, consent in Markdown, and thanks."""

from collections.abc import Callable
from typing import Any

import pytest

from penchant.studies import OwnTexts, PersonQuestion, SqlStore, Study
from penchant.texts import load_texts

Opened = Callable[..., Any]
Made = Callable[..., Study]

CONSENT = "We keep:\n\n- your **answers**\n- your name, if you give one"
TEXTS = (
    OwnTexts(
        "fr",
        "Bienvenue à **tous** !",
        "Nous gardons :\n\n- vos **réponses**\n- votre nom, si vous le donnez",
        "Merci de votre participation.",
    ),
    OwnTexts(
        "de",
        "Willkommen, **alle** zusammen!",
        "Wir behalten:\n\n- Ihre **Antworten**\n- Ihren Namen, falls Sie ihn nennen",
        "Danke fürs Mitmachen.",
    ),
)
HOME = PersonQuestion(
    "household",
    "choice",
    required=True,
    options=("alone", "couple", "family"),
    wording=(
        ("en", "Who will live in the flat?"),
        ("fr", "Qui va y vivre ?"),
        ("de", "Wer wird in der Wohnung wohnen?"),
    ),
    option_words=(
        ("fr", ("une personne", "un couple", "une famille")),
        ("de", ("eine Person", "ein Paar", "eine Familie")),
    ),
)
ABOUT = (
    HOME,
    PersonQuestion("age", "number", wording=(("en", "How old are you?"),)),
    PersonQuestion(
        "travel", "choices", options=("on foot", "bicycle", "bus or train", "car")
    ),
    PersonQuestion(
        "remark",
        "text",
        "after",
        wording=(
            ("en", "Anything else?"),
            ("fr", "Autre chose ?"),
            ("de", "Noch was?"),
        ),
    ),
)
WORDS = {
    "en": ("family", "Anything else?", "Thank you"),
    "fr": ("une famille", "Autre chose ?", "Merci de votre participation."),
    "de": ("eine Familie", "Noch was?", "Danke fürs Mitmachen."),
}


@pytest.fixture
def study(make_study: Made) -> Study:
    return make_study(
        max_questions=2,
        intro="Welcome, **everybody**!",
        consent=CONSENT,
        thanks="Thank you",
        texts=TEXTS,
        about=ABOUT,
    )


@pytest.mark.parametrize(
    ("language", "size", "scripts"),
    [("en", "desktop", True), ("fr", "phone", False), ("de", "phone", True)],
)
def test_consent_then_name_then_questions_before_and_after(
    address: str,
    open_page: Opened,
    store: SqlStore,
    study: Study,
    axe: str,
    language: str,
    size: str,
    scripts: bool,
) -> None:
    watched = open_page(size, scripts=scripts)
    page = watched.page
    family, remark, thanks = WORDS[language]
    t = load_texts(language)
    agree, go_on = t("consent.agree"), t("about.go_on")
    wrong: list[str] = []

    def look() -> None:
        if scripts:
            every = language == "en"
            wrong.extend(watched.look_all(axe) if every else watched.look(axe))

    page.goto(f"{address}/s/{study.id}/join")
    if language != "en":
        page.get_by_role("button", name=t("language.name")).click()
    assert page.locator(".written li strong").count() == 1
    assert page.locator("[name=label]").count() == 0
    look()
    page.get_by_role("button", name=agree).click()
    page.locator("[name=label]").fill("Ada")
    page.get_by_role("button", name=go_on).click()
    assert page.locator("[aria-describedby=about-1-error]").count() == 1  # it is needed
    assert page.locator("[name=label]").input_value() == "Ada"
    look()
    page.get_by_role("radio", name=family).check()
    page.locator("[name=about-age]").fill("42")
    page.get_by_role("checkbox").nth(1).check()
    page.get_by_role("button", name=go_on).click()
    page.wait_for_url("**/p/*")
    for following in (
        f"strong:text-is('{t('question.number', number=2)}')",
        "textarea",
    ):
        page.locator(".answer button, button[name=answer]").first.click()
        page.locator(following).wait_for()
    page.get_by_label(remark).fill("No.")
    look()
    page.get_by_role("button", name=go_on).click()
    page.wait_for_url("**/result")
    assert page.get_by_text(thanks, exact=True).is_visible()
    look()
    assert wrong + watched.faults == []
    (person,) = store.list_participants(study.id)
    assert person.label == "Ada"
    about = dict(study.participation(person.id).about)
    said = {"household": "family", "age": 42, "travel": ("bicycle",), "remark": "No."}
    assert about == said


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_owner_defines_questions_about_people(
    address: str,
    open_page: Opened,
    store: SqlStore,
    make_study: Made,
    axe: str,
    size: str,
) -> None:
    study = make_study(about=ABOUT[:1])
    watched = open_page(size, scripts=False)
    page = watched.page
    page.goto(f"{address}/studies/{study.id}/settings")
    page.get_by_role("link", name="Questions about people").click()
    page.locator("#wording-2-en").fill("How many rooms do you need?")
    page.locator("#kind-2").select_option("number")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("How many rooms do you need?").wait_for()
    asked = store.get_study(study.id).settings.about
    assert [each.name for each in asked] == ["household", "How many rooms do you need?"]
    assert asked[0] == HOME
    page.get_by_text("Who will live in the flat?").click()
    page.locator("[name=remove-1]").check()
    page.get_by_role("button", name="Save").click()
    assert len(store.get_study(study.id).settings.about) == 1
    seen = open_page(size)
    seen.page.goto(f"{address}/studies/{study.id}/questions")
    assert seen.look_all(axe) + watched.faults == []
