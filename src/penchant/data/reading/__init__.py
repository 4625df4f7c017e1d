"""Tables from files: cells, columns, what they mean, problems."""

from penchant.data.reading._typed import as_numbers, encode_column, type_column
from penchant.data.reading.files._workbooks import write_xlsx_sheets
from penchant.data.reading.files._writing import write_csv_table

__all__ = [
    "as_numbers",
    "encode_column",
    "type_column",
    "write_csv_table",
    "write_xlsx_sheets",
]
