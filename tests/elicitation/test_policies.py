from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from penchant.data import Comparisons
from penchant.elicitation import policies
from penchant.elicitation.policies import _scores
from penchant.elicitation.policies._duels import find_champion
from penchant.exceptions import DataError
from penchant.gp import Answer, covariance_root
from penchant.models import PopulationGP, Posterior

SCORES = ["bald", "eubo", "evoi", "knowledge_gradient", "restricted_voi"]
DUELS = ["best_and_largest", "knockout", "random_pair", "thompson"]
RANDOM = ("random_pair", "thompson")


def improvement(mean, variance, level):
    """Largest expected improvement of GP-7, item by item."""
    values = []
    for m, v in zip(mean, variance, strict=True):
        s = np.sqrt(v)
        z = (m - level) / s
        values.append(s * (z * norm.cdf(z) + norm.pdf(z)))
    return max(values)


def brute_evoi(belief, i, j, level, refit=None):
    learn = refit or belief.update
    p = belief.probability(i, j)
    won, lost = learn(i, j), learn(j, i)
    return (
        p * improvement(won.mean, won.variance, level)
        + (1 - p) * improvement(lost.mean, lost.variance, level)
        - improvement(belief.mean, belief.variance, level)
    )


@pytest.mark.parametrize("noise", [0.02, 0.3, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_evoi_is_its_definition(make_moments, seed, noise):
    belief = make_moments(6, seed, noise=noise)
    scores = policies.evoi(belief)
    for i in range(6):
        for j in range(i):
            expected = brute_evoi(belief, i, j, belief.mean.max())
            assert scores[i, j] == pytest.approx(expected, abs=1e-8)
            assert scores[j, i] == scores[i, j]


def test_evoi_with_refits_of_one_answer_is_the_fast_one(make_moments):
    belief = make_moments(5, 3)
    exact = policies.evoi(belief, refit=belief.update)
    np.testing.assert_allclose(policies.evoi(belief), exact, atol=1e-10)


def laplace_refit(mean, cov, noise, answers):
    """Newton's method in the space of all utilities, inverting the prior."""
    prior, f = np.linalg.inv(cov), mean.copy()
    A = np.zeros((len(answers), mean.size))
    for row, (winner, loser) in enumerate(answers):
        A[row, winner], A[row, loser] = 1, -1
    for _ in range(200):
        z = A @ f / noise
        r = norm.pdf(z) / norm.cdf(z)
        W = A.T @ np.diag(r * (z + r)) @ A / noise**2
        f = np.linalg.solve(prior + W, prior @ mean + W @ f + A.T @ r / noise)
    cov = np.linalg.inv(prior + W)
    return SimpleNamespace(mean=f, variance=np.diag(cov), cov=cov)


def test_evoi_with_refits_is_the_rule_of_the_paper(make_moments):
    start = make_moments(4, 5, noise=0.8)
    told = [(0, 1), (2, 1), (3, 0)]
    posterior = Posterior(start.mean, start.cov, start.noise, inference="laplace")
    for answer in told:
        posterior = posterior.update(*answer)
    scores = policies.evoi(posterior, refit=posterior.update, f_best="seen")
    now = laplace_refit(start.mean, start.cov, 0.8, told)
    belief = SimpleNamespace(
        mean=now.mean,
        variance=now.variance,
        probability=lambda i, j: norm.cdf(
            (now.mean[i] - now.mean[j])
            / np.sqrt(now.cov[i, i] + now.cov[j, j] - 2 * now.cov[i, j] + 0.8**2)
        ),
    )

    def refit(winner, loser):
        return laplace_refit(start.mean, start.cov, 0.8, [*told, (winner, loser)])

    for i, j in [(0, 1), (0, 2), (1, 3), (2, 3)]:
        expected = brute_evoi(belief, i, j, now.mean.max(), refit)
        assert scores[i, j] == pytest.approx(expected, abs=1e-8)


def test_evoi_with_refits_of_all_people_is_the_algorithm_of_the_paper():
    """Laplace over all users and items at once, anew for every answer."""
    rng = np.random.default_rng(0)
    X_items, X_users = rng.standard_normal((4, 2)), rng.standard_normal((3, 2))
    winners, losers = [0, 1, 2, 3, 0, 1], [1, 2, 0, 0, 3, 3]
    users = [0, 0, 1, 1, 2, 2]
    x, told = np.array([0.3, -0.2]), [(0, 2)]

    def belief(*answers):
        more = np.array(answers)
        everything = Comparisons(
            [*winners, *more[:, 0]],
            [*losers, *more[:, 1]],
            users=[*users, *[3] * len(more)],
        )
        model = PopulationGP(
            prior="kronecker", inference="laplace", optimize=False, noise=0.5
        )
        return model.fit(X_items, everything, np.vstack([X_users, x])).for_user(x)

    def kernel(X):
        return np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))

    K = np.kron(kernel(np.vstack([X_users, x])), kernel(X_items)) + 1e-10 * np.eye(16)
    first = 4 * np.array(users)
    others = np.column_stack([first + winners, first + losers]).tolist()

    def refit(answers):
        mine = (12 + np.array(answers)).tolist()
        joint = laplace_refit(np.zeros(16), K, 0.5, [*others, *mine])
        return SimpleNamespace(
            mean=joint.mean[12:],
            variance=joint.variance[12:],
            cov=joint.cov[12:, 12:],
            best=joint.mean.max(),  # over all people, as in the paper
        )

    now = refit(told)

    def probability(i, j):
        s2 = now.cov[i, i] + now.cov[j, j] - 2 * now.cov[i, j]
        return norm.cdf((now.mean[i] - now.mean[j]) / np.sqrt(s2 + 0.25))

    now.probability = probability
    scores = policies.evoi(
        belief(*told),
        f_best=float(now.best),
        refit=lambda *answer: belief(*told, answer),
    )

    def again(winner, loser):
        return refit([*told, (winner, loser)])

    for i, j in [(0, 1), (0, 3), (1, 2), (2, 3)]:
        expected = brute_evoi(now, i, j, now.best, again)
        assert scores[i, j] == pytest.approx(expected, abs=1e-8)


