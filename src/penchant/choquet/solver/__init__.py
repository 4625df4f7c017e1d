"""Monotone set functions that fit best: arrays in, arrays and a certificate out."""

from penchant.choquet.solver._monotone import (
    MobiusFit,
    MobiusProblem,
    choose_cone,
    fit_mobius,
    project_monotone,
)

__all__ = [
    "MobiusFit",
    "MobiusProblem",
    "choose_cone",
    "fit_mobius",
    "project_monotone",
]
