"""Parallel work, on a real Dask scheduler with two worker processes on loopback."""

import importlib
import io
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import joblib
import numpy as np
import pytest
from distributed import Client
from rich.console import Console
from sklearn.base import BaseEstimator
from sklearn.datasets import make_regression
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_info, threadpool_limits

from experiments._command import main as run_experiments
from penchant._parallel import one_thread, parallel, track
from penchant.data import Comparisons
from penchant.datasets import make_gai, make_population
from penchant.elicitation import simulate
from penchant.exceptions import ClusterError, DataError, MissingExtraError
from penchant.models import (
    AlwaysTrue,
    ChoquetRegressor,
    Conjunctions,
    FeatureSet,
    GAIRanker,
    GAIRankerCV,
    GAIRegressor,
    GAIRegressorCV,
    PopulationGP,
    Posterior,
    RuleClassifier,
    Vocabulary,
)

# What the workers run: each task says that it has begun, so that tests can strike in
# the middle of the work and not before or after it.
ERRANDS = """
import os
import pathlib
import time

from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge


def begin(folder):
    pathlib.Path(folder, str(os.getpid())).touch()
    time.sleep(0.05)


def add(data, number, folder):
    begin(folder)
    return float(data.sum()) + number


class SlowRidge(Ridge):
    def __init__(self, alpha=1.0, folder="."):
        super().__init__(alpha=alpha)
        self.folder = folder

    def fit(self, X, y):
        begin(self.folder)
        return super().fit(X, y)
"""


@dataclass
class Cluster:
    """Address and processes of a running cluster."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def running_cluster(folder: Path, n_workers: int = 2) -> Iterator[Cluster]:
    """Start a scheduler and worker processes; stop them whatever happens."""
    processes: list[subprocess.Popen[bytes]] = []
    contact = folder / "scheduler.json"

    def start(role: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{role}"]
        common = ["--host", "127.0.0.1", "--no-dashboard"]
        common += ["--scheduler-file", str(contact)]
        with (folder / f"log{len(processes)}.txt").open("wb") as log:
            process = subprocess.Popen(
                [*command, *common, *options], cwd=folder, stdout=log, stderr=log
            )
        processes.append(process)
        return process

    try:
        scheduler = start("scheduler", "--port", "0")
        options = ["--no-nanny", "--nthreads", "1", "--local-directory", str(folder)]
        workers = [start("worker", *options) for _ in range(n_workers)]
        with Client(scheduler_file=contact, timeout=60, set_as_default=False) as client:
            if n_workers:
                client.wait_for_workers(n_workers, timeout=60)
            address = client.scheduler.address
        yield Cluster(address, scheduler, workers)
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture
def fresh_cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster that a test may break."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with running_cluster(folder) as running:
        yield running


@pytest.fixture
def errands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package that only this process can import until it is sent."""
    package = tmp_path / "sent" / "errands"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(ERRANDS)
    monkeypatch.syspath_prepend(package.parent)
    importlib.invalidate_caches()
    yield importlib.import_module("errands")
    del sys.modules["errands"]


def package_of(module: ModuleType) -> Path:
    assert module.__file__ is not None
    return Path(module.__file__).parent


@contextmanager
def meanwhile(act: Callable[[], None]) -> Iterator[None]:
    """Run `act` in a thread beside the block."""
    thread = threading.Thread(target=act)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("what the test waits for did not come within a minute")


def search(estimator: BaseEstimator) -> GridSearchCV:
    X, y = make_regression(n_samples=200, n_features=5, noise=10.0, random_state=0)
    alphas = {"alpha": np.logspace(-3, 3, 8)}
    return GridSearchCV(estimator, alphas, cv=5, error_score="raise").fit(X, y)


