from types import SimpleNamespace

import numpy as np
import pytest

from penchant.data import Items
from penchant.elicitation import PersonBelief, PersonSpace, Reason
from penchant.elicitation.person._statements import Statements
from penchant.gp import Posterior


def test_points_and_their_ranges(belief):
    points = belief.points()
    assert points.mean.min() == pytest.approx(0.0)
    assert points.mean.max() == pytest.approx(100.0)
    assert (points.low <= points.mean).all()
    assert (points.mean <= points.high).all()
    centre, span = belief.scale
    drawn = 50 + 100 / span * (belief.draws.utilities - centre)
    inside = (points.low <= drawn) & (drawn <= points.high)
    np.testing.assert_allclose(belief.draws.weights @ inside, 0.9, atol=0.03)


def test_the_reason_of_somebody_with_one(belief):
    assert belief.main_reason().attributes[0] == "rent"
    assert belief.main_reason().probability >= 0.72
    assert belief.cared_about()[0] == "rent"
    shares = belief.shares()
    assert shares.mean.argmax() == 0
    assert shares.mean.sum() == pytest.approx(1.0)


def test_before_any_answer_little_is_told(table):
    belief = PersonBelief.from_items(table(25))
    reason = belief.main_reason()
    assert len(reason.attributes) != 1
    assert belief.cared_about() == ()
    assert belief.together() == ()


def test_parts_and_contrasts_add_up(belief):
    first, second = belief.parts(3).mean, belief.parts(8).mean
    np.testing.assert_allclose(belief.contrast(3, 8).mean, first - second, atol=1e-9)


def test_a_curve_passes_through_the_parts(belief):
    frame = belief.space.items.frame
    curve = belief.curve("rent", frame["rent"].tolist())
    assert curve.mean[frame["rent"].argmin()] > curve.mean[frame["rent"].argmax()]
    levels = belief.curve("heating", ["gas", "oil", "heat pump"])
    assert levels.mean.shape == levels.low.shape == (3,)


def test_a_surface_has_rows_and_columns(belief):
    surface = belief.surface("rent", "heating", [500, 800, 1100], ["gas", "oil"])
    assert surface.mean.shape == surface.high.shape == (3, 2)
    assert (surface.mean[0] > surface.mean[2]).all()


def test_an_imagined_copy_is_worth_as_much(belief):
    copy = belief.imagine(belief.space.items.take([4]), base=4)
    np.testing.assert_allclose(copy[:, 0], belief.draws.utilities[:, 4], atol=1e-9)


def test_what_is_unknown_of_an_item_is_no_reason_for_it(table):
    items = table(25, blanks=True)
    space = PersonSpace.from_items(items)
    belief = PersonBelief.begin(space, 1)
    for loser in (3, 5, 8, 11):
        belief = belief.update(1, loser)  # of flat 1 the rent is unknown
    rent = space.owner("rent")
    assert belief.favourite == 1
    assert "rent" not in belief.main_reason(1).attributes
    for part in belief.parts(1):
        assert part[rent] == 0.0
    assert "rent" not in Reason.offered(space, (1, 3))
    assert "rent" in Reason.offered(space, (3, 5))


def test_an_item_of_which_nothing_is_known_has_no_reason(table):
    items = table(12)
    frame = items.frame.copy()
    frame.loc[4] = [None] * len(items.attributes)
    space = PersonSpace.from_items(
        Items.from_frame(frame, items.attributes, names=items.names)
    )
    belief = PersonBelief.begin(space, 1).update(4, 2).update(4, 3)
    assert belief.main_reason(4).attributes == ()
    assert belief.variance[4] > 0


