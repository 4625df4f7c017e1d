"""Fixtures that several folders of tests share."""

from pathlib import Path

import pytest
from hypothesis import settings

from penchant.datasets import data_folder
from penchant.exceptions import DataError

# Same examples on every run, and no limit on time: the machine may be busy.
settings.register_profile("penchant", deadline=None, derandomize=True)
settings.load_profile("penchant")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with data sets that are not part of the repository, or a skip."""
    try:
        return data_folder()
    except DataError as error:
        pytest.skip(str(error))
