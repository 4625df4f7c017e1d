import json
from typing import Any

import pytest

from penchant.exceptions import DataError
from penchant.studies import Noun, StudySettings


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
