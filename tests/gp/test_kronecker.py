"""The paper's model, against a refit by another optimiser."""

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.spatial.distance import cdist
from scipy.stats import norm
from sklearn.base import clone

from penchant.data import Comparisons
from penchant.datasets import make_population
from penchant.exceptions import DataError
from penchant.gp._kronecker import KroneckerData, Scales
from penchant.gp.inference._grouped_sites import GroupedSites
from penchant.models import PopulationGP

SIGMA = 0.1


@pytest.fixture(scope="module")
def people():
    """Six people, two of them with the same features."""
    population = make_population(6, 5, n_comparisons=6, noise=0.1, random_state=0)
    X_users = population.X_users.copy()
    X_users[3] = X_users[1]
    return population.X_items, X_users, population.comparisons


@pytest.fixture(scope="module")
def model(people):
    paper = PopulationGP(prior="kronecker", inference="laplace", optimize=False)
    X_items, X_users, comparisons = people
    return paper.fit(X_items, comparisons, X_users)


def kernel(X, Y):
    return np.exp(-0.5 * cdist(X, Y, "sqeuclidean"))


def refit(X_items, X_users, comparisons, user):
    """Maximise psi over all utilities of all people and one more, GP-4 and GP-6."""
    everyone = np.vstack([X_users, user])
    n_items = len(X_items)
    K = np.kron(kernel(everyone, everyone), kernel(X_items, X_items))
    values, vectors = np.linalg.eigh(K)
    keep = values > 1e-12
    root = vectors[:, keep] * np.sqrt(values[keep])
    rows = np.zeros((len(comparisons), len(K)))
    answers = np.arange(len(comparisons))
    rows[answers, comparisons.users * n_items + comparisons.winners] = 1.0
    rows[answers, comparisons.users * n_items + comparisons.losers] = -1.0
    A = rows @ root / SIGMA

    def loss(x):
        z = A @ x
        r = np.exp(norm.logpdf(z) - norm.logcdf(z))
        value = 0.5 * x @ x - norm.logcdf(z).sum()
        return value, x - A.T @ r

    def hessian(x):
        z = A @ x
        r = np.exp(norm.logpdf(z) - norm.logcdf(z))
        return np.eye(len(x)) + A.T @ ((r * (z + r))[:, None] * A)

    best = minimize(
        loss,
        np.zeros(A.shape[1]),
        jac=True,
        hess=hessian,
        method="trust-exact",
        options={"gtol": 1e-10},
    )
    cov = root @ np.linalg.inv(hessian(best.x)) @ root.T
    own = slice(len(K) - n_items, len(K))
    return (root @ best.x)[own], cov[own, own]


def test_scales_that_stay_take_no_step(model):
    assert (model.n_iter_, model.gap_, model.solver_status_) == (0, 0.0, "optimal")


def test_a_new_person_is_that_of_an_independent_refit(people, model):
    X_items, X_users, comparisons = people
    user = X_users[2] + 0.1
    posterior = model.for_user(user)
    mean, cov = refit(X_items, X_users, comparisons, user)
    np.testing.assert_allclose(posterior.mean, mean, atol=1e-6)
    np.testing.assert_allclose(posterior.cov, cov, atol=1e-6)
    assert posterior.noise == SIGMA


def test_a_person_among_the_others_is_that_of_an_independent_refit(people, model):
    X_items, X_users, comparisons = people
    user = X_users[2] + 0.1
    more = Comparisons(
        np.append(comparisons.winners, [0, 4]),
        np.append(comparisons.losers, [3, 1]),
        users=np.append(comparisons.users, [6, 6]),
    )
    everyone = np.vstack([X_users, user])
    posterior = clone(model).fit(X_items, more, everyone).for_user(user)
    mean, cov = refit(X_items, X_users, more, user)
    np.testing.assert_allclose(posterior.mean, mean, atol=1e-6)
    np.testing.assert_allclose(posterior.cov, cov, atol=1e-6)
    # Updating the condensed prior is not the same: the others do not move.
    fast = model.for_user(user).update(0, 3).update(4, 1)
    assert np.argmax(fast.mean) == np.argmax(posterior.mean)
    np.testing.assert_allclose(fast.mean, posterior.mean, atol=0.3)


def test_new_items_through_their_features(people, model):
    X_items, X_users, _ = people
    known = model.for_user(X_users[0])
    some = model.for_user(X_users[0], X_items[[3, 1]])
    np.testing.assert_allclose(some.mean, known.mean[[3, 1]], atol=1e-10)
    np.testing.assert_allclose(some.cov, known.block([3, 1]), atol=1e-10)


def pack(comparisons, n_users, n_items):
    people = np.empty((n_users, 0))
    return GroupedSites.from_comparisons(
        comparisons, people, n_items=n_items, tie_width=0.1
    )


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_slopes_of_the_evidence(people, inference):
    X_items, X_users, comparisons = people
    data = KroneckerData.from_answers(X_items, X_users, pack(comparisons, 6, 5))
    start = Scales(1.5, np.array([0.8, 1.2, 0.5]), np.array([0.6, 0.9]))

    def value(logs):
        result, _, _ = data.infer(start.from_logs(logs), 0.3, inference)
        return result.log_evidence

    def slope(logs):
        scales = start.from_logs(logs)
        return data.slopes(scales, *data.infer(scales, 0.3, inference))

    error = check_grad(value, slope, start.to_logs(), epsilon=1e-6)
    assert error < 1e-4 * np.linalg.norm(slope(start.to_logs()))


def test_learning_raises_the_evidence(people, model):
    X_items, X_users, comparisons = people
    learned = PopulationGP(prior="kronecker", inference="laplace")
    learned.fit(X_items, comparisons, X_users)
    assert learned.log_evidence_ > model.log_evidence_ + 1.0
    again = PopulationGP(prior="kronecker", inference="laplace")
    again.fit(X_items, comparisons, X_users)
    assert again.log_evidence_ == learned.log_evidence_


def test_nobody_answered(people):
    X_items, X_users, _ = people
    model = PopulationGP(prior="kronecker", inference="laplace")
    model.fit(X_items, Comparisons([], []), X_users)
    belief = model.for_user(X_users[0])
    np.testing.assert_array_equal(belief.mean, 0.0)
    np.testing.assert_allclose(belief.cov, kernel(X_items, X_items))


def test_what_the_paper_needs(people):
    X_items, X_users, comparisons = people
    model = PopulationGP(prior="kronecker")
    with pytest.raises(DataError, match="needs features of items and of people"):
        model.fit(X_items, comparisons)
    model.fit(X_items, comparisons, X_users)
    with pytest.raises(DataError, match="needs to know the person"):
        model.for_user()
