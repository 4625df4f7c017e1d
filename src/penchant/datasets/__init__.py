"""Data sets: shipped, from installed packages, generated, or read from a file."""

from penchant.datasets._flats import load_flats, make_flats_population
from penchant.datasets._games import encode_poker, make_poker, make_tic_tac_toe
from penchant.datasets._graded import (
    data_folder,
    load_era,
    load_esl,
    load_lev,
    load_swd,
    read_csv,
)
from penchant.datasets._population import Population, make_population
from penchant.datasets._ratings import (
    ProductUtility,
    RatedSample,
    SplineUtility,
    make_gai,
    make_product_utility,
)
from penchant.datasets._sushi import Sushi, read_sushi

__all__ = [
    "Population",
    "ProductUtility",
    "RatedSample",
    "SplineUtility",
    "Sushi",
    "data_folder",
    "encode_poker",
    "load_era",
    "load_esl",
    "load_flats",
    "load_lev",
    "load_swd",
    "make_flats_population",
    "make_gai",
    "make_poker",
    "make_population",
    "make_product_utility",
    "make_tic_tac_toe",
    "read_csv",
    "read_sushi",
]