def test_fast_evoi_asks_what_refits_ask_after_several_answers(make_moments):
    pairs = np.column_stack(np.triu_indices(8, 1))
    alike = []
    for seed in range(12):
        start = make_moments(8, seed, noise=0.5)
        posterior = Posterior(start.mean, start.cov, start.noise)
        rng = np.random.default_rng(seed)
        f = rng.multivariate_normal(start.mean, start.cov)
        for i, j in rng.permutation(pairs)[:6].tolist():
            is_first = f[i] - f[j] + 0.5 * rng.standard_normal() > 0
            posterior = posterior.update(*((i, j) if is_first else (j, i)))
        fast = policies.evoi(posterior, pairs)
        exact = policies.evoi(posterior, pairs, refit=posterior.update)
        # EP moves the sites of earlier answers a little, GP-8 does not
        assert exact[np.argmax(fast)] > 0.95 * exact.max() - 1e-3
        alike.append(np.corrcoef(fast, exact)[0, 1])
    assert np.median(alike) > 0.98


def test_what_evoi_improves_on_can_be_chosen(make_moments):
    belief = make_moments(5, 2)
    seen = Posterior(belief.mean, belief.cov, belief.noise).update(3, 4)
    level = max(seen.mean[3], seen.mean[4])
    np.testing.assert_allclose(
        policies.evoi(seen, f_best="seen"), policies.evoi(seen, f_best=float(level))
    )
    assert not np.allclose(
        policies.evoi(seen, f_best="seen"), policies.evoi(seen), atol=1e-3
    )
    fresh = policies.evoi(belief, f_best="seen")
    np.testing.assert_array_equal(fresh, policies.evoi(belief))
    with pytest.raises(DataError, match=r"'sampled' or a number.*'best'"):
        policies.evoi(belief, f_best="best")


def test_evoi_improves_on_the_best_utility_of_draws():
    independent = Posterior(np.zeros(3), np.eye(3), noise=0.5)
    best_of_three = 1.5 / np.sqrt(np.pi)  # the largest of three standard normals
    np.testing.assert_allclose(
        policies.evoi(independent, f_best="sampled"),
        policies.evoi(independent, f_best=best_of_three),
        atol=1e-3,
    )


