"""Explanations of any model by refitting it on part of the attributes."""

from penchant.explanation.retraining._support_vectors import (
    SupportVectorProblem,
    SupportVectors,
)

__all__ = ["SupportVectorProblem", "SupportVectors"]
