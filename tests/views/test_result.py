from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from penchant.datasets import load_flats, make_flats_population
from penchant.elicitation import MainReason
from penchant.explanation import AnswerSupport
from penchant.studies import (
    LANGUAGES,
    AnsweredQuestion,
    Contradiction,
    Curve,
    Participation,
    Parts,
    Progress,
    RankedItem,
    load_texts,
)
from penchant.views import View
from penchant.views._answers import answers_view
from penchant.views._curves import counts_view
from penchant.views._result import _SAID, best_view, reasons_view, sample_view

FLATS = load_flats()
TEXTS = load_texts("en")
TOLD = AnsweredQuestion("q", "pair", (0, 1), "left")
BEST = RankedItem(3, FLATS.names[3], 1, 100.0, 90.0, 110.0, 0.59)
NEXT = RankedItem(5, FLATS.names[5], 2, 80.0, 70.0, 90.0, 0.2)
NOW = Participation(40, answered=(TOLD,))


def study_that(**known: Any) -> Any:
    """Make a study of the flats of which something is believed."""
    fits = SimpleNamespace(n_allowed=len(FLATS))
    known |= {"noticed": lambda _: 2.2, "what_fits": lambda _: fits}
    return SimpleNamespace(items=FLATS, **known)


def show(
    certainty: float = 0.59,
    *,
    finished: str = "",
    known: bool = True,
    n_others: int = 1,
) -> View:
    """Show a best flat of which something is believed."""
    study = study_that(
        participation=lambda _: replace(NOW, finished=finished),
        progress=lambda *_: Progress(2, certainty, 0.3, 7.4, known, False, "", True),
    )
    ranking = [replace(BEST, probability_best=certainty), *[NEXT] * n_others]
    return best_view(study, "p", ranking, TEXTS)


def test_the_answer_comes_first_with_labelled_values() -> None:
    view = show(0.91)
    assert view.lead == "Your best match out of 40 alternatives"
    assert view.title == view.name == FLATS.names[3]
    assert [fact.label for fact in view.facts] == [a.name for a in FLATS.attributes]
    assert view.sure == "Very likely: 91\u00a0%"
    assert view.certainty == 91
    assert view.chance_of == (
        f"The chance that {FLATS.names[3]} is the best for you, or as good as the "
        "best (within 2 points), after one answer."
    )
    assert view.loss == (
        "If another one is better, you lose about 7 points, probably less."
    )
    assert view.state.startswith("These are first results")
    assert view.can_undo


@pytest.mark.parametrize(
    ("certainty", "words"),
    [
        (0.97, "Almost certainly: 97\u00a0%"),
        (0.8, "Very likely: 80\u00a0%"),
        (0.6, "Probably: 60\u00a0%"),
        (0.59, "Not decided yet: 59\u00a0%"),
    ],
)
def test_words_are_as_sure_as_numbers(certainty: float, words: str) -> None:
    assert show(certainty).sure == words


def test_an_open_result_names_the_tier() -> None:
    view = show(0.59)
    assert view.title == "Not decided yet: 2 alternatives are in front"
    assert view.facts == ()


def test_a_tier_of_nearly_all_says_nothing_so_who_leads_is_named() -> None:
    assert show(n_others=9).title == "Not decided yet: 10 alternatives are in front"
    view = show(n_others=10)
    assert view.title.startswith(f"Not decided yet: {FLATS.names[3]} leads, but")


def test_before_three_answers_no_number_is_told() -> None:
    view = show(0.9, known=False)
    assert (view.certainty, view.chance_of, view.loss) == (None, "", "")
    assert (view.title, view.sure) == ("Too early to say", "Not known yet")


def reasons(
    names: tuple[str, ...], low: float = 5.0, *, against: float = -3.0
) -> tuple[View, ...]:
    """Say what speaks for and against, where points have some ranges."""
    points = np.array([10.0, 8.0])
    found = Parts(("price", "size"), points, points - low, points + 9, 40.0, 77.0, 1.0)
    rival = np.array([12.0, -6.0])
    other = Parts(("price", "size"), rival, rival - 2, rival + 6 + against, 1, 2, 0.7)
    study = study_that(
        main_reason=lambda *_: MainReason(names, 0.84),
        explain=lambda *_: found,
        contrast=lambda *_: other,
    )
    return reasons_view(study, "p", [BEST, NEXT], TEXTS)


