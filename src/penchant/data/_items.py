"""Items: a table of alternatives whose columns have a meaning."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from penchant._cached import cached_property
from penchant._html import html_table
from penchant.data._attribute import DATE, Attribute
from penchant.data._extra import Extra
from penchant.data.reading._problems import Problem, name_problems, raise_first
from penchant.data.reading._report import ReadingReport
from penchant.data.reading._table import Table, open_table
from penchant.data.reading._typed import encode_column, impute_column, type_column
from penchant.data.reading.files._grid import Wishes
from penchant.data.reading.files._limits import MAX_BYTES, Limits, Source, source_bytes
from penchant.data.reading.files._records import frame_of
from penchant.data.reading.files._workbooks import write_xlsx_sheets
from penchant.data.reading.files._writing import (
    read_sidecar,
    sidecar_path,
    write_csv_table,
)
from penchant.exceptions import DataError
from penchant.typing import FloatArray

_FORMAT = "penchant-items"


@dataclass(frozen=True, eq=False, repr=False)
class Items:
    """Alternatives (rows) described by attributes (columns).

    Make one with `from_csv`, `from_xlsx`, `from_json` or `from_frame`: they guess
    what each column means, and every guess can be overridden.

    Parameters
    ----------
    frame : DataFrame of shape (n_items, n_attributes)
        Numeric columns hold floats, the others categoricals over the levels of
        their attribute. Missing values are kept as missing.
    attributes : sequence of Attribute
        One per column, in the same order; none for a plain list of names.
    names : sequence of str
        One per row, all different.
    extras : sequence of Extra
        Columns that are shown and not learned from: pictures, links, notes.
    report : ReadingReport, optional
        How the file was understood, if the items were read from one. It takes no
        part in comparisons and is not written.

    Examples
    --------
    >>> import pandas as pd
    >>> from penchant.data import Attribute, Items
    >>> table = pd.DataFrame({"rent": [500, 900], "energy": ["B", "A"]}, ["a", "b"])
    >>> energy = Attribute("energy", "ordinal", "down", ("A", "B", "C"))
    >>> items = Items.from_frame(table, attributes=[energy])
    >>> items.names, items.attributes[0].direction
    (('a', 'b'), 'down')
    >>> items.encode()
    array([[1. , 0.5],
           [0. , 1. ]])
    """

    frame: pd.DataFrame
    attributes: tuple[Attribute, ...]
    names: tuple[str, ...]
    extras: tuple[Extra, ...] = ()
    report: ReadingReport | None = None

    def __post_init__(self) -> None:
        attributes = tuple(self.attributes)
        names = tuple(map(str, self.names))
        if not names:
            raise DataError("Items need at least one row. Got none.")
        if self.frame.shape != (len(names), len(attributes)):
            raise DataError(
                f"The table has shape {self.frame.shape}, but there are "
                f"{len(names)} names and {len(attributes)} attributes."
            )
        rows = self.frame.index
        raise_first(name_problems(names, rows))
        columns = {}
        filled = []
        for attribute in attributes:
            if attribute.name not in self.frame:
                raise DataError(f"The table has no column {attribute.name!r}.")
            column, full = type_column(self.frame[attribute.name], attribute)
            columns[attribute.name] = column.reset_index(drop=True)
            filled.append(full)
        table = pd.DataFrame(columns, index=pd.RangeIndex(len(names)))
        object.__setattr__(self, "frame", table)
        object.__setattr__(self, "attributes", tuple(filled))
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "extras", tuple(self.extras))
        self._check_extras()

    def _check_extras(self) -> None:
        taken = [attribute.name for attribute in self.attributes]
        for extra in self.extras:
            if extra.name in taken:
                raise DataError(f"Two columns are called {extra.name!r}. Rename one.")
            if len(extra.values) != len(self.names):
                raise DataError(
                    f"Column {extra.name!r} has {len(extra.values)} values for "
                    f"{len(self.names)} items."
                )
            taken.append(extra.name)

    @classmethod
    def from_frame(
        cls,
        df: Any,
        attributes: Iterable[Attribute] | None = None,
        *,
        names: str | Sequence[Any] | None = None,
        roles: Mapping[str, str] | None = None,
        readings: Mapping[str, str] | None = None,
    ) -> Self:
        """Make items of a data frame of pandas, polars, pyarrow and their kin.

        Columns of numbers and dates are taken as they are; text is read as in a
        file.

        Parameters
        ----------
        df : DataFrame
            One row per item.
        attributes : iterable of Attribute, optional
            Overrides the guess for the columns of these names.
        names : str or sequence, optional
            The column that names the items, or the names. Default: a telling
            index, else a column that looks like names, else "item 1", ... .
        roles, readings : mapping of str to str, optional
            What columns are and how their cells are read, where that is not found
            rightly; see `inspect_table`.

        Returns
        -------
        Items
        """
        frame = df if isinstance(df, pd.DataFrame) else frame_of(df)
        header = [str(name).strip() for name in frame.columns]
        for name in header:
            if not name or header.count(name) > 1:
                raise DataError(
                    f"Every column needs a name of its own. Got {name!r} for "
                    f"{header.count(name)} columns."
                )
        table = Table(frame.set_axis(header, axis="columns"))
        return cls.from_table(
            table, attributes, names=names, roles=roles, readings=readings
        )

    @classmethod
    def from_table(
        cls,
        table: Table,
        attributes: Iterable[Attribute] | None = None,
        *,
        names: str | Sequence[Any] | None = None,
        roles: Mapping[str, str] | None = None,
        readings: Mapping[str, str] | None = None,
    ) -> Self:
        """Make items of what `read_table` gave; parameters as in `from_frame`.

        Raises
        ------
        AmbiguousColumnError
            If a column can be read in two ways that differ, and nobody said which.
        """
        found = table.understand(
            attributes or (),
            names=names,
            roles=roles,
            readings=readings,
            least=1 if table.file.format == "frame" else 2,
        )
        found.check()
        frame = pd.DataFrame(found.columns, index=table.cells.index)
        return cls(frame, found.attributes, found.names, found.extras, found.report)

    @classmethod
    def read(
        cls,
        source: Source,
        filename: str | None = None,
        attributes: Iterable[Attribute] | None = None,
        *,
        names: str | None = None,
        roles: Mapping[str, str] | None = None,
        readings: Mapping[str, str] | None = None,
        sheet: str | None = None,
        header_row: int | None = None,
        encoding: str | None = None,
        separator: str | None = None,
        keep_totals: bool = False,
        keep_hidden: bool = False,
        fill_merged: bool = True,
        max_bytes: int = MAX_BYTES,
    ) -> Self:
        r"""Read items from a file of any format that `read_table` knows.

        How the file was understood stands in `report`. A file
        ``flats.attributes.json`` beside ``flats.csv``, as `to_csv` writes it, tells
        the meaning of the columns.

        Parameters
        ----------
        source : path or bytes
            The file, or its content.
        filename : str, optional
            With bytes: its ending tells the format, unless the content does.
        attributes : iterable of Attribute, optional
            Overrides the guess for the columns of these names.
        names : str, optional
            The column that names the items.
        roles, readings : mapping of str to str, optional
            As in `inspect_table`.
        sheet, header_row, encoding, separator : optional
            As in `read_table`, like the others.
        keep_totals, keep_hidden, fill_merged : bool
            Undo what was done about such rows.
        max_bytes : int
            Larger files are refused.

        Examples
        --------
        >>> from penchant.data import Items
        >>> text = "Modell;Preis;Akku\nA;1.299,00 €;13 h\nB;999,00 €;450 min\n"
        >>> items = Items.read(text.encode())
        >>> items.describe(1)
        {'Preis': '999 €', 'Akku': '7.5 h'}
        >>> items.report.column("Akku").converted
        ("'min' converted to 'h'",)
        """
        wishes = Wishes(
            header_row,
            sheet,
            encoding,
            separator,
            keep_totals,
            keep_hidden,
            fill_merged,
        )
        beside = {} if isinstance(source, bytes) else read_sidecar(Path(source))
        if beside:  # penchant wrote the file: nothing has to be found out
            wishes = replace(wishes, header_row=1, separator=",", keep_totals=True)
        table = open_table(source, filename, wishes, Limits(bytes=max_bytes))
        known = [Attribute.from_dict(entry) for entry in beside.get("attributes", ())]
        numbers = {
            a.name: "decimal point"
            for a in known
            if a.kind == "numeric" and a.unit != DATE
        }
        table = replace(
            table,
            attributes=(*table.attributes, *known),
            roles={**table.roles, **beside.get("roles", {})},
        )
        return cls.from_table(
            table,
            attributes,
            names=names or beside.get("names"),
            roles=roles,
            readings={**numbers, **(readings or {})},
        )

    @classmethod
    def from_csv(
        cls, path: Source, attributes: Iterable[Attribute] | None = None, **options: Any
    ) -> Self:
        """Read items from a CSV file; the options are those of `read`."""
        return cls.read(path, "table.csv", attributes, **options)

    @classmethod
    def from_xlsx(
        cls, path: Source, attributes: Iterable[Attribute] | None = None, **options: Any
    ) -> Self:
        """Read items from an XLSX file; the options are those of `read`."""
        return cls.read(path, "table.xlsx", attributes, **options)

    @classmethod
    def from_json(cls, path: Source) -> Self:
        """Read items from a JSON file that `to_json` wrote."""
        try:
            values = json.loads(source_bytes(path, MAX_BYTES))
        except ValueError as error:
            raise DataError(f"The file is not valid JSON: {error}.") from None
        return cls.from_dict(values)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Make items of what `to_dict` gave."""
        if not isinstance(values, dict) or values.get("format") != _FORMAT:
            raise DataError(f"This is not a table of items: no {_FORMAT!r} in it.")
        attributes = [Attribute.from_dict(entry) for entry in values["attributes"]]
        frame = pd.DataFrame(
            values["columns"],
            columns=[a.name for a in attributes],
            index=range(len(values["names"])),
        )
        extras = tuple(map(Extra.from_dict, values.get("extras", ())))
        return cls(frame, tuple(attributes), values["names"], extras)

    def to_dict(self) -> dict[str, Any]:
        """Give the items as plain values for JSON."""
        columns = {
            name: [None if pd.isna(v) else v for v in self.frame[name].tolist()]
            for name in self.frame.columns
        }
        plain = {
            "format": _FORMAT,
            "attributes": [attribute.to_dict() for attribute in self.attributes],
            "names": list(self.names),
            "columns": columns,
        }
        extras = [extra.to_dict() for extra in self.extras]
        return {**plain, "extras": extras} if extras else plain

    def to_json(self, path: str | Path) -> None:
        """Write the items as JSON."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1)
        Path(path).write_text(text, encoding="utf-8")

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """Write the items as CSV, and the meaning of the columns beside it.

        Text that a spreadsheet would run as a formula gets a quote in front.
        With no path the CSV text is returned.
        """
        table = self.named_table()
        text = write_csv_table(table, path)
        if path is not None:
            beside = {
                "names": table.columns[0],
                "attributes": [attribute.to_dict() for attribute in self.attributes],
                "roles": {extra.name: extra.role for extra in self.extras},
            }
            sidecar = json.dumps(beside, ensure_ascii=False, indent=1)
            sidecar_path(Path(path)).write_text(sidecar, encoding="utf-8")
        return text

    def to_xlsx(self, path: Any) -> None:
        """Write the items as XLSX, with a sheet for the meaning of the columns."""
        table = self.named_table().astype(object)
        cells = table.where(table.notna(), None).to_numpy().tolist()
        meaning = [
            [a.name, json.dumps(a.to_dict(), ensure_ascii=False)]
            for a in self.attributes
        ]
        meaning += [
            [extra.name, json.dumps({"name": extra.name, "role": extra.role})]
            for extra in self.extras
        ]
        write_xlsx_sheets(
            {
                "items": [list(table.columns), *cells],
                "attributes": [["attribute", "meaning"], *meaning],
            },
            path,
        )

    def named_table(self) -> pd.DataFrame:
        """Give the table as files have it: names first, dates as texts."""
        header = "name"
        taken = {*self.frame.columns, *(extra.name for extra in self.extras)}
        while header in taken:
            header += "_"
        table = self.frame.copy()
        for attribute in self.attributes:
            column = table[attribute.name]
            if attribute.kind != "numeric":
                table[attribute.name] = column.astype(object)
            elif attribute.unit == DATE and (column.dropna() % 1 == 0).all():
                dates = column.astype(object).map(attribute.format, na_action="ignore")
                table[attribute.name] = dates
        table.insert(0, header, list(self.names))
        for extra in self.extras:
            table[extra.name] = list(extra.values)
        return table

    def encode(
        self,
        *,
        missing: Literal["refuse", "keep"] = "keep",
        attributes: Sequence[Attribute] | None = None,
    ) -> FloatArray:
        """Map every attribute to [0, 1] by its domain; 1 is the better end.

        A blank is unknown and becomes NaN. Attributes with direction "down" are
        flipped. Level j of an ordinal or categorical attribute with L levels becomes
        j/(L - 1).

        Parameters
        ----------
        missing : {"keep", "refuse"}
            Whether blanks become NaN, or are an error that names the first.
        attributes : sequence of Attribute, optional
            Encode by these domains, such as those of the table that a model knows,
            instead of the table's own. Numbers outside are clamped.

        Returns
        -------
        ndarray of shape (n_items, n_attributes)
        """
        if missing not in ("refuse", "keep"):
            raise DataError(f"missing must be 'refuse' or 'keep'. Got {missing!r}.")
        if missing == "refuse" and np.isnan(self._encoded).any():
            gaps = self.missing()
            raise DataError(
                f"{gaps[0]} ({len(gaps)} in all). Call impute() to fill them, "
                "or encode() for a model that takes blanks."
            )
        wanted = self.attributes if attributes is None else tuple(attributes)
        if wanted == self.attributes:
            return self._encoded.copy()
        names = [attribute.name for attribute in wanted]
        if sorted(names) != sorted(self.frame.columns):
            raise DataError(
                f"The items must have the attributes {', '.join(names)}. "
                f"They have {', '.join(self.frame.columns)}."
            )
        return self._encode(wanted)

    @cached_property
    def _encoded(self) -> FloatArray:
        return self._encode(self.attributes)

    def _encode(self, wanted: Sequence[Attribute]) -> FloatArray:
        columns = [encode_column(self.frame[a.name], a) for a in wanted]
        return np.column_stack(columns) if columns else np.empty((len(self), 0))

    def missing(self) -> list[Problem]:
        """List every missing value with its row (from 0) and column."""
        rows, columns = np.nonzero(self.frame.isna().to_numpy())
        return [
            Problem(
                f"the value of {self.names[row]!r} is missing",
                int(row),
                self.attributes[column].name,
                "warning",
            )
            for row, column in zip(rows, columns, strict=True)
        ]

    def impute(
        self, strategy: Literal["middle", "worst", "drop"] = "middle"
    ) -> "Items":
        """Fill or drop missing values, as chosen.

        Parameters
        ----------
        strategy : {"middle", "worst", "drop"}
            The median (most frequent level of a categorical attribute); the worse
            end of the domain (needs a direction); or leave out such rows.
        """
        if strategy == "drop":
            return self.take(np.flatnonzero(self.frame.notna().all(axis=1)))
        if strategy not in ("middle", "worst"):
            raise DataError(
                f"strategy must be 'middle', 'worst' or 'drop'. Got {strategy!r}."
            )
        columns = {
            a.name: impute_column(self.frame[a.name], a, strategy)
            for a in self.attributes
        }
        return Items(
            pd.DataFrame(columns, self.frame.index),
            self.attributes,
            self.names,
            self.extras,
        )

    @property
    def iloc(self) -> "Items":
        """Itself: the sign by which scikit-learn knows that it can `take` rows."""
        return self

    def take(self, rows: Any, axis: int = 0) -> "Items":
        """Keep the given rows (indices), with the same attributes and domains."""
        index = np.asarray(rows)
        names = tuple(self.names[row] for row in index)
        extras = tuple(extra.take(index) for extra in self.extras)
        return self.with_rows(self.frame.iloc[index], names, extras)

    def with_rows(
        self,
        frame: pd.DataFrame,
        names: tuple[str, ...],
        extras: tuple[Extra, ...] = (),
    ) -> "Items":
        """Give items with the same attributes, whose values were in such items before.

        They are not checked again, so that one row costs little.

        Parameters
        ----------
        frame : DataFrame of shape (n_items, n_attributes)
            Rows of tables with these attributes.
        names : tuple of str
            One per row, all different.
        extras : tuple of Extra
            What is shown beside these rows.
        """
        if not names or len(set(names)) < len(names):
            return Items(frame, self.attributes, names)  # says what is wrong
        fresh = object.__new__(Items)
        fresh.__dict__.update(
            frame=frame.reset_index(drop=True),
            attributes=self.attributes,
            names=names,
            extras=extras,
        )
        return fresh

    def values(self, row: int) -> dict[str, Any]:
        """Give the values of one item by attribute name; missing ones are NaN."""
        return {name: column[row] for name, column in self.columns.items()}

    def extra(self, row: int) -> dict[str, str]:
        """Give what is shown beside the attributes of one item, by column name."""
        return {extra.name: extra.values[row] for extra in self.extras}

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """The values of all items, in their order, by attribute name."""
        return {name: self.frame[name].tolist() for name in self.frame.columns}

    def index(self, name: str) -> int:
        """Give the row of the item with this name."""
        if name not in self.names:
            raise DataError(f"There is no item called {name!r}.")
        return self.names.index(name)

    def describe(self, row: int) -> dict[str, str]:
        """Give the values of one item as text with units, by attribute name."""
        values = self.values(row)
        return {a.name: a.format(values[a.name]) for a in self.attributes}

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        columns = ", ".join(attribute.name for attribute in self.attributes)
        return f"Items({len(self)} rows: {columns})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Items):
            return NotImplemented
        same = self.names == other.names and self.attributes == other.attributes
        return same and self.extras == other.extras and self.frame.equals(other.frame)

    __hash__ = None  # type: ignore[assignment]  # holds a data frame

    def _repr_html_(self) -> str:
        shown = enumerate(self.names[:20])
        rows = [(name, *self.describe(row).values()) for row, name in shown]
        more = f"<p>… {len(self)} rows in all</p>" if len(self) > 20 else ""
        return html_table(("", *(a.name for a in self.attributes)), rows) + more
