"""The comparison: what it computes, how it is watched, ended and taken up again."""

import json

import numpy as np
import pandas as pd
import pytest

from penchant._progress import Deadline
from penchant.data import Choices, Comparisons
from penchant.exceptions import DataError
from penchant.learning import (
    CANDIDATES,
    CandidateResult,
    ModelComparison,
    compare,
    divide,
    find_target,
    fit_candidate,
)
from penchant.models import ChoquetRegressor

X = np.random.default_rng(0).random((60, 3))
Y = X[:, 0] + np.minimum(X[:, 1], X[:, 2])
CHEAP = ["linear", "choquet", "boosting"]


def result(name, losses, size):
    return CandidateResult(name, losses=tuple(losses), score=0.5, parts={"rules": size})


def told(*results):
    return ModelComparison("numbers", 4, 4, 2, (), results)


class TestRecommendation:
    def test_least_to_read_within_one_error_of_the_paired_difference(self):
        best = [0.0, 1.0, 2.0, 3.0]
        near = [0.3, 0.9, 2.3, 2.9]  # behind by .1 with an error of .115
        found = told(result("gai", best, 20), result("linear", near, 2))
        assert found.best.name == "gai"
        behind = found["linear"].minus(found.best)
        assert behind.mean == pytest.approx(0.1)
        assert behind.error == pytest.approx(np.std([0.3, -0.1, 0.3, -0.1], ddof=1) / 2)
        assert found.recommended.name == "linear"

    def test_who_saves_less_reading_may_be_less_behind(self):
        best = [0.0, 1.0, 2.0, 3.0]
        near = [0.3, 0.9, 2.3, 2.9]  # behind by .87 of its error
        sizes = {2: "linear", 3: "gai", 20: "gai", 30: "gai"}
        for size, name in sizes.items():
            found = told(result("gai", best, 20), result("linear", near, size))
            assert found.recommended.name == name
        nothing = told(result("gai", best, 0), result("linear", near, 3))
        assert nothing.recommended.name == "gai"

    def test_the_error_is_that_of_the_difference_not_of_the_losses(self):
        best = [0.0, 1.0, 2.0, 3.0]  # they vary much, but always by the same
        far = [0.1, 1.1, 2.1, 3.1]
        found = told(result("gai", best, 20), result("linear", far, 3))
        assert found.recommended.name == "gai"

    def test_what_cannot_be_read_is_never_recommended_nor_the_mark(self):
        trees = CandidateResult("boosting", losses=(0.0, 0.0, 0.0, 0.0), score=1.0)
        found = told(trees, result("gai", [1.0, 1.0, 1.1, 1.0], 9))
        assert found.recommended.name == found.best.name == "gai"
        assert found.behind_boosting.mean == pytest.approx(1.025)
        assert found["boosting"].size is None

    def test_of_equal_sizes_the_simpler_kind(self):
        same = [1.0, 2.0, 1.0, 2.0]
        found = told(result("gai", same, 3), result("linear", same, 3))
        assert found.recommended.name == "linear"

    def test_without_boosting(self):
        assert told(result("linear", [1.0, 2.0], 3)).behind_boosting is None


def test_losses_are_those_of_rows_that_were_held_out():
    found = compare(X, Y, candidates=["choquet"], random_state=3)["choquet"]
    target = find_target(X, Y)
    folds = divide(target, 5, 3)
    losses = np.empty(60)
    for fold in range(5):
        model = ChoquetRegressor().fit(
            target.items.take(np.flatnonzero(folds != fold)), Y[folds != fold]
        )
        out = folds == fold
        losses[out] = (
            model.predict(target.items.take(np.flatnonzero(out))) - Y[out]
        ) ** 2
    assert np.allclose(found.losses, losses / Y.var(), atol=1e-9)
    assert found.score == pytest.approx(1 - losses.mean() / Y.var())


def test_folds_are_alike_and_keep_answers_together():
    grades = np.repeat([1, 2, 3], 20)
    folds = divide(find_target(X, grades), 5, 0)
    assert [np.bincount(folds[grades == g]).tolist() for g in (1, 2, 3)] == [
        [4] * 5
    ] * 3
    sets = [[0, 1, 2], [3, 4, 5], [6, 7, 8]] * 6
    target = find_target(X, Choices(sets, [s[0] for s in sets]))
    folds = divide(target, 3, 0)
    assert all(len(set(folds[target.groups == g])) == 1 for g in range(18))
    with pytest.raises(DataError, match="n_folds must be 2 to the number of answers"):
        divide(target, 19, 0)


@pytest.mark.parametrize("kind", ["classes", "grades"])
def test_chances_are_judged_by_proper_scores(kind):
    labels = np.digitize(Y, [0.6, 1.1])
    found = compare(X, labels, kind=kind, candidates=["linear"])["linear"]
    target = find_target(X, labels, kind)
    folds = divide(target, 5, 0)
    losses = np.empty(60)
    for fold in range(5):
        rows = np.flatnonzero(folds != fold)
        model = CANDIDATES["linear"].fit(target, rows, 0)
        out = np.flatnonzero(folds == fold)
        chances = model.predict_proba(target.items.take(out))
        facts = labels[out][:, None] == np.arange(3)
        if kind == "grades":
            chances, facts = chances.cumsum(axis=1), facts.cumsum(axis=1)
        losses[out] = ((chances - facts) ** 2).sum(axis=1)
    assert np.allclose(found.losses, losses)
    assert 0 <= found.score <= 1


