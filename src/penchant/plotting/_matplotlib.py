"""Say what to install where matplotlib is missing; imported before all else here."""

from penchant.exceptions import MissingExtraError

try:
    import matplotlib as matplotlib
except ModuleNotFoundError:
    raise MissingExtraError("matplotlib", "plot") from None
