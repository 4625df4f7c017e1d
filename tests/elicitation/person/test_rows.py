"""What answers say as rows: coefficients, ends, products, and who is accepted."""

import numpy as np
import pytest
from scipy.stats import norm

from penchant.elicitation import PersonSpace
from penchant.elicitation.person import Reason, _rows
from penchant.elicitation.person._components import Components
from penchant.elicitation.person._rows import (
    Row,
    Rows,
    accepted,
    chosen,
    direction_evidence,
    read,
    rejected,
)
from penchant.exceptions import DataError
from penchant.gp import Answer, Posterior

N = 12


@pytest.fixture(scope="module")
def space(table):
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(N, 2))
    earlier = Posterior(rng.normal(size=N), factor @ factor.T + 0.1 * np.eye(N), 0.5)
    return PersonSpace.from_items(table(N, blanks=True), earlier)


def duel(i, j):
    items = np.zeros(N)
    items[i], items[j] = 1.0, -1.0
    return items


def same(row, features, items, offset, *rest):
    np.testing.assert_allclose(row.features, features, atol=1e-12)
    np.testing.assert_array_equal(row.items, items)
    assert row.offset == pytest.approx(offset)
    np.testing.assert_array_equal(
        [row.lower, row.upper, *row.widths, row.noise, row.lapse],
        [*rest, np.nan, np.nan],
    )


def test_each_kind_of_answer_is_a_row_with_its_own_ends(space):
    answers = [
        Answer("comparison", (4, 7)),
        Answer("tie", (4, 7)),
        Answer("tie", (4, 7), 0.2),
        Answer("below", (5,)),
    ]
    won, tie, wide, below, accept = read(space, answers)
    features = space.table[4] - space.table[7]
    offset = space.population_mean[4] - space.population_mean[7]
    same(won, features, duel(4, 7), offset, 0.0, np.inf, 1.0, 0.0)
    same(tie, features, duel(4, 7), offset, 0.0, 0.0, -1.0, 1.0)
    same(wide, features, duel(4, 7), offset, -0.2, 0.2, 0.0, 0.0)
    for row, item, sign in ((below, 5, -1.0), (accept, 4, 1.0)):
        level = np.eye(len(features))[-1]  # what a person still accepts
        worth = sign * (space.table[item] - level)
        own = sign * np.eye(N)[item]
        mean = sign * space.population_mean[item]
        same(row, worth, own, mean, 0.0, np.inf, 0.0, 0.0)


def test_winners_count_as_accepted_once_something_was_rejected(space):
    first = [Answer("comparison", (4, 7)), Answer("comparison", (4, 8))]
    later = [Answer("comparison", (2, 4)), Answer("tie", (1, 0))]
    no = [Answer("below", (5,)), Answer("below", (5,))]
    assert len(read(space, first)) == 2
    assert [np.argmax(r.items) for r in read(space, no, first)[2:]] == [4]
    assert len(read(space, later, first)) == 2
    after = read(space, later, [*first, *no])
    assert [np.argmax(row.items) for row in after[2:]] == [2]  # 4 was before
    both = read(space, [*later, *no], first)
    assert [np.argmax(row.items) for row in both[4:]] == [4, 2]
    assert rejected([*first, *no, Answer("below", (1,))]) == [5, 1]
    assert chosen([*first, *later]) == [4, 2]


def test_a_reason_sets_one_attribute_against_the_mean_of_the_others(space):
    i, j = 4, 7
    offered = Reason.offered(space, (i, j))
    (row,) = read(space, [Reason("reason", (i, j), None, "size")])
    gap = space.table[i] - space.table[j]
    places = [space.owner(name) for name in offered]
    mine = space.owner("size")
    others = [k for k in places if k != mine]
    features = np.zeros(len(gap))
    for block in space.blocks:
        own = 1.0 / max(len(block.owners), 1)
        weight = own * (mine in block.owners)
        weight -= own * sum(k in block.owners for k in others) / len(others)
        features[block.columns] = weight * gap[block.columns]
    of_features, of_mean = space.split
    lines = features[space.line_columns]
    features[space.population_columns] = lines @ of_features
    same(row, features, np.zeros(N), lines @ of_mean, 0.0, np.inf, 1.0, 0.0)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer("comparison", (0, N)), rf"0 to {N - 1}\. Got \[0, {N}\]"),
        (Answer("below", (-1,)), r"Got \[-1\]"),
        (Reason("reason", (1, 3), None, "rent"), "do not differ in 'rent'. Name one"),
        (Reason("reason", (1, 3), None, "colour"), "must be one that varies"),
    ],
)
def test_what_cannot_be_read_is_named(space, answer, said):
    with pytest.raises(DataError, match=said):
        read(space, [answer])  # the rent of item 1 is not known


