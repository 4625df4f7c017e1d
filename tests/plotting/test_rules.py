import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.datasets import load_iris

from penchant.data import Comparisons
from penchant.models import RuleClassifier, RuleRanker
from penchant.plotting import plot_rule_accuracy, plot_rules
from penchant.plotting._style import DARK, LIGHT


@pytest.fixture(scope="module")
def answers():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(150, 3)).astype(float)
    noise = rng.normal(size=150)
    return X, np.where(X[:, 0] + X[:, 1] + noise > 5, "yes", "no")


@pytest.fixture(scope="module")
def rules(answers):
    return RuleClassifier(nu=0.3).fit(*answers)


def labels_of(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_bars_are_the_weights_to_the_side_of_the_label(rules):
    ax = plot_rules(rules, n_rules=100)
    assert labels_of(ax) == [rule.text for rule in rules.rules_]
    signs = [1 if rule.target == "yes" else -1 for rule in rules.rules_]
    wanted = [s * rule.weight for s, rule in zip(signs, rules.rules_, strict=True)]
    assert [bar.get_width() for bar in ax.patches] == wanted
    assert {to_hex(bar.get_facecolor()) for bar in ax.patches} == {LIGHT.pro, LIGHT.con}
    title = ax.get_title(loc="left")
    assert title.startswith(f"{len(rules.rules_)} rules")
    assert "for yes (right), for no (left)" in title


def test_only_the_heaviest_are_drawn(rules):
    ax = plot_rules(rules, n_rules=2, theme="dark")
    assert labels_of(ax) == [rule.text for rule in rules.rules_[:2]]
    assert ax.get_title(loc="left").startswith(f"2 of {len(rules.rules_)} rules")
    assert to_hex(ax.figure.get_facecolor()) == DARK.surface


def test_several_labels_are_part_of_the_text():
    X, y = load_iris(return_X_y=True)
    model = RuleClassifier(degree=1, nu=0.3).fit(X, y)
    ax = plot_rules(model)
    first = model.rules_[0]
    assert labels_of(ax)[0] == f"{first.text}: {first.target}, not {first.against}"
    assert all(bar.get_width() > 0 for bar in ax.patches)


def test_rankers_have_better_and_worse():
    X = np.arange(8.0).reshape(-1, 1)
    model = RuleRanker(degree=1, nu=0.3).fit(X, Comparisons([5, 6, 7], [0, 1, 2]))
    title = plot_rules(model).get_title(loc="left")
    assert "for better (right), for worse (left)" in title


def test_accuracy_is_that_of_the_top_rules(answers, rules):
    ax = plot_rule_accuracy(rules, *answers, max_rules=4, label="seen")
    (line,) = ax.lines
    assert line.get_xdata().tolist() == [1, 2, 3, 4]
    full = 100 * rules.top(4).score(*answers)
    assert line.get_ydata()[-1] == pytest.approx(full)
    assert [text.get_text() for text in ax.texts] == ["seen"]
    assert to_hex(line.get_color()) == LIGHT.accent


def test_curves_on_the_same_axes_differ(answers, rules):
    X, y = answers
    ax = plot_rule_accuracy(rules, X, y, max_rules=2)
    for rows in (slice(0, 50), slice(50, 100)):
        assert plot_rule_accuracy(rules, X[rows], y[rows], max_rules=2, ax=ax) is ax
    assert len({to_hex(line.get_color()) for line in ax.lines}) == 3
