"""Tags of the classes that a model file may hold, and where these classes live.

A file says ``"class": "penchant.models.GAIRegressor"`` or ``"class": "WarpedRBF"``:
a tag, which never changes, whatever becomes of the modules. A class moves or gets
another name by a change in `_HOMES`; its tag stays. A class that files shall hold
needs a line there; nothing else is ever imported because a file names it.
"""

import importlib
import re
from collections.abc import Iterable
from typing import Any, Final

from penchant.exceptions import FormatError

# Tag: module that defines the class now. The class is called as the tag ends, or as
# what follows a colon.
_HOMES: dict[str, str] = {
    # Public classes; their tags are the names under which version 0.1.0 offered them.
    "penchant.data.Attribute": "penchant.data._attribute",
    "penchant.kernels.BSpline": "penchant.kernels._univariate",
    "penchant.kernels.Categorical": "penchant.kernels._levels",
    "penchant.kernels.FeatureMap": "penchant.kernels._univariate",
    "penchant.kernels.KernelSum": "penchant.kernels._univariate",
    "penchant.kernels.Ordinal": "penchant.kernels._levels",
    "penchant.kernels.RBF": "penchant.kernels._univariate",
    "penchant.kernels.ScaledKernel": "penchant.kernels._univariate",
    "penchant.kernels.Spline": "penchant.kernels._univariate",
    "penchant.models.AlwaysTrue": "penchant.rules._features",
    "penchant.models.Capacity": "penchant.choquet._capacity",
    "penchant.models.ChoquetClassifier": "penchant.choquet._classifier",
    "penchant.models.ChoquetRanker": "penchant.choquet._estimators",
    "penchant.models.ChoquetRegressor": "penchant.choquet._estimators",
    "penchant.models.ChoquetSVC": "penchant.choquet._svm",
    "penchant.models.ChoquetSVR": "penchant.choquet._svm",
    "penchant.models.CompactGAI": "penchant.utility._network",
    "penchant.models.Condition": "penchant.rules._conditions",
    "penchant.models.Conjunction": "penchant.rules._conditions",
    "penchant.models.Conjunctions": "penchant.rules._conjunctions",
    "penchant.models.Domain": "penchant.encoding._domain",
    "penchant.models.DualGAI": "penchant.utility._parts",
    "penchant.models.Encoding": "penchant.encoding._encoding",
    "penchant.models.FourierFeatures": "penchant.rules._fourier",
    "penchant.models.GAICandidate": "penchant.gai._choice",
    "penchant.models.GAIChoice": "penchant.gai._choice",
    "penchant.models.GAIClassifier": "penchant.gai._classifier",
    "penchant.models.GAIRanker": "penchant.gai._estimators",
    "penchant.models.GAIRankerCV": "penchant.gai._cv",
    "penchant.models.GAIRegressor": "penchant.gai._estimators",
    "penchant.models.GAIRegressorCV": "penchant.gai._cv",
    "penchant.models.GaussianProcess": "penchant.gp._process",
    "penchant.models.GaussianProcessRanker": "penchant.gp._ranker",
    "penchant.models.GeneratorSum": "penchant.rules._features",
    "penchant.models.HyperParameters": "penchant.gp._fit",
    "penchant.models.KnotMap": "penchant.utility._parts",
    "penchant.models.MixedGAI": "penchant.gai._mixture",
    "penchant.models.Monomial": "penchant.rules._monomials",
    "penchant.models.Monomials": "penchant.rules._monomials",
    "penchant.models.PopulationGP": "penchant.gp._population",
    "penchant.models.Ramp": "penchant.rules._conditions",
    "penchant.models.Ramps": "penchant.rules._features",
    "penchant.models.Rule": "penchant.rules._text",
    "penchant.models.RuleCandidate": "penchant.rules._text",
    "penchant.models.RuleChoice": "penchant.rules._text",
    "penchant.models.RuleClassifier": "penchant.rules._classifier",
    "penchant.models.RuleGame": "penchant.rules._program",
    "penchant.models.RuleRanker": "penchant.rules._ranker",
    "penchant.models.TensorGAI": "penchant.utility._parts",
    "penchant.models.Vocabulary": "penchant.rules._conditions",
    "penchant.models.Wave": "penchant.rules._fourier",
    "penchant.testing.LinearRanker": "penchant.testing._linear_ranker",
    # Parts of models that have no public name.
    "AnovaItemKernel": "penchant.gp._kernels",
    "ArdItemKernel": "penchant.gp._kernels",
    "BinnedAxis": "penchant.gai.binned._bins:Axis",
    "BinnedGAI": "penchant.gai.binned._utility",
    "CriterionDirection": "penchant.choquet._directions",
    "DenseHierarchy": "penchant.gp._hierarchical",
    "ItemPrior": "penchant.gp._item_prior",
    "KroneckerData": "penchant.gp._kronecker",
    "KroneckerModel": "penchant.gp._kronecker",
    "KroneckerScales": "penchant.gp._kronecker:Scales",
    "LowRankHierarchy": "penchant.gp._hierarchical",
    "UserEncoding": "penchant.gp._user_features",
    "WarpedRBF": "penchant.kernels._univariate",
}
_RETRAINING: Final = "penchant.explanation.retraining"
_HOMES |= {
    "penchant.explanation.CoalitionalExplainer": f"{_RETRAINING}._coalitional",
    "penchant.explanation.CompleteExplainer": f"{_RETRAINING}._explainers",
    "penchant.explanation.DepthExplainer": f"{_RETRAINING}._explainers",
    "penchant.explanation.LeastSquaresExplainer": f"{_RETRAINING}._explainers",
}

