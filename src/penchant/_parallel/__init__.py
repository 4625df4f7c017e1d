"""Run joblib work on this machine or on a Dask cluster, and show its progress."""

from penchant._parallel._config import parallel
from penchant._parallel._progress import progress, track

__all__ = ["parallel", "progress", "track"]
