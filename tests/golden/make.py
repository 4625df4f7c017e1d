"""Write the golden files: what `save`, `to_dict`, a store, a backup and an export give.

Version 0.1.0 wrote the files in this folder with this script, but for `later_cases`; it
is kept to show what they hold. They stay as they are: people have such files. To see
what another version writes, or to add files of a new model, name another folder::

    python -m tests.golden.make somewhere/else
"""

import json
import secrets
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Comparisons, Items, Rankings, Ratings
from penchant.datasets import load_flats, make_gai, make_population
from penchant.elicitation import Elicitor, StopRule
from penchant.explanation import (
    CoalitionalExplainer,
    CompleteExplainer,
    DepthExplainer,
    LeastSquaresExplainer,
)
from penchant.io import save
from penchant.kernels import RBF, BSpline, KernelSum, Spline
from penchant.models import (
    AlwaysTrue,
    ChoquetClassifier,
    ChoquetRanker,
    ChoquetRegressor,
    ChoquetSVC,
    ChoquetSVR,
    Conjunctions,
    GAIClassifier,
    GAIRanker,
    GAIRankerCV,
    GAIRegressor,
    GAIRegressorCV,
    GaussianProcessRanker,
    Monomials,
    PopulationGP,
    Ramps,
    RuleClassifier,
    RuleRanker,
)
from penchant.studies import (
    SqlStore,
    Study,
    StudySettings,
    backup,
    export_study,
    simulated_answer,
)
from penchant.testing import LinearRanker
from tests.golden.test_golden import belief, conversation, outlook, outputs

Case = tuple[str, Any, Any, list[str]]
"""Name of the file, fitted model, items, and the methods that are asked about them."""

CLASSIFIER = ["predict", "decision_function"]


def main(folder: Path) -> None:
    """Write all files into a folder."""
    (folder / "models").mkdir(parents=True, exist_ok=True)
    cases = (gai_cases, choquet_cases, rule_cases, process_cases, other_cases)
    for make in (*cases, later_cases):
        for name, model, X, methods in make():
            save(model, folder / "models" / f"{name}.npz")
            values = {
                "class": type(model).__name__,
                "X": X,
                "outputs": outputs(model, X, methods),
            }
            write(folder / "models" / f"{name}.json", values)
    write(folder / "values.json", plain_values())
    write(folder / "elicitor.json", elicitor_values())
    write_studies(folder)


def write(path: Path, values: Any) -> None:
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


# ---------------------------------------------------------------- fitted models


COLUMNS = ("price", "size", "floor", "balcony", "noise")


def flats(n: int, columns: tuple[str, ...] = COLUMNS) -> Items:
    """Give a few flats: numbers up and down, levels with and without an order."""
    whole = load_flats()
    kept = [a for a in whole.attributes if a.name in columns]
    frame = whole.frame[[a.name for a in kept]].head(n)
    return Items.from_frame(frame, kept, names=list(whole.names[:n]))


def liking(items: Items) -> np.ndarray:
    """Give ratings of flats."""
    X = items.encode()
    return 2 * X[:, 0] + X[:, 1] + X[:, 0] * X[:, 1] + 0.5 * np.sin(3 * X[:, -1])


def sample() -> tuple[np.ndarray, np.ndarray, list[list[float]]]:
    """Give rated items, and other items to predict."""
    drawn = make_gai(36, 3, n_factors=2, noise=0.02, random_state=1)
    other = make_gai(6, 3, n_factors=2, random_state=2)
    return drawn.X.round(3), drawn.y, other.X.round(3).tolist()


