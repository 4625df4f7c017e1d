"""The log of a participant, read without ever failing."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.exceptions import DataError, FormatError
from penchant.studies import AnsweredQuestion, Participation, check_answer

N_ITEMS = 6

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 8) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
IDS = st.sampled_from(["a", "b", "c", ""])
FORMS = st.sampled_from(["pair", "best-worst", "rating", "ranking", "poem"])
ANSWERS = (
    st.sampled_from(["left", "right", "tie", "skip", "neither", 1, 5, 6, True])
    | st.lists(st.integers(0, 6), max_size=4)
    | st.fixed_dictionaries({"best": st.integers(0, 6), "worst": st.integers(0, 6)})
    | JSON
)
EVENTS = st.one_of(
    st.tuples(
        st.just("asked"),
        st.fixed_dictionaries(
            {
                "question": IDS,
                "form": FORMS,
                "items": st.lists(st.integers(-1, 7), max_size=4) | JSON,
                "repeat": JSON,
            }
        ),
    ),
    st.tuples(
        st.just("answered"),
        st.fixed_dictionaries({"question": IDS, "answer": ANSWERS}),
    ),
    st.tuples(st.just("undone"), st.fixed_dictionaries({"question": IDS})),
    st.tuples(st.just("finished"), st.fixed_dictionaries({"reason": JSON})),
    st.tuples(
        st.just("because"),
        st.fixed_dictionaries({"question": IDS, "attribute": st.none() | JSON}),
    ),
    st.tuples(st.sampled_from(["joined", "consented", "asked", "because"]), JSON),
)


def ask(
    question: str = "q", items: tuple[int, ...] = (0, 1), form: str = "pair"
) -> Any:
    return "asked", {"question": question, "form": form, "items": list(items)}


def answer(question: str = "q", how: Any = "left") -> Any:
    return "answered", {"question": question, "answer": how}


@given(st.lists(EVENTS, max_size=30))
def test_every_sequence_of_events_can_be_read(log: list[tuple[str, Any]]) -> None:
    now = Participation.from_events(log, N_ITEMS)
    assert now.n_events == len(log)
    assert 0 <= now.ignored <= len(log)
    ids = [told.question for told in now.answered]
    assert len(set(ids)) == len(ids)
    for told in now.answered:
        assert check_answer(told.form, told.items, told.answer) == told.answer
        assert all(0 <= item < N_ITEMS for item in told.items)
    assert now.finished == "" or now.open_question is None


@settings(max_examples=30)
@given(st.lists(EVENTS, max_size=20), st.lists(EVENTS, max_size=20))
def test_reading_on_is_reading_all(first: list[Any], second: list[Any]) -> None:
    now = Participation.from_events(first, N_ITEMS)
    for kind, body in second:
        now = now.after(kind, body)
    assert now == Participation.from_events(first + second, N_ITEMS)


def test_a_whole_conversation() -> None:
    log = [
        ("joined", {"language": "fr", "model": "m1"}),
        ("consented", {}),
        ask("q1", (3, 1)),
        answer("q1", "right"),
        ask("q2", (0, 2, 4, 5), "best-worst"),
    ]
    now = Participation.from_events(log, N_ITEMS)
    assert (now.language, now.model, now.consented) == ("fr", "m1", True)
    assert now.answered == (AnsweredQuestion("q1", "pair", (3, 1), "right"),)
    assert now.open_question is not None
    assert (now.open_question.id, now.open_question.number) == ("q2", 2)
    assert (now.state, now.ignored) == ("asking", 0)


def test_undo_takes_the_last_answer_and_the_open_question_away() -> None:
    log = [ask("q1"), answer("q1"), ask("q2"), answer("q2"), ask("q3")]
    now = Participation.from_events([*log, ("undone", {"question": "q2"})], N_ITEMS)
    assert [told.question for told in now.answered] == ["q1"]
    assert now.open_question is None
    other = Participation.from_events([*log, ("undone", {"question": "q1"})], N_ITEMS)
    assert other.ignored == 1
    assert len(other.answered) == 2


def test_after_the_end_a_question_opens_the_conversation_again() -> None:
    log = [ask("q1"), answer("q1"), ("finished", {"reason": "sure"})]
    ended = Participation.from_events(log, N_ITEMS)
    assert (ended.finished, ended.went_on) == ("sure", False)
    again = ended.after(*ask("q2"))
    assert (again.finished, again.went_on) == ("", True)
    assert again.open_question is not None


def because(attribute: Any, question: str = "q") -> Any:
    return "because", {"question": question, "attribute": attribute}


def test_the_last_reason_counts_and_goes_with_its_answer() -> None:
    log = [ask("q"), answer("q"), ask("q2"), because("rent"), because("size")]
    now = Participation.from_events(log, N_ITEMS)
    assert (now.answered[0].because, now.ignored) == ("size", 0)
    assert now.open_question is not None  # the next question stays
    assert now.after(*because(None)).answered[0].because is None
    undone = now.after("undone", {"question": "q"})
    assert undone.answered == ()
    again = undone.after(*ask("q3")).after(*answer("q3"))
    assert again.answered[0].because is None


@pytest.mark.parametrize(
    ("how", "reason"),
    [("tie", because("rent")), ("left", because("")), ("left", because("rent", "p"))],
)
def test_a_reason_needs_a_choice_and_a_name(how: str, reason: Any) -> None:
    now = Participation.from_events([ask(), answer("q", how), reason], N_ITEMS)
    assert (now.ignored, now.answered[0].because) == (1, None)


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ({"answer": "left", "probability": 0.75}, ("left", 0.75, False)),
        ({"answer": "tie", "probability": 0.75}, None),
        ({"answer": "left", "probability": 2}, None),
        (["left", 0.75], None),
        (None, None),
    ],
)
def test_what_was_foretold_stays_with_the_answer(body: Any, kept: Any) -> None:
    kind, asked = ask()
    log = [(kind, {**asked, "predicted": body}), answer()]
    (told,) = Participation.from_events(log, N_ITEMS).answered
    assert told.predicted == kept


def test_a_log_of_a_newer_version_is_refused_with_a_sentence() -> None:
    with pytest.raises(FormatError, match=r"'danced'.*Use the version that wrote it"):
        Participation.from_events([ask(), ("danced", {})], N_ITEMS)


@pytest.mark.parametrize(
    "event",
    [
        answer("other"),
        answer("q", "poem"),
        ("answered", {"question": "q"}),
        ask("q2"),
        ("undone", {"question": "q"}),
        ("danced", {}),
        ("answered", None),
    ],
)
def test_what_makes_no_sense_is_counted_and_changes_nothing(event: Any) -> None:
    before = Participation.from_events([ask("q")], N_ITEMS)
    after = before.after(*event)
    assert after.ignored == 1
    assert after.open_question == before.open_question
    assert after.answered == ()


@pytest.mark.parametrize(
    ("form", "items", "good", "bad"),
    [
        (
            "pair",
            (0, 1),
            ["left", "tie", "skip", "neither"],
            [1, "both", None, ["left"]],
        ),
        ("rating", (2,), [1, 5, "skip"], [0, 6, True, 2.0, "left"]),
        ("ranking", (4, 2, 0), [[0, 2, 4], "skip"], [[0, 2], [0, 2, 2], "left", [0.0]]),
        (
            "best-worst",
            (4, 2, 0),
            [{"best": 4, "worst": 0}, "skip"],
            [{"best": 4}, {"best": 4, "worst": 4}, {"best": 1, "worst": 0}, [4, 0]],
        ),
    ],
)
def test_answers_fit_the_form(
    form: str, items: tuple[int, ...], good: list[Any], bad: list[Any]
) -> None:
    for one in good:
        assert check_answer(form, items, one) == one
    for one in bad:
        with pytest.raises(DataError, match="must"):
            check_answer(form, items, one)
