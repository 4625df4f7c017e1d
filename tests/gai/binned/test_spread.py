"""Tables in pieces, on a real Dask scheduler with two worker processes."""

import os
import signal

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from penchant.exceptions import DataError
from penchant.gai.binned import _blocks, _fit
from penchant.models import GAIClassifier, GAIRegressor


def table(n_rows=2_400):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 4))
    X[rng.uniform(size=n_rows) < 0.1, 3] = np.nan
    X[:, 2] = np.floor(4 * X[:, 2])
    y = np.sin(6 * X[:, 0]) + 2 * X[:, 0] * X[:, 1] + (X[:, 2] == 1)
    return X, y + 0.2 * rng.normal(size=n_rows)


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as running:
        yield running


@pytest.fixture
def client(cluster):
    with Client(cluster) as opened:
        yield opened


def in_pieces(X, y, size):
    return da.from_array(X, chunks=(size, 2)), da.from_array(y, chunks=size)


def on_one_machine(monkeypatch, model, X, y, size):
    """Fit with blocks of the same size in this process."""

    def make_blocks(axes, sides, y, weights):
        return _blocks.make_blocks(axes, sides, y, weights, size)

    with monkeypatch.context() as patch:
        patch.setattr(_fit, "make_blocks", make_blocks)
        return model.fit(X, y)


MODEL = {"categorical_features": [2], "loss": "squared", "C": 0.1, "solver": "binned"}
"""One penalty: a path of many is no other work, and takes long on a small table."""


def test_the_same_blocks_give_the_same_model(client, monkeypatch):
    X, y = table()
    here = on_one_machine(monkeypatch, GAIRegressor(**MODEL), X, y, 1_000)
    there = GAIRegressor(**MODEL).fit(*in_pieces(X, y, 1_000))
    assert (there.solver_, len(there.factors_) > 3) == ("binned", True)
    assert there.factors_ == here.factors_
    np.testing.assert_array_equal(there.predict(X), here.predict(X))
    assert there.dual_gap_ == here.dual_gap_


def test_other_blocks_give_the_same_predictions(client):
    X, y = table()
    whole = GAIRegressor(**MODEL, tol=1e-9).fit(X, y)
    pieces = GAIRegressor(**MODEL, tol=1e-9).fit(*in_pieces(X, y, 700))
    np.testing.assert_allclose(pieces.predict(X), whole.predict(X), atol=1e-6)


def test_a_lost_worker_changes_nothing(cluster, client, monkeypatch):
    X, y = table()
    here = on_one_machine(monkeypatch, GAIRegressor(**MODEL), X, y, 600)
    killed = []

    def strike(progress):
        if progress["step"] == 3 and not killed:
            (pid, *_) = client.run(os.getpid).values()
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    model = GAIRegressor(**MODEL, callback=strike)
    there = model.fit(*in_pieces(X, y, 600))
    assert killed
    np.testing.assert_array_equal(there.predict(X), here.predict(X))


def test_classes_are_learned_from_pieces():
    X, y = table(1_000)
    labels = np.where(y > 1.0, "good", "bad")
    whole = GAIClassifier(C=0.1, tol=1e-8).fit(X, labels)
    pieces = GAIClassifier(C=0.1, tol=1e-8).fit(in_pieces(X, y, 400)[0], labels)
    np.testing.assert_allclose(
        pieces.predict_proba(X), whole.predict_proba(X), atol=1e-6
    )


def test_without_a_cluster_pieces_are_read_one_by_one():
    X, y = table(500)
    pieces = GAIRegressor().fit(*in_pieces(X, y, 500))
    whole = GAIRegressor().fit(X, y)
    np.testing.assert_array_equal(pieces.predict(X), whole.predict(X))
    with pytest.raises(DataError, match="A Dask table needs the binned solver"):
        GAIRegressor(sigma=0.3).fit(*in_pieces(np.nan_to_num(X), y, 100))
    with pytest.raises(DataError, match="one entry per row of X"):
        GAIRegressor().fit(in_pieces(X, y, 100)[0], y[:7])


def test_data_frames_bring_the_names_of_their_columns():
    frames = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    pd = pytest.importorskip("pandas")
    X, y = table(300)
    frame = pd.DataFrame(X, columns=list("abcd"))
    pieces = GAIRegressor().fit(frames.from_pandas(frame, npartitions=2), y)
    assert list(pieces.feature_names_in_) == list("abcd")
    whole = GAIRegressor().fit(frame, y)
    np.testing.assert_allclose(pieces.predict(frame), whole.predict(frame), atol=1e-2)
