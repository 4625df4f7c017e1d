"""
See what a GAI model has learned
================================

A person rates flats. From the ratings we learn a utility that is a sum of curves and of
few surfaces over two attributes, and look at all of it on one page.
"""

# %%
# Flats and ratings
# -----------------
# The flats are drawn from the attributes of the demo table. The ratings from 1 to 10
# hold two secrets: outdoor space is worth little beside a busy street, and a large flat
# matters less when it is cheap.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from penchant.data import Items
from penchant.datasets import load_flats
from penchant.models import GAIRegressor
from penchant.plotting import plot_curve, plot_gai, plot_network, plot_surface

rng = np.random.default_rng(0)
n_flats = 250
attributes = load_flats().attributes
columns = {
    attribute.name: rng.choice(attribute.levels, n_flats)
    if attribute.levels
    else rng.uniform(*attribute.domain, n_flats).round()
    for attribute in attributes
}
flats = Items.from_frame(pd.DataFrame(columns), attributes)

value = dict(zip(flats.frame.columns, flats.encode().T, strict=True))
outdoors = flats.frame["balcony"].astype(object)
outdoors = outdoors.map({"none": 0, "balcony": 0.6, "roof terrace": 0.8, "garden": 1})
pleasure = (
    3 * value["price"]
    + 3 * np.sqrt(value["size"])
    + 1.6 * value["commute"] ** 2
    + 0.8 * value["energy class"]
    + outdoors.to_numpy(dtype=float) * (2 * value["noise"] - 0.2)
    + 2.5 * (value["price"] - 0.5) * (0.5 - value["size"])
)
noise = rng.normal(0, 0.25, n_flats)
ratings = np.clip(np.round(1 + 9 * pleasure / pleasure.max() + noise), 1, 10)

# %%
# One page
# --------
# The model finds both secrets, and the certificate says that no other choice of curves
# and pairs has an objective that is smaller by more than the gap. The marks below the
# curves show where the data are.

model = GAIRegressor(C=1.0, epsilon=0.05, sigma=0.5, max_order=2).fit(flats, ratings)
print(f"variance explained: {model.score(flats, ratings):.2f}")
plot_gai(model, X=flats)
plt.show()

# %%
# Single pictures
# ---------------
# Every part can be drawn alone, also on axes of your own, and in dark.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
plot_curve(model, "size", X=flats, ax=left)
plot_surface(model, ("balcony", "noise"), ax=right)
plt.show()

plot_network(model, theme="dark")
plt.show()
