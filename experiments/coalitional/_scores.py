"""How near each method comes to the complete one on a data set, and what it costs."""

from collections.abc import Iterator
from typing import NamedTuple

from experiments.coalitional._data_sets import Sample
from experiments.coalitional._methods import COMPLETE, answers, distances, play_all
from experiments.coalitional._peers import PEERS, ask

__all__ = ["Score", "scores"]


class Score(NamedTuple):
    """A method on a data set.

    `l1` and `l2` are distances to the complete method, means over rows; `share` is that
    of the models it trained among those of all sets; `seconds` is CPU time per row when
    all training rows are explained, `seconds_one` that for a single new row.
    """

    n_attributes: int
    l1: float
    l2: float
    share: float
    seconds: float
    seconds_one: float


def scores(
    model: str, sample: Sample, *, cached: bool = True
) -> Iterator[tuple[str, Score]]:
    """Score all methods, then the peers that are here and can explain the model."""
    played = play_all(model, sample, cached=cached)
    n_rows, d = sample.X.shape
    found = dict(answers(played))
    exact = found[COMPLETE].values
    for name, each in found.items():
        near = distances(each.values, exact)
        share = len(each.masks) / (2**d - 1)
        yield name, Score(d, *near, share, each.seconds / n_rows, each.seconds_one)
    for name, peer in PEERS.items():
        if peer.is_here and model in peer.models:
            theirs = ask(name, model, sample, cached=cached)
            near = distances(theirs.values, exact[: len(theirs.values)])
            yield name, Score(d, *near, 0.0, theirs.seconds, theirs.seconds_one)
