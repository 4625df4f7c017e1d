"""Results as JSON, and ``docs/benchmarks.md`` rendered from them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.table import Table

from benchmarks._load import LIMIT

__all__ = ["load_results", "render_page", "save_result", "terminal_table"]

_HEADINGS = ("case", "peer", "ours, CPU s", "peer, CPU s", "ratio", "limit", "verdict")

_PREFACE = f"""\
# Benchmarks

Each claim is a file `benchmarks/bench_<name>.py`; `make bench` runs them all and
renders this page. We and the peer take turns in one process; the ratio is ours to the
peer's best CPU time, so below 1 means that we are faster. Where no peer does the same
work, the limit is in CPU seconds; where people wait for a server, it is in seconds on
the clock for a share of all waits. All figures, also wall times and medians, are in
`benchmarks/results/`. They are stored only if other work takes at most {LIMIT:.0%} of
the cores: by the load average before the first benchmark, and by the processor time of
other processes during each one. Peers are no dependencies of ours: each has a list of
what it needs, `benchmarks/peers/<name>.txt`, and `make bench peer=<name>` installs it
into an environment of its own. Without it the rows of the peer say that they were not
run.
"""


def save_result(result: dict[str, Any], folder: Path) -> None:
    """Write one benchmark's result to ``<name>.json``.

    What was measured against a peer is kept until it is measured again: a run without
    the peer does not replace it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result['benchmark']}.json"
    absent = {case["peer"] for case in result["cases"] if "missing" in case}
    if absent and path.exists():
        earlier = json.loads(path.read_text(encoding="utf-8"))
        kept = [
            {**case, "kept_from": case.get("kept_from", earlier["date"])}
            for case in earlier["cases"]
            if case.get("peer") in absent and "missing" not in case
        ]
        replaced = {case["peer"] for case in kept}
        fresh = [
            case
            for case in result["cases"]
            if "missing" not in case or case["peer"] not in replaced
        ]
        result = {**result, "cases": [*fresh, *kept]}
    text = json.dumps(result, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def load_results(folder: Path) -> list[dict[str, Any]]:
    """Read all results, sorted by name."""
    return [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.json"))
    ]


def render_page(results: Iterable[dict[str, Any]]) -> str:
    """Return the page of all results in Markdown."""
    return "\n".join([_PREFACE, *(_section(result) for result in results)])


def terminal_table(result: dict[str, Any]) -> Table:
    """Return the table that a run shows at its end."""
    table = Table(title=result["claim"], caption=_load(result), box=SIMPLE)
    for heading in _HEADINGS:
        table.add_column(heading)
    for case in result["cases"]:
        table.add_row(*_cells(case))
    return table


def _section(result: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {text}" for name, text in result["versions"].items())
    lines = [
        f"## {result['benchmark']}",
        "",
        result["claim"],
        "",
        _line(_HEADINGS),
        _line(["---"] * len(_HEADINGS)),
        *(_line(_cells(case)) for case in result["cases"]),
        "",
        f"{result['date']}; {result['machine']}; {_load(result)}; {versions}; "
        f"seeds {result.get('seeds', 'not recorded')}.",
        "",
    ]
    return "\n".join(lines)


def _load(result: dict[str, Any]) -> str:
    """Say how busy the machine was; older results do not tell."""
    load = result.get("load")
    if load is None:
        return "load not recorded"
    return f"load {load['before']:.0%} before, others {load['others']:.0%} during"


def _cells(case: dict[str, Any]) -> list[str]:
    if "missing" in case:
        needs = f"not run: `make bench peer={case['missing']}`"
        return [case["name"], case["peer"], "—", "—", "—", "—", needs]
    verdict = "holds" if case["holds"] else "does not hold"
    if "share" in case:
        ours = f"{case['share']:.0%} wait at most {case['ours']['wall_share']:.3g} s"
        return [case["name"], "—", ours, "—", "—", f"{case['seconds']:g} s", verdict]
    ours = f"{case['ours']['cpu_best']:.3g}"
    if "seconds" in case:
        told = [verdict, *(f"{k} {v:.4g}" for k, v in case.get("facts", {}).items())]
        limit = f"{case['seconds']:g} s"
        return [case["name"], "—", ours, "—", "—", limit, ", ".join(told)]
    return [
        case["name"],
        case["peer"],
        ours,
        f"{case['theirs']['cpu_best']:.3g}",
        f"{case['cpu_ratio']:.2g}",
        f"{case['at_most']:.3g}",
        verdict + (f" ({case['kept_from']})" if "kept_from" in case else ""),
    ]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
