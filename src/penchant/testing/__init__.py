"""Checks that estimators and stores of others can reuse."""

from penchant.testing._check_ranker import check_ranker, parametrize_with_ranker_checks
from penchant.testing._linear_ranker import LinearRanker

__all__ = ["LinearRanker", "check_ranker", "parametrize_with_ranker_checks"]
