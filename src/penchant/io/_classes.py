"""Tags of the classes that a model file may hold, and where these classes live.

A file says ``"class": "penchant.models.GAIRegressor"`` or ``"class": "WarpedRBF"``:
a tag, which never changes, whatever becomes of the modules. A class moves or gets
another name by a change in `_HOMES`; its tag stays. A class that files shall hold
needs a line there; nothing else is ever imported because a file names it.
"""

import importlib
from typing import Any, Final

from penchant.exceptions import FormatError

__all__ = ["class_tag", "find_class", "learned_names"]

# Tag: module that defines the class now. The class is called as the tag ends, or as
# what follows a colon.
_HOMES: Final[dict[str, str]] = {
    # Public classes; their tags are the names under which version 0.1.0 offered them.
    "penchant.data.Attribute": "penchant.data._attribute",
    "penchant.explanation.CoalitionalExplainer": "penchant.explanation._coalitional",
    "penchant.explanation.CompleteExplainer": "penchant.explanation._explainers",
    "penchant.explanation.DepthExplainer": "penchant.explanation._explainers",
    "penchant.explanation.LeastSquaresExplainer": "penchant.explanation._explainers",
    "penchant.kernels.BSpline": "penchant.kernels._univariate",
    "penchant.kernels.Categorical": "penchant.kernels._univariate",
    "penchant.kernels.FeatureMap": "penchant.kernels._kernel",
    "penchant.kernels.KernelSum": "penchant.kernels._kernel",
    "penchant.kernels.Ordinal": "penchant.kernels._univariate",
    "penchant.kernels.RBF": "penchant.kernels._univariate",
    "penchant.kernels.ScaledKernel": "penchant.kernels._kernel",
    "penchant.kernels.Spline": "penchant.kernels._univariate",
    "penchant.models.AlwaysTrue": "penchant.models._rule_generators",
    "penchant.models.Capacity": "penchant.models._capacity",
    "penchant.models.ChoquetClassifier": "penchant.models._choquet_classifier",
    "penchant.models.ChoquetRanker": "penchant.models._choquet",
    "penchant.models.ChoquetRegressor": "penchant.models._choquet",
    "penchant.models.ChoquetSVC": "penchant.models._choquet_svm",
    "penchant.models.ChoquetSVR": "penchant.models._choquet_svm",
    "penchant.models.CompactGAI": "penchant.models._gai_network",
    "penchant.models.Condition": "penchant.models._rule_conditions",
    "penchant.models.Conjunction": "penchant.models._rule_conditions",
    "penchant.models.Conjunctions": "penchant.models._rule_generators",
    "penchant.models.Domain": "penchant.models._domain",
    "penchant.models.DualGAI": "penchant.models._gai_dual",
    "penchant.models.Encoding": "penchant.models._gai_encoding",
    "penchant.models.GAICandidate": "penchant.models._gai_choice",
    "penchant.models.GAIChoice": "penchant.models._gai_choice",
    "penchant.models.GAIRanker": "penchant.models._gai",
    "penchant.models.GAIRankerCV": "penchant.models._gai_cv",
    "penchant.models.GAIRegressor": "penchant.models._gai",
    "penchant.models.GAIRegressorCV": "penchant.models._gai_cv",
    "penchant.models.GaussianProcess": "penchant.models._gp_fit",
    "penchant.models.GaussianProcessRanker": "penchant.models._gaussian_process",
    "penchant.models.GeneratorSum": "penchant.models._rule_generators",
    "penchant.models.HyperParameters": "penchant.models._gp_fit",
    "penchant.models.KnotMap": "penchant.models._gai_utility",
    "penchant.models.MixedGAI": "penchant.models._gai_mixture",
    "penchant.models.Monomial": "penchant.models._rule_monomials",
    "penchant.models.Monomials": "penchant.models._rule_generators",
    "penchant.models.PopulationGP": "penchant.models._population_gp",
    "penchant.models.Ramp": "penchant.models._rule_ramps",
    "penchant.models.Ramps": "penchant.models._rule_generators",
    "penchant.models.Rule": "penchant.models._rule_text",
    "penchant.models.RuleCandidate": "penchant.models._rule_selection",
    "penchant.models.RuleChoice": "penchant.models._rule_selection",
    "penchant.models.RuleClassifier": "penchant.models._rules",
    "penchant.models.RuleGame": "penchant.models._rule_games",
    "penchant.models.RuleRanker": "penchant.models._rule_ranker",
    "penchant.models.TensorGAI": "penchant.models._gai_utility",
    "penchant.models.Vocabulary": "penchant.models._rule_conditions",
    "penchant.testing.LinearRanker": "penchant.testing._linear_ranker",
    # Parts of models that have no public name.
    "AnovaItemKernel": "penchant.models._gp_kernels",
    "ArdItemKernel": "penchant.models._gp_kernels",
    "DenseHierarchy": "penchant.models._hierarchical_gp",
    "ItemPrior": "penchant.models._item_prior",
    "KroneckerData": "penchant.models._kronecker_gp",
    "KroneckerModel": "penchant.models._kronecker_gp",
    "KroneckerScales": "penchant.models._kronecker_gp:Scales",
    "LowRankHierarchy": "penchant.models._hierarchical_gp",
    "UserEncoding": "penchant.models._user_features",
    "WarpedRBF": "penchant.models._gai_warp",
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

_ALWAYS_LEARNED = ("n_features_in_", "feature_names_in_", "attributes_in_")


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
    cls: type = getattr(importlib.import_module(module), name)
    return cls


def learned_names(cls: type) -> tuple[str, ...]:
    """Name the attributes that are saved beside the constructor's parameters."""
    declared: tuple[str, ...] = getattr(cls, "_learned", ())
    return tuple(dict.fromkeys((*_ALWAYS_LEARNED, *declared)))
