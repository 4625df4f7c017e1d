"""
Learn what people value from comparisons
========================================

Simulated people compare fictional flats, two at a time. From few answers of one person
we learn a linear utility, and see how good the flat is that it recommends.
"""

# %%
# One person
# ----------
# The person is a student who compared thirty pairs of the forty flats.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

from penchant.datasets import load_flats, make_flats_population
from penchant.metrics import kendall_tau, regret
from penchant.testing import LinearRanker

flats = load_flats()
people = make_flats_population(n_users=20, n_comparisons=30, random_state=0)
truth = people.utilities[0]

ranker = LinearRanker(alpha=0.3).fit(flats, people.comparisons.of_user(0))
utility = ranker.utility(flats)
for row in np.argsort(-utility)[:3]:
    about = flats.describe(row)
    print(flats.names[row], about["price"], about["size"], about["commute"], sep=", ")

print(f"agreement with the true order: {kendall_tau(utility, truth):.2f}")

# %%
# How many answers are enough?
# ----------------------------
# Regret is how much better than the recommended flat the best one would have been, as a
# share of the distance between the best and the worst. Here it is averaged over twenty
# people. These pairs were drawn by chance; a good question tells more.

numbers = np.array([1, 2, 4, 8, 16, 30])
recommended = np.empty((numbers.size, len(people.utilities)), dtype=int)
for user in range(len(people.utilities)):
    answers = people.comparisons.of_user(user)
    for place, number in enumerate(numbers):
        fitted = LinearRanker(alpha=0.3).fit(flats, answers.take(range(number)))
        recommended[place, user] = fitted.utility(flats).argmax()

loss = np.array(
    [regret(people.utilities, items, normalize="range").mean() for items in recommended]
)
spread = np.ptp(people.utilities, axis=1)
blind = ((people.utilities.max(axis=1) - people.utilities.mean(axis=1)) / spread).mean()
print(f"mean regret, any flat: {blind:.2f}")
for number, value in zip(numbers, loss, strict=True):
    print(f"mean regret, {number:2} answers: {value:.2f}")

figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
axes.plot(numbers, loss, marker="o", label="linear utility")
axes.axhline(blind, color="gray", linestyle="--", label="any flat")
axes.set(xlabel="answers of the person", ylabel="mean regret", ylim=(0, None))
axes.legend(frameon=False)
plt.show()

# %%
# One utility for everybody?
# --------------------------
# Pairs in three dimensions can be sliced, so the tools of scikit-learn work. People
# differ, so that one utility for all of them predicts answers less well than one per
# person.

X, y = people.comparisons.pooled().stack(flats.encode())
together = cross_val_score(LinearRanker(alpha=0.3), X, y, cv=5).mean()
apart = np.mean(
    [
        cross_val_score(
            LinearRanker(alpha=0.3),
            *people.comparisons.of_user(user).stack(flats.encode()),
            cv=5,
        ).mean()
        for user in range(len(people.utilities))
    ]
)
print(
    f"answers predicted by one utility for all: {together:.0%}, per person: {apart:.0%}"
)
