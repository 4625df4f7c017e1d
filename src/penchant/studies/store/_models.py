"""Fitted models and leases in a database."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from penchant.exceptions import ModelNotFoundError
from penchant.studies.store._database import Database, new_id
from penchant.studies.store._records import ModelHead, ModelRecord
from penchant.studies.store._studies import hold_study
from penchant.studies.store._tables import events, leases, models, participants

_HEAD = [column for column in models.c if column is not models.c.body]


@dataclass(frozen=True)
class Models:
    """The part of a store that keeps models and leases."""

    database: Database

    def add_model(
        self, study_id: str, body: bytes, n_events: int, version: int = 1
    ) -> str:
        """Keep a model fitted on the first `n_events` events; return its id.

        `version` is that of the table that it was fitted on.
        """
        made = new_id(), study_id, n_events, datetime.now(UTC), body
        model = ModelRecord(*made, version=version)
        with self.database.writing() as connection:
            hold_study(connection, study_id)
            connection.execute(models.insert().values(vars(model)))
        return model.id

    def get_model(self, model_id: str) -> ModelRecord:
        """Return one model, or raise ModelNotFoundError."""
        query = sa.select(models).where(models.c.id == model_id)
        if (model := self.database.find(ModelRecord, query)) is None:
            raise ModelNotFoundError(
                "There is no such model. It may have been removed with its study."
            )
        return model

    def latest_model(self, study_id: str) -> ModelHead | None:
        """Say which model of a study is the newest; None if there is none."""
        query = _newest_first(study_id, *_HEAD).limit(1)
        return self.database.find(ModelHead, query)

    def prune_models(self, study_id: str, before: datetime) -> int:
        """Forget models that were added before a moment; say how many.

        The newest stays, and so do all that a participant started from: their
        belief is rebuilt from it. Leave those of the last minutes too (that is
        what `before` is for): somebody may be about to start from one.
        """
        starts = (
            sa.select(events.c.body)
            .join(participants)
            .where(participants.c.study_id == study_id, events.c.kind == "joined")
        )
        with self.database.writing() as connection:
            known = connection.execute(_newest_first(study_id, models.c.id)).scalars()
            old = list(known)[1:]
            used = [body.get("model") for body in connection.execute(starts).scalars()]
            useless = set(old) - {model for model in used if isinstance(model, str)}
            gone = models.delete().where(
                models.c.id.in_(sorted(useless)), models.c.created < before
            )
            return int(connection.execute(gone).rowcount)

    def lease(self, name: str, holder: str, seconds: float) -> bool:
        """Try to be the only one, over all processes, to do something for a while.

        Parameters
        ----------
        name : str
            What is to be done, such as "refit" and the study.
        holder : str
            Who asks; the same holder may ask again to have it longer.
        seconds : float
            How long the lease holds unless it is released before.

        Returns
        -------
        bool
            False if another holder has it.
        """
        with self.database.writing() as connection:
            now = self.database.clock(connection)
            until = now + timedelta(seconds=seconds)
            held = {"holder": holder, "until": until}
            take = self.database.insert(leases).values(name=name, **held)
            free = sa.or_(leases.c.holder == holder, leases.c.until <= now)
            connection.execute(
                take.on_conflict_do_update(
                    index_elements=[leases.c.name], set_=held, where=free
                )
            )
            has_it = sa.select(leases.c.holder).where(leases.c.name == name)
            return bool(connection.execute(has_it).scalar_one() == holder)

    def release(self, name: str, holder: str) -> None:
        """Give a lease back; one that somebody else has stays."""
        back = leases.delete().where(leases.c.name == name, leases.c.holder == holder)
        self.database.change(back)


def _newest_first(study_id: str, *columns: sa.Column[Any]) -> sa.Select[Any]:
    return (
        sa.select(*columns)
        .where(models.c.study_id == study_id)
        .order_by(models.c.created.desc(), models.c.id)
    )
