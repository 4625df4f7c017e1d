"""Learn what people value, ask little, recommend, and say why."""

__version__ = "0.1.0"
