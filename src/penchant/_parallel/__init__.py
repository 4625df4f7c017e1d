"""Run joblib work here or on a Dask cluster, show progress, and limit threads."""

from penchant._parallel._config import parallel
from penchant._parallel._progress import track
from penchant._parallel._threads import one_thread

__all__ = ["one_thread", "parallel", "track"]
