import string
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.pofile import read_po
from hypothesis import given
from hypothesis import strategies as st

import penchant.texts
from penchant.data import Attribute
from penchant.exceptions import DataError
from penchant.studies import LANGUAGES, choose_language, load_texts

NOUNS = {"noun", "nouns", "Noun", "Nouns"}


def _placeholders(text: str) -> set[str]:
    found = {name for _, name, _, _ in string.Formatter().parse(text) if name}
    return found - NOUNS  # one language may say "it" where another names it


def _messages(language: str) -> dict[str, Message]:
    path = Path(penchant.texts.__file__).parent / "catalogues" / language
    with (path / "LC_MESSAGES" / "penchant.po").open("rb") as source:
        found = [each for each in read_po(source) if each.id]
    by_key = {each.context or "": each for each in found}
    assert len(by_key) == len(found)  # no key stands for two texts
    return by_key


def _texts_of(language: str) -> list[str]:
    return [text for forms in load_texts(language).entries.values() for text in forms]


def test_all_languages_translate_all_of_today_s_english() -> None:
    english, *others = (_messages(language) for language in LANGUAGES)
    assert others
    for other in others:
        assert {k: m.id for k, m in other.items()} == {
            k: m.id for k, m in english.items()
        }
        assert [k for k, m in other.items() if m.fuzzy or not all(m.string)] == []


@pytest.mark.parametrize("key", sorted(load_texts("en").entries))
def test_all_languages_have_the_same_placeholders(key: str) -> None:
    english = load_texts("en").entries[key]
    number = {"n"} if len(english) > 1 else set()  # "one more" needs no {n}
    expected = _placeholders(english[-1]) | number
    for language in LANGUAGES:
        for text in load_texts(language).entries[key]:
            assert _placeholders(text) | number == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_avoid_the_words_of_the_trade(language: str) -> None:
    words = " ".join(_texts_of(language)).lower()
    for word in ("posterior", "utility", "utilité", "shapley", "epistemic", "{}"):
        assert word not in words


def test_texts_use_true_signs() -> None:
    for language in LANGUAGES:
        for text in _texts_of(language):
            assert " %" not in text  # the space before % does not break
            assert "'" not in text
            assert '"' not in text


def test_german_says_sie_and_has_no_noun_in_the_dative() -> None:
    for text in _texts_of("de"):
        words = text.replace("(", " ").replace(",", " ").split()
        assert not {"du", "dir", "dich", "dein", "deine", "ihr"} & set(words)
        for before, noun in pairwise(words):
            if "{nouns}" in noun:  # "den Projekten" would need another form
                assert before not in ("den", "von", "mit", "bei", "unter", "zu")


def test_no_translation_is_the_english_by_mistake() -> None:
    for language in LANGUAGES[1:]:
        for key, message in _messages(language).items():
            text = message.string if isinstance(message.string, str) else ""
            if len(text.split()) > 3 and "{" not in text:  # words may be the same
                assert text != message.id, key


def test_every_plural_has_all_forms_of_its_language() -> None:
    for language in LANGUAGES:
        texts = load_texts(language)
        plurals = {k: forms for k, forms in texts.entries.items() if len(forms) > 1}
        assert "result.loss" in plurals
        used = {texts.plural(n) for n in range(1000)}
        assert all(used == set(range(len(forms))) for forms in plurals.values())


def test_placeholders_are_filled_and_values_are_left_alone() -> None:
    assert load_texts("en")("question.choose", letter="{x}") == "Choose {x}"


@pytest.mark.parametrize(
    ("language", "n", "words"),
    [
        ("en", 1, "1 point"),
        ("en", 6, "6 points"),
        ("fr", 1, "1 point"),
        ("fr", 6, "6 points"),
        ("de", 1, "1 Punkt"),
        ("de", 6, "6 Punkte"),
    ],
)
def test_plurals(language: str, n: int, words: str) -> None:
    assert load_texts(language).count("compare.points", n) == words


def test_french_has_the_singular_for_nothing() -> None:
    one, none = (load_texts("fr").count("result.loss", n) for n in (1, 0))
    assert one.replace("1", "0") == none


@pytest.mark.parametrize(
    ("value", "english", "french"),
    [
        (0, "0", "0"),
        (-0.0, "0", "0"),
        (1110, "1,110", "1\u202f110"),
        (1234567.0, "1,234,567", "1\u202f234\u202f567"),
        (-2.5, "\u22122.5", "\u22122,5"),
        (0.1 + 0.2, "0.3", "0,3"),
        (1e-9, "0.000000001", "0,000000001"),
        (99999.96, "100,000", "100\u202f000"),
    ],
)
def test_numbers(value: float, english: str, french: str) -> None:
    assert load_texts("en").number(value) == english
    assert load_texts("fr").number(value) == french