def assert_same_search(found: GridSearchCV, expected: GridSearchCV) -> None:
    assert found.best_params_["alpha"] == expected.best_params_["alpha"]
    np.testing.assert_array_equal(
        found.cv_results_["split3_test_score"],
        expected.cv_results_["split3_test_score"],
    )
    np.testing.assert_array_equal(
        found.best_estimator_.coef_, expected.best_estimator_.coef_
    )


class TestHere:
    def test_jobs_reach_joblib_and_end_with_the_block(self) -> None:
        with parallel(jobs=3):
            assert joblib.effective_n_jobs(None) == 3
        assert joblib.effective_n_jobs(None) == 1

    def test_without_arguments_joblib_decides(self) -> None:
        with parallel():
            assert joblib.effective_n_jobs(None) == 1

    def test_two_processes_find_what_one_finds(self) -> None:
        with parallel(jobs=2):
            found = search(Ridge())
        assert_same_search(found, search(Ridge()))

    def test_zero_jobs_are_refused(self) -> None:
        with (
            pytest.raises(DataError, match="jobs must be at least 1"),
            parallel(jobs=0),
        ):
            pass

    def test_jobs_and_cluster_exclude_each_other(self) -> None:
        with (
            pytest.raises(ClusterError, match="leave one out"),
            parallel(jobs=2, cluster="tcp://127.0.0.1:1"),
        ):
            pass

    def test_missing_package_names_the_extra(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("penchant._parallel._config.find_spec", lambda name: None)
        with (
            pytest.raises(MissingExtraError, match=r"penchant\[cluster\]"),
            parallel(cluster="tcp://127.0.0.1:1"),
        ):
            pass

    def test_dask_is_not_imported_without_a_cluster(self) -> None:
        code = "import sys, penchant._parallel as p\nwith p.parallel(jobs=1): pass\n"
        code += "assert not {'dask', 'distributed'} & set(sys.modules)"
        # joblib imports Dask by itself when its Dask backend is looked up only.
        subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
class TestCluster:
    def test_simulated_conversations_equal_serial(self, cluster: Cluster) -> None:
        start = Posterior(np.zeros(6), np.eye(6), noise=0.2)
        people = np.random.default_rng(0).standard_normal((8, 6))
        ask = partial(simulate, start, people, n_questions=4, noise=0.1, random_state=0)
        expected, found = ask(), ask(cluster=cluster.address)
        np.testing.assert_array_equal(found.loss, expected.loss)
        np.testing.assert_array_equal(found.questions, expected.questions)

    def test_grid_search_equals_serial(self, cluster: Cluster) -> None:
        with parallel(cluster=cluster.address):
            assert joblib.effective_n_jobs(None) == 2
            found = search(ChoquetRegressor())
        expected = search(ChoquetRegressor())
        assert found.best_params_ == expected.best_params_
        for split in ("split0_test_score", "split4_test_score"):
            np.testing.assert_allclose(
                found.cv_results_[split], expected.cv_results_[split], rtol=1e-12
            )

    def test_joblibs_own_configuration_works_too(self, cluster: Cluster) -> None:
        with (
            Client(cluster.address, set_as_default=False) as client,
            joblib.parallel_config(backend="dask", client=client),
        ):
            found = search(Ridge())
        assert_same_search(found, search(Ridge()))

    def test_work_runs_in_both_workers(
        self, cluster: Cluster, errands: ModuleType, tmp_path: Path
    ) -> None:
        with parallel(cluster=cluster.address, package=package_of(errands)):
            search(errands.SlowRidge(folder=str(tmp_path)))
        begun = {int(path.name) for path in tmp_path.iterdir() if path.name.isdigit()}
        # The search refits the best model in the calling process.
        assert begun - {os.getpid()} == {worker.pid for worker in cluster.workers}

    def test_an_experiment_runs_on_workers_that_do_not_have_it(
        self, cluster: Cluster, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["gai", "--quick", "--table", "linear_regression"]
        assert run_experiments([*words, "--cluster", cluster.address]) == 0
        on_cluster = capsys.readouterr().out
        assert run_experiments(words) == 0
        here = capsys.readouterr().out
        # The first line tells the seconds.
        assert on_cluster.splitlines()[1:] == here.splitlines()[1:]

    def test_an_error_in_the_work_comes_back_unchanged(self, cluster: Cluster) -> None:
        with (
            pytest.raises(ZeroDivisionError),
            parallel(cluster=cluster.address),
        ):
            joblib.Parallel()(joblib.delayed(divmod)(1, 0) for _ in range(2))

    def test_large_data_need_no_warning(self, cluster: Cluster) -> None:
        data = np.ones(2_000_000)  # 16 MB; Dask warns of tasks above 10 MB
        with parallel(cluster=cluster.address):
            sums = joblib.Parallel()(joblib.delayed(np.sum)(data) for _ in range(4))
        assert sums == [2_000_000.0] * 4


@pytest.mark.slow
class TestLoss:
    def test_grid_search_survives_the_kill_of_a_worker(
        self, fresh_cluster: Cluster, errands: ModuleType, tmp_path: Path
    ) -> None:
        folder = tmp_path / "begun"
        folder.mkdir()

        def kill_one_at_work() -> None:
            victim = fresh_cluster.workers[0]
            wait_until((folder / str(victim.pid)).exists)
            victim.send_signal(signal.SIGKILL)

        with (
            parallel(cluster=fresh_cluster.address, package=package_of(errands)),
            meanwhile(kill_one_at_work),
        ):
            found = search(errands.SlowRidge(folder=str(folder)))
        assert fresh_cluster.workers[0].wait() == -signal.SIGKILL
        assert_same_search(found, search(Ridge()))

    def test_a_population_is_the_same_though_a_worker_is_killed(
        self, fresh_cluster: Cluster
    ) -> None:
        people = make_population(n_users=600, n_items=6, random_state=0)
        given = (people.X_items, people.comparisons, people.X_users)
        expected = PopulationGP().fit(*given)

        def kill_one_in_the_middle(told: dict[str, float]) -> None:
            if told["step"] == 3:
                fresh_cluster.workers[0].send_signal(signal.SIGKILL)

        with parallel(cluster=fresh_cluster.address):
            found = PopulationGP(callback=kill_one_in_the_middle).fit(*given)
        with Client(fresh_cluster.address, set_as_default=False) as observer:
            n_changes = observer.run_on_scheduler(
                lambda dask_scheduler: dask_scheduler.transition_counter
            )
        # Each of two blocks was sent, computed and fetched in each step.
        assert n_changes > 2 * 3 * found.n_iter_
        assert fresh_cluster.workers[0].wait() == -signal.SIGKILL
        assert found.log_evidence_ == expected.log_evidence_
        np.testing.assert_array_equal(found.model_.coef, expected.model_.coef)
        np.testing.assert_array_equal(found.model_.cov, expected.model_.cov)

    def test_data_outlive_the_only_worker_that_holds_them(
        self, fresh_cluster: Cluster, errands: ModuleType, tmp_path: Path
    ) -> None:
        data = np.ones(3_000_000)
        with Client(fresh_cluster.address, set_as_default=False) as observer:
            process_of = observer.run(os.getpid)

            def holders() -> list[str]:
                return [where for where, keys in observer.has_what().items() if keys]

            def kill_the_first_holder() -> None:
                wait_until(lambda: bool(holders()))
                os.kill(process_of[holders()[0]], signal.SIGKILL)

            with (
                parallel(cluster=fresh_cluster.address, package=package_of(errands)),
                meanwhile(kill_the_first_holder),
            ):
                sums = joblib.Parallel()(
                    joblib.delayed(errands.add)(data, number, str(tmp_path))
                    for number in range(20)
                )
        assert sums == [3_000_000.0 + number for number in range(20)]

    @pytest.mark.filterwarnings(
        # Dask leaves its sockets to the garbage collector when the peer is gone.
        "ignore::pytest.PytestUnraisableExceptionWarning"
    )
    def test_loss_of_the_scheduler_is_an_error_not_a_hang(
        self, fresh_cluster: Cluster, errands: ModuleType, tmp_path: Path
    ) -> None:
        folder = tmp_path / "begun"
        folder.mkdir()

        def kill_scheduler_at_work() -> None:
            wait_until(lambda: any(folder.iterdir()))
            fresh_cluster.scheduler.send_signal(signal.SIGKILL)

        with (
            pytest.raises(ClusterError, match="lost work"),
            parallel(cluster=fresh_cluster.address, package=package_of(errands)),
            meanwhile(kill_scheduler_at_work),
        ):
            search(errands.SlowRidge(folder=str(folder)))


class TestUnreachable:
    @pytest.mark.parametrize(
        ("address", "cause"),
        [
            ("tcp://127.0.0.1:9", "ConnectionRefused|Timed out"),
            ("nonsense", "missing port number"),
            ("", "missing port number"),
            ("smoke://127.0.0.1:9", "unknown address scheme"),
        ],
    )
    def test_error_names_address_and_cause(self, address: str, cause: str) -> None:
        with (
            pytest.raises(ClusterError, match=cause) as caught,
            parallel(cluster=address, timeout=1.0),
        ):
            pass
        assert repr(address) in str(caught.value)

    def test_a_peer_that_never_answers_is_given_up(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as mute:
            address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
            with (
                pytest.raises(ClusterError, match="no answer in time"),
                parallel(cluster=address, timeout=1.0),
            ):
                pass

    @pytest.mark.slow
    def test_the_default_patience_is_below_thirty_seconds(self) -> None:
        before = time.monotonic()
        with pytest.raises(ClusterError), parallel(cluster="tcp://127.0.0.1:9"):
            pass
        # The contract itself is a time limit; the default leaves ten seconds of it.
        assert time.monotonic() - before < 30.0

    def test_a_cluster_without_workers(self, tmp_path: Path) -> None:
        with (
            running_cluster(tmp_path, n_workers=0) as lonely,
            pytest.raises(ClusterError, match="has no workers after 1 s"),
            parallel(cluster=lonely.address, timeout=1.0),
        ):
            pass


@pytest.mark.slow
class TestVersions:
    def pretend(self, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
        """Let this process believe that it has another version of a package."""
        from distributed import versions

        real = versions.get_package_info

        def altered(packages: object) -> dict[str, str | None]:
            return {**real(packages), package: "0.0.1"}

        monkeypatch.setattr(versions, "get_package_info", altered)

    @pytest.mark.parametrize("package", ["numpy", "penchant", "distributed", "python"])
    def test_mismatch_names_package_place_and_versions(
        self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, package: str
    ) -> None:
        self.pretend(monkeypatch, package)
        with (
            pytest.raises(ClusterError, match="same versions") as caught,
            parallel(cluster=cluster.address),
        ):
            pass
        assert f"{package} is" in str(caught.value)
        assert "on worker tcp://127.0.0.1" in str(caught.value)
        on_scheduler = package in {"distributed", "python"}
        assert ("on the scheduler" in str(caught.value)) == on_scheduler

    def test_a_package_that_does_not_matter_may_differ(
        self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.pretend(monkeypatch, "pandas")
        with parallel(cluster=cluster.address):
            assert joblib.Parallel()([joblib.delayed(abs)(-1)]) == [1]


class TestProgress:
    def terminal(self) -> Console:
        return Console(file=io.StringIO(), force_terminal=True, width=100)

    def drawn(self, console: Console) -> str:
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    def test_long_work_shows_a_bar(self) -> None:
        console = self.terminal()
        for step in track(range(4), "Fitting [all]", delay=0.0, console=console):
            if step == 3:
                wait_until(lambda: "3/4" in self.drawn(console))
        assert "Fitting [all]" in self.drawn(console)

    @pytest.mark.parametrize(
        "options", [{"delay": 600.0}, {"delay": 0.0, "enabled": False}]
    )
    def test_short_or_disabled_work_shows_nothing(self, options: Any) -> None:
        console = self.terminal()
        assert sum(track(range(4), "Fitting", console=console, **options)) == 6
        assert self.drawn(console) == ""

    def test_silent_when_nobody_watches(self) -> None:
        console = Console(file=io.StringIO(), force_terminal=False)
        for _ in track(range(4), "Fitting", delay=0.0, console=console):
            pass
        assert self.drawn(console) == ""

    def test_track_follows_parallel_work(self) -> None:
        console = self.terminal()
        work = joblib.Parallel(return_as="generator")(
            joblib.delayed(abs)(-value) for value in range(5)
        )
        done = []
        for value in track(work, "Working", total=5, delay=0.0, console=console):
            done.append(value)
            if value == 3:
                wait_until(lambda: "3/5" in self.drawn(console))
        assert done == [0, 1, 2, 3, 4]

    def test_track_asks_for_the_length(self) -> None:
        console = self.terminal()
        for _ in track(["only"], "Working", delay=0.0, console=console):
            wait_until(lambda: "0/1" in self.drawn(console))


def blas_threads() -> set[int]:
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return {pool["num_threads"] for pool in pools}


@dataclass(frozen=True)
class Watched:
    """Items that note how many threads there are when a fit reads them."""

    table: np.ndarray
    seen: list[set[int]]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.table.shape

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        self.seen.append(blas_threads())
        return self.table


@dataclass(frozen=True)
class WatchedRules:
    """A generator that notes how many threads there are when a fit uses it."""

    seen: list[set[int]]

    def bind(self, X: np.ndarray, vocabulary: Vocabulary) -> FeatureSet:
        self.seen.append(blas_threads())
        return (Conjunctions(1) + AlwaysTrue()).bind(X, vocabulary)


class TestOneThread:
    @pytest.fixture(autouse=True)
    def two_threads(self) -> Iterator[None]:
        with threadpool_limits(2, "blas"):
            before = blas_threads()
            yield
            assert blas_threads() == before

    def test_around_some_lines(self) -> None:
        with one_thread():
            assert blas_threads() <= {1}

    def test_around_a_function_each_time(self) -> None:
        count = one_thread()(blas_threads)
        assert count() <= {1}
        assert count() <= {1}

    def test_after_an_error(self) -> None:
        with pytest.raises(ZeroDivisionError), one_thread():
            raise ZeroDivisionError

    @pytest.mark.parametrize(
        "model", [GAIRegressor(C=10.0), GAIRegressorCV(max_order=1)]
    )
    def test_gai_from_ratings(self, model: GAIRegressor | GAIRegressorCV) -> None:
        sample, seen = make_gai(30, 2, n_factors=2, random_state=0), []
        model.fit(Watched(sample.X, seen), sample.y)
        assert seen
        assert all(threads <= {1} for threads in seen)

    @pytest.mark.parametrize("model", [GAIRanker(), GAIRankerCV(max_order=1)])
    def test_gai_from_comparisons(self, model: GAIRanker | GAIRankerCV) -> None:
        sample, seen = make_gai(30, 2, n_factors=2, random_state=0), []
        order = np.argsort(sample.y)
        model.fit(Watched(sample.X, seen), Comparisons(order[1:], order[:-1]))
        assert seen
        assert all(threads <= {1} for threads in seen)

    def test_rules(self) -> None:
        sample, seen = make_gai(60, 2, n_factors=2, random_state=0), []
        y = sample.y > np.median(sample.y)
        model = RuleClassifier(generator=WatchedRules(seen), nu=0.5)
        model.fit(sample.X[:30], y[:30]).partial_fit(sample.X[30:], y[30:])
        assert len(seen) == 2
        assert all(threads <= {1} for threads in seen)