@pytest.mark.parametrize("noise", [0.05, 1.0])
def test_eubo_is_the_expected_better_one(make_moments, noise):
    belief = make_moments(4, 0, noise=noise)
    scores = policies.eubo(belief)
    for i, j in [(0, 1), (1, 2), (0, 3)]:
        d = belief.mean[i] - belief.mean[j]
        s = np.sqrt(belief.cov[i, i] + belief.cov[j, j] - 2 * belief.cov[i, j])
        # E max(f_i, f_j) = mean_j + E max(g, 0), g the difference
        gain, _ = quad(lambda g, d=d, s=s: g * norm.pdf(g, d, s), 0, d + 12 * s)
        assert scores[i, j] == pytest.approx(belief.mean[j] + gain, abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_knowledge_gradient_is_one_step_of_looking_ahead(make_moments, seed):
    belief = make_moments(7, seed, noise=0.2 + 0.3 * seed)
    scores = policies.knowledge_gradient(belief)
    for i in range(7):
        for j in range(i):
            p = belief.probability(i, j)
            ahead = p * belief.update(i, j).mean.max()
            ahead += (1 - p) * belief.update(j, i).mean.max()
            assert scores[i, j] == pytest.approx(ahead - belief.mean.max(), abs=1e-10)


def test_knowledge_gradient_agrees_with_drawn_people(make_moments):
    belief = make_moments(4, 8, noise=0.4)
    rng = np.random.default_rng(0)
    f = rng.multivariate_normal(belief.mean, belief.cov, size=400_000)
    answer = f[:, 0] - f[:, 1] + 0.4 * rng.standard_normal(len(f)) > 0
    won, lost = f[answer], f[~answer]
    p = len(won) / len(f)
    ahead = p * won.mean(axis=0).max() + (1 - p) * lost.mean(axis=0).max()
    score = policies.knowledge_gradient(belief, [[0, 1]])[0]
    assert score == pytest.approx(ahead - belief.mean.max(), abs=6e-3)


def test_gradient_among_some_items_is_that_of_the_smaller_problem(make_moments):
    belief = make_moments(6, 4)
    few = np.array([0, 2, 5])
    part = type(belief)(belief.mean[few], belief.block(few), belief.noise)
    scores = policies.knowledge_gradient(belief, [[0, 2], [2, 5]], among=few)
    expected = policies.knowledge_gradient(part, [[0, 1], [1, 2]])
    np.testing.assert_allclose(scores, expected, atol=1e-12)


@pytest.mark.parametrize("noise", [0.05, 0.5, 3.0])
def test_bald_is_the_mutual_information(make_moments, noise):
    belief = make_moments(4, 1, noise=noise, scale=2.0)

    def entropy(p):
        return -sum(q * np.log(q) for q in (p, 1 - p) if q > 0)

    scores = policies.bald(belief)
    for i, j in [(0, 1), (1, 2), (0, 3), (2, 3)]:
        d = belief.mean[i] - belief.mean[j]
        s = np.sqrt(belief.cov[i, i] + belief.cov[j, j] - 2 * belief.cov[i, j])
        inner, _ = quad(
            lambda g, d=d, s=s: entropy(norm.cdf(g / noise)) * norm.pdf(g, d, s),
            *(d - 10 * s, d + 10 * s),
            points=[-noise, 0.0, noise],
            limit=500,
        )
        expected = entropy(belief.probability(i, j)) - inner
        assert scores[i, j] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_restricted_voi_is_the_gradient_of_independent_items(make_moments, seed):
    belief = make_moments(5, seed)
    alone = type(belief)(belief.mean, np.diag(belief.variance), belief.noise)
    leader = int(np.argmax(belief.mean))
    scores = policies.restricted_voi(belief)
    expected = policies.knowledge_gradient(alone)
    np.testing.assert_allclose(scores[leader], expected[leader], atol=1e-12)
    others = np.delete(np.arange(5), leader)
    assert np.isneginf(scores[np.ix_(others, others)]).all()


def test_restricted_voi_where_little_is_known_of_a_rival(make_moments):
    sure = type(make_moments(3, 0))(
        np.array([1.0, 0.9, 0.0]), np.diag([0.01, 4.0, 1.0]), 0.5
    )
    np.testing.assert_allclose(
        policies.restricted_voi(sure)[0], policies.knowledge_gradient(sure)[0]
    )


def test_restricted_voi_of_two_items(make_moments):
    belief = make_moments(2, 0)
    alone = type(belief)(belief.mean, np.diag(belief.variance), belief.noise)
    expected = policies.knowledge_gradient(alone)[0, 1]
    assert policies.restricted_voi(belief)[0, 1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_some_pairs_are_entries_of_the_matrix(make_moments, name):
    belief = make_moments(6, 9)
    score = getattr(policies, name)
    leader = int(np.argmax(belief.mean))
    pairs = np.array([(leader, x) for x in range(6) if x != leader])
    matrix = score(belief)
    np.testing.assert_allclose(
        score(belief, pairs), matrix[pairs[:, 0], pairs[:, 1]], rtol=0, atol=1e-12
    )
    np.testing.assert_array_equal(matrix, matrix.T)
    assert np.isneginf(np.diag(matrix)).all()


@pytest.mark.parametrize("name", SCORES)
@given(seed=st.integers(0, 10_000), n_items=st.integers(2, 8))
def test_renaming_items_renames_scores(make_moments, name, seed, n_items):
    belief = make_moments(n_items, seed)
    names = np.random.default_rng(seed).permutation(n_items)
    renamed = type(belief)(belief.mean[names], belief.block(names), belief.noise)
    score = getattr(policies, name)
    np.testing.assert_allclose(
        score(renamed), score(belief)[np.ix_(names, names)], atol=1e-10
    )


@given(seed=st.integers(0, 10_000), shift=st.floats(-5, 5))
def test_only_differences_matter(make_moments, seed, shift):
    belief = make_moments(5, seed)
    moved = type(belief)(belief.mean + shift, belief.cov, belief.noise)
    off = ~np.eye(5, dtype=bool)
    for name in ("evoi", "knowledge_gradient", "bald"):
        score = getattr(policies, name)
        np.testing.assert_allclose(score(moved)[off], score(belief)[off], atol=1e-9)
    np.testing.assert_allclose(
        policies.eubo(moved)[off], policies.eubo(belief)[off] + shift, atol=1e-9
    )


def test_certain_and_equal_items_break_nothing():
    cov = np.ones((3, 3))  # three copies of one item
    belief = Posterior(np.zeros(3), cov, noise=1e-6)
    certain = Posterior(np.array([0.0, 1.0, 2.0]), np.zeros((3, 3)), noise=1e-6)
    for name in SCORES:
        for posterior in (belief, certain):
            scores = getattr(policies, name)(posterior)
            assert not np.isnan(scores).any()
    assert policies.eubo(certain)[0, 2] == 2.0
    assert policies.knowledge_gradient(belief)[0, 1] == 0.0


def test_best_and_largest(make_moments):
    belief = make_moments(6, 0)
    leader, other = policies.best_and_largest(belief)
    assert leader == np.argmax(belief.mean)
    rest = np.delete(np.arange(6), leader)
    assert other == rest[np.argmax(belief.variance[rest])]
    kept = [[i, j] for i in rest for j in rest if i < j]
    second, _ = policies.best_and_largest(belief, kept)
    assert second == rest[np.argmax(belief.mean[rest])]


def test_knockout_lets_the_champion_meet_the_next_popular_item():
    posterior = Posterior(np.array([1.0, 4.0, 3.0, 2.0]), np.eye(4), noise=5.0)
    order = [1, 2, 3, 0]
    duels = []
    for winner in (1, 3, 3):
        pair = policies.knockout(posterior, order=order)
        duels.append(pair)
        posterior = posterior.update(winner, sum(pair) - winner)
    assert duels == [(1, 2), (1, 3), (3, 0)]
    assert policies.knockout(posterior, order=order) == (3, 1), "all were tested"
    unwanted = posterior.update_below(3)
    assert policies.knockout(unwanted, order=order) == (3, 1), "no duel, no change"
    with pytest.raises(DataError, match="every item from 0 to 3 once"):
        policies.knockout(posterior, order=[0, 1, 1, 2])


def test_thompson_names_items_as_often_as_they_are_best():
    mean = np.array([0.5, 0.0, -0.5])
    posterior = Posterior(mean, np.eye(3), noise=0.1)
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((200_000, 2, 3)) + mean
    one, other = draws.argmax(axis=2).T
    different = one != other
    expected = np.mean(different & (np.minimum(one, other) == 0) & (one + other == 2))
    named = [policies.thompson(posterior, random_state=seed) for seed in range(1500)]
    share = np.mean([sorted(pair) == [0, 2] for pair in named])
    # where both draws agree a second item joins, so the share can only grow
    assert expected - 0.03 < share < expected + np.mean(~different)


def test_thompson_takes_singular_beliefs():
    posterior = Posterior(np.arange(3.0), np.ones((3, 3)), noise=0.1)
    assert sorted(policies.thompson(posterior, random_state=0)) == [1, 2]


def test_random_pair_is_fair():
    posterior = Posterior(np.zeros(4), np.eye(4), noise=0.1)
    rng = np.random.default_rng(0)
    drawn = [policies.random_pair(posterior, random_state=rng) for _ in range(3000)]
    _, counts = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
    assert counts.size == 6
    assert abs(counts / 3000 - 1 / 6).max() < 0.03


@pytest.mark.parametrize("name", DUELS)
def test_duels_choose_among_the_given_pairs_by_seed(make_moments, name):
    belief = make_moments(6, 1)
    duel = getattr(policies, name)
    seed = {"random_state": 3} if name in RANDOM else {}
    pair = duel(belief, [[2, 4], [0, 5]], **seed)
    assert tuple(sorted(pair)) in {(2, 4), (0, 5)}
    assert pair == duel(belief, [[2, 4], [0, 5]], **seed)
    assert all(isinstance(item, int) for item in duel(belief, **seed))


def test_old_style_random_states_are_taken(make_moments):
    belief = make_moments(6, 1)
    state = np.random.RandomState(0)
    assert len(set(policies.random_pair(belief, random_state=state))) == 2


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[0, 1, 2]], r"shape \(n_pairs, 2\).*\(1, 3\)"),
        ([[0.0, 1.5]], "item indices"),
        (np.empty((0, 2), int), "at least one pair"),
        ([[0, 9]], "0 to 3. Got 0 to 9"),
        ([[1, 1]], "two different items"),
    ],
    ids=["shape", "floats", "none", "unknown", "same"],
)
def test_wrong_pairs_are_refused(make_moments, pairs, message):
    with pytest.raises(DataError, match=message):
        policies.eubo(make_moments(4, 0), pairs)