@pytest.mark.parametrize(
    ("names", "side", "words"),
    [
        (("price",), "for", "What speaks most for it is price ("),
        (("price", "size"), "for", "84\u00a0% sure that it is one of them"),
        ((), "open", "Several things together"),
    ],
)
def test_the_main_reason_is_one_thing_or_one_of_two_or_several(
    names: tuple[str, ...], side: str, words: str
) -> None:
    found = reasons(names)[0]
    assert found.side == side
    assert words in found.words


def test_a_reason_says_what_it_rests_on_where_that_is_sure() -> None:
    worth = "they are worth 18 points; all in all, this alternative is 37 points"
    assert worth in reasons(("price", "size"))[0].words
    assert "worth" not in reasons(("price", "size"), low=9.0)[0].words


def test_only_what_surely_speaks_against_it_is_told() -> None:
    against = reasons(("price",))[1]
    assert against.side == "against"
    assert against.words.startswith(f"Size speaks for {FLATS.names[5]}, the next best:")
    assert against.words.endswith("That is worth 6 points.")
    unsure = reasons(("price",), against=3.0)[1]
    assert (unsure.side, unsure.words[:14]) == ("open", "Nothing surely")


def test_what_may_count_for_nothing_is_not_sure() -> None:
    none = np.zeros(1)
    curves = [
        Curve("size", (1,), none, none, none, 0.2, 0.004, 0.3),
        Curve("price", (1,), none, none, none, 0.5, 0.3, 0.6),
    ]
    price, size = counts_view(curves, TEXTS)
    assert (price.label, price.share, price.unsure) == ("price", "50\u00a0%", False)
    assert price.high == 100
    assert (size.share, size.unsure) == ("not sure", True)
    assert size.words.endswith("90\u00a0% range <1\u00a0% to 30\u00a0%, not sure")
    told = [replace(TOLD, because=name) for name in ("size", None, "size")]
    price, size = counts_view(curves, TEXTS, told)
    assert (price.named, size.named) == ("", "named 2 times")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("budget", "last question"),
        ("sure", "know enough"),
        ("exhausted", "nothing more to ask"),
        ("person", "You ended"),
        ("whatever", "You ended"),
    ],
)
def test_why_the_questions_ended(reason: str, words: str) -> None:
    view = show(finished=reason)
    assert words in view.state
    assert view.can_go_on == (reason != "exhausted")


def test_answers_and_what_each_does() -> None:
    supports = [
        AnswerSupport(0, TOLD, 12.0, 3.0, 3),
        AnswerSupport(1, TOLD, 0.2, 3.0, 3),
        AnswerSupport(2, TOLD, -20.0, 3.0, 5),
    ]
    view = answers_view(FLATS, 3, [TOLD] * 4, supports, [], (), TEXTS)
    assert [row.number for row in view.rows] == ["4", "3", "2", "1"]
    assert [row.points for row in view.rows] == ["", "\u221220", "", "+12"]
    assert view.rows[1].note == f"Without it, {FLATS.names[5]} would come first."
    assert view.rows[3].note == ""
    assert FLATS.names[3] in view.hint
    assert view.consistency == "None of your answers contradicts another."


def test_answers_that_cannot_all_be_right_are_named() -> None:
    circle = Contradiction((0, 1), (TOLD, replace(TOLD, answer="right")))
    view = answers_view(FLATS, 3, [], [], [circle], (5,), TEXTS)
    a, b = FLATS.names[:2]
    assert view.doubtful == (
        f"{a} rather than {b} and {b} rather than {a}.",
        f"{FLATS.names[5]} is not acceptable to you, and you also preferred it to "
        "another.",
    )
    assert "contradict each other" in view.consistency
    assert view.rows == ()
    assert view.hint.startswith("You have not answered yet")


def test_the_sample_on_the_first_page_is_true_of_who_answered():
    likes = make_flats_population(n_users=10, random_state=5).utilities[3]
    for left, right, answer, _ in _SAID:
        assert (likes[left] > likes[right]) == (answer == "left")
    view = sample_view(TEXTS)
    assert likes.max() - likes[FLATS.names.index(view.name)] <= 0.1
    assert 80 <= view.certainty < 95  # "very likely", as the picture says
    share = TEXTS.share(view.certainty / 100)
    assert view.sure == f"Very likely ({share}) the best, or as good as the best"
    assert [row.label for row in view.counted][:2] == ["energy class", "noise"]
    assert view.counted[-1].share == TEXTS("numbers.not_sure")
    assert "14 answers" in view.words


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sample_is_in_every_language(language):
    texts = load_texts(language)
    view = sample_view(texts)
    assert view.counted[0].label == texts("table.flats.energy class")
    assert view.facts[0].label == texts("table.flats.price")
