"""Change the table of a running study: what that costs the result of the group.

Twenty simulated people answer twelve questions each about the flats of the demo. In
"changed" the study begins with 32 of the 40 flats and with the direction of the commute
the wrong way round. Ten people finish, five are in the middle; then eight flats arrive,
one is withdrawn and the direction is corrected; the five go on and five more join. In
"fresh start" the same people answer as many questions, in the same order, about the
table as it is at the end. "same answers" is a new study with that table into which the
answers of "changed" are written. What people have in common is learned once, before the
change.

The rank error is the mean difference, over the flats that are left, between the place
in the ranking of the group and that by the true mean points of the same people. Which
of equally good questions is asked depends on identifiers that every run draws anew, so
that the figures of a seed move a little from run to run.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from experiments._outcome import Measurement, Outcome
from penchant._parallel import track
from penchant.data import Items
from penchant.datasets import load_flats, make_flats_population
from penchant.studies import (
    SqlStore,
    Study,
    StudySettings,
    check_store,
    simulated_answer,
    store_url,
)

__all__ = ["run"]

SEED = 500
N_SEEDS, N_QUICK = 16, 1
N_PEOPLE, N_QUESTIONS, N_NEW = 20, 12, 8
DONE, MIDDLE = 10, 5
NOISE = 0.2
SETTINGS = StudySettings(
    max_questions=N_QUESTIONS, max_regret=0.0, check_every=0, end_checks=False
)


def run(*, quick: bool) -> Outcome:
    """Run both kinds of study for several groups of people; if quick, for one."""
    n_seeds = N_QUICK if quick else N_SEEDS
    found = [_one(SEED + k) for k in track(range(n_seeds), "changed_table")]
    return Outcome("changed_table", tuple(_cells(found)), (SEED,))


def _one(seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    order = rng.permutation(40)
    utilities = make_flats_population(N_PEOPLE, random_state=seed).utilities[:, order]
    flats = load_flats().take(order)
    gone = int(rng.integers(40 - N_NEW))
    truth = np.delete(utilities, gone, axis=1)
    found: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        SqlStore(store_url(Path(folder))) as store,
    ):
        changed = _study(store, _wrong(flats.take(range(40 - N_NEW))))
        _ask_all(changed, utilities, seed, change=(flats, flats.names[gone]))
        fresh = _study(store, flats)
        fresh.table.withdraw(flats.names[gone])
        _ask_all(fresh, utilities, seed)
        found["problems"] = float(len(check_store(store).problems))
        again = _study(store, flats)
        again.table.withdraw(flats.names[gone])
        _copy(changed, again)
        for name, study in (
            ("changed", changed),
            ("fresh start", fresh),
            ("same answers", again),
        ):
            study.reload()
            found[name] = _rank_error(study, truth)
            found[f"{name} answers"] = _n_answers(study)
    return found


def _wrong(flats: Items) -> Items:
    """Give flats with the direction of the commute the wrong way round."""
    attributes = tuple(
        replace(each, direction="up") if each.name == "commute" else each
        for each in flats.attributes
    )
    return Items(flats.frame, attributes, flats.names)


def _study(store: SqlStore, items: Items) -> Study:
    study_id = store.create_study("Flats", items, settings=SETTINGS)
    return Study(store, study_id, background=False)


def _ask_all(
    study: Study,
    utilities: np.ndarray,
    seed: int,
    change: tuple[Items, str] | None = None,
) -> None:
    """Ask everybody, and change the table when some are in the middle."""
    people = [study.join(simulated=True)[0].id for _ in range(DONE)]
    for k, who in enumerate(people):
        _ask(study, who, utilities[k], [seed, k], N_QUESTIONS)
    study.refit(wait=True)
    middle = [study.join(simulated=True)[0].id for _ in range(MIDDLE)]
    for k, who in enumerate(middle, start=DONE):
        _ask(study, who, utilities[k], [seed, k], N_QUESTIONS // 2)
    if change is not None:
        flats, gone = change
        study.table.replace(flats)
        study.table.withdraw(gone)
    late = range(DONE + MIDDLE, N_PEOPLE)
    rest = [*middle, *(study.join(simulated=True)[0].id for _ in late)]
    for k, who in enumerate(rest, start=DONE):
        left = N_QUESTIONS - len(study.participation(who).answered)
        _ask(study, who, utilities[k], [seed, k, 1], left)


def _ask(
    study: Study, who: str, utilities: np.ndarray, seed: Sequence[int], n: int
) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(n):
        question = study.ask(who)
        if question is None:
            return
        told = question.form, question.items, utilities, rng
        study.tell(who, question.id, simulated_answer(*told, noise=NOISE))


def _copy(source: Study, target: Study) -> None:
    """Write the answers of a study into another that nobody has learned from."""
    for person in source.store.list_participants(source.id):
        log = [
            (each.kind, {**each.body, "version": 1, "model": None})
            for each in source.store.events(person.id)
        ]
        target.store.add_participant(target.id, simulated=True, events=log)


def _n_answers(study: Study) -> float:
    people = study.store.list_participants(study.id)
    return float(sum(len(study.participation(one.id).answered) for one in people))


def _rank_error(study: Study, truth: np.ndarray) -> float:
    low = truth.min(axis=1, keepdims=True)
    points = (truth - low) / (truth.max(axis=1, keepdims=True) - low)
    means = {item.item: item.mean for item in study.group().items}
    told = [means[item] for item in sorted(means)]
    places = rankdata(-np.array(told)), rankdata(-points.mean(axis=0))
    return float(np.abs(places[0] - places[1]).mean())


def _cells(found: list[dict[str, float]]) -> Iterator[Measurement]:
    names = ("changed", "fresh start", "same answers")
    for name in names:
        errors = [each[name] for each in found]
        yield Measurement.from_scores(
            "rank error of the group", name, errors, in_paper=False
        )
        answers = [each[f"{name} answers"] for each in found]
        yield Measurement.from_scores("answers", name, answers, in_paper=False)
    for name in names[1:]:
        ratio = np.mean([e["changed"] for e in found]) / np.mean(
            [e[name] for e in found]
        )
        yield Measurement(
            f"changed over {name}",
            "rank error",
            float(ratio),
            n=len(found),
            in_paper=False,
        )
    problems = [each["problems"] for each in found]
    yield Measurement.from_scores("problems", "changed", problems, in_paper=False)