def test_one_item_makes_no_question(make_moments):
    with pytest.raises(DataError, match=r"needs 2 items. The posterior has 1"):
        policies.random_pair(make_moments(1, 0))


def test_the_champion_is_whoever_won_last_where_the_champion_was_in():
    def duel(winner, loser, kind="comparison"):
        return Answer(kind, (winner, loser))

    for answers, expected in (
        ([], (None, set())),
        ([duel(2, 1)], (2, {1, 2})),
        ([duel(2, 1), duel(0, 2)], (0, {0, 1, 2})),
        ([duel(2, 1), duel(0, 3)], (2, {0, 1, 2, 3})),  # without the champion
        ([duel(2, 1), duel(3, 2, "tie")], (2, {1, 2, 3})),
        ([duel(3, 1, "tie"), duel(1, 3)], (1, {1, 3})),  # the first of a tie leads
        ([Answer("below", (4,)), duel(2, 1)], (2, {1, 2, 4})),
        ([duel(-1, 2), duel(0, 1)], (0, {0, 1, 2})),  # the winner is gone
        ([duel(0, -1)], (None, {0})),
    ):
        assert find_champion(answers) == expected
    told = [duel(2, 1), duel(0, 2), duel(1, 3)]
    assert find_champion(told, np.array([1, 2, 3])) == (2, {1, 2, 3})
    assert find_champion(told, np.array([0, 2])) == (0, {0, 2})


