import numpy as np
import pandas as pd
import pytest

from penchant.data import Comparisons
from penchant.learning import CANDIDATES, ModelPart, read_model
from penchant.models import RuleRanker
from penchant.texts import load_texts
from penchant.views.learned._words import (
    left_words,
    note_words,
    rule_words,
    signed,
    warning_words,
)


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("'a' was left out: its names repeat.", "a wurde weggelassen: Die Namen"),
        ("'it''s' was left out: it is long text.", "it''s wurde weggelassen"),
        ("12 rows without 'y' were left out.", "12 Zeilen ohne y wurden"),
        ("Something else.", "Something else."),
    ],
)
def test_notes_are_said_in_the_language_of_the_reader(note: str, words: str) -> None:
    assert note_words(note, load_texts("de")).startswith(words)


@pytest.mark.parametrize(
    ("warning", "words"),
    [
        (
            "GAIRankerCV stopped after max_time = 5 s with the best so far: a gap "
            "of 1. Allow more time.",
            "GAIRankerCV hörte nach 5 s",
        ),
        (
            "GAIRegressor reached a relative duality gap of 0.0012; 1e-05 was asked "
            "for. Raise max_iter.",
            "GAIRegressor endete mit einer Lücke von 0,0012; verlangt waren 1e-05.",
        ),
        (
            "The solver stopped at a relative gap of 1.0e-04 after 90 steps, above "
            "tol=1e-05. Raise max_iter, alpha or tol.",
            "Ein Löser endete nach 90 Schritten mit einer Lücke von 1,0e-04",
        ),
        (
            "More price is declared better, but the data say the opposite (rank "
            "correlation -0.40). Less a is declared better, but the data say the "
            "opposite (rank correlation 0.40). Set directions={}, or 'auto'.",
            "price: Die Daten sagen das Gegenteil der angegebenen Richtung. a: Die",
        ),
    ],
)
def test_warnings_of_fits_are_said_in_the_language_of_the_reader(
    warning: str, words: str
) -> None:
    assert warning_words(warning, load_texts("de")).startswith(words)
    assert warning_words("lbfgs failed.", load_texts("de")) is None


@pytest.mark.parametrize(
    "reason",
    [
        "it learns classes and grades, and the target has numbers",
        "no time was left",
        "the classes have no order, so that nothing is better than another",
        "it takes too long with more than 2,000 comparisons",
        "'x' has more than 255 levels",
        "no fit: singular",
    ],
)
def test_reasons_for_leaving_out_are_translated(reason: str) -> None:
    assert left_words(reason, load_texts("fr")) != reason
    assert left_words("odd", load_texts("fr")) == "odd"


def test_numbers_that_stand_together_have_the_same_decimals() -> None:
    texts = load_texts("en")
    assert [signed(v, texts, 12.4) for v in (12.4, 0.0114, -0.56)] == [
        "+12.4",
        "0",
        "\N{MINUS SIGN}0.6",
    ]


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_every_candidate_has_a_name(language: str) -> None:
    entries = load_texts(language).entries
    assert all(f"models.name.{name}" in entries for name in CANDIDATES)


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ((("Größe", ">= 1,135.5 m²", True), ("Lage", "!= a, b.", False)), "1.135,5 m²"),
        ((("Lage", "= unknown", False),), "Lage = unknown"),
        ((("Lage", "unknown", False),), "Lage unbekannt"),
        ((), "x from 1 to 2"),
    ],
)
def test_rules_are_said_in_the_language_of_the_reader(
    conditions: tuple[tuple[str, str, bool], ...], words: str
) -> None:
    part = ModelPart("rule", (), 1.0, "yes", "x from 1 to 2", conditions)
    said = rule_words(part, load_texts("de"))
    if len(conditions) == 2:
        words = f"Größe ≥ {words} und Lage ≠ a, b."
    assert said == words


def test_the_words_of_a_rule_are_those_of_its_model() -> None:
    items = pd.DataFrame({"rent and more": [1.0, 2.0, 3.0, 4.0] * 5, "x": range(20)})
    pairs = Comparisons(np.arange(10), np.arange(10) + 10)
    model = RuleRanker(random_state=0).fit(items, pairs)
    english = load_texts("en")
    for rule, part in zip(model.rules_, read_model(model), strict=True):
        plain = rule_words(part, english).replace("≤", "<=").replace("≥", ">=")
        assert plain == rule.text