def gai_cases() -> Iterator[Case]:
    X, y, other = sample()
    both = ["utility", "predict"]
    sparse = GAIRegressor(C=1.0, max_order=2).fit(X, y)
    yield "gai_regressor", sparse, other, both
    dense = GAIRegressor(sparse=False, max_order=2, kernel="spline").fit(X, y)
    yield "gai_regressor_dense", dense, other, both

    kernels = [KernelSum((RBF(0.5), RBF(1.0))), Spline().scaled(2.0), BSpline(order=1)]
    own = GAIRegressor(kernel=kernels, max_order=1, hierarchical=True).fit(X, y)
    yield "gai_regressor_kernels", own, other, both
    levels = np.column_stack([X[:, 0], np.round(4 * X[:, 1]), np.round(2 * X[:, 2])])
    mixed = [[0.3, 1.0, 2.0], [0.9, 4.0, 0.0], [0.5, 2.0, 1.0]]
    named = GAIRegressor(
        max_order=2,
        categorical_features=[2],
        domain=[(0, 1), (0, 1, 2, 3, 4), (0, 2)],
    )
    yield "gai_regressor_categories", named.fit(levels, y), mixed, both
    yield "gai_regressor_compact", named.compact(), mixed, both

    table = flats(24)
    table_values = flats(6).to_dict()
    directed = GAIRegressor(C=1.0, max_order=2, monotone="directions")
    fitted = directed.fit(table, liking(table))
    yield "gai_regressor_directions", fitted, table_values, both

    pairs = [row[:2] for row in other]
    answers = Comparisons.from_ratings(y[:12])
    ranker = GAIRanker(C=1.0, max_order=1).fit(X[:12, :2], answers)
    yield "gai_ranker", ranker, pairs, ["utility"]
    dense_ranker = GAIRanker(sparse=False, max_order=2).fit(X[:12], answers)
    yield "gai_ranker_dense", dense_ranker, other, ["utility"]

    skewed = np.exp(4 * X).round(3)
    skewed_other = np.exp(4 * np.array(other)).round(3).tolist()
    for name, model in {
        "gai_regressor_cv": GAIRegressorCV(cv=3, sparse=False),
        "gai_regressor_cv_accurate": GAIRegressorCV(preset="accurate", cv=3),
    }.items():
        yield name, model.fit(skewed, y), skewed_other, both
    paper = GAIRegressorCV(preset="paper", max_order=1).fit(X[:, :2], y)
    yield "gai_regressor_cv_paper", paper, pairs, both
    grades = np.digitize(y, np.quantile(y, [0.3, 0.6])).astype(float)
    graded = GAIRegressorCV(cv=3, sparse=True, max_order=1).fit(X[:, :2], grades)
    yield "gai_regressor_cv_grades", graded, pairs, both
    some = Comparisons.from_ratings(y[:9])
    dense_cv = GAIRankerCV(cv=3, sparse=False).fit(skewed[:9], some)
    yield "gai_ranker_cv", dense_cv, skewed_other, ["utility"]
    sparse_cv = GAIRankerCV(cv=3, sparse=True, max_order=1).fit(X[:9, :2], some)
    yield "gai_ranker_cv_sparse", sparse_cv, pairs, ["utility"]


def choquet_cases() -> Iterator[Case]:
    X, _, other = sample()
    y = X[:, 0] + 2 * np.minimum(X[:, 1], X[:, 2])
    both = ["utility", "predict"]
    grades = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    names = np.array(["bad", "fair", "good"])[grades]
    yield "choquet_regressor", ChoquetRegressor().fit(X, y), other, both
    curved = ChoquetRegressor(
        k=None,
        marginals="spline",
        loss="epsilon_insensitive",
        directions=["up", "down", "up"],
    )
    yield "choquet_regressor_curves", curved.fit(X, y), other, both
    directed = ("price", "size", "noise")
    on_items = ChoquetRegressor(k=3).fit(flats(24, directed), liking(flats(24)))
    yield "choquet_regressor_items", on_items, flats(6, directed).to_dict(), both
    answers = Comparisons.from_ratings(y[:12])
    ranker = ChoquetRanker(k="auto", random_state=0).fit(X[:12], answers)
    yield "choquet_ranker", ranker, other, ["utility"]
    for name, model, labels in (
        ("choquet_classifier", ChoquetClassifier(), y > 1),
        ("choquet_classifier_grades", ChoquetClassifier(loss="hinge"), grades),
        (
            "choquet_classifier_classes",
            ChoquetClassifier(ordered=False, monotone=False),
            names,
        ),
        ("choquet_svc", ChoquetSVC(C=10.0), y > 1),
        ("choquet_svc_classes", ChoquetSVC(k=2, damping="auto"), names),
    ):
        yield name, model.fit(X, labels), other, CLASSIFIER
    yield "choquet_svr", ChoquetSVR(C=10.0).fit(X, y), other, both


