"""
A few rules that can be read aloud
==================================

Ten measurements of the largest cells of a tumour, and whether it was malignant. Five
rules with weights are enough to decide most cases, and anybody can check them on a new
one.
"""

# %%
# Learn at most five rules
# ------------------------
# The rules are found among all conditions on one or two measurements by solving a game;
# few of them are chosen by cross-validation inside the training rows.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from penchant.models import RuleClassifier
from penchant.plotting import plot_rule_accuracy, plot_rules

tumours = load_breast_cancer(as_frame=True)
largest = [name for name in tumours.data if name.startswith("worst ")]
X = tumours.data[largest].rename(columns=lambda name: name.removeprefix("worst "))
y = tumours.target.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.3, stratify=y, random_state=2
)

few = RuleClassifier(max_rules=5, random_state=0).fit(X_train, y_train)
print(f"accuracy on new tumours: {few.score(X_test, y_test):.3f}")
plot_rules(few)
plt.show()

# %%
# Why this tumour?
# ----------------
# The rules that hold for a row vote; the sum of their weights is the prediction.

print(few.explain(X_test.iloc[[0]]))

# %%
# How many rules are enough?
# --------------------------
# `top(k)` keeps the k heaviest rules of a model without a limit and weighs them anew.

many = RuleClassifier(nu=0.1).fit(X_train, y_train)
print(f"{len(many.rules_)} rules, within {many.saddle_gap_:.0e} of the best of all")
axes = plot_rule_accuracy(many, X_train, y_train, max_rules=20, label="training rows")
plot_rule_accuracy(many, X_test, y_test, max_rules=20, label="new rows", ax=axes)
plt.show()
