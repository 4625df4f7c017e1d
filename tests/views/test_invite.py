from datetime import date

import segno

from penchant.studies import load_texts
from penchant.views._invite import arrivals_view, qr_code

TEXTS = load_texts("en")
DAYS = [date(2026, 11, 4), date(2026, 11, 5), date(2026, 11, 8)]


def test_a_code_has_the_dark_modules_of_the_library_and_a_white_border() -> None:
    address = "https://example.org/s/0123456789abcdef/join"
    code = qr_code(address)
    matrix = [list(row) for row in segno.make(address, error="m", micro=False).matrix]
    assert code.size == len(matrix) + 8
    dark = set()
    for part in code.path.split("M")[1:]:
        place, width = part.partition("v1")[0].split("h")
        x, y = map(int, place.split())
        dark |= {(x + k - 4, y - 4) for k in range(int(width))}
    assert dark == {
        (x, y) for y, row in enumerate(matrix) for x, module in enumerate(row) if module
    }


def test_arrivals_are_counted_day_by_day() -> None:
    people = [(DAYS[0], True), (DAYS[0], False), (DAYS[1], True), (DAYS[2], False)]
    answers = [DAYS[0], DAYS[0], DAYS[2]]
    view = arrivals_view(people, answers, TEXTS)
    assert view is not None
    assert [(row.name, row.cells) for row in view.numbers.rows] == [
        ("4 Nov", ("2", "1", "2")),
        ("5 Nov", ("3", "2", "0")),
        ("6 Nov", ("3", "2", "0")),
        ("7 Nov", ("3", "2", "0")),
        ("8 Nov", ("4", "2", "1")),
    ]
    assert (view.total_joined, view.total_finished) == ("4 joined", "2 finished")
    assert view.words == (
        "People from 4 Nov to 8 Nov: 4 joined, of whom 2 finished by now"
    )
    assert [tick.label for tick in view.across] == ["4 Nov", "6 Nov", "8 Nov"]
    assert view.joined_at < view.finished_at
    assert view.bars == "M2.00 100h16.00v-100h-16.00zM82.00 100h16.00v-50h-16.00z"
    assert view.bars_words == "3 answers; most of them, 2, on 4 Nov."


def test_one_day_or_nobody_makes_no_chart() -> None:
    assert arrivals_view([], [], TEXTS) is None
    assert arrivals_view([(DAYS[0], True)] * 3, DAYS[:1], TEXTS) is None


def test_years_are_not_drawn_day_by_day() -> None:
    people = [(date(2020, 1, 1), True), (date(2026, 1, 1), True)]
    view = arrivals_view(people, [], TEXTS)
    assert view is not None
    assert 300 < len(view.numbers.rows) < 600