def test_knockout_begins_with_the_two_most_popular_among_the_pairs():
    belief = Posterior(np.array([1.0, 4.0, 3.0, 2.0]), np.eye(4), noise=1.0)
    assert policies.knockout(belief) == (1, 2)  # by the mean
    assert policies.knockout(belief, [[0, 3], [2, 0], [3, 2]]) == (2, 3)
    later = belief.update(3, 0)
    assert policies.knockout(later) == (3, 1)
    assert policies.knockout(later, [[0, 3], [2, 0]]) == (3, 0)  # tested before
    assert policies.knockout(later, [[0, 2], [1, 2]]) == (1, 2)  # no champion there
    assert policies.knockout(later, among=np.array([0, 1, 2])) == (1, 2)
    unwanted = belief.update_below(2)
    assert policies.knockout(unwanted) == (1, 3)


def test_thompson_takes_the_pair_that_two_draws_like_most(make_moments):
    belief = make_moments(5, 3)
    pairs = np.array([[0, 4], [3, 1], [2, 4], [1, 0]])
    for seed in range(20):
        named = policies.thompson(belief, pairs, random_state=seed)
        rng = np.random.default_rng(seed)
        root = covariance_root(belief.block(np.arange(5)))
        first, second = (root @ rng.standard_normal((5, 2))).T + belief.mean
        sums = [max(first[i] + second[j], second[i] + first[j]) for i, j in pairs]
        assert named == tuple(pairs[np.argmax(sums)])


