"""
See what a Choquet integral has learned
=======================================

Experts graded 488 candidates for a job by four test scores ("employee selection", ESL).
A monotone Choquet integral tells how much each score counts, and which scores complete
or replace each other.
"""

# %%
# Learn from the grades
# ---------------------

import matplotlib.pyplot as plt

from penchant.datasets import load_esl
from penchant.models import ChoquetClassifier, ChoquetRegressor
from penchant.plotting import (
    plot_capacity_importances,
    plot_decision_map,
    plot_interactions,
    plot_lattice,
)

candidates = load_esl()
X, grades = candidates.data, candidates.target
model = ChoquetRegressor(k=2).fit(X, grades)
print(f"variance explained: {model.score(X, grades):.2f}")

# %%
# What counts
# -----------
# Shapley values share the whole range of the utility between the scores. A plus in a
# cell says that two scores complete each other, so that both should be good; a minus,
# that one can replace the other. With up to five criteria the capacity can be seen as a
# whole: the value of each set of scores, from none at the bottom to all at the top. The
# map shows the utility over two scores, with the others held at their medians; a dot is
# larger where there are more candidates.

figure, axes = plt.subplots(
    2, 2, figsize=(9, 7), layout="constrained", height_ratios=(2, 3)
)
plot_capacity_importances(model, ax=axes[0, 0])
plot_interactions(model, ax=axes[0, 1])
plot_lattice(model, ax=axes[1, 0])
plot_decision_map(model, ("in1", "in3"), X=X, ax=axes[1, 1])
figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
plt.show()

# %%
# Decisions
# ---------
# For a classifier the map shows the areas of the classes. Here a candidate is invited
# from grade 6 on.

invited = grades.ge(6).map({True: "invite", False: "decline"})
classifier = ChoquetClassifier(k=2).fit(X, invited)
print(f"decisions explained: {classifier.score(X, invited):.2f}")
plot_decision_map(classifier, ("in1", "in4"), X=X)
plt.show()
