"""Owners and their logins in a database."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

from penchant.exceptions import ConflictError, DataError, OwnerNotFoundError
from penchant.studies.store._database import Database, hold, new_id
from penchant.studies.store._lookalikes import check_owner_name, look_of
from penchant.studies.store._plain import check_text, is_text
from penchant.studies.store._records import OwnerRecord, SessionRecord
from penchant.studies.store._tables import owners, sessions

_ROLES: Final = ("analyst", "admin")


@dataclass(frozen=True)
class Owners:
    """The part of a store that keeps owners and their logins."""

    database: Database

    def add_owner(self, name: str, password_hash: str, role: str = "analyst") -> str:
        """Add an owner and return the identifier.

        Raises
        ------
        ConflictError
            If the name is taken, or looks like one that is.
        DataError
            If the name has letters that cannot be seen, or of several scripts.
        """
        check_text("The name of an owner", name)
        check_owner_name(name)
        look = look_of(name)
        for other in self.list_owners():
            if look_of(other.name) == look and other.name != name:
                raise ConflictError(
                    f"The name {name!r} looks like that of the owner {other.name!r}. "
                    "Choose another name."
                )
        owner = OwnerRecord(new_id(), name, password_hash, role, datetime.now(UTC))
        self.load_owner(owner)
        return owner.id

    def load_owner(self, owner: OwnerRecord) -> None:
        """Keep an owner under the identifier of the record."""
        check_text("The name of an owner", owner.name)
        if owner.role not in _ROLES:
            raise DataError(
                f"The role must be one of {list(_ROLES)}. Got {owner.role!r}."
            )
        try:
            self.database.change(owners.insert().values(vars(owner)))
        except ConflictError:
            raise ConflictError(
                f"There is an owner called {owner.name!r} already. Choose another name."
            ) from None

    def get_owner(self, owner_id: str) -> OwnerRecord:
        """Return one owner, or raise OwnerNotFoundError."""
        query = sa.select(owners).where(owners.c.id == owner_id)
        if (owner := self.database.find(OwnerRecord, query)) is None:
            raise _no_owner()
        return owner

    def find_owner(self, name: str) -> OwnerRecord | None:
        """Return the owner of this name, or None."""
        if not is_text(name):
            return None
        query = sa.select(owners).where(owners.c.name == name)
        return self.database.find(OwnerRecord, query)

    def list_owners(self) -> list[OwnerRecord]:
        """List all owners by name."""
        query = sa.select(owners).order_by(owners.c.name)
        return self.database.records(OwnerRecord, query)

    def set_password(self, owner_id: str, password_hash: str) -> None:
        """Change a password and end all sessions of that owner."""
        change = owners.update().where(owners.c.id == owner_id)
        change = change.values(password_hash=password_hash)
        with self.database.writing() as connection:
            if connection.execute(change).rowcount != 1:
                raise _no_owner()
            connection.execute(sessions.delete().where(sessions.c.owner_id == owner_id))

    def remove_owner(self, owner_id: str) -> None:
        """Forget an owner; the studies stay and belong to nobody."""
        gone = owners.delete().where(owners.c.id == owner_id)
        if self.database.change(gone) != 1:
            raise _no_owner()

    def add_session(self, owner_id: str, token_hash: str, expires: datetime) -> None:
        """Keep a login; the store never sees the token, only its SHA-256 in hex."""
        with self.database.writing() as connection:
            if not hold(connection, owners, owner_id):
                raise _no_owner()
            connection.execute(
                sessions.insert().values(
                    token_hash=token_hash,
                    owner_id=owner_id,
                    created=datetime.now(UTC),
                    expires=expires,
                )
            )

    def find_session(self, token_hash: str) -> SessionRecord | None:
        """Return a login that has not expired, or None."""
        query = (
            sa.select(sessions.c.created.label("since"), sessions.c.expires, owners)
            .join(owners)
            .where(sessions.c.token_hash == token_hash)
            .where(sessions.c.expires > datetime.now(UTC))
        )
        return self.database.find(_session, query)

    def end_session(self, token_hash: str) -> bool:
        """Forget a login; False: somebody did already, or it was none."""
        over = sessions.delete().where(sessions.c.token_hash == token_hash)
        return self.database.change(over) == 1

    def end_sessions(self, owner_id: str) -> int:
        """Forget all logins of an owner; say how many."""
        over = sessions.delete().where(sessions.c.owner_id == owner_id)
        return self.database.change(over)

    def expire_sessions(self, before: datetime) -> int:
        """Forget logins that expire before a moment; say how many."""
        old = sessions.delete().where(sessions.c.expires < before)
        return self.database.change(old)


def _session(since: datetime, expires: datetime, **owner: Any) -> SessionRecord:
    return SessionRecord(OwnerRecord(**owner), since, expires)


def _no_owner() -> OwnerNotFoundError:
    return OwnerNotFoundError("There is no such owner. It may have been removed.")