def test_scores_of_many_pairs_are_worked_out_in_parts(make_moments, monkeypatch):
    belief = make_moments(7, 5)
    whole = policies.evoi(belief)
    for size in (1, 7, 20):
        monkeypatch.setattr(_scores, "_CHUNK", size)
        np.testing.assert_allclose(policies.evoi(belief), whole, atol=1e-12)
    assert _scores._chunks(5, 3) == [slice(k, k + 6) for k in range(0, 5, 6)]


def test_evoi_among_some_items_looks_at_these_only(make_moments):
    belief, few = make_moments(6, 4), np.array([0, 2, 5])
    pairs = [[0, 1], [3, 2], [4, 5]]
    level = 0.3
    scores = policies.evoi(belief, pairs, among=few, f_best=level)
    again = policies.evoi(belief, pairs, among=few, f_best=level, refit=belief.update)
    for (i, j), found, refitted in zip(pairs, scores, again, strict=True):
        p, now = belief.probability(i, j), (belief.mean[few], belief.variance[few])
        ahead = [
            improvement(after.mean[few], after.variance[few], level)
            for after in (belief.update(i, j), belief.update(j, i))
        ]
        expected = p * ahead[0] + (1 - p) * ahead[1] - improvement(*now, level)
        assert found == pytest.approx(expected, abs=1e-9)
        assert refitted == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("leader_in", [True, False])
def test_restricted_voi_among_some_items(make_moments, leader_in):
    belief = make_moments(6, 2)
    order = np.argsort(-belief.mean)
    few = order[:4] if leader_in else order[1:4]
    leader, pairs = order[0], [[order[0], k] for k in order[1:4]]
    found = policies.restricted_voi(belief, pairs, among=few)
    alone = type(belief)(belief.mean, np.diag(belief.variance), belief.noise)
    among = np.union1d(few, [leader])
    expected = policies.knowledge_gradient(alone, pairs, among=among)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    none = policies.restricted_voi(belief, [[order[1], order[2]], *pairs])
    assert np.isneginf(none[0])


@pytest.mark.parametrize("mean", [0.0, 1.0, -3.0, 60.0])
def test_bald_of_one_pair_with_a_mean_is_an_integral(mean):
    belief = Posterior(np.array([mean, 0.0]), np.diag([1.0, 0.44]), noise=0.5)

    def entropy(p):
        return -sum(q * np.log(q) for q in (p, 1 - p) if 0 < q < 1)

    inner, _ = quad(
        lambda g: entropy(norm.cdf(g / 0.5)) * norm.pdf(g, mean, 1.2),
        mean - 12,
        mean + 12,
        points=[p for p in (-0.5, 0.0, 0.5) if abs(p - mean) < 12],
        limit=400,
    )
    expected = entropy(norm.cdf(mean / 1.3)) - inner
    assert policies.bald(belief)[0, 1] == pytest.approx(expected, abs=1e-8)