def rule_cases() -> Iterator[Case]:
    X, y, other = sample()
    two, three = y > np.median(y), np.digitize(y, np.quantile(y, [0.3, 0.6]))
    proba = [*CLASSIFIER, "predict_proba"]
    for name, model, labels, methods in (
        ("hard", RuleClassifier(nu=None, degree=3), two, CLASSIFIER),
        ("soft", RuleClassifier(nu=0.3, degree=1), two, CLASSIFIER),
        ("auto", RuleClassifier(degree=1, cv=3), three, CLASSIFIER),
        ("logistic", RuleClassifier(loss="logistic", max_rules=4), two, proba),
        ("few", RuleClassifier(loss="auto", max_rules=4, cv=3), two, CLASSIFIER),
        ("monomials", RuleClassifier(generator="monomials", nu=0.3), two, CLASSIFIER),
        ("ramps", RuleClassifier(generator=Ramps(3), nu=0.5), two, CLASSIFIER),
    ):
        yield f"rule_classifier_{name}", model.fit(X, labels), other, methods
    played = RuleClassifier(
        generator=Monomials(3) + Conjunctions(1) + AlwaysTrue(),
        solver="fictitious-play",
        nu=None,
        working_set_size=15,
        n_epochs=3,
        n_plays=200,
    )
    yield "rule_classifier_played", played.fit(X, X[:, 0] > 0.5), other, CLASSIFIER
    table = flats(24)
    labels = np.array(["no", "perhaps", "yes"])[np.digitize(liking(table), [1.5, 2.2])]
    on_items = RuleClassifier(nu=0.3).fit(table, labels)
    yield "rule_classifier_items", on_items, flats(6).to_dict(), CLASSIFIER
    answers = Comparisons.from_ratings(liking(table)[:10])
    ranker = RuleRanker(nu=0.2).fit(table.take(range(10)), answers)
    yield "rule_ranker", ranker, flats(6).to_dict(), ["utility"]
    greedy = RuleRanker(loss="logistic", max_rules=3)
    fitted = greedy.fit(X[:10], Comparisons.from_ratings(y[:10])).top(2)
    yield "rule_ranker_logistic", fitted, other, ["utility"]


def process_cases() -> Iterator[Case]:
    X, _, other = sample()
    asked = ["utility", "posterior"]
    answers = [
        Comparisons([0, 1, 2], [3, 4, 5], ties=[False, False, True]),
        Ratings([6, 7, 8], [1, 3, 2]),
        Rankings([[9, 10, 11]]),
    ]
    process = GaussianProcessRanker().fit(X[:12], answers)
    yield "gaussian_process_ranker", process, other, asked
    table = flats(10)
    ard = GaussianProcessRanker(kernel="rbf", inference="laplace")
    fitted = ard.fit(table, Comparisons.from_ratings(liking(table)[:6]))
    yield "gaussian_process_ranker_rbf", fitted, flats(6).to_dict(), asked

    crowd = make_population(
        n_users=12, n_items=6, n_comparisons=6, noise=0.3, random_state=0
    )
    told, users = crowd.comparisons, crowd.X_users.round(2)
    items = crowd.X_items.round(2)
    people = pd.DataFrame({"age": 20 + 50 * users[:, 0], "town": ["a", "b", "c"] * 4})
    someone = [None, {"age": 31.0, "town": "b"}, {"age": None, "town": "c"}]
    many = ["for_user"]
    yield "population", PopulationGP().fit(items, told, people), someone, many
    yield "population_no_people", PopulationGP().fit(items, told), [None], many
    alone = PopulationGP(inference="laplace").fit(None, told, users)
    yield "population_no_items", alone, [None, [0.2, 0.9]], many
    rbf = PopulationGP(item_kernel="rbf").fit(flats(6), told)
    yield "population_rbf", rbf, [None], many
    few = told.take(np.arange(18))
    for inference in ("ep", "laplace"):
        paper = PopulationGP(prior="kronecker", inference=inference)
        name = f"population_kronecker_{inference}"
        yield name, paper.fit(items, few, people), someone[1:], many
    line = np.linspace(0, 1, 501).round(3)[:, None]
    low_rank = PopulationGP(rank=3, max_order=1).fit(line, told)
    yield "population_low_rank", low_rank, [None], many


