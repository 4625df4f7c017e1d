"""What is written is read again as it was."""

import json

import pytest

from penchant.data import (
    BestWorst,
    Choices,
    Comparisons,
    Rankings,
    Ratings,
    read_answers,
    write_answers,
)
from penchant.exceptions import DataError

NAMES = ["=Mill", "Kiln, old", "Barn", "Forge"]

ANSWERS = {
    "comparisons": Comparisons(
        [0, 1, 3], [1, 2, 0], ties=[False, True, False], users=["a", "b", "a"]
    ),
    "ratings": Ratings([0, 1, 1], [3.0, 4.5, 2.0], ["a", "a", "b"]),
    "rankings": Rankings([[3, 0, 1], [1, 2]], ["a", "b"]),
    "choices": Choices([[0, 1, 2], [3, 1]], [2, 3], ["a", "a"]),
    "best-worst": BestWorst([[0, 1, 2, 3], [3, 1, 2]], [2, 3], [0, 1]),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_csv_is_read_again(tmp_path, kind):
    path = tmp_path / "answers.csv"
    write_answers(ANSWERS[kind], path, NAMES)
    found = read_answers(path, NAMES).answers
    assert type(found) is type(ANSWERS[kind])
    as_pairs = [
        each if kind == "comparisons" else each.to_comparisons()
        for each in (found, ANSWERS[kind])
    ]
    assert as_pairs[0] == as_pairs[1]


@pytest.mark.parametrize("ending", ["soi", "toi"])
def test_rankings_as_preflib(tmp_path, ending):
    path = tmp_path / f"votes.{ending}"
    write_answers(Rankings([[3, 0], [1, 2], [3, 0]]), path, NAMES)
    found = read_answers(path)
    assert found.names == tuple(NAMES)
    assert sorted(o.tolist() for o in found.answers.orders) == [[1, 2], [3, 0], [3, 0]]


def test_complete_orders_and_ties_as_preflib(tmp_path):
    write_answers(Rankings([[3, 0, 1, 2]]), tmp_path / "votes.soc", NAMES)
    assert read_answers(tmp_path / "votes.soc").answers.orders[0].tolist() == [
        3,
        0,
        1,
        2,
    ]
    tied = Ratings([0, 1, 2, 3], [5, 3, 3, 1])
    write_answers(tied, tmp_path / "votes.toc", NAMES)
    found = read_answers(tmp_path / "votes.toc", NAMES)
    assert found.told.pooled() == tied.to_comparisons()


def test_orders_that_do_not_fit_say_which_ending_does(tmp_path):
    with pytest.raises(DataError, match=r"some leave alternatives out. Use .soi"):
        write_answers(Rankings([[3, 0]]), tmp_path / "votes.soc", NAMES)
    with pytest.raises(DataError, match=r"some have ties. Use .toc"):
        write_answers(Ratings([0, 1, 2, 3], [1, 1, 2, 3]), tmp_path / "v.soc", NAMES)
    with pytest.raises(DataError, match="give Rankings, or Ratings"):
        write_answers(ANSWERS["comparisons"], tmp_path / "v.soc", NAMES)
    with pytest.raises(DataError, match="rated an item twice"):
        write_answers(Ratings([0, 0], [1, 2]), tmp_path / "v.toi", NAMES)
    with pytest.raises(DataError, match="one line each"):
        write_answers(Rankings([[0]]), tmp_path / "v.soi", ["a\nb"])


def test_records_for_fine_tuning(tmp_path):
    path = tmp_path / "pairs.jsonl"
    write_answers(ANSWERS["comparisons"], path, NAMES, prompt="Where to live?")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {
        "prompt": "Where to live?",
        "chosen": "=Mill",
        "rejected": "Kiln, old",
    }
    assert len(lines) == 2  # a tie prefers nothing
    assert len(read_answers(path)) == 2


def test_answers_that_were_read_bring_their_names(tmp_path):
    found = read_answers(b"winner,loser\nx,y\n")
    write_answers(found, tmp_path / "again.csv")
    assert read_answers(tmp_path / "again.csv").names == ("x", "y")


def test_without_names_and_with_too_few(tmp_path):
    write_answers(Choices([[0, 1]], [1]), tmp_path / "a.csv")
    assert read_answers(tmp_path / "a.csv").names == ("item 1", "item 2")
    with pytest.raises(DataError, match="speak of item 3, but there are 2 names"):
        write_answers(ANSWERS["rankings"], tmp_path / "a.csv", NAMES[:2])
    with pytest.raises(DataError, match="Two items are called"):
        write_answers(ANSWERS["rankings"], tmp_path / "a.csv", ["a", "a"])
    with pytest.raises(DataError, match=r"ending in .csv"):
        write_answers(ANSWERS["rankings"], tmp_path / "a.pdf", NAMES)
