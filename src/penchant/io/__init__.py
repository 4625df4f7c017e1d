"""Save fitted models to one file and load them again, without pickle."""

from penchant.io._files import load, save

__all__ = ["load", "save"]
