"""Questions about people: what is kept, what is refused, and what it is good for."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant.data import Comparisons
from penchant.datasets import load_flats
from penchant.exceptions import DataError, NotAnswerableError
from penchant.models import PopulationGP
from penchant.studies import (
    Participation,
    PersonQuestion,
    SqlStore,
    Study,
    StudySettings,
    _talk,
    simulated_answer,
)
from penchant.studies._about import (
    check_about,
    check_questions,
    people_table,
    person_row,
    read_about,
)
from penchant.studies._talk import Memory

FLATS = load_flats().take(range(8))
HOME = PersonQuestion(
    "home",
    "choice",
    options=("rent", "own"),
    wording=(("en", "Do you rent?"), ("fr", "Locataire ?")),
    option_words=(("fr", ("locataire", "propriétaire")),),
)
AGE = PersonQuestion("age", "number", required=True)
HABITS = PersonQuestion("habits", "choices", options=("car", "dog", "piano"))
REMARK = PersonQuestion("remark", "text", "after")
QUESTIONS = (HOME, AGE, HABITS, REMARK)


@pytest.fixture
def study(store: SqlStore) -> Study:
    settings = StudySettings(max_questions=5, about=QUESTIONS, consent="Yes?")
    made = store.create_study("Flats", FLATS, settings=settings)
    return Study(store, made, background=False)


def described(study: Study, answers: dict[str, Any]) -> str:
    who = study.join()[0].id
    study.consent(who)
    study.describe(who, answers)
    return who


def take_part(study: Study, who: str, utilities: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    while (question := study.ask(who)) is not None:
        told = simulated_answer(question.form, question.items, utilities, rng)
        study.tell(who, question.id, told)


def test_settings_keep_the_questions_as_plain_values() -> None:
    settings = StudySettings(about=QUESTIONS)
    assert StudySettings.from_dict(settings.to_dict()) == settings
    assert StudySettings.from_dict({}).about == ()
    assert HOME.ask("fr") == "Locataire ?"
    assert HOME.ask("de") == "Do you rent?"
    assert AGE.ask("de") == "age"
    assert HOME.words("fr") == ("locataire", "propriétaire")
    assert HOME.words("de") == ("rent", "own")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"name": ""}, "short name"),
        ({"name": "a=b"}, "without '='"),
        ({"name": "a", "kind": "poem"}, "kind of the question 'a'"),
        ({"name": "a", "when": "never"}, "moment of the question 'a'"),
        ({"name": "a", "required": "yes"}, "true or false"),
        ({"name": "a", "kind": "choice"}, "needs options"),
        ({"name": "a", "options": ["b"]}, "takes no options"),
        ({"name": "a", "kind": "choice", "options": ["b", "b"]}, "different"),
        ({"name": "a", "kind": "choice", "options": ["b", " "]}, "not empty"),
        (
            {
                "name": "a",
                "kind": "choice",
                "options": ["b", "c"],
                "option_words": {"fr": ["b"]},
            },
            "as many in every language",
        ),
        ({"name": "a", "kind": "choice", "options": list("x" * 40)}, "different"),
        ({"name": "a", "kind": "choice", "options": [*map(str, range(31))]}, "30"),
        ({"name": "a", "kind": "choice", "options": [1]}, "must be a text"),
        ({"name": "a", "wording": {"en": 3}}, "must be a text"),
        ({"name": "a", "wording": "what"}, "map languages"),
        ({"name": "a", "colour": 1}, "may have"),
        ({"kind": "text"}, "has a name"),
        ("age", "must be a mapping"),
    ],
)
def test_bad_questions_are_refused(values: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        StudySettings.from_dict({"about": [values]})


def test_lists_of_questions_that_are_refused() -> None:
    with pytest.raises(DataError, match="list of questions"):
        StudySettings.from_dict({"about": "age"})
    with pytest.raises(DataError, match="tuple of PersonQuestion"):
        StudySettings(about=["age"])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="different names"):
        StudySettings(about=(AGE, AGE))


def test_answers_fit_or_the_error_says_what_would() -> None:
    told = check_about(QUESTIONS, {"age": 30, "habits": ["piano", "car"], "home": ""})
    assert told == {"home": None, "age": 30, "habits": ["car", "piano"], "remark": None}
    for answers, said in (
        ({}, "'age' must be answered"),
        ({"age": "30"}, "'age' takes a number"),
        ({"age": True}, "'age' takes a number"),
        ({"age": float("nan")}, "'age' takes a number"),
        ({"age": 3, "home": "tent"}, "one of rent, own"),
        ({"age": 3, "habits": ["cat"]}, "any of car, dog, piano"),
        ({"age": 3, "habits": [["car"]]}, "any of car, dog, piano"),
        ({"age": 3, "remark": "x" * 2001}, "at most 2,000"),
        ({"age": 3, "shoes": 42}, "no questions shoes"),
    ):
        with pytest.raises(DataError, match=said):
            check_about(QUESTIONS, answers)
    with pytest.raises(DataError, match="must map names"):
        check_about(QUESTIONS, ["age"])  # type: ignore[arg-type]


def test_questions_come_once_and_in_their_time(study: Study) -> None:
    who = study.join()[0].id
    with pytest.raises(NotAnswerableError, match="consent"):
        study.describe(who, {"age": 30})
    study.consent(who)
    assert study.about_due(study.participation(who)) == (HOME, AGE, HABITS)
    with pytest.raises(NotAnswerableError, match="come first: age"):
        study.ask(who)
    now = study.describe(who, {"age": 30, "habits": ["dog"]})
    assert dict(now.about) == {"age": 30, "habits": ("dog",)}
    assert study.describe(who, {"age": 30, "habits": ["dog"]}).n_events == now.n_events
    assert study.about_due(study.participation(who)) == ()
    take_part(study, who, np.arange(8.0))
    assert study.about_due(study.participation(who)) == (REMARK,)
    study.describe(who, {}, "after")
    assert study.about_due(study.participation(who)) == ()
    again = Study(study.store, study.id).participation(who)
    assert again.described == {"before", "after"}
    assert dict(again.about) == {"age": 30, "habits": ("dog",)}
    plain = Study(study.store, study.store.create_study("None", FLATS))
    with pytest.raises(DataError, match="no questions age here"):
        plain.describe(plain.join()[0].id, {"age": 3})
    with pytest.raises(DataError, match="before, after"):
        plain.describe(plain.join()[0].id, {}, "while")


def test_the_log_is_read_whatever_is_in_it() -> None:
    odd: list[Any] = [
        ("described", {"when": "before", "answers": {"a": 1, "b": "x", "c": ["y"]}}),
        ("described", {"when": "before", "answers": {"a": None, "b": {}, "d": [1]}}),
        ("described", {"when": "never", "answers": {}}),
        ("described", {"when": "after", "answers": 3}),
        ("asked", {"question": "q", "form": "pair", "items": [0, 1]}),
        ("described", {"when": "after", "answers": {"c": ["z"]}}),
    ]
    now = Participation.from_events(odd, 5)
    assert now.ignored == 2
    assert now.about == (("c", ("z",)),)
    assert now.features == (("c", ("y",)),)  # what was known at the first question
    assert hash(now.about)


def test_table_of_people_has_numbers_levels_and_blanks() -> None:
    people = [
        (("home", "own"), ("age", 40), ("habits", ("dog",)), ("remark", "hello")),
        (("home", "tent"), ("age", "old")),
        (),
    ]
    table = people_table(QUESTIONS, people)
    assert list(table) == ["home", "age", "habits=car", "habits=dog", "habits=piano"]
    assert table["age"].tolist()[0] == 40
    assert table["habits=dog"].iloc[0] == 1
    assert table.iloc[1:].isna().all(axis=None)
    assert people_table(QUESTIONS, [(("remark", "hello"),)]) is None


def fitted(n: int = 40) -> PopulationGP:
    """Old people like the first flats, young ones the last."""
    rng = np.random.default_rng(3)
    ages = rng.integers(20, 80, n)
    rows = []
    for user, age in enumerate(ages):
        for _ in range(6):
            i, j = sorted(rng.choice(8, 2, replace=False))
            rows.append((i, j, user) if age > 50 else (j, i, user))
    winners, losers, users = zip(*rows, strict=True)
    table = pd.DataFrame(
        {"age": ages.astype(float), "home": ["rent", "own"] * (n // 2)}
    )
    return PopulationGP().fit(FLATS, Comparisons(winners, losers, users=users), table)


def test_a_blank_widens_the_belief_and_is_foretold_from_the_rest() -> None:
    model = fitted()
    spread = model.model_.spread
    coef, cov = model.model_.coef, model.model_.cov
    known = model.user_encoding_.standardised({"age": 70.0, "home": "own"})[0]
    half = model.for_user({"age": 70.0, "home": None})
    # The Gaussian that all features follow, given the one that is known, directly.
    slopes = spread[1:, 0] / spread[0, 0]
    doubt = spread[1:, 1:] - np.outer(slopes, spread[0, 1:])
    mean = coef[0] + known[0] * (coef[1] + slopes @ coef[2:])
    np.testing.assert_allclose(half.mean, mean, atol=1e-10)
    np.testing.assert_allclose(half.cov, cov + coef[2:].T @ doubt @ coef[2:], atol=1e-9)
    nothing = model.for_user({"age": None, "home": "tent"})
    np.testing.assert_allclose(nothing.mean, model.for_user().mean, atol=1e-12)
    np.testing.assert_allclose(nothing.cov, model.for_user().cov, atol=1e-12)


def test_what_is_known_of_somebody_shapes_the_start() -> None:
    model = fitted()
    memory = Memory(FLATS, lambda _: (model, FLATS))
    old, young = (memory.start("m", (("age", age),)) for age in (70, 30))
    assert old.posterior.favourite < 4 <= young.posterior.favourite
    assert memory.start("m", (("age", 70),)) is old
    assert memory.start("m", (("age", 70), ("remark", "hi"))) is old  # text is none
    nobody = memory.start("m")
    assert memory.start("m", (("remark", "hi"), ("home", "tent"))) is nobody
    assert memory.start("m", (("age", "old"),)) is nobody  # the question has changed
    assert memory.start(None, (("age", 70),)) is memory.start(None)
    assert person_row(None, (("age", 3),)) == ()


def test_talks_go_on_though_their_start_is_forgotten() -> None:
    memory = Memory(FLATS, lambda _: (fitted(), FLATS))
    people = {
        f"p{age}": Participation(8, model="m", known=(("age", age),))
        for age in range(20, 20 + 3 * _talk._MOST_STARTS)
    }
    first = {who: memory.talk(who, now).start for who, now in people.items()}
    assert len(memory._starts._values) == _talk._MOST_STARTS
    assert all(memory.talk(who, now).start is first[who] for who, now in people.items())


def test_a_study_learns_from_what_people_say_of_themselves(study: Study) -> None:
    for k in range(12):
        who = described(study, {"age": 20 + 50 * (k % 2), "home": HOME.options[k % 2]})
        take_part(study, who, np.arange(8.0) * (1 if k % 2 else -1))
    study.refit(wait=True)
    old, young = (described(study, {"age": age}) for age in (70, 20))
    assert study.recommend(old)[0].item > study.recommend(young)[0].item
    before = study.ranking(old)
    study.ask(old)
    assert study.ranking(old) == before
    now = study.describe(old, {"age": 20})  # too late: the belief does not start again
    assert dict(now.about)["age"] == 20
    assert study.ranking(old) == before
    study.store.remove_participant(young)
    left = [event.participant_id for event in study.store.study_events(study.id)]
    assert young not in left


def asked(**options: Any) -> PersonQuestion:
    return PersonQuestion(**({"name": "home"} | options))


def test_questions_at_their_limits_are_taken_and_beyond_refused() -> None:
    many = tuple(map(str, range(30)))
    home = asked(kind="choice", options=many)
    words = tuple(f"no. {k}" for k in range(30))
    assert asked(kind="choice", options=many, option_words=(("fr", words),))
    assert asked(name="x" * 60)
    assert asked(wording=(("en", "x" * 500),))
    assert asked(kind="choices", options=("x" * 500,))
    check_questions(tuple(asked(name=f"q{k}") for k in range(20)))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"name": "x" * 61}, "60"),
        ({"name": " home"}, "without spaces around it"),
        ({"name": "a=b"}, "without '='"),
        ({"name": " "}, "needs a short name"),
        ({"kind": "date"}, "kind of the question 'home' must be one of text, number"),
        ({"when": "now"}, "moment of the question 'home' must be one of before, after"),
        ({"required": 1}, "must be true or false"),
        ({"wording": (("en", "x" * 501),)}, "500"),
        ({"kind": "choice"}, "needs options"),
        ({"kind": "number", "options": ("a",)}, "takes no options"),
        ({"kind": "choice", "options": ("a", "a")}, "must be different"),
        ({"kind": "choice", "options": ("a", " ")}, "not empty"),
        ({"kind": "choice", "options": ("x" * 501,)}, "500"),
        ({"kind": "choice", "options": (*many, "30")}, "may have 30 options.*has 31"),
        (
            {
                "kind": "choice",
                "options": ("a",),
                "option_words": (("fr", ("b", "c")),),
            },
            r"as many in every language \(1\)",
        ),
    ]
    for options, said in wrong:
        with pytest.raises(DataError, match=said):
            asked(**options)
    with pytest.raises(DataError, match="may be 20 questions"):
        check_questions(tuple(asked(name=f"q{k}") for k in range(21)))
    assert home.words("fr") == many


def test_a_question_is_asked_in_the_language_or_the_first_or_by_its_name() -> None:
    told = asked(wording=(("fr", " "), ("de", "Wohnung?"), ("en", "Home?")))
    assert [told.ask(code) for code in ("en", "de", "fr")] == [
        "Home?",
        "Wohnung?",
        "Wohnung?",
    ]
    assert asked().ask("en") == "home"
    words = (("fr", ("oui", "non")),)
    choice = asked(kind="choice", options=("yes", "no"), option_words=words)
    assert (choice.words("fr"), choice.words("de")) == (("oui", "non"), ("yes", "no"))


def test_what_is_said_is_read_by_the_kind_of_the_question() -> None:
    text, number = asked(), asked(kind="number")
    for value, as_text, as_number in (
        ("x" * 2000, "x" * 2000, None),
        ("x" * 2001, None, None),
        ("a\0b", None, None),
        (1e15, None, 1e15),
        (-1e15, None, -1e15),
        (1.1e15, None, None),
        (-1.1e15, None, None),
        (True, None, None),
    ):
        assert (text.read(value), number.read(value)) == (as_text, as_number)
    some = asked(kind="choices", options=("a", "b", "c"))
    assert some.read(["c", "a"]) == ("a", "c")
    assert some.read([]) is some.read("a") is some.read(["a", "x"]) is None
    assert some.check(("b",)) == ["b"]
    for blank in (None, "", [], ()):
        assert some.check(blank) is None
        with pytest.raises(DataError, match="'home' must be answered"):
            asked(required=True).check(blank)
    one = asked(kind="choice", options=("a", "b"))
    assert (one.read("b"), one.read("c"), one.read(["a"])) == ("b", None, None)


def test_the_log_may_hold_texts_numbers_and_lists_of_texts() -> None:
    said = {
        "a": "x",
        "b": ["u", "v"],
        "c": 3,
        "": 4,
        "d": "",
        "e": [],
        "f": [1],
        "g": {},
    }
    blank = dict.fromkeys("defg")
    assert read_about(said) == {"a": "x", "b": ("u", "v"), "c": 3} | blank


def test_features_of_a_person_are_those_that_the_model_knows() -> None:
    encoding = SimpleNamespace(
        names=("age", "home", "has=car", "has=dog"),
        levels=(None, ("rent", "own"), None, None),
    )
    model: Any = SimpleNamespace(user_encoding_=encoding)
    told = {"age": 30, "home": "own", "has": ("dog",), "more": 1}
    assert person_row(model, tuple(told.items())) == (
        ("age", 30.0),
        ("home", "own"),
        ("has=car", 0.0),
        ("has=dog", 1.0),
    )
    odd = (("age", "old"), ("home", "tent"), ("has", "dog"))
    assert person_row(model, odd) == ()  # nothing of it can be used
    some = person_row(model, (*odd[1:], ("age", 4)))
    assert [value for _, value in some] == [4.0, None, None, None]
    assert person_row(model, ()) == person_row(None, (("age", 3),)) == ()
    nothing: Any = SimpleNamespace(user_encoding_=None)
    assert person_row(nothing, (("age", 3),)) == ()
