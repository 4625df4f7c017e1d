"""Tables from files: columns, kinds, names, problems."""

from penchant.data.reading._columns import as_numbers, encode_column, type_column
from penchant.data.reading._csv_files import write_csv_table

__all__ = ["as_numbers", "encode_column", "type_column", "write_csv_table"]
