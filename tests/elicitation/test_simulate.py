import numpy as np
import pytest

from penchant.elicitation import FlippedAnswers, ProbitAnswers, policies, simulate
from penchant.exceptions import DataError
from penchant.models import Posterior


@pytest.fixture(scope="module")
def people(make_moments):
    belief = make_moments(6, 0, noise=0.1)
    posterior = Posterior(belief.mean, belief.cov, belief.noise)
    utilities = np.random.default_rng(0).multivariate_normal(
        belief.mean, belief.cov, size=30
    )
    return posterior, utilities


@pytest.fixture(scope="module")
def result(people):
    return simulate(*people, n_questions=5, random_state=0)


def same(one, two):
    names = ("loss", "top_found", "probability", "expected_regret", "questions")
    return all(np.array_equal(getattr(one, n), getattr(two, n)) for n in names)


def test_loss_is_the_share_of_the_range(people, result):
    posterior, utilities = people
    assert result.loss.shape == (30, 6)
    leader = np.argmax(posterior.mean)
    best, worst = utilities.max(axis=1), utilities.min(axis=1)
    expected = (best - utilities[:, leader]) / (best - worst)
    np.testing.assert_allclose(result.loss[:, 0], expected)
    np.testing.assert_array_equal(result.top_found, result.loss == 0)


def test_questions_help(result):
    assert result.loss[:, 5].mean() < 0.2 * result.loss[:, 0].mean()
    assert result.top_found[:, 5].mean() > 0.8


def test_stated_probabilities_can_be_believed(people):
    posterior, _ = people
    rng = np.random.default_rng(1)
    utilities = rng.multivariate_normal(posterior.mean, posterior.cov, size=300)
    noise = ProbitAnswers(posterior.noise)
    result = simulate(posterior, utilities, "eubo", 3, noise, random_state=0)
    gap = result.probability.mean(axis=0) - result.top_found.mean(axis=0)
    assert np.abs(gap).max() < 0.06  # two standard errors of 300 people
    lost = result.loss * np.ptp(utilities, axis=1, keepdims=True)
    gap = result.expected_regret.mean(axis=0) - lost.mean(axis=0)
    assert (np.abs(gap) < 3 * lost.std(axis=0) / np.sqrt(300) + 0.01).all()


@pytest.mark.slow
def test_seed_decides_whatever_the_number_of_processes(people, result):
    posterior, utilities = people
    again = simulate(posterior, utilities, n_questions=5, random_state=0, n_jobs=2)
    assert same(result, again)
    other = simulate(posterior, utilities, "random-pair", 5, random_state=1)
    assert not same(other, simulate(*people, "random-pair", 5, random_state=2))


def test_a_person_does_not_depend_on_the_others(people, result):
    posterior, utilities = people
    few = simulate(posterior, utilities[:7], n_questions=5, random_state=0)
    np.testing.assert_array_equal(few.loss, result.loss[:7])


def test_orders_are_utilities_too(people):
    posterior, utilities = people
    orders = np.argsort(-utilities, axis=1)
    ranks = np.argsort(orders, axis=1)
    by_order = simulate(posterior, orders, n_questions=3, random_state=0)
    by_rank = simulate(posterior, 5.0 - ranks, n_questions=3, random_state=0)
    assert same(by_order, by_rank)
    start = ranks[:, np.argmax(posterior.mean)] / 5
    np.testing.assert_allclose(by_order.loss[:, 0], start)


def test_populations_give_a_posterior_per_person(people):
    posterior, utilities = people

    class Population:
        def for_user(self, x_user=None):
            return posterior if x_user is None else posterior.take(np.argsort(x_user))

    everybody = simulate(posterior, utilities, n_questions=2, random_state=0)
    assert same(
        everybody, simulate(Population(), utilities, n_questions=2, random_state=0)
    )
    assert same(
        everybody,
        simulate(lambda row: posterior, utilities, n_questions=2, random_state=0),
    )
    features = np.tile(np.arange(6), (30, 1))
    assert same(
        everybody,
        simulate(
            Population(), utilities, n_questions=2, X_users=features, random_state=0
        ),
    )


