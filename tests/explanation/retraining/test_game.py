"""Where models are trained and kept: processes, clusters, disk, warnings."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from distributed import Client
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVC

from penchant.exceptions import DataError
from penchant.explanation import (
    CompleteExplainer,
    DepthExplainer,
    LeastSquaresExplainer,
)


@pytest.fixture(scope="module")
def wine() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_wine(return_X_y=True)
    return X[::3, :5], np.array(["a", "b", "c"])[y[::3]]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Dask scheduler with two worker processes."""
    folder = tmp_path_factory.mktemp("cluster")
    contact = folder / "scheduler.json"
    common = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(contact)]
    processes = []

    def start(role: str, *options: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{role}"]
        with (folder / f"log{len(processes)}.txt").open("wb") as log:
            processes.append(
                subprocess.Popen(
                    [*command, *common, *options], cwd=folder, stdout=log, stderr=log
                )
            )

    try:
        start("scheduler", "--port", "0")
        for _ in range(2):
            options = ["--no-nanny", "--nthreads", "1"]
            start("worker", *options, "--local-directory", str(folder))
        with Client(scheduler_file=contact, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            where = client.scheduler.address
        yield where
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(4, random_state=0)


@pytest.mark.parametrize("model", [forest(), SVC()], ids=["forest", "svc"])
def test_two_processes_give_the_same_numbers(model: Any, wine: Any) -> None:
    one = CompleteExplainer(n_jobs=1).fit(model, *wine)
    two = CompleteExplainer(n_jobs=2).fit(model, *wine)
    np.testing.assert_array_equal(one.explain().values, two.explain().values)
    rows = wine[0][:5] + 0.1
    np.testing.assert_array_equal(one.explain(rows).values, two.explain(rows).values)


@pytest.mark.slow
def test_a_cluster_gives_the_same_numbers(wine: Any, address: str) -> None:
    here = LeastSquaresExplainer(25, random_state=0)
    there = clone(here).set_params(cluster=address)
    rows = wine[0][:5] + 0.1
    np.testing.assert_array_equal(
        here.fit(forest(), *wine).explain(rows).values,
        there.fit(forest(), *wine).explain(rows).values,
    )


class Counted(LinearRegression):
    """Writes a line whenever it is fitted."""

    def __init__(self, log: str = "") -> None:
        super().__init__()
        self.log = log

    def fit(self, X: Any, y: Any) -> "Counted":
        with Path(self.log).open("a", encoding="utf-8") as file:
            file.write(f"{X.shape[1]}\n")
        return super().fit(X, y)


def fits(log: Path) -> int:
    return len(log.read_text(encoding="utf-8").splitlines())


@pytest.fixture
def counted(tmp_path: Path, wine: Any) -> Counted:
    X, _ = wine
    return Counted(str(tmp_path / "log.txt")).fit(X[:, :4], X[:, 4])


def test_each_model_is_trained_once(counted: Counted, wine: Any) -> None:
    X, _ = wine
    log = Path(counted.log)
    explainer = CompleteExplainer().fit(counted, X[:, :4], X[:, 4])
    assert fits(log) == 1 + 2**4 - 2  # the user's own is not trained again
    explainer.explain()
    explainer.explain(X[:3, :4])
    assert fits(log) == 15


@pytest.mark.parametrize("kind", ["path", "memory"])
def test_models_on_disk_serve_later_sessions_and_other_explainers(
    kind: str, counted: Counted, wine: Any, tmp_path: Path
) -> None:
    X, _ = wine
    X, y = X[:, :4], X[:, 4]
    log = Path(counted.log)
    place = tmp_path / "models"
    memory: Any = str(place) if kind == "path" else joblib.Memory(place, verbose=0)
    plain = CompleteExplainer().fit(counted, X, y).explain()
    before = fits(log)
    first = CompleteExplainer(memory=memory).fit(counted, X, y).explain()
    assert fits(log) == before + 14
    again = CompleteExplainer(memory=memory).fit(counted, X, y).explain()
    DepthExplainer(2, memory=memory).fit(counted, X, y)
    assert fits(log) == before + 14
    np.testing.assert_array_equal(first.values, plain.values)
    np.testing.assert_array_equal(again.values, plain.values)
    # Other data are other models.
    CompleteExplainer(memory=memory).fit(counted, X + 1.0, y)
    assert fits(log) == before + 28


def test_many_warnings_become_one(wine: Any) -> None:
    X, y = wine
    model = LogisticRegression(max_iter=1)
    model.classes_ = np.unique(y)
    model.coef_, model.intercept_ = np.zeros((3, 5)), np.zeros(3)
    with pytest.warns(ConvergenceWarning) as caught:
        CompleteExplainer().fit(model, X, y)
    assert len(caught) == 1
    assert "30 of 30 models of part of the attributes warned" in str(caught[0].message)


@pytest.mark.parametrize(
    ("model", "y", "words"),
    [
        (PCA(), np.zeros(60), "method predict"),
        (LinearRegression(), np.zeros(3), "one entry per row"),
        (LinearRegression(), np.zeros((60, 2)), "one entry per row"),
        (LinearRegression(), np.array(["a"] * 60), "must hold numbers"),
    ],
    ids=["no predict", "short", "two outputs", "words"],
)
def test_mistakes(model: Any, y: Any, words: str, wine: Any) -> None:
    with pytest.raises(DataError, match=words):
        CompleteExplainer().fit(model, wine[0], y)


def test_a_column_of_targets_is_a_vector(wine: Any) -> None:
    X, _ = wine
    flat = CompleteExplainer().fit(LinearRegression(), X[:, :2], X[:, 4])
    column = CompleteExplainer().fit(LinearRegression(), X[:, :2], X[:, 4:])
    np.testing.assert_array_equal(flat.explain().values, column.explain().values)


def test_anything_that_predicts_numbers(wine: Any) -> None:
    X, _ = wine
    clusters = KMeans(2, random_state=0, n_init=1).fit(X)
    found = DepthExplainer(1).fit(clusters, X, clusters.labels_).explain()
    assert set(found.predictions) <= {0.0, 1.0}
