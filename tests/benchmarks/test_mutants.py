"""Deliberate mistakes are made by rule and run against the nearest tests."""

import argparse
import json
import sys
from pathlib import Path

import pytest

from benchmarks.mutants import __main__ as command
from benchmarks.mutants import _tests
from benchmarks.mutants.__main__ import ROOT, draw, nearest_tests
from benchmarks.mutants._mutate import mutant, places


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("x = a + b", "x = a - b"),
        ("x = a < b", "x = a <= b"),
        ("x = a is None", "x = a is not None"),
        ("x = a and b", "x = a or b"),
        ("x = not a", "x = not not a"),
        ("x = -a", "x = +a"),
        ("x = 3", "x = 4"),
        ("x = 0.5", "x = 1.0"),
        ("x = a if b else c", "x = a if not b else c"),
    ],
)
def test_one_thing_is_another(tmp_path, right, wrong):
    (tmp_path / "code.py").write_text(right)
    (place,) = places(right)
    made = mutant(Path("code.py"), tmp_path, place)
    assert (made.line, made.source) == (1, wrong + "\n")


def test_words_and_types_are_left_alone():
    assert not places('def f(x: int = 3) -> int:\n    raise ValueError(f"{x + 1}")')


def test_the_same_seed_draws_the_same_mistakes():
    first, second = draw(5, 1), draw(5, 1)
    assert first == second
    for each in first:
        assert each.before != each.after
        assert all(tests.exists() for tests in nearest_tests(each.path))


def test_nearest_are_the_tests_of_the_module_then_of_the_room():
    tests = ROOT / "tests"
    own = tests / "rules" / "test_monomials.py"
    assert nearest_tests(Path("penchant/rules/_monomials.py")) == [
        own,
        own.parent,
        tests / "test_defaults.py",
    ]
    assert nearest_tests(Path("penchant/gai/_candidates.py"))[0] == tests / "gai"


def test_children_import_the_sources_with_the_mistake(monkeypatch):
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.setattr(_tests, "BEFORE", ())
    _tests.prepare()
    assert not [name for name in sys.modules if name.startswith("penchant")]


def test_a_room_that_takes_too_long_is_looked_at_without_the_mistake_once(
    tmp_path, monkeypatch
):
    runs = []

    def endless(root, sources, tests, cache):
        runs.append(tests)
        return _tests.Run("endless", "", 60.0)

    monkeypatch.setattr(command, "run_tests", endless)
    monkeypatch.setattr(command.tempfile, "tempdir", str(tmp_path))
    bench, (wrong,) = command.Bench(), draw(1, 1)
    rooms = len(nearest_tests(wrong.path))
    for so_far in (2 * rooms, 3 * rooms):
        assert bench.try_out(wrong)["outcome"] == "survived"
        assert len(runs) == so_far


def test_a_run_goes_on_where_the_last_one_stopped(tmp_path, monkeypatch):
    class Bench:
        outcome = "survived"

        def try_out(self, wrong):
            told = {"where": str(wrong.path), "outcome": self.outcome, "by": ""}
            Bench.outcome = "noticed"
            return told

    monkeypatch.setattr(command, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(command, "prepare", lambda: None)
    monkeypatch.setattr(command, "Bench", Bench)
    options = argparse.Namespace(n=3, seed=0, most=2, again=False)
    command.run(options)
    assert [each["number"] for each in command.stored(0)] == [1, 2]
    command.run(options)
    assert [each["outcome"] for each in command.stored(0)] == [
        "survived",
        "noticed",
        "noticed",
    ]
    options.again = True
    command.run(options)
    found = json.loads((tmp_path / "results.json").read_text())
    assert (found["share"], found["share_now"]) == (0.667, 1.0)