def test_the_mean_over_answers_is_the_mean_over_rows():
    sets = [[k, (k + 1) % 60, (k + 2) % 60][: 2 + k % 2] for k in range(40)]
    chosen = [max(offered, key=lambda i: Y[i]) for offered in sets]
    found = compare(X, Choices(sets, chosen), candidates=["choquet"])
    assert found.n_rows == 60
    assert found.n_answers == len(found["choquet"].losses) == 40
    assert found["choquet"].loss == pytest.approx(1 - found["choquet"].score)


def test_text_blanks_and_comparisons_reach_every_candidate():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = ["red", "blue", "green"] * 20
    frame.loc[3, "a"] = np.nan
    found = compare(frame, Y > 0.8, candidates=["rules", *CHEAP])
    assert {r.name for r in found.done} == {"linear", "rules", "choquet", "boosting"}
    several = compare(frame, frame["colour"], candidates=CHEAP)
    assert "the classes have no order" in several["choquet"].skipped
    first, second = np.arange(40), np.arange(20, 60)
    better = Y[first] > Y[second]
    pairs = Comparisons(
        np.where(better, first, second), np.where(better, second, first)
    )
    found = compare(frame, pairs, candidates=["linear", "boosting"])
    assert found["linear"].score > 0.6


class TestProgress:
    def test_shares_rise_from_nothing_and_results_are_told(self):
        said = []
        found = compare(X, Y, candidates=CHEAP, callback=said.append)
        assert said[0]["share"] == 0.0
        assert said[0]["seconds_left"] is None
        shares = [each["share"] for each in said]
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(1.0)
        assert [e["result"].name for e in said if e["result"]] == CHEAP
        assert json.loads(json.dumps([e["fold"] for e in said[:7]])) == [
            *range(1, 6),
            0,
            None,
        ]
        assert said[8]["seconds_left"] >= 0
        assert [r for r in found.results if r.skipped] == []

    def test_cancelled_and_taken_up_again(self):
        kept = []

        def cancel(said):
            if said["result"] is not None:
                kept.append(json.loads(json.dumps(said["result"].to_dict())))
            if said["candidate"] == "boosting":
                raise InterruptedError

        with pytest.raises(InterruptedError):
            compare(X, Y, candidates=CHEAP, callback=cancel)
        assert [each["name"] for each in kept] == ["linear", "choquet"]
        fitted = []
        again = compare(
            X,
            Y,
            candidates=CHEAP,
            done=kept,
            callback=lambda s: fitted.append(s["candidate"]),
        )
        assert set(fitted) == {"boosting"}
        whole = compare(X, Y, candidates=CHEAP)
        assert again["linear"].losses == whole["linear"].losses
        assert again.recommended.name == whole.recommended.name

    @pytest.mark.parametrize("fold", [1, 3, 0])
    def test_our_own_errors_cancel_too(self, fold):
        def cancel(said):
            if said["fold"] == fold:
                raise DataError("the page was closed")

        with pytest.raises(DataError, match="the page was closed"):
            compare(X, Y, candidates=["linear"], callback=cancel)

    def test_results_of_other_data_are_refused(self):
        with pytest.raises(DataError, match="about 3 answers, but there are 60"):
            compare(X, Y, done=[result("linear", [1, 2, 3], 1)])

    def test_no_time_is_left(self, monkeypatch):
        over = []
        monkeypatch.setattr(Deadline, "is_over", property(lambda _: bool(over)))
        found = compare(
            X,
            Y,
            candidates=CHEAP,
            max_time=1000.0,
            callback=lambda said: over.extend(
                [1] if said["candidate"] == "choquet" and said["fold"] is None else []
            ),
        )
        assert found["boosting"].skipped == "no time was left"
        assert not found["choquet"].skipped
        with pytest.raises(DataError, match="No readable model could be compared"):
            compare(X, Y, candidates=["choquet"], max_time=1000.0)


def test_plain_data_and_back():
    found = compare(X, np.digitize(Y, [0.7]), candidates=CHEAP)
    again = ModelComparison.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.recommended == found.recommended
    assert again.rows() == found.rows()
    assert found.labels == (0, 1)
    page = found._repr_html_()
    assert "(recommended)" in page
    assert "cannot be read" in page
    with pytest.raises(DataError, match="'rules' was not compared"):
        found["rules"]
    with pytest.raises(DataError, match="There is no candidate 'x'"):
        CandidateResult.from_dict({"name": "x"})


def test_names_of_candidates_are_checked():
    with pytest.raises(DataError, match="There is no candidate 'forest'"):
        compare(X, Y, candidates=["forest"])
    with pytest.raises(DataError, match="'rules' does not suit this target"):
        fit_candidate("rules", X, Y)


def test_a_fit_that_fails_is_told():
    one = np.zeros((60, 1))
    found = compare(one, Y, candidates=["linear", "choquet"])
    assert found.recommended.size == 0


def test_grades_in_words_are_foretold_in_words():
    words = np.array(["low", "medium", "high"])[np.digitize(Y, [0.6, 1.1])]
    model = fit_candidate("choquet", X, words)
    assert set(model.predict(find_target(X, words).items)) <= set(words)
    assert np.mean(model.predict(find_target(X, words).items) == words) > 0.8
