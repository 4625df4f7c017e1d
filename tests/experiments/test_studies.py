"""What the scripts about studies measure, on the smallest sample."""

import numpy as np
import pytest

from experiments.studies import about_people, best_flat, changed_table
from experiments.studies.best_flat import METHODS, Answers


def test_found_for_good_counts_from_the_last_miss() -> None:
    found = np.array([False, True, False, True, True])
    answers = Answers(found, 1.0 - found, np.array([0.5, 0.2, 0.1, 0.04, 0.06]))
    assert answers.n_needed == 4
    assert answers.end == 2  # the first expected regret of at most .1
    always = Answers(np.ones(5, bool), np.zeros(5), np.ones(5))
    assert (always.n_needed, always.end) == (1, 24)


def test_every_method_has_every_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best_flat, "N_QUICK", 1)
    outcome = best_flat.run(quick=True)
    cells = {(cell.row, cell.column) for cell in outcome.measurements}
    assert len(cells) == len(outcome.measurements) == len(METHODS) * 11
    assert {column for _, column in cells} == set(METHODS)
    shares = [c.mean for c in outcome.measurements if c.row.startswith("found after")]
    assert all(0.0 <= share <= 1.0 for share in shares)


def test_a_changed_table_loses_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"N_PEOPLE": 3, "N_QUESTIONS": 2, "DONE": 1, "MIDDLE": 1}
    for name, size in sizes.items():
        monkeypatch.setattr(changed_table, name, size)
    outcome = changed_table.run(quick=True)
    found = {(cell.row, cell.column): cell.mean for cell in outcome.measurements}
    for column in ("changed", "fresh start", "same answers"):
        assert found["answers", column] == 6
    assert found["changed over same answers", "rank error"] == 1
    assert found["problems", "changed"] == 0


def test_what_is_known_of_people_helps_where_it_matters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(about_people, "N_NEW", 40)
    monkeypatch.setattr(about_people, "AT", (0,))
    outcome = about_people.run(quick=True)
    found = {(cell.row, cell.column): cell for cell in outcome.measurements}
    assert len(found) == len(outcome.measurements) == 4
    cell = found["they matter: regret after 0", "known"]
    other = found["they matter: regret after 0", "not known"]
    assert cell.n == 40
    assert cell.mean < 0.8 * other.mean
    # Without anything to learn from, as good as unknown: half of the other difference.
    free = found["they do not: regret after 0", "known"]
    base = found["they do not: regret after 0", "not known"]
    assert free.mean - base.mean < 0.5 * (other.mean - cell.mean)
