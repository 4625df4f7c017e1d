"""The API for programs."""

from penchant.web.api._results import ComparisonOut, GroupOut, RankedOut, WhyOut

__all__ = ["ComparisonOut", "GroupOut", "RankedOut", "WhyOut"]
