"""Identifiers and links are the same in every run of the tests, whatever ran before."""

import os
import secrets
from random import Random

import pytest


@pytest.fixture(scope="module")
def shared() -> str:
    return secrets.token_hex(8)


def drawn(name: str) -> str:
    return Random(name).randbytes(8).hex()


def test_by_its_own_name(request: pytest.FixtureRequest, shared: str) -> None:
    assert secrets.token_hex(8) == drawn(request.node.nodeid)
    assert shared == drawn("tests/test_drawn_alike.py shared 0")


def test_another_draws_something_else(shared: str) -> None:
    assert secrets.token_hex(8) != drawn(
        "tests/test_drawn_alike.py::test_by_its_own_name"
    )
    assert shared == drawn("tests/test_drawn_alike.py shared 0")


def test_a_child_draws_its_own() -> None:
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, secrets.token_bytes(8))
        os._exit(0)
    os.wait()
    assert os.read(read, 8) != secrets.token_bytes(8)
    os.close(read)
    os.close(write)
