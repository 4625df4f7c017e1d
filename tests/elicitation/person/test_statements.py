from types import SimpleNamespace

import numpy as np
import pytest

from penchant.data import Items
from penchant.elicitation import PersonBelief, PersonSpace, Reason
from penchant.elicitation.person._statements import Statements


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
