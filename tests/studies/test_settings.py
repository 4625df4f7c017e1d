import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from penchant.exceptions import DataError
from penchant.studies import Noun, StudySettings
from penchant.studies._settings import Taking, check_moment


def test_settings_survive_json() -> None:
    settings = StudySettings(
        question="best-worst",
        max_questions=7,
        max_regret=0,
        consent="Yes\n<b>",
        languages=("fr",),
        intro="=1+1",
        open=False,
        help_each_other=False,
    )
    again = StudySettings.from_dict(json.loads(json.dumps(settings.to_dict())))
    assert again == settings
    assert StudySettings.from_dict({}) == StudySettings()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("question", "duel", "form of the questions"),
        ("question", ["pair"], "form of the questions"),
        ("max_questions", 0, "from 1 to 1000"),
        ("max_questions", 1001, "from 1 to 1000"),
        ("max_questions", True, "from 1 to 1000"),
        ("max_questions", "9", "from 1 to 1000"),
        ("max_regret", -0.1, "at least 0"),
        ("max_regret", float("nan"), "at least 0"),
        ("max_regret", "x", "at least 0"),
        ("consent", None, "consent text must be a text"),
        ("consent", "x" * 20_001, "20,000 characters"),
        ("intro", "a\0b", "cannot be stored"),
        ("languages", [], "at least one"),
        ("languages", ["en", "en"], "at least one"),
        ("languages", ["<b>"], "at least one"),
        ("languages", [3], "at least one"),
        ("languages", "en", "at least one"),
        ("open", "yes", "'open' must be true or false"),
        ("help_each_other", 1, "'help_each_other' must be true or false"),
        ("colour", "red", r"no settings called \['colour'\]"),
    ],
)
def test_value_that_does_not_fit_is_refused(name: str, value: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        StudySettings.from_dict({name: value})


def test_settings_must_be_a_mapping() -> None:
    with pytest.raises(DataError, match="mapping"):
        StudySettings.from_dict(["pair"])  # type: ignore[arg-type]


def test_alternatives_have_a_name_in_each_language() -> None:
    settings = StudySettings.from_dict({"nouns": {"en": ["flat", "flats"]}})
    assert settings.noun("en") == Noun("en", "flat", "flats")
    assert settings.noun("fr") == Noun("fr", "", "")
    assert settings.to_dict()["nouns"] == {"en": ["flat", "flats"]}
    assert StudySettings.from_dict(settings.to_dict()) == settings


@pytest.mark.parametrize(
    "nouns",
    [
        ["flat", "flats"],
        {"en": "flat"},
        {"en": ["flat"]},
        {"en": ["flat", ""]},
        {"en": ["flat", 3]},
        {"en": ["flat", "x" * 41]},
        {"english": ["flat", "flats"]},
        {3: ["flat", "flats"]},
    ],
)
def test_names_that_do_not_fit_are_refused(nouns: object) -> None:
    with pytest.raises(DataError):
        StudySettings.from_dict({"nouns": nouns})


def test_nouns_are_a_tuple_of_nouns() -> None:
    with pytest.raises(DataError, match="tuple of Noun"):
        StudySettings(nouns=(("en", "flat", "flats"),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("max_questions", 1, 1000),
        ("max_regret", 0, 1e300),
        ("check_every", 2, 1000),
        ("quota", 0, 1_000_000),
        ("consent", "", "x" * 20_000),
        ("intro", "", "x" * 20_000),
        ("thanks", "", "x" * 20_000),
    ],
)
def test_values_at_their_limits_are_taken(name: str, least: Any, most: Any) -> None:
    for value in (least, most):
        assert getattr(StudySettings.from_dict({name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("max_regret", True, "at least 0"),
        ("max_regret", float("inf"), "at least 0"),
        ("max_questions", 2.0, "from 1 to 1000"),
        ("check_every", 1, "0 \\(none\\) or a whole number from 2 to 1000. Got 1"),
        ("check_every", 1001, "from 2 to 1000"),
        ("check_every", True, "from 2 to 1000"),
        ("quota", -1, "0 \\(no limit\\) or a whole number up to 1000000. Got -1"),
        ("quota", 1_000_001, "up to 1000000"),
        ("thanks", "x" * 20_001, "The thanks"),
        ("reasons", 0, "'reasons' must be true or false"),
        ("owner_sees", None, "'owner_sees' must be true or false"),
        ("limits", "rent", "imit"),
        ("texts", ["fr"], "must map languages to intro, consent and thanks"),
        ("texts", {"fr": {"outro": "x"}}, "must map languages to intro"),
        ("texts", {"french": {"intro": "x"}}, "languages must be different codes"),
        ("texts", {"fr": {"thanks": "x" * 20_001}}, "A text in 'fr'"),
        ("nouns", {"en": ["flat", " "]}, "Say what one alternative and several"),
        ("closes", "2026-13-01", "must be a day or a day and a time"),
        ("closes", "tomorrow", "Got 'tomorrow'"),
        ("closes", 3, "must be a day or a day and a time"),
    ],
)
def test_values_beyond_their_limits_are_refused(
    name: str, value: Any, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        StudySettings.from_dict({name: value})


def test_every_setting_survives_json() -> None:
    values = {
        "reasons": False,
        "check_every": 0,
        "end_checks": True,
        "own_limits": False,
        "closes": "2026-12-01",
        "quota": 5,
        "owner_sees": True,
        "nouns": {"en": ["flat", "f" * 40], "fr": ["appartement", "appartements"]},
        "thanks": "Thanks!",
        "texts": {"fr": {"intro": "Bonjour !"}, "de": {"thanks": "Danke!"}},
    }
    settings = StudySettings.from_dict(values)
    told = settings.to_dict()
    assert {name: told[name] for name in values} == values | {
        "closes": "2026-12-01T23:59Z"
    }
    assert StudySettings.from_dict(json.loads(json.dumps(told))) == settings


def test_texts_are_those_of_the_language_then_of_all_then_of_any() -> None:
    own = {"fr": {"intro": "Bonjour", "consent": " "}, "de": {"consent": "Ja"}}
    settings = StudySettings.from_dict({"intro": "Hello", "texts": own})
    assert [settings.text("intro", code) for code in ("fr", "de", "en")] == [
        "Bonjour",
        "Hello",
        "Hello",
    ]
    assert [settings.text("consent", code) for code in ("fr", "de", "en")] == ["Ja"] * 3
    assert settings.text("thanks", "fr") == ""
    assert (settings.has_consent, settings.asks_consent) == (True, True)
    plain = StudySettings(intro="Hello")
    assert (plain.has_consent, plain.asks_consent) == (False, False)
    assert StudySettings(owner_sees=True).asks_consent


def test_a_study_is_over_from_the_minute_at_which_it_closes() -> None:
    now = datetime.now(UTC)
    for minutes, over in ((-1, True), (2, False)):
        moment = f"{now + timedelta(minutes=minutes):%Y-%m-%dT%H:%M}"
        settings = StudySettings(closes=moment)
        assert settings.over == over
        assert f"{settings.closing:%Y-%m-%dT%H:%M%z}" == f"{moment}+0000"
    assert (StudySettings().closing, StudySettings().over) == (None, False)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("", ""),
        (" 2026-12-01 ", "2026-12-01T23:59Z"),
        ("2026-12-01T18:00", "2026-12-01T18:00Z"),
        ("2026-12-01T18:00+01:00", "2026-12-01T17:00Z"),
        ("2026-12-31T23:30-01:00", "2027-01-01T00:30Z"),
    ],
)
def test_moments_are_kept_in_utc(typed: str, kept: str) -> None:
    assert check_moment(typed) == kept
    assert check_moment(kept) == kept


def test_whether_people_may_join_is_said_in_a_sentence() -> None:
    day = datetime(2026, 12, 1, 18, 5, tzinfo=UTC)
    told = {
        "open": (True, False, ""),
        "closed": (False, False, "The study takes no new participants at the moment."),
        "over": (
            False,
            True,
            "The study takes no new participants since 2026-12-01 18:05 UTC.",
        ),
        "full": (False, True, "The study is full: 7 people have finished."),
    }
    for state, expected in told.items():
        taking = Taking(state, day, 7, 7)
        assert (taking.open, taking.is_over, taking.reason) == expected
    assert "since its date." in Taking("over").reason