@given(st.floats(-1e12, 1e12, allow_nan=False))
def test_numbers_can_be_read_back(value: float) -> None:
    text = load_texts("en").number(value).replace(",", "").replace("\u2212", "-")
    assert float(text) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "<1"), (0.004, "<1"), (0.01, "1"), (0.58, "58"), (0.99, "99"), (1.0, ">99")],
)
def test_shares_are_never_nothing_or_all(share: float, words: str) -> None:
    assert load_texts("en").share(share) == f"{words}\u00a0%"


def test_points_are_whole_and_signed() -> None:
    texts = load_texts("en")
    assert texts.points(-0.2) == "0"
    assert texts.points(77.5) == "78"
    assert [texts.signed(value) for value in (3.2, 0.1, -3.2)] == ["+3", "0", "\u22123"]
    assert texts.span(-1, 12) == "\u22121 to 12"


def test_values_have_their_unit() -> None:
    texts = load_texts("en")
    rent = Attribute("rent", unit="EUR")
    assert texts.value(rent, 1110.0) == "1,110\u00a0EUR"
    assert texts.value(rent, float("nan")) == "unknown"
    assert texts.value(Attribute("noise", "ordinal"), "quiet") == "quiet"


@pytest.mark.parametrize(
    ("language", "unit", "written"),
    [
        ("en", "$", ["$1,110", "$0.50", "\u2212$3.25"]),
        ("en", "€/month", ["€1,110/month", "€0.50/month", "\u2212€3.25/month"]),
        ("de", "€", ["1.110\u00a0€", "0,50\u00a0€", "\u22123,25\u00a0€"]),
        ("fr", "€/mois", ["1\u202f110 €/mois", "0,50 €/mois", "\u22123,25 €/mois"]),
        ("en", "km", ["1,110\u00a0km", "0.5\u00a0km", "\u22123.25\u00a0km"]),
    ],
)
def test_money_is_written_as_the_language_does(
    language: str, unit: str, written: list[str]
) -> None:
    price, texts = Attribute("price", unit=unit), load_texts(language)
    assert [texts.value(price, each) for each in (1110.0, 0.5, -3.25)] == written


@pytest.mark.parametrize("language", LANGUAGES)
def test_years_are_not_amounts(language: str) -> None:
    built = Attribute("Baujahr", domain=(1911, 2018))
    texts = load_texts(language)
    assert texts.value(built, 1998.0) == "1998"
    assert texts.ticks(built, [1950, 2000]) == ["1950", "2000"]


def test_lists_in_sentences() -> None:
    texts = load_texts("en")
    assert texts.listed([]) == ""
    assert texts.listed(["size"]) == "size"
    assert texts.listed(["size", "rent", "noise"]) == "size, rent and noise"
    assert texts.sentence("size counts") == "Size counts"
    assert load_texts("fr").listed(["a", "b", "c"]) == "a, b et c"


def test_days() -> None:
    day = datetime(2026, 8, 1, 23, 59, tzinfo=UTC)
    assert load_texts("en").day(day) == "1 August 2026"
    assert load_texts("fr").day(day) == "1 août 2026"
    assert load_texts("de").day(day) == "1. August 2026"
    assert load_texts("en").moment(day) == "1 August 2026"
    noon = day.replace(hour=12, minute=5)
    assert load_texts("en").moment(noon) == "1 August 2026, 12:05 UTC"
    shown = [load_texts(language).short_day(day.date()) for language in LANGUAGES]
    assert shown == ["1 Aug", "1. Aug.", "1 août"]


@pytest.mark.parametrize(
    ("wanted", "offered", "chosen"),
    [
        (["fr-CH", "en"], ["en", "fr"], "fr"),
        (["FR"], ["en", "fr"], "fr"),
        (["de"], ["fr", "en"], "fr"),
        (["de-AT", "en"], ["en", "fr", "de"], "de"),
        (["en"], ["fr"], "fr"),
        ([], ["it"], "en"),
        (["", "*"], ["it", "fr-CA"], "fr"),
    ],
)
def test_choice_of_the_language(
    wanted: list[str], offered: list[str], chosen: str
) -> None:
    assert choose_language(wanted, offered) == chosen


def test_unknown_language_is_refused() -> None:
    with pytest.raises(DataError, match="en, de, fr"):
        load_texts("xx")


def test_ticks_of_dates_are_as_short_as_they_are_round() -> None:
    texts, built = load_texts("en"), Attribute("built", unit="date")
    assert texts.ticks(built, [0.0, 365.0]) == ["1970", "1971"]
    assert texts.ticks(built, [0.0, 31.0]) == ["Jan 1970", "Feb 1970"]
    assert texts.ticks(built, [0.0, 1.0]) == ["1 Jan 1970", "2 Jan 1970"]
    assert texts.ticks(built, [1e9]) == ["1e+09 days"]
    assert texts.ticks(Attribute("rent", unit="EUR"), [1500.0]) == ["1,500"]