def other_cases() -> Iterator[Case]:
    X, y, other = sample()
    linear = LinearRanker().fit(X[:12], Comparisons.from_ratings(y[:12]))
    yield "linear_ranker", linear, other, ["utility"]
    for name, explainer in {
        "complete_explainer": CompleteExplainer(random_state=0),
        "depth_explainer": DepthExplainer(k=3, players={"ab": [0, 1]}),
        "coalitional_explainer": CoalitionalExplainer(),
        "least_squares_explainer": LeastSquaresExplainer(budget=99),
    }.items():
        yield name, explainer, None, []


def later_cases() -> Iterator[Case]:
    """Give what version 0.1.0 did not have: utilities over bins, and classes."""
    X, y, other = sample()
    yield "gai_regressor_binned", GAIRegressor().fit(X, y), other, ["predict"]
    grades = np.digitize(y, np.quantile(y, [0.4, 0.7]))
    classifier = GAIClassifier(max_order=1).fit(X, grades)
    yield "gai_classifier", classifier, other, ["predict", "predict_proba"]


# ---------------------------------------------------------------- plain values


def plain_values() -> dict[str, Any]:
    X, y, _ = sample()
    capacity = ChoquetRegressor().fit(X, y).capacity_
    posterior = PopulationGP().fit(flats(6), Comparisons([], [])).for_user()
    posterior = posterior.update(0, 3).update(4, 1)
    return {
        "capacity": capacity.to_dict(),
        "shapley": capacity.shapley().tolist(),
        "posterior": posterior.to_dict(),
        "n_answers": len(posterior.answers),
        "belief": belief(posterior),
    }


def elicitor_values() -> dict[str, Any]:
    items = flats(12)
    posterior = PopulationGP().fit(items, Comparisons([], [])).for_user()
    elicitor = Elicitor(
        posterior, random_state=7, items=items, stop=StopRule(max_regret=0.001)
    )
    for answer in ("left", "right", "tie", "skip", "left", "neither", "right"):
        elicitor.tell(elicitor.ask(), answer)
    return {
        "state": elicitor.to_dict(),
        "question": elicitor.ask().to_dict(),
        "recommendations": [one.to_dict() for one in elicitor.recommend(3)],
    }


# ---------------------------------------------------------------- studies


def write_studies(folder: Path) -> None:
    """Write a store with a study of every form, its backups, and one study alone."""
    database, lines = folder / "studies.sqlite", folder / "backup.jsonl"
    for path in (database, lines):
        path.unlink(missing_ok=True)
    draw_identifiers(np.random.default_rng(0))
    with SqlStore(f"sqlite:///{database}") as store:
        owner = store.add_owner("ann", "no password", "admin")
        paired = pair_study(store, owner)
        for form in ("best-worst", "rating", "ranking"):
            small_study(store, form)
        links = renewed_links(store)
        in_json(store, lines)
        write(folder / "study.json", export_study(store, paired))
    shrink(database)
    stored = expected(database, folder / "scratch.sqlite")
    values = {who: {"link": links[who], **stored[who]} for who in stored}
    write(folder / "studies.json", values)


