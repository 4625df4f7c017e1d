"""Commands about models learned from files: learn, predict, why, plot."""

from penchant.cli.learned._learn import learn
from penchant.cli.learned._plot import plot
from penchant.cli.learned._predict import predict
from penchant.cli.learned._why import why

__all__ = ["learn", "plot", "predict", "why"]
