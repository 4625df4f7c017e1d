import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.studies import AnsweredQuestion, OpenQuestion, Progress, load_texts
from penchant.views._question import (
    QuestionView,
    because_view,
    question_cards,
    question_view,
)

TABLE = pd.DataFrame(
    {
        "rent": [780.0, 850.0, 900.0],
        "size": [0.3, 0.1, None],
        "noise": ["quiet", "quiet", "busy"],
        "view": ["sea", "sea", "yard"],
    },
    index=["Mill Lane 3", "Kiln Row 7", "High Street 1"],
)
ITEMS = Items.from_frame(
    TABLE, [Attribute("rent", direction="down", unit="EUR"), Attribute("size")]
)


def _view(
    items: tuple[int, ...] = (0, 1),
    form: str = "pair",
    *,
    repeat: bool = False,
    known: bool = True,
) -> QuestionView:
    question = OpenQuestion("q", form, items, 7, repeat)
    progress = Progress(7, 0.58, 0.2, 12.0, known, False, "", True)
    return question_view(ITEMS, question, progress, load_texts("en"))


def test_differences_are_said_in_words_and_units() -> None:
    first, second = _view().cards
    assert first.lines[0].difference == "70\u00a0EUR less"
    assert second.lines[0].difference == "70\u00a0EUR more"
    assert first.lines[1].difference == "0.2 more"
    assert [line.differs for line in first.lines] == [True, True, False, False]
    assert [card.letter for card in (first, second)] == ["A", "B"]


def test_what_is_not_known_has_no_difference() -> None:
    first, second = _view((0, 2)).cards
    assert second.lines[1].value == "unknown"
    assert first.lines[1].differs
    assert first.lines[1].difference == ""
    assert second.lines[2].difference == ""


def test_what_is_the_same_is_told_apart() -> None:
    assert [line.label for line in _view((0, 1)).same] == ["noise", "view"]
    assert _view((0, 2)).same == ()
    assert _view((0,), "rating").same == ()


def test_dates_are_earlier_or_later() -> None:
    table = pd.DataFrame({"ready": [19783.0, 19790.0]}, index=["a", "b"])
    items = Items.from_frame(table, [Attribute("ready", unit="date")])
    first, second = question_cards(items, (0, 1), load_texts("en"))
    assert (first.lines[0].value, first.lines[0].difference) == (
        "1 Mar 2024",
        "7 days earlier",
    )
    assert second.lines[0].difference == "7 days later"


@pytest.mark.parametrize(
    ("days", "language", "words"),
    [
        (60, "en", "60 days later"),
        (388, "en", "13 months later"),
        (4607, "de", "12,6 Jahre später"),
        (11688, "fr", "32 ans plus tard"),
    ],
)
def test_dates_far_apart_are_told_in_months_or_years(
    days: int, language: str, words: str
) -> None:
    table = pd.DataFrame({"ready": [10.0, 10.0 + days]}, index=["a", "b"])
    items = Items.from_frame(table, [Attribute("ready", unit="date")])
    cards = question_cards(items, (0, 1), load_texts(language))
    assert cards[1].lines[0].difference.replace("\xa0", " ") == words


def test_shares_differ_by_percentage_points() -> None:
    table = pd.DataFrame({"discount": [17.0, 16.0, 12.5]}, index=["a", "b", "c"])
    items = Items.from_frame(table, [Attribute("discount", unit="%")])
    first = question_cards(items, (0, 1), load_texts("en"))[0]
    assert first.lines[0].difference == "1 percentage point more"
    first = question_cards(items, (2, 0), load_texts("de"))[0]
    assert first.lines[0].difference == "4,5 Prozentpunkte weniger"


def test_differences_are_told_of_two_alternatives_only() -> None:
    cards = _view((0, 1, 2), "ranking").cards
    assert len(cards) == 3
    assert all(line.difference == "" for card in cards for line in card.lines)


def test_progress_in_words() -> None:
    view = _view()
    assert view.number == "Question 7."
    assert view.certainty == 58
    assert view.sentence == "58\u00a0% sure of a best alternative, or one as good."
    early = _view(known=False)
    assert early.sentence == "We are getting to know you."
    assert early.certainty == 0
    assert "seen this before" in _view(repeat=True).sentence


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("pair", "Which alternative do you prefer?"),
        ("best-worst", "Which alternative is best, which one is worst?"),
        ("rating", "How much do you like this alternative?"),
        ("ranking", "Put these alternatives in order, the best first"),
    ],
)
def test_every_form_has_its_question(form: str, words: str) -> None:
    assert _view((0, 1), form).title == words


def test_what_the_last_choice_can_have_been_for() -> None:
    told = AnsweredQuestion("q", "pair", (0, 2), "right", because="noise")
    offered = ("rent", "noise", "view")
    view = because_view(ITEMS, told, offered, load_texts("en"), "ab")
    assert view is not None
    assert view.sentence == "You chose High Street 1. Mainly because of:"
    assert [(each.attribute, each.key) for each in view.reasons] == [
        (0, "a"),
        (2, "b"),
        (3, ""),
    ]
    assert [each.label for each in view.reasons if each.chosen] == ["noise"]
    tie = AnsweredQuestion("q", "pair", (0, 2), "tie")
    assert because_view(ITEMS, tie, (), load_texts("en")) is None
