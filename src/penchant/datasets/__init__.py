"""Data sets: shipped, from installed packages, or generated."""

from penchant.datasets._flats import load_flats, make_flats_population
from penchant.datasets._games import make_tic_tac_toe
from penchant.datasets._graded import load_era, load_esl, load_lev, load_swd
from penchant.datasets._population import Population, make_population
from penchant.datasets._ratings import (
    ProductUtility,
    RatedSample,
    SplineUtility,
    make_gai,
    make_product_utility,
)

__all__ = [
    "Population",
    "ProductUtility",
    "RatedSample",
    "SplineUtility",
    "load_era",
    "load_esl",
    "load_flats",
    "load_lev",
    "load_swd",
    "make_flats_population",
    "make_gai",
    "make_population",
    "make_product_utility",
    "make_tic_tac_toe",
]
