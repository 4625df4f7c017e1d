"""
Ratings, rankings and choices as comparisons
============================================

People answer in different ways. What they all tell is that one item is preferred to
another, so every kind of answer becomes comparisons.
"""

# %%
# Four people, four ways
# ----------------------
# Items are numbered by their row in the table.

from penchant.data import Choices, Comparisons, Rankings, Ratings
from penchant.metrics import pairwise_accuracy

names = ["Mill Lane 4", "Park View 9", "Quay 1"]

rated = Ratings(items=[0, 1, 2], values=[2, 5, 5]).to_comparisons()
ranked = Rankings([[1, 2, 0]]).to_comparisons()
chosen = Choices(sets=[[0, 1, 2]], chosen=[2]).to_comparisons()
compared = Comparisons(winners=[1, 0, 1], losers=[0, 1, 2])

answers = {"rated": rated, "ranked": ranked, "chose": chosen, "compared": compared}
for way, comparisons in answers.items():
    print(f"{way}: {comparisons}")
    for a, b, tie in zip(
        comparisons.winners, comparisons.losers, comparisons.ties, strict=True
    ):
        print(f"    {names[a]} {'is as good as' if tie else 'beats'} {names[b]}")

# %%
# Contradictions are kept
# -----------------------
# The last person preferred Park View 9 to Mill Lane 4, and then the other way round.
# That tells how sure this person is, so both answers stay and are counted.

print("contradictions:", compared.n_contradictions)

# %%
# How well does a utility agree?
# ------------------------------
# A utility gives each item one number. Where exactly one of person and utility says
# "equal", the answer counts as half right.

utility = [0.1, 0.9, 0.7]
for way, comparisons in answers.items():
    print(f"{way}: {pairwise_accuracy(utility, comparisons):.2f}")
