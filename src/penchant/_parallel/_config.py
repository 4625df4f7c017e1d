"""Choose where joblib runs: processes of this machine or a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from joblib import parallel_config

from penchant.exceptions import ClusterError, DataError, MissingExtraError


@contextmanager
def parallel(
    jobs: int | None = None,
    cluster: str | None = None,
    *,
    timeout: float = 20.0,
    package: Path | None = None,
) -> Iterator[None]:
    """Run every joblib call in the block on `jobs` processes or on `cluster`.

    Estimators and experiments call ``joblib.Parallel`` without saying where; this
    says it for them. A Dask cluster runs whatever code it is sent, so connect only
    to one you trust.

    Parameters
    ----------
    jobs : int or None, default=None
        Processes on this machine; -1 means one per core, None leaves joblib's own
        choice, which is one.
    cluster : str or None, default=None
        Address of a Dask scheduler, such as ``tcp://127.0.0.1:8786``. The cluster
        has its own number of processes, so it excludes `jobs`.
    timeout : float, default=20.0
        Seconds within which the cluster must answer, bring a worker and prove that
        its versions match ours.
    package : Path or None, default=None
        Folder of a Python package that the workers need and have not installed; it
        is sent to them.

    Raises
    ------
    ClusterError
        The cluster cannot be reached, has no workers, runs other versions, or lost
        its work for good. The message names the address and the cause.
    MissingExtraError
        A cluster was asked for and the package ``distributed`` is not installed.

    Examples
    --------
    >>> from joblib import Parallel, delayed
    >>> from penchant._parallel import parallel
    >>> with parallel(jobs=1):
    ...     Parallel()(delayed(abs)(value) for value in (-1, 2, -3))
    [1, 2, 3]
    """
    if jobs == 0:
        raise DataError("jobs must be at least 1, or -1 for one per core. Got 0.")
    if cluster is None:
        with parallel_config(n_jobs=jobs):
            yield
        return
    if jobs is not None:
        raise ClusterError(
            "A cluster brings its own processes, so jobs and cluster exclude each "
            f"other. Got jobs={jobs} and cluster={cluster!r}; leave one out."
        )
    if find_spec("distributed") is None:
        raise MissingExtraError("distributed", "cluster")
    # Importing Dask takes most of a second, so only those who ask for it pay.
    from penchant._parallel._cluster import on_cluster

    with on_cluster(cluster, timeout=timeout, package=package):
        yield
