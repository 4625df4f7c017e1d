"""Where studies are kept: the interface, and a database."""

from penchant.studies.store._database import make_engine, wrap_errors
from penchant.studies.store._migrate import go_back
from penchant.studies.store._packed_models import load_packed, pack_model, unpack_model

__all__ = [
    "go_back",
    "load_packed",
    "make_engine",
    "pack_model",
    "unpack_model",
    "wrap_errors",
]
