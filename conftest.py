"""What tests and examples in docstrings have in common."""

import os
import random
import secrets
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def _drawn_alike(name: str) -> Iterator[None]:
    """Draw the same identifiers and links in every run; a name gives them.

    What somebody is asked depends on who they are, and `secrets` makes all that it
    gives of `token_bytes`. A child process draws its own: two must not draw alike.
    """
    rng, before, own = random.Random(name), secrets.token_bytes, os.getpid()

    def token_bytes(n: int | None = None) -> bytes:
        size = 32 if n is None else n
        return rng.randbytes(size) if os.getpid() == own else os.urandom(size)

    secrets.token_bytes = token_bytes
    try:
        yield
    finally:
        secrets.token_bytes = before


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Let each test draw by its own name, whichever ran before."""
    with _drawn_alike(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """Let what several tests share draw by its own name, whichever test is first."""
    place = getattr(request, "param_index", 0)
    with _drawn_alike(f"{request.node.nodeid} {fixturedef.argname} {place}"):
        return (yield)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Close the figures that an example or a test leaves open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
