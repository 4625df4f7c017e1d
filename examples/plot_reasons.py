"""
Why this one, and why not the other?
====================================

Reasons for a recommendation: what speaks for it, what against, the shortest argument
that suffices, and what would have to change. Exact for our models, and by refitted
models for any other estimator.
"""

# %%
# Why A rather than B
# -------------------
# A utility learned from sixty answers of one person, and its two best flats.

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

from penchant.datasets import load_flats, make_flats_population
from penchant.explanation import (
    LeastSquaresExplainer,
    contrast,
    explain,
    flip,
    reasons,
)
from penchant.models import GAIRanker
from penchant.plotting import plot_beeswarm, plot_contrast, plot_waterfall

flats = load_flats()
person = make_flats_population(n_users=1, n_comparisons=60, random_state=1)
answers = person.comparisons.pooled()
model = GAIRanker(C=1.0, monotone="directions").fit(flats, answers)
best, second = model.utility(flats).argsort()[::-1][:2]
a, b = flats.take([best]), flats.take([second])

difference = contrast(model, a, b)
print(reasons(difference).text)
plot_contrast(difference)
plt.show()

# %%
# What would have to change?
# --------------------------
# The smallest change of one attribute, or of two, that makes the second the better one.

print(flip(model, b, a))

# %%
# One alternative against the average of all
# ------------------------------------------

plot_waterfall(explain(model, a))
plt.show()

# %%
# Any other model
# ---------------
# A forest is refitted on 64 sets of attributes; the contributions of every row add up
# to its prediction.

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
forest = RandomForestRegressor(20, min_samples_leaf=5, random_state=0).fit(X, y)
explainer = LeastSquaresExplainer(64, random_state=0).fit(forest, X, y)
plot_beeswarm(explainer.explain(X.iloc[:100]))
plt.show()
