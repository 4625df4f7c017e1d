"""The prior of a new person, against conditioning a Gaussian by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from penchant.data import Comparisons
from penchant.exceptions import DataError
from penchant.gp import DenseCovariance, PopulationGP, _hierarchical
from penchant.gp._hierarchical import (
    DenseHierarchy,
    LowRankHierarchy,
    fit_hierarchy,
)
from penchant.gp._kernels import ArdItemKernel
from penchant.gp._process import InducingItems

N_ITEMS = 4
RNG = np.random.default_rng(0)
ROOT = RNG.normal(size=(3, 3))
SPREAD = ROOT @ ROOT.T
COEF = RNG.normal(size=(4, N_ITEMS))
HALF = RNG.normal(size=(N_ITEMS, N_ITEMS))
COV = HALF @ HALF.T


@pytest.mark.parametrize(
    "known", [[], [0], [1], [0, 2], [0, 1, 2]], ids=lambda known: f"{len(known)}{known}"
)
def test_what_is_not_known_of_a_person_is_predicted_from_the_rest(known):
    made = DenseHierarchy(COEF, COV, SPREAD, None)
    user = np.full(3, np.nan)
    user[known] = np.array([0.7, -1.2, 0.4])[known]
    mean, cov = made.prior(user, None)
    # features and utilities of a person are one Gaussian: x ~ N(0, S), u = c + B'x + e
    B = COEF[1:]
    joint = np.block([[SPREAD, SPREAD @ B], [B.T @ SPREAD, B.T @ SPREAD @ B + COV]])
    rest = [*(k for k in range(3) if k not in known), *range(3, 3 + N_ITEMS)]
    gain = joint[np.ix_(rest, known)] @ np.linalg.inv(joint[np.ix_(known, known)])
    expected = gain @ user[known]
    left = joint[np.ix_(rest, rest)] - gain @ joint[np.ix_(known, rest)]
    np.testing.assert_allclose(mean, COEF[0] + expected[-N_ITEMS:])
    np.testing.assert_allclose(cov.dense(), left[-N_ITEMS:, -N_ITEMS:])
    if not known:
        nobody, wide = made.prior(None, None)
        np.testing.assert_allclose(nobody, mean)
        np.testing.assert_allclose(wide.dense(), cov.dense())


def test_new_items_need_features():
    made = DenseHierarchy(COEF, COV, SPREAD, None)
    with pytest.raises(
        DataError, match=r"New items need features.*Give X_items to fit"
    ):
        made.prior(None, np.zeros((1, 2)))


def test_features_of_items_carry_what_was_learned_to_new_ones(monkeypatch):
    items = np.linspace(0, 1, 6)[:, None]
    kernel = ArdItemKernel(1.5, np.array([0.4]), np.array([False]))
    known = InducingItems.from_items(kernel, items, 3, np.random.RandomState(0))
    coef, half, offsets = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3)), np.arange(6)
    made = LowRankHierarchy(
        coef,
        half @ half.T,
        SPREAD,
        offsets.astype(float),
        0.3,
        items,
        kernel,
        known.items,
        known.projection,
    )
    user = np.array([0.5, -1.0, 2.0])
    weights = coef[0] + user @ coef[1:]

    def expected(U, off):
        phi = kernel.gram(U, known.items) @ known.projection
        cov = phi @ half @ half.T @ phi.T + 0.3 * np.eye(len(U))
        return phi @ weights + off, cov

    new = np.array([[0.2], [0.33], [1.0]])  # the second is not of training
    for wanted, places, off in (
        (None, None, offsets),
        (new, None, [1, 0, 5]),
        (new, np.array([-1, 2, 3]), [0, 2, 3]),
    ):
        mean, cov = made.prior(user, wanted, places)
        told = expected(items if wanted is None else wanted, np.array(off))
        np.testing.assert_allclose(mean, told[0])
        np.testing.assert_allclose(cov.dense(), told[1])
        assert isinstance(cov, DenseCovariance)
    monkeypatch.setattr(_hierarchical, "LARGEST_DENSE", 3)
    assert isinstance(made.prior(user, new)[1], DenseCovariance)
    mean, cov = made.prior(user, None)
    assert not isinstance(cov, DenseCovariance)
    np.testing.assert_allclose(cov.dense(), expected(items, offsets)[1])


def test_so_many_items_without_features_and_no_more(monkeypatch):
    monkeypatch.setattr(_hierarchical, "LARGEST_DENSE", 3)
    told = Comparisons([0, 1, 2, 0], [1, 2, 0, 2], users=[0, 0, 1, 1])
    model = PopulationGP().fit(None, told)
    assert model.for_user().n_items == 3
    more = Comparisons([0, 1, 2, 3], [1, 2, 3, 0], users=[0, 0, 1, 1])
    with pytest.raises(
        DataError, match=r"With more than 3 items .* Got 4 items without"
    ):
        PopulationGP().fit(None, more)


@pytest.mark.parametrize(
    ("n_users", "step", "gap", "again"),
    [
        (1, 1, 0.1, False),
        (1999, 1, 0.1, False),
        (1999, 1, 0.11, True),
        (2000, 2, 0.1, True),
        (3500, 3, 0.0, True),
    ],
)
def test_a_start_with_about_a_thousand_people_and_all_where_they_are_more(
    monkeypatch, n_users, step, gap, again
):
    made = []

    class Sites:
        n_items = 4

        def __init__(self, people):
            self.people, self.n_users = people, len(people)

        def take(self, some):
            return Sites(self.people[some])

    class EM:
        def __init__(self, sites, design, features, target, **options):
            self.n_people, self.target = sites.n_users, target
            made.append((sites, design, features, target, options))

        def solve(self, **limits):
            made[-1] = (*made[-1], limits)
            size = made[-1][2].shape[1]
            return SimpleNamespace(coef=np.ones((2, size)), cov=np.eye(size), gap=gap)

    monkeypatch.setattr(_hierarchical, "HierarchicalEM", EM)
    design = np.column_stack([np.ones(n_users), np.linspace(-1, 1, n_users)])
    found, _ = fit_hierarchy(
        Sites(np.arange(n_users)),
        design,
        None,
        options={"shrinkage": 10.0},
        n_kernel_fits=2,
        rank=5,
        limits={"tol": 0.1, "max_iter": 7},
        rng=np.random.RandomState(0),
    )
    sites, rows, basis, target, options, limits = made[0]
    np.testing.assert_array_equal(sites.people, np.arange(0, n_users, step))
    np.testing.assert_array_equal(rows, design[::step])
    assert basis.shape == (4, 3)
    np.testing.assert_array_equal(target, np.eye(3))
    assert options == {"shrinkage": 10.0, "residual": 0.0}
    assert limits == {"tol": 0.2, "max_iter": 7}
    assert len(made) == 1 + again
    if again:
        sites, rows, *_, options, limits = made[1]
        assert (len(rows), sites.n_users) == (n_users, n_users)
        assert (options["start"].gap, limits["tol"]) == (gap, 0.1)
    np.testing.assert_allclose(found.cov, basis @ basis.T)
    np.testing.assert_allclose(found.coef, np.ones((2, 3)) @ basis.T)
    variance = (design[:, 1] ** 2).mean()
    np.testing.assert_allclose(found.spread, [[variance]])
    assert found.items is None
