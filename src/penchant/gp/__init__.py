"""Gaussian processes: one person, many people, and beliefs about utilities."""

from penchant.gp._answers import Answer
from penchant.gp._covariance import (
    Covariance,
    DenseCovariance,
    Draws,
    LowRankCovariance,
    covariance_root,
)
from penchant.gp._fit import HyperParameters
from penchant.gp._item_prior import ItemPrior, contrasts
from penchant.gp._kernels import AnovaFamily, AnovaItemKernel, ArdItemKernel, ItemKernel
from penchant.gp._population import PopulationGP
from penchant.gp._posterior import LapsePosterior, Posterior
from penchant.gp._process import GaussianProcess
from penchant.gp._ranker import GaussianProcessRanker

__all__ = [
    "AnovaFamily",
    "AnovaItemKernel",
    "Answer",
    "ArdItemKernel",
    "Covariance",
    "DenseCovariance",
    "Draws",
    "GaussianProcess",
    "GaussianProcessRanker",
    "HyperParameters",
    "ItemKernel",
    "ItemPrior",
    "LapsePosterior",
    "LowRankCovariance",
    "PopulationGP",
    "Posterior",
    "contrasts",
    "covariance_root",
]