# What version 0.1.0 wrote for the latter: "penchant." and where they lived then. This
# never changes; without "penchant." a move by search and replace passes it by.
_OLD_TAGS: Final[dict[str, str]] = {
    "models._gai_warp.WarpedRBF": "WarpedRBF",
    "models._gp_kernels.AnovaItemKernel": "AnovaItemKernel",
    "models._gp_kernels.ArdItemKernel": "ArdItemKernel",
    "models._hierarchical_gp.DenseHierarchy": "DenseHierarchy",
    "models._hierarchical_gp.LowRankHierarchy": "LowRankHierarchy",
    "models._item_prior.ItemPrior": "ItemPrior",
    "models._kronecker_gp.KroneckerData": "KroneckerData",
    "models._kronecker_gp.KroneckerModel": "KroneckerModel",
    "models._kronecker_gp.Scales": "KroneckerScales",
    "models._user_features.UserEncoding": "UserEncoding",
}

_LEARNED: Final = re.compile(r"[a-zA-Z](?:\w*[a-zA-Z0-9])?_")


def _home(tag: str) -> tuple[str, str]:
    """Give the module and the name of the class with a tag."""
    module, _, name = _HOMES[tag].partition(":")
    return module, name or tag.rpartition(".")[2]


_TAGS: Final[dict[tuple[str, str], str]] = {_home(tag): tag for tag in _HOMES}


def class_tag(cls: type) -> str | None:
    """Give the tag of a class, None if files cannot hold it."""
    return _TAGS.get((cls.__module__, cls.__qualname__))


def find_class(tag: Any) -> type:
    """Find a class by its tag; what is not in the table is not even looked for."""
    text = tag if isinstance(tag, str) else ""
    known = _OLD_TAGS.get(text.removeprefix("penchant."), text)
    if known not in _HOMES:
        raise FormatError(
            f"the file names the class {tag!r}, which is no estimator or dataclass of "
            "this version of penchant. Load it with the version that saved it"
        )
    module, name = _home(known)
    return getattr(importlib.import_module(module), name)


def learned_names(names: Iterable[str]) -> list[str]:
    """Keep the names of what `fit` learned: they end in _, as those of scikit-learn."""
    return [name for name in names if _LEARNED.fullmatch(name)]
