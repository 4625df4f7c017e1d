"""The table of a study: change it while people answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.studies.store._records import TableVersion
from penchant.studies.store._store import Store
from penchant.studies.table import _revision as revision
from penchant.studies.table._difference import TableChange, difference


@dataclass(frozen=True)
class StudyTable:
    """The alternatives of a study, which may change while people answer.

    Every change makes a new version of the table; all versions are kept. Alternatives
    keep their positions for ever, so that answers keep their meaning: what was said of
    an alternative is about that one, with the values that it has now. What is believed
    of everybody follows the new table from the next request on, in all processes.

    Parameters
    ----------
    store : Store
        Where the study is kept.
    study_id : str
        Which study.

    Examples
    --------
    >>> import tempfile
    >>> from penchant.datasets import load_flats
    >>> from penchant.studies import SqlStore, Study, store_url
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SqlStore(store_url(folder)) as store:
    ...         study = Study(store, store.create_study("Flats", load_flats()))
    ...         first, second = study.items.names[:2]
    ...         _ = study.table.correct(first, {"price": 990})
    ...         _ = study.table.withdraw(second)
    ...         changes = study.table.changes()
    >>> [(change.kind, change.before, change.after) for change in changes]
    [('withdrawn', '', ''), ('value', '545 EUR/month', '990 EUR/month')]
    """

    store: Store
    study_id: str

    @property
    def current(self) -> TableVersion:
        """The version that is in use."""
        record = self.store.get_study(self.study_id)
        return self.store.get_version(self.study_id, record.version)

    def versions(self) -> list[TableVersion]:
        """List all versions, the first one first."""
        last = self.store.get_study(self.study_id).version
        return [
            self.store.get_version(self.study_id, number)
            for number in range(1, last + 1)
        ]

    def changes(self, since: int = 1) -> tuple[TableChange, ...]:
        """Say what is different now from an earlier version, given by its number."""
        now = self.current
        if not 1 <= since <= now.number:
            raise DataError(
                f"The table has the versions 1 to {now.number}. Got {since}."
            )
        return difference(self.store.get_version(self.study_id, since), now)

    def keep(self, plan: TableVersion, note: str = "") -> TableVersion:
        """Keep a version that a function of `_revision` made of the current one.

        Raises
        ------
        ConflictError
            If somebody else changed the table meanwhile.
        DataError
            If nothing is different.
        """
        before = self.store.get_version(self.study_id, plan.number - 1)
        if plan.items == before.items and plan.withdrawn == before.withdrawn:
            raise DataError("Nothing is different: the table is like this already.")
        return self.store.add_version(self.study_id, replace(plan, note=note.strip()))

    def change(self, *, note: str = "", **changes: Any) -> TableVersion:
        """Change several things at once, as one version.

        Parameters
        ----------
        note : str
            Why.
        **changes
            ``correct`` (values by alternative), ``rename`` (new by old name), ``add``
            (values by name), ``columns`` (what they mean by column, as in
            `set_column`), ``withdraw`` and ``restore`` (names).
        """
        return self.keep(revision.plan_change(self.current, **changes), note)

    def replace(
        self, items: Items, *, missing: revision.Missing = "refuse", note: str = ""
    ) -> TableVersion:
        """Take a whole table, in which alternatives are known by their names.

        Parameters
        ----------
        items : Items
            The new table. Alternatives that are new are added; columns that it does
            not have stay as they are.
        missing : {"refuse", "withdraw", "keep"}
            What to do about alternatives that are not in it.
        note : str
            Why, for those who look at the versions.
        """
        plan = revision.plan_replacement(self.current, items, missing=missing)
        return self.keep(plan, note)

    def correct(
        self,
        item: str,
        values: Mapping[str, Any],
        *,
        name: str | None = None,
        note: str = "",
    ) -> TableVersion:
        """Change values of one alternative, or what it is called.

        Parameters
        ----------
        item : str
            Name of the alternative.
        values : mapping from column to value
            In the units of the table; None: not known.
        name : str, optional
            Another name for it.
        note : str
            Why.
        """
        return self.keep(revision.corrected(self.current, item, values, name), note)

    def add(
        self, name: str, values: Mapping[str, Any], *, note: str = ""
    ) -> TableVersion:
        """Add an alternative; what is not said of it is not known."""
        return self.keep(revision.extended(self.current, name, values), note)

    def withdraw(self, *names: str, note: str = "") -> TableVersion:
        """Ask and recommend some alternatives no longer."""
        return self.keep(revision.withdrawn(self.current, names), note)

    def restore(self, *names: str, note: str = "") -> TableVersion:
        """Ask and recommend some alternatives again."""
        return self.keep(revision.restored(self.current, names), note)

    def set_column(
        self,
        column: str,
        *,
        direction: str | None = None,
        unit: str | None = None,
        levels: Sequence[str] | None = None,
        kind: str | None = None,
        role: str | None = None,
        note: str = "",
    ) -> TableVersion:
        """Change what a column means; None leaves it as it is.

        Parameters
        ----------
        column : str
            Which column.
        direction : {"up", "down", "unknown"}, optional
            Whether more is better.
        unit : str, optional
            What is written after its numbers; the numbers stay the same.
        levels : sequence of str, optional
            All levels, from first to last.
        kind : {"numeric", "ordinal", "categorical"}, optional
            What its values are.
        role : str, optional
            "compared", a role of `Extra`, or "left out": the column goes.
        note : str
            Why.
        """
        plan = revision.with_column(
            self.current,
            column,
            direction=direction,
            unit=unit,
            levels=levels,
            kind=kind,
            role=role,
        )
        return self.keep(plan, note)