def test_wrong_answers_cost(people):
    posterior, utilities = people
    losses = [
        simulate(posterior, utilities, "knockout", 5, noise, random_state=0)
        .loss[:, -1]
        .mean()
        for noise in (0.0, 0.3, 1.0)
    ]
    assert losses[0] == 0.0 < losses[1] < losses[2]


@pytest.mark.parametrize("difference", [-0.5, 0.2, 1.0])
def test_noise_models_have_their_probabilities(difference):
    from scipy.stats import norm

    rng = np.random.default_rng(0)
    flipped, probit = FlippedAnswers(0.2), ProbitAnswers(0.7)
    share = np.mean([flipped.prefers(difference, rng) for _ in range(4000)])
    assert share == pytest.approx(0.8 if difference > 0 else 0.2, abs=0.03)
    share = np.mean([probit.prefers(difference, rng) for _ in range(4000)])
    assert share == pytest.approx(norm.cdf(difference / 0.7), abs=0.03)


def test_decisive_is_certain_at_one_question_less_than_items(people):
    posterior, utilities = people
    decisive = simulate(posterior, utilities, n_questions=7, decisive=True)
    assert decisive.top_found[:, 5:].all()
    assert (decisive.questions[:, 5:] == -1).all()
    assert (decisive.probability[:, 5:] == 1).all()


def test_summary_and_table(result):
    summary = result.summary()
    np.testing.assert_allclose(summary["loss"], result.loss.mean(axis=0))
    error = result.loss[:, 2].std(ddof=1) / np.sqrt(30)
    assert summary["loss_error"][2] == pytest.approx(error)
    assert summary["seconds"].isna().tolist() == [True] + [False] * 5
    assert (summary["seconds"][1:] > 0).all()
    table = result.to_frame()
    assert len(table) == 30 * 6
    row = table[(table["person"] == 4) & (table["questions"] == 3)].iloc[0]
    assert (row["left"], row["right"]) == tuple(result.questions[4, 2])
    assert row["loss"] == result.loss[4, 3]
    assert "<table" in result._repr_html_()
    alone = simulate(
        Posterior(np.zeros(2), np.eye(2)), [[0.0, 1.0]], n_questions=2
    ).summary()
    assert alone["loss_error"].isna().all()


def test_functions_have_their_name(people):
    posterior, utilities = people
    result = simulate(posterior, utilities[:2], policies.eubo, 1, random_state=0)
    assert result.policy == "eubo"
    assert result.n_questions == 1
    assert result.n_people == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rankings": np.zeros(6)}, r"shape \(n_people, n_items\)"),
        ({"rankings": np.zeros((2, 4))}, r"one column per item \(6\). Got 4"),
        ({"rankings": np.zeros((2, 6), int)}, "Row 0 does not; give utilities"),
        ({"rankings": np.full((2, 6), np.nan)}, "must be finite"),
        ({"policy": "?"}, "policy must be one of"),
        ({"n_questions": -1}, "n_questions must be"),
        ({"noise": 1.5}, "between 0 and 1"),
        ({"X_users": np.zeros((3, 1))}, r"one row per person \(2\). Got 3"),
        ({"X_users": np.zeros((2, 1))}, "needs a population with for_user"),
    ],
    ids=["1d", "items", "order", "nan", "policy", "n", "noise", "rows", "features"],
)
def test_wrong_settings_are_refused(people, change, message):
    posterior, utilities = people
    settings = {"population": posterior, "rankings": utilities[:2]} | change
    with pytest.raises(DataError, match=message):
        simulate(**settings)


def test_wrong_sigma_is_refused():
    with pytest.raises(DataError, match="sigma must be >= 0"):
        ProbitAnswers(-1.0)
