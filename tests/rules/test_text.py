from io import StringIO

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from penchant.exceptions import DataError
from penchant.models import RuleClassifier, RuleRanker, rules_table


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a<b>": rng.integers(0, 9, 80), "50%_off": rng.integers(0, 2, 80)}
    )
    y = np.where((X["a<b>"] >= 4) & (X["50%_off"] == 1), "<yes>", "no")
    return RuleClassifier(nu=0.1).fit(X, y)


@pytest.fixture(scope="module")
def many():
    X = np.arange(30.0).reshape(-1, 1)
    return RuleClassifier(nu=0.1, degree=1).fit(X, X[:, 0] // 10)


def test_text_has_a_line_for_each_rule_and_one_for_the_bias(model):
    lines = rules_table(model, "text").splitlines()
    assert lines[0].split() == ["rule", "speaks", "for", "weight", "coverage"]
    assert len(lines) == 1 + len(model.rules_) + bool(model.intercept_[0])
    assert lines[1].startswith(model.rules_[0].text)
    assert str(rules_table(model)) == rules_table(model, "text")


def test_weights_and_coverage_are_those_of_the_rules(model):
    frame = rules_table(model, "frame")
    weights = frame["weight"].astype(float)[: len(model.rules_)]
    np.testing.assert_allclose(weights, [r.weight for r in model.rules_], atol=5e-4)
    total = sum(r.weight for r in model.rules_) + abs(model.intercept_[0])
    assert total == pytest.approx(1)


def test_html_is_escaped(model):
    text = rules_table(model, "html")
    assert "a&lt;b&gt;" in text
    assert "<yes>" not in text
    assert text.count("<tr>") == 1 + len(rules_table(model).rows)
    assert rules_table(model)._repr_html_() == text


def test_latex_is_escaped(model):
    text = rules_table(model, "latex")
    assert r"50\%\_off" in text
    assert r"a\textless{}b\textgreater{} $\geq$" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 1 + len(rules_table(model).rows)
    assert all(row.count(" & ") == 3 for row in rows)


def test_latex_of_monomials():
    X = np.array([[4.0, 1.0], [6.0, 3.0], [9.0, 2.0], [7.0, 8.0]])
    model = RuleClassifier(generator="monomials", nu=0.5)
    text = rules_table(model.fit(X, [0, 0, 1, 1]), "latex")
    assert "\N{MINUS SIGN}" not in text
    assert text.isascii()


def test_rich_shows_the_same_cells(model):
    console = Console(file=StringIO(), width=120)
    console.print(rules_table(model))
    shown = console.file.getvalue()
    assert model.rules_[0].text in shown
    assert rules_table(model, "rich").row_count == len(rules_table(model).rows)


def test_more_labels_are_told_against_which(many):
    frame = rules_table(many, "frame")
    assert list(frame.columns)[2] == "rather than"
    first = many.rules_[0]
    assert frame["speaks for"][0] == str(first.target)
    assert frame["rather than"][0] == str(first.against)


def test_unknown_formats_are_refused(model):
    with pytest.raises(DataError, match=r"format must be one of .*'latex'.*'pdf'"):
        rules_table(model, "pdf")


def test_explanation_adds_up(model, many):
    items = {"a<b>": [7], "50%_off": [1]}
    for fitted, X in ((model, pd.DataFrame(items)), (many, np.array([[14.0]]))):
        told = fitted.explain(X)
        decision = fitted.decision_function(X)[0]
        scores = told.scores
        reached = scores if scores.size > 2 else scores[1] - scores[0]
        np.testing.assert_allclose(reached, decision, atol=1e-12)
        assert told.prediction == fitted.predict(X)[0]
        held = [rule for rule in fitted.rules_ if rule.feature.evaluate(np.asarray(X))]
        assert set(map(str, told.rules)) == set(map(str, held))
        votes = told.to_dict()["rules"]
        texts = [vote["text"] for vote in votes if vote["text"] != "always"]
        assert texts == [rule.text for rule in told.rules]
        assert (len(votes) > len(texts)) == bool(np.any(told.bias))


def test_explanation_in_words(model):
    told = model.explain(pd.DataFrame({"a<b>": [7], "50%_off": [1]}))
    assert str(told).startswith("prediction: <yes>")
    assert "for <yes>: " in str(told)
    assert "prediction: &lt;yes&gt;" in told._repr_html_()
    for rule in told.rules:
        assert rule.text in str(told)


def test_no_rule_holds():
    X = np.array([[[1.0], [0.0]], [[0.5], [0.0]]])
    model = RuleRanker(generator="monomials", nu=0.5, degree=1).fit(X, [1, 1])
    told = model.explain([[0.0]])
    assert told.rules == ()
    assert str(told) == "prediction: 0\n  no rule holds"
    assert told.to_dict()["rules"] == []
    assert "prediction: 0.25" in model.explain([[0.25]])._repr_html_()


def test_a_negative_weight_turns_a_rule_round(model):
    rule = model.rules_[0]
    turned = rule.reweighed(-0.25)
    assert (turned.target, turned.against) == (rule.against, rule.target)
    assert turned.weight == 0.25
    assert turned.reweighed(-rule.weight) == rule


def test_one_item_at_a_time(model):
    with pytest.raises(DataError, match=r"one item\. Got 2"):
        model.explain(pd.DataFrame({"a<b>": [7, 1], "50%_off": [1, 0]}))
