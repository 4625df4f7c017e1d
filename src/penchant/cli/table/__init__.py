"""`penchant study table`: changing the table of a study while people answer."""

from penchant.cli.table._commands import table

__all__ = ["table"]
