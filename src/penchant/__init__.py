"""Learn what people value, ask little, recommend, and say why."""

from penchant._lazy import offer_rooms

__version__ = "0.2.0"

__all__ = [
    "choquet",
    "data",
    "datasets",
    "elicitation",
    "encoding",
    "exceptions",
    "explanation",
    "gai",
    "gp",
    "io",
    "jobs",
    "kernels",
    "learning",
    "metrics",
    "models",
    "plotting",
    "rules",
    "solvers",
    "studies",
    "testing",
    "typing",
    "utility",
]

__getattr__, __dir__ = offer_rooms(__name__, __all__)
