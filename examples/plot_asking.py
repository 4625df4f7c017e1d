"""
Ask few questions, and know when to stop
========================================

Forty flats and a person whom we know nothing about, but a hundred people before. Which
questions are worth asking, and how good is the recommendation after each?
"""

# %%
# What earlier people have in common
# ----------------------------------

import matplotlib.pyplot as plt
import numpy as np

from penchant.datasets import load_flats, make_flats_population
from penchant.elicitation import Elicitor, StopRule, simulate
from penchant.models import PopulationGP
from penchant.plotting import plot_ranking, plot_simulation

flats = load_flats()
earlier = make_flats_population(n_users=100, n_comparisons=20, random_state=1)
population = PopulationGP().fit(flats, earlier.comparisons)

# %%
# One conversation
# ----------------
# The questions stop when the expected loss of the recommendation is small.

likes = make_flats_population(n_users=1, random_state=5).utilities[0]
elicitor = Elicitor(
    population.for_user(),
    items=flats,
    stop=StopRule(max_regret=0.1),
    random_state=0,
)
while not elicitor.done:
    question = elicitor.ask()
    better = "left" if likes[question.left] > likes[question.right] else "right"
    elicitor.tell(question, better)
print(f"{len(elicitor.answers)} questions")
plot_ranking(elicitor.recommend(6), names=flats.names)
plt.show()

# %%
# What was learned on the way
# ---------------------------
# The same belief gives a curve per attribute, with a band that shows how much is known.

minutes = np.linspace(5, 60, 56)
curve = elicitor.posterior.curve("commute", minutes)
figure, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.fill_between(minutes, curve.low, curve.high, alpha=0.2)
ax.plot(minutes, curve.mean)
ax.set(xlabel="commute (min)", ylabel="points over the average")
plt.show()

# %%
# Is it worth the trouble?
# ------------------------
# Thirty people with known tastes, who err in one answer of twenty: the loss of the
# recommendation after each question, against random questions and a knockout.

people = make_flats_population(n_users=30, random_state=7).utilities
results = {
    name: simulate(population, people, policy, 10, noise=0.05, random_state=0)
    for name, policy in [
        ("ours", "eubo-kg"),
        ("knockout", "knockout"),
        ("random pairs", "random-pair"),
    ]
}
plot_simulation(results)
plt.show()
