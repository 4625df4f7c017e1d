"""How far learning is, for people who wait."""

from dataclasses import dataclass
from typing import Any

from penchant.jobs import JobSettings
from penchant.learning import CANDIDATES
from penchant.studies import JobRecord, Store
from penchant.texts import Texts
from penchant.views.learned._words import name_of


@dataclass(frozen=True)
class ProgressView:
    """How far a job is.

    Parameters
    ----------
    title, step, left, error : str
        In words; empty: nothing is to be said.
    share : str
        In words, such as "40 % done".
    width : float
        The same for a picture.
    active : bool
        Whether it waits or runs.
    done : tuple of str
        Candidates that are compared.
    """

    title: str
    step: str
    left: str
    error: str
    share: str
    width: float
    active: bool
    done: tuple[str, ...]


def progress_view(store: Store, job: JobRecord, texts: Texts) -> ProgressView:
    """Show how far a job is that is not done."""
    told = job.progress
    active = job.state in ("waiting", "running")
    share = float(told.get("share") or 0.0)
    parts = store.job_parts(job.id)
    done = [each for each in CANDIDATES if f"result {each}" in parts]
    return ProgressView(
        texts(f"models.progress.{job.state}"),
        _step(store, job, texts) if active else "",
        _left(told.get("seconds_left"), texts) if job.state == "running" else "",
        _error(told, texts) if job.state == "failed" else "",
        texts(
            "models.progress.share",
            share=texts("numbers.share", share=int(share * 100)),
        ),
        round(100 * share, 1),
        active,
        tuple(name_of(each, texts) for each in done),
    )


def _step(store: Store, job: JobRecord, texts: Texts) -> str:
    told = job.progress
    if job.state == "waiting":
        before = store.jobs_before(job)
        return texts.count("models.progress.before", before) if before else ""
    name = told.get("candidate")
    key = f"models.step.{told.get('step', 'reading')}"
    if key == "models.step.comparing" and not told.get("fold"):
        key = "models.step.comparing_all"
    folds = JobSettings.from_dict(job.settings).n_folds
    values = {"fold": told.get("fold"), "folds": folds}
    return texts(key, name=name_of(name, texts) if name else "", **values)


def _left(seconds: Any, texts: Texts) -> str:
    if seconds is None:
        return ""
    if seconds < 90:
        return texts.count("models.progress.seconds", max(round(seconds), 1))
    return texts.count("models.progress.minutes", round(seconds / 60))


def _error(told: dict[str, Any], texts: Texts) -> str:
    if problem := told.get("problem"):
        return texts(f"models.problem.{problem}", **told.get("values", {}))
    return str(told.get("error", ""))