def draw_identifiers(rng: np.random.Generator) -> None:
    """Make identifiers repeatable: they decide between equally good questions."""
    secrets.token_hex = lambda n=32: rng.bytes(n).hex()
    secrets.token_urlsafe = lambda n=32: rng.bytes(n).hex()


def gaps(items: Items) -> Items:
    """Leave a value out, as tables of people do."""
    frame = items.frame.copy()
    frame.loc[2, "size"] = None
    return Items.from_frame(frame, items.attributes, names=list(items.names))


def pair_study(store: SqlStore, owner: str) -> str:
    """Let six people answer, learn from them, and let two more start from that."""
    settings = StudySettings(
        max_regret=0.0,
        consent="We keep your answers.",
        nouns=StudySettings.from_dict({"nouns": {"en": ["flat", "flats"]}}).nouns,
    )
    items = gaps(flats(8))
    study_id = store.create_study("pair", items, settings=settings, owner=owner)
    study = Study(store, study_id)
    rng = np.random.default_rng(1)
    shared = rng.normal(size=len(items))
    for number in range(8):
        if number == 6:
            study.refit(wait=True)
            assert store.latest_model(study_id) is not None
        person, _ = study.join(f"person {number}", "fr" if number % 2 else "en")
        study.consent(person.id)
        talk(
            study, person.id, shared + rng.normal(size=len(items)), 3 + number % 3, rng
        )
        if number in (1, 7):
            for answer in ("tie", "skip", "neither"):
                study.tell(person.id, study.ask(person.id).id, answer)
        if number in (2, 6):
            study.undo(person.id)
    return study_id


def small_study(store: SqlStore, form: str) -> None:
    """Let two people answer questions of a form; the second one has enough of it."""
    settings = StudySettings(question=form, max_regret=0.0, help_each_other=False)
    study = Study(store, store.create_study(form, gaps(flats(8)), settings=settings))
    rng = np.random.default_rng(2)
    for number in range(2):
        person, _ = study.join(f"person {number}")
        talk(study, person.id, rng.normal(size=8), 3, rng)
        study.tell(person.id, study.ask(person.id).id, "skip")
    study.finish(person.id)


def talk(
    study: Study, who: str, utilities: np.ndarray, n: int, rng: np.random.Generator
) -> None:
    for _ in range(n):
        asked = study.ask(who)
        answer = simulated_answer(asked.form, asked.items, utilities, rng, noise=0.3)
        study.tell(who, asked.id, answer)


def renewed_links(store: SqlStore) -> dict[str, str]:
    """Give links to everybody that can be written down."""
    return {
        f"{study.name}: {person.label}": store.renew_link(person.id)
        for study in store.list_studies()
        for person in store.list_participants(study.id)
    }


def in_json(store: SqlStore, path: Path) -> None:
    """Back up as from PostgreSQL, which is no file that could be copied."""
    copy_to, store.copy_to = store.copy_to, lambda _: False
    backup(store, path)
    store.copy_to = copy_to


def shrink(path: Path) -> None:
    """Make one small file of a database."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA page_size = 512")
        connection.execute("VACUUM")
    connection.close()


def expected(database: Path, scratch: Path) -> dict[str, Any]:
    """Say where everybody stands and what follows, on a copy of the database."""
    scratch.write_bytes(database.read_bytes())
    found = {}
    with SqlStore(f"sqlite:///{scratch}") as store:
        for record in store.list_studies():
            study = Study(store, record.id)
            for person in store.list_participants(record.id):
                found[f"{record.name}: {person.label}"] = {
                    "conversation": conversation(study, person.id),
                    "outlook": outlook(study, person.id),
                }
    for path in scratch.parent.glob(f"{scratch.name}*"):
        path.unlink()
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))
