"""Exact explanations of our own models, which register with `closed_form` here."""

import penchant.explanation.closed_forms._choquet
import penchant.explanation.closed_forms._gai
import penchant.explanation.closed_forms._posterior
import penchant.explanation.closed_forms._rules  # noqa: F401
