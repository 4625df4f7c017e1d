"""What a run of a job does: compare, keep each result, fit, read and explain.

Whatever is there already is not done again, so that a run which was ended is followed
by one that does the rest. Names of parts: "result NAME", "model NAME" and "parts NAME"
of each candidate; "comparison"; "report NAME" and "coalitions NAME" of the one that is
shown.
"""

import json
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from penchant.exceptions import FormatError
from penchant.jobs._asked import JobSettings, read_job
from penchant.learning import (
    CandidateResult,
    LearningTable,
    ModelComparison,
    compare,
    describe,
    explain_by_coalitions,
    find_target,
    fit_candidate,
    read_model,
)
from penchant.studies import Store
from penchant.studies.store import load_packed, pack_model

COMPARED: Final = 0.8
"""Share of a job that comparing is; the rest is reading and explaining."""

_SECONDS: Final = 120.0
"""For coalitions: nobody waits for them on a page."""


class LostError(Exception):
    """The job was cancelled, removed, or given to another run."""


class Desk:
    """Where a run writes; it raises LostError when the run has lost its job."""

    def __init__(self, store: Store, job_id: str, run: str) -> None:
        self.store, self.job_id, self.run = store, job_id, run
        self.began = time.monotonic()
        self.last: dict[str, Any] = {}

    def tell(self, parts: Mapping[str, Any] | None = None, **said: Any) -> None:
        """Keep how far the run is, and parts: plain values, or bytes."""
        seconds = round(time.monotonic() - self.began, 1)
        self.last = from_json(as_json({**said, "seconds": seconds}))
        packed = {
            name: body if isinstance(body, bytes) else as_json(body)
            for name, body in (parts or {}).items()
        }
        if not self.store.tell_job(self.job_id, self.run, self.last, packed):
            raise LostError

    def part(self, name: str) -> Any:
        """Read a part of plain values; None: there is none."""
        return from_json(self.store.job_part(self.job_id, name))


def as_json(values: Any) -> bytes:
    """Write plain values; what is not a number stays so."""
    return json.dumps(values, default=_plain).encode()


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else list(value)


def from_json(body: bytes | None) -> Any:
    """Read plain values."""
    try:
        return None if body is None else json.loads(body)
    except ValueError:
        raise FormatError("What was learned is damaged. Learn it anew.") from None


def work(
    store: Store, job_id: str, run: str, max_time: float | None = None, **limits: int
) -> None:
    """Do what a job asks for, as far as it is not done.

    Parameters
    ----------
    store : Store
    job_id, run : str
        Which job, and the run that has it.
    max_time : float, optional
        Seconds after which comparing begins no further fit.
    **limits : int
        ``max_rows``, ``max_columns`` and ``max_bytes`` of the table.

    Raises
    ------
    LostError
        The run has lost its job.
    DataError
        The files cannot be learned from.
    """
    desk = Desk(store, job_id, run)
    desk.tell(step="reading", share=0.0)
    settings = JobSettings.from_dict(store.get_job(job_id).settings)
    read = read_job(store, job_id, settings, **limits)
    told = _compare(desk, settings, read, max_time)
    chosen = settings.chosen or told.recommended.name
    names = [each.name for each in told.done if each.readable]
    for k, name in enumerate(names):
        share = COMPARED + (1 - COMPARED) * 0.5 * k / len(names)
        desk.tell(step="fitting", candidate=name, share=share)
        _keep_model(desk, name, read, told)
    desk.tell(step="explaining", candidate=chosen, share=COMPARED + 0.1)
    _explain(desk, chosen, read, told)


def _compare(
    desk: Desk, settings: JobSettings, read: LearningTable, max_time: float | None
) -> ModelComparison:
    kept = desk.part("comparison")
    if kept is not None:
        return ModelComparison.from_dict(kept)
    names = desk.store.job_parts(desk.job_id)
    done = [desk.part(name) for name in names if name.startswith("result ")]
    told = compare(
        read.items,
        read.target,
        kind=settings.kind,
        candidates=settings.candidates or None,
        n_folds=settings.n_folds,
        max_time=max_time,
        callback=_telling(desk, len(done)),
        done=done,
    )
    notes = {"notes": list(read.notes), "target": read.name, "n": len(read.items)}
    desk.tell(
        {"comparison": told.to_dict(), "about": notes}, step="fitting", share=COMPARED
    )
    return told


def _telling(desk: Desk, n_done: int) -> Callable[[dict[str, Any]], None]:
    """Keep each step and each result; whatever is kept is not done again."""
    start = desk.last.get("share", 0.0)

    def tell(said: dict[str, Any]) -> None:
        result: CandidateResult | None = said["result"]
        parts: dict[str, Any] = {}
        if result is not None:
            parts = {f"result {result.name}": result.to_dict()}
            if result.readable and said["model"] is not None:
                parts |= _model_parts(result.name, said["model"])
        left = said["seconds_left"]
        desk.tell(
            parts,
            step="comparing",
            candidate=said["candidate"],
            fold=said["fold"],
            share=start + (COMPARED - start) * said["share"],
            seconds_left=None if left is None else round(left, 1),
            n_kept=n_done,
        )

    return tell


def _model_parts(name: str, model: Any) -> dict[str, Any]:
    parts = [vars(part) for part in read_model(model)]
    return {f"model {name}": pack_model(model), f"parts {name}": parts}


def _keep_model(
    desk: Desk, name: str, read: LearningTable, told: ModelComparison
) -> None:
    """Fit a model again that was compared, but not kept with its result."""
    if desk.store.job_part(desk.job_id, f"parts {name}") is not None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the results have them
        model = fit_candidate(name, read.items, read.target, kind=told.kind)
    desk.tell(_model_parts(name, model), **desk.last)


def _explain(desk: Desk, name: str, read: LearningTable, told: ModelComparison) -> None:
    """Explain the one that is shown: bands, typical rows, and coalitions of all."""
    if desk.store.job_part(desk.job_id, f"report {name}") is not None:
        return
    model = load_packed(desk.store.job_part(desk.job_id, f"model {name}") or b"")
    known = find_target(read.items, read.target, told.kind)
    began = time.monotonic()
    rows = list(range(len(known)))
    per_fit = told[name].seconds / (told.n_folds + 1)
    found, groups = explain_by_coalitions(model, known, rows, per_fit, _SECONDS)
    parts: dict[str, Any] = {}
    if found is not None:
        parts[f"coalitions {name}"] = {
            "values": found.values.round(12).tolist(),
            "base": found.base.tolist(),
            "predictions": found.predictions.tolist(),
            "classes": None if found.classes is None else [*map(str, found.classes)],
            "names": list(found.names),
            "groups": groups,
            "game": found.game,
            "n_models": found.n_models,
            "seconds": round(time.monotonic() - began, 2),
        }
    desk.tell(parts, **{**desk.last, "share": 0.95})
    report = describe(
        model,
        read.items,
        read.target,
        told,
        target=read.name,
        candidate=name,
        coalitions=(found, groups),
    )
    desk.tell({f"report {name}": report.to_dict()}, **{**desk.last, "share": 1.0})
