"""The pages of the app."""

from penchant.web.pages._owner import check_label
from penchant.web.pages._report import make_report

__all__ = ["check_label", "make_report"]