@pytest.mark.parametrize(("kind", "items"), [("tie", (0, 1)), ("reason", (1, 1))])
def test_reasons_are_about_two_different_items(kind, items):
    with pytest.raises(
        DataError, match=r"two different items, the preferred one first"
    ):
        Reason(kind, items, None, "rent")


def test_rows_begin_with_the_directions_and_hold_all_products(space):
    start = Rows.begin(space)
    assert len(start) == 2  # less rent, more size
    lines = [b.columns.start for b in space.blocks if b.kind == "line"][:2]
    np.testing.assert_array_equal(start.features, np.eye(len(space.block_of))[lines])
    assert not start.items.any()
    expected = np.array([0.0, 0.0, np.inf, 0.0, 0.0, 0.01, 0.05])
    np.testing.assert_array_equal(start.values, np.column_stack([expected] * 2))
    added = read(space, [Answer("comparison", (4, 7)), Answer("below", (2,))])
    one_by_one = start
    for row in added:
        one_by_one = one_by_one.plus(space, [row])
    rows = start.plus(space, added)
    assert start.plus(space, []) is start
    np.testing.assert_allclose(rows.gram, one_by_one.gram, atol=1e-12)
    own = np.stack([row.items for row in added])
    own = (own - own.mean(axis=1, keepdims=True)) * space.own_scale
    np.testing.assert_allclose(rows.items[2:], own)
    assert len(rows) == 2 + len(added)
    for k, block in enumerate(space.blocks):
        part = rows.features[:, block.columns]
        np.testing.assert_allclose(rows.gram[k], part @ part.T, atol=1e-12)
    for k, here in enumerate(space.unknown):
        expected = (rows.items * here) @ rows.items.T
        np.testing.assert_allclose(
            rows.gram[len(space.blocks) + k], expected, atol=1e-12
        )


def test_inference_sees_prior_moments_and_ends_of_each_component(space, monkeypatch):
    seen = []
    monkeypatch.setattr(_rows, "propagate", lambda *given: seen.append(given))
    drawn = Components.draw(space, 5, 0.5, np.random.default_rng(0))
    prior = drawn.moments(space)
    told = [Answer("comparison", (4, 7)), Answer("tie", (1, 3)), Answer("below", (5,))]
    added = read(space, told)
    rows = Rows.begin(space).plus(space, added)
    rows.infer(prior)
    mean, gram, likelihood, start, inner = seen[0]
    assert start.tau.shape == (5, 0)
    assert inner is None
    offsets = np.array([0.0, 0.0, *(row.offset for row in added)])
    for m in range(5):
        expected = rows.features @ prior.mean[m] + prior.like[m] * offsets
        np.testing.assert_allclose(mean[m], expected, atol=1e-12)
        sizes = prior.block[m][space.block_of]
        cov = (rows.features * sizes) @ rows.features.T
        doubt = prior.rest[m] @ space.unknown
        cov = cov + (rows.items * doubt) @ rows.items.T
        np.testing.assert_allclose(gram[m], cov, atol=1e-12)
        w = prior.width[m]
        lower = [0, 0, w, -w, *[0.0] * (len(rows) - 4)]
        upper = [np.inf, np.inf, np.inf, w, *[np.inf] * (len(rows) - 4)]
        np.testing.assert_allclose(likelihood.lower[m], lower)
        np.testing.assert_allclose(likelihood.upper[m], upper)
        own = len(rows) - 2
        np.testing.assert_allclose(
            likelihood.noise[m], [0.01] * 2 + [prior.noise[m]] * own
        )
        np.testing.assert_allclose(
            likelihood.lapse[m], [0.05] * 2 + [prior.lapse[m]] * own
        )


def test_evidence_of_directions_is_a_product_of_normal_probabilities(space):
    prior = Components.draw(space, 6, 0.5, np.random.default_rng(1)).moments(space)
    found = direction_evidence(space, prior)
    lines = [k for k, b in enumerate(space.blocks) if b.kind == "line"][:2]
    for m in range(6):
        chances = [
            0.05
            + 0.9
            * norm.cdf(
                prior.mean[m, space.blocks[k].columns.start]
                / np.sqrt(prior.block[m, k] + 0.01**2)
            )
            for k in lines
        ]
        assert found[m] == pytest.approx(np.log(chances).sum())


def test_a_row_is_open_above_unless_told():
    row = Row(np.zeros(1), np.zeros(1), 0.0)
    assert (row.lower, row.upper, row.widths) == (0.0, np.inf, (0.0, 0.0))


def test_accepted_does_not_change_the_table(space):
    before = space.table[3].copy()
    accepted(space, 3)
    np.testing.assert_array_equal(space.table[3], before)
