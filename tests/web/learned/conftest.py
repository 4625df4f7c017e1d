"""Models are learned with few fits."""

from tests.jobs.conftest import few_fits

__all__ = ["few_fits"]
