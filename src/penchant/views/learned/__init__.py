"""A learned model as a page."""

from penchant.views.learned._page import model_page

__all__ = ["model_page"]