@pytest.mark.parametrize(("n_like", "told"), [(50, {"rent"}), (95, {"rent", "size"})])
def test_what_only_earlier_people_say_is_told_to_people_like_them(n_like, told):
    like = np.repeat([1.0, 0.0], [n_like, 100 - n_like])
    rent, size = np.ones(100), like.copy()
    size[n_like:][: (100 - n_like) * 4 // 5] = 1.0  # .8 of what is not like them

    class Told(Statements):
        space = SimpleNamespace(singles=(0, 1), names=("rent", "size"))
        draws = SimpleNamespace(weights=np.full(100, 0.01), like=like)
        _share_draws = np.column_stack([rent, size])

    assert set(Told().cared_about()) == told


@pytest.fixture(scope="module", params=["alone", "earlier"])
def someone(request, table):
    """Somebody after six answers, of whom some of the draws are like earlier people."""
    earlier = None
    if request.param == "earlier":
        rng = np.random.default_rng(0)
        factor = rng.normal(size=(16, 3))
        cov = factor @ factor.T + 0.1 * np.eye(16)
        earlier = Posterior(rng.normal(size=16), cov, noise=0.5)
    found = PersonBelief.begin(PersonSpace.from_items(table(16), earlier), 1)
    for pair in [(0, 5), (3, 7), (2, 11), (3, 0), (9, 1), (3, 12)]:
        found = found.update(*pair)
    return found


def coefficients(belief):
    """Give theta by hand, with what earlier people add to lines and curves."""
    space, drawn = belief.space, belief.draws
    theta = drawn.theta.copy()
    if space.population is not None:
        features, mean = space.split
        for k, column in enumerate(space.line_columns):
            theta[:, column] += theta[:, space.population_columns] @ features[k]
            theta[:, column] += drawn.like * mean[k]
    return theta


def test_shares_are_those_of_the_variance_of_each_part(someone):
    space, theta = someone.space, coefficients(someone)
    spread = np.stack(
        [(theta @ (shares * space.table).T).var(axis=1) for shares in space.ownership]
    )
    share = (spread / spread.sum(axis=0)).T
    found = someone.shares()
    np.testing.assert_allclose(found.mean, share.mean(axis=0), atol=1e-9)
    expected = np.quantile(share, [0.05, 0.95], axis=0, method="inverted_cdf")
    np.testing.assert_allclose([found.low, found.high], expected, atol=1e-9)


def test_parts_curves_and_surfaces_are_sums_of_their_columns(someone):
    space, theta = someone.space, coefficients(someone)
    unit = 100 / someone.scale[1]

    def same(found, values):
        ends = np.quantile(values, [0.05, 0.95], axis=0, method="inverted_cdf")
        np.testing.assert_allclose(found.mean, unit * values.mean(axis=0), atol=1e-8)
        np.testing.assert_allclose([found.low, found.high], unit * ends, atol=1e-8)

    def parts(row):
        return theta @ (space.ownership * row).T

    same(someone.parts(4), parts(space.table[4]))
    same(someone.contrast(4, 9), parts(space.table[4] - space.table[9]))
    X = space.encoded[:4]  # a column of the features is centred over the items
    everything = space.features(X)
    for owner, name in enumerate(space.names):
        own = [b.columns for b in space.blocks if b.owners == (owner,)]
        columns = np.r_[tuple(own)]
        values = space.items.frame[name].iloc[:4].tolist()
        same(someone.curve(name, values), theta[:, columns] @ everything[:, columns].T)
    for a, b in ((0, 3), (3, 1)):
        names = space.names[a], space.names[b]
        inside = [d.columns for d in space.blocks if d.owners and {*d.owners} <= {a, b}]
        columns = np.r_[tuple(inside)]
        values = [space.items.frame[name].iloc[:4].tolist() for name in names]
        table = np.full((16, len(space.items.attributes)), np.nan)
        table[:, a] = np.repeat(X[:, a], 4)
        table[:, b] = np.tile(X[:, b], 4)
        worth = theta[:, columns] @ space.features(table)[:, columns].T
        same(someone.surface(*names, *values), worth.reshape(-1, 4, 4))


def test_imagined_items_have_what_their_attributes_give_and_the_rest_of_a_base(someone):
    space, theta = someone.space, coefficients(someone)
    rows = space.items.take([2, 8])
    features = space.features(space.encoded[[2, 8]])
    n = features.shape[1]
    worth = theta[:, :n] @ features.T
    np.testing.assert_allclose(someone.imagine(rows), worth, atol=1e-9)
    np.testing.assert_allclose(someone.expect(rows), worth.mean(axis=0), atol=1e-9)
    rest = someone.draws.utilities[:, 5] - theta[:, :n] @ space.table[5, :n]
    based = someone.imagine(rows, 5)
    np.testing.assert_allclose(based, worth + rest[:, None], atol=1e-9)


def test_points_leave_out_more_of_people_like_earlier_ones(someone):
    drawn, (centre, span) = someone.draws, someone.scale
    values = 50 + 100 * (drawn.utilities - centre) / span
    tail = 0.05 + 0.02 * (drawn.like > 0).mean()
    expected = np.quantile(values, [tail, 1 - tail], axis=0, method="inverted_cdf")
    found = someone.points()
    np.testing.assert_allclose([found.low, found.high], expected)
    np.testing.assert_allclose(found.mean, values.mean(axis=0), atol=1e-9)
    means = drawn.utilities.mean(axis=0)
    width = max(np.ptp(means), 1.0)
    assert someone.scale == pytest.approx(((means.max() + means.min()) / 2, width))
    noticed = np.maximum(drawn.width, 0.1).mean() * 100 / width
    assert someone.noticed == pytest.approx(noticed)


class Reasons(Statements):
    """Parts of three attributes in draws of given weights."""

    def __init__(self, tops, weights, known=(True, True, True)):
        names = ("a", "b", "c")
        self.space = SimpleNamespace(
            singles=(0, 1, 2),
            names=names,
            known=np.array([known]),
            table=np.ones((1, 1)),
        )
        self.draws = SimpleNamespace(weights=np.array(weights))
        self.tops = np.eye(3)[list(tops)]

    def _parts(self, features):
        return self.tops


@pytest.mark.parametrize(
    ("tops", "weights", "told", "probability"),
    [
        ((0, 1), (0.72, 0.28), ("a",), 0.72),
        ((2, 1), (0.71, 0.29), ("c", "b"), 1.0),
        ((2, 1, 0), (0.4, 0.32, 0.28), ("c", "b"), 0.72),
        ((2, 1, 0), (0.4, 0.31, 0.29), (), 0.71),
    ],
)
def test_the_main_reason_has_one_name_or_two(tops, weights, told, probability):
    found = Reasons(tops, weights).main_reason(0)
    assert found.attributes == told
    assert found.probability == pytest.approx(probability)


def test_what_an_item_does_not_have_is_no_reason_for_it():
    found = Reasons((0, 1), (0.9, 0.1), (False, True, True)).main_reason(0)
    assert found.attributes == ("b",)
    nothing = Reasons((0, 1), (0.9, 0.1), (False,) * 3).main_reason(0)
    assert (nothing.attributes, nothing.probability) == ((), 0.0)


@pytest.mark.parametrize(
    ("shares", "weights", "like", "told"),
    [
        ((0.05, 0.0), (0.88, 0.12), (0, 0), ("a",)),
        ((0.05, 0.0), (0.87, 0.13), (0, 0), ()),
        ((0.049, 0.049), (0.5, 0.5), (0, 0), ()),
        # only draws like earlier people speak for it: they must have .9 of the weight
        ((0.5, 0.0), (0.905, 0.095), (1, 0), ("a",)),
        ((0.5, 0.0), (0.89, 0.11), (1, 0), ()),
        ((0.5, 0.5), (0.5, 0.5), (1, 0), ("a",)),
    ],
)
def test_who_is_said_to_care(shares, weights, like, told):
    class Told(Statements):
        space = SimpleNamespace(singles=(0,), names=("a",))
        draws = SimpleNamespace(weights=np.array(weights), like=np.array(like) * 1.0)
        _share_draws = np.array(shares)[:, None]

    assert Told().cared_about() == told


def test_attributes_that_count_are_named_the_largest_share_first():
    class Told(Statements):
        space = SimpleNamespace(singles=(0, 1, 2), names=("a", "b", "c"))
        draws = SimpleNamespace(weights=np.ones(1), like=np.zeros(1))
        _share_draws = np.array([[0.2, 0.7, 0.04]])

    assert Told().cared_about() == ("b", "a")


def test_pairs_that_make_a_twentieth_in_four_of_five_draws_count_together(someone):
    space, theta = someone.space, coefficients(someone)
    total = sum((theta @ (row * space.table).T).var(axis=1) for row in space.ownership)
    pairs = {}
    for block in space.blocks:
        if block.kind == "pair":
            own = theta[:, block.columns] @ space.table[:, block.columns].T
            share = (own.var(axis=1) / total >= 0.05).mean()
            if share >= 0.8:
                pairs[tuple(space.names[k] for k in block.owners)] = share
    found = someone.together()
    assert {each[:2]: each.probability for each in found} == pytest.approx(pairs)


def test_together_is_told_from_four_of_five_on():
    class Told(Statements):
        def __init__(self, weights):
            self.draws = SimpleNamespace(weights=np.array(weights))

        space = SimpleNamespace(
            names=("a", "b", "c"),
            ownership=np.eye(4)[:1],
            block_of=np.arange(4),
            blocks=[
                SimpleNamespace(kind="pair", owners=(0, 1), columns=slice(1, 2)),
                SimpleNamespace(kind="pair", owners=(0, 2), columns=slice(2, 3)),
                SimpleNamespace(kind="line", owners=(0,), columns=slice(3, 4)),
            ],
        )

        def _spread(self, shares):
            total, low, high = (
                np.ones(2),
                np.array([0.0501, 0.0]),
                np.array([1.0, 0.0501]),
            )
            return [total, low, high, total][int(np.argmax(shares))]

    assert Told([0.8, 0.2]).together() == (("a", "c", 1.0), ("a", "b", 0.8))
    assert Told([0.79, 0.21]).together() == (("a", "c", 1.0),)
