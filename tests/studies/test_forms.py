"""Forms of questions: what pages send becomes an answer."""

from typing import Any

import pytest

from penchant.exceptions import DataError
from penchant.studies import FORMS
from penchant.texts import load_texts


@pytest.mark.parametrize(
    ("form", "fields", "answer"),
    [
        ("pair", {"answer": "left"}, "left"),
        ("pair", {}, ""),
        ("rating", {"answer": "4"}, 4),
        ("best-worst", {"best": "5", "worst": "7"}, {"best": 5, "worst": 7}),
        ("ranking", {"place-5": "2", "place-7": "3", "place-9": "1"}, [9, 5, 7]),
    ],
)
def test_fields_become_answers(form: str, fields: dict[str, str], answer: Any) -> None:
    assert FORMS[form].read_fields((5, 7, 9), fields) == answer


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ("rating", {"answer": "-1"}),
        ("rating", {"answer": "٣"}),
        ("rating", {"answer": "9" * 5000}),
        ("best-worst", {"best": "5"}),
        ("ranking", {"place-5": "1", "place-7": "1", "place-9": "2"}),
        ("ranking", {"place-5": "1", "place-7": "2"}),
    ],
)
def test_what_does_not_fit_is_refused(form: str, fields: dict[str, str]) -> None:
    with pytest.raises(DataError, match="Got"):
        FORMS[form].read_fields((5, 7, 9), fields)
    assert load_texts("en")(FORMS[form].incomplete)
