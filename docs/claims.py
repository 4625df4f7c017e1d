"""Every measured number in a sentence of ours, and the stored result that it is from.

`make reproduce`, `make bench`, `make truth` and `make mutants` store results.
``python docs/claims.py`` then writes the numbers into the sentences; the tests compare
them, and look for numbers that are not listed here.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Stored:
    """A file with results."""

    path: str

    @property
    def content(self) -> Any:
        """Everything in a file of JSON."""
        return json.loads((ROOT / self.path).read_text(encoding="utf-8"))

    def cell(self, row: str, column: str, field: str = "mean") -> Any:
        """A cell of an experiment: its mean, std, n or note."""
        for cell in self.content["outcome"]["measurements"]:
            if (cell["row"], cell["column"]) == (row, column):
                return cell[field]
        raise KeyError(row, column)

    def noted(self, row: str, column: str, pattern: str) -> float:
        """A number in the note of a cell: the group of a pattern."""
        found = re.search(pattern, self.cell(row, column, "note"))
        assert found, (row, column, pattern)
        return float(found[1])

    def rows(self, column: str) -> dict[str, Any]:
        """All cells of a column that were measured, by row."""
        cells = self.content["outcome"]["measurements"]
        found = {c["row"]: c for c in cells if c["column"] == column}
        return {row: c for row, c in found.items() if c["mean"] is not None}

    def seconds(self, case: str) -> float:
        """Processor time of a case of a benchmark; only the beginning of its name."""
        cases = self.content["cases"]
        return next(c["ours"]["cpu_best"] for c in cases if c["name"].startswith(case))

    def bar(self, name: str) -> float:
        """What was measured of a bar, in the table that `make truth` writes."""
        text = (ROOT / self.path).read_text(encoding="utf-8")
        found = re.search(
            rf"^\| {name} \|[^|]*\|[^|]*?: (-?[\d.]+)", text, re.MULTILINE
        )
        assert found, name
        return float(found[1])


FLAT = Stored("experiments/studies/results/best_flat.json")
ABOUT = Stored("experiments/studies/results/about_people.json")
BOTORCH = Stored("experiments/gppe/results/botorch.json")
LEARN = Stored("experiments/learning/results/recommended.json")
GAI = Stored("experiments/gai/results/defaults.json")
BANDS = Stored("experiments/gai/results/bands.json")
RULES = Stored("experiments/prl/results/defaults.json")
CHOQUET = Stored("experiments/choquet/results/monotone.json")
SQUARES = Stored("experiments/coalitional/results/least_squares.json")
STUDY = Stored("benchmarks/results/study.json")
MANY = Stored("benchmarks/results/many_answers.json")
POPULATION = Stored("benchmarks/results/population.json")
TRUTH = Stored("docs/truth.md")
MUTANTS = Stored("benchmarks/mutants/results.json")
ALONE, EUBO = "penchant, no past", "BoTorch PairwiseGP + EUBO"
DEFAULT = "penchant, default belief, no past"


def _ahead(rival: str, kind: str) -> list[float]:
    row = f"all sets ({kind})"
    return [GAI.noted(row, rival, f"ahead on {n}") for n in (r"(\d+)", r"\d+ of (\d+)")]


def _rank(name: str) -> float:
    return GAI.noted("all sets (regression)", name, r"mean rank ([\d.]+)")


def _held(column: str, *, skewed: bool) -> list[float]:
    """The smallest and the largest share of points that bands held, in percent."""
    shares = [
        100 * cell["mean"]
        for row, cell in BANDS.rows(column).items()
        if row.startswith("skewed") == skewed
    ]
    return [min(shares), max(shares)]


def _found(who: str, questions: int = 10) -> float:
    return 100 * float(FLAT.cell(f"found after {questions}", who))


def _sushi(who: str) -> float:
    return BOTORCH.noted("sushi, loss after 10", who, r"found for ([\d.]+)%")


def _change(populations: str) -> float:
    row = f"{populations}: regret after 3"
    return 100 * (ABOUT.cell(row, "known") / ABOUT.cell(row, "not known") - 1)


def _against(rival: str) -> tuple[int, int, float]:
    """On how many tables rules are ahead, of how many, and their share of rules."""
    ours, theirs = RULES.rows("RuleClassifier"), RULES.rows(rival)
    common = [row for row in theirs if row in ours]
    wins = sum(ours[row]["mean"] > theirs[row]["mean"] for row in common)

    def count(cells: dict[str, Any]) -> float:
        notes = (re.match(r"([\d.]+) rules", cells[row]["note"]) for row in common)
        return sum(float(note[1]) for note in notes if note)

    return wins, len(common), 100 * count(ours) / count(theirs)


def _better(model: str, word: str) -> float:
    return CHOQUET.noted("mean rank", model, rf"{word}(?: than k=2)? on (\d+)")


def _nearer(model: str) -> list[float]:
    names = [f"{model}, {share}" for share in ("25%", "50%")]
    kinds = (r"coalitions in (\d+)", r"half in \d+ of (\d+)")
    return [
        sum(SQUARES.noted("all data sets", name, kind) for name in names)
        for kind in kinds
    ]


@dataclass(frozen=True)
class Claim:
    """A sentence with gaps for numbers, the files they are from, and the numbers."""

    page: str
    says: str
    files: tuple[Stored, ...]
    numbers: Callable[[], list[float]]

    @property
    def sentence(self) -> str:
        """The sentence as the stored results have it."""
        return self.says.format(*self.numbers())

    def find(self, text: str) -> re.Match[str] | None:
        """Find the sentence in a page, whatever its numbers and line breaks are."""
        plain = re.split(r"\{[^}]*\}", self.says)
        words = (r"\s+".join(map(re.escape, part.split(" "))) for part in plain)
        return re.search(r"([+-]?[\d.,]*\d)".join(words), text)

    def mend(self, text: str) -> str:
        """Write the numbers into a page."""
        found = self.find(text)
        assert found, f"{self.page} has no such sentence: {self.says}"
        gaps = re.findall(r"\{[^}]*\}", self.says)
        for place in range(len(gaps), 0, -1):
            number = gaps[place - 1].format(self.numbers()[place - 1])
            text = text[: found.start(place)] + number + text[found.end(place) :]
        return text


CLAIMS = (
    Claim(
        "docs/guide/experiments.md",
        "Of {:.0f} judged so far, {:.0f} % were noticed when they were drawn, and "
        "{:.0f} % are now that tests were added; of those left, {:.0f} change nothing "
        "that can be seen",
        (MUTANTS,),
        lambda: [
            MUTANTS.content["n"],
            100 * MUTANTS.content["share"],
            100 * MUTANTS.content["share_now"],
            MUTANTS.content["nothing_to_see"],
        ],
    ),
    Claim(
        "README.md",
        "of {:.0f} simulated people who answer 5 % wrongly, a study knows the best "
        "flat of {:.0f} % after ten questions",
        (FLAT,),
        lambda: [FLAT.cell("found after 10", "penchant", "n"), _found("penchant")],
    ),
    Claim(
        "docs/course/06_asking.md",
        "Measured on {:.0f} simulated people who err in one answer of twenty: with "
        "earlier people the best flat was found after ten questions for {:.0f} %, "
        "without for {:.0f} %, by a knockout for {:.0f} %",
        (FLAT,),
        lambda: [
            FLAT.cell("found after 10", "penchant", "n"),
            *map(_found, ("penchant", "nobody before", "knockout")),
        ],
    ),
    Claim(
        "docs/course/06_asking.md",
        "could be told for {:.0f} % without taps and for {:.0f} % with true ones, and "
        "was right for {:.0f} % of all to whom it was told",
        (TRUTH,),
        lambda: [
            100 * TRUTH.bar("main reason told without taps"),
            100 * TRUTH.bar("main reason told with taps"),
            100 * TRUTH.bar("main reason, one or two names, right, all"),
        ],
    ),
    Claim(
        "docs/course/08_groups.md",
        "one kind was split in two in {:.0f} % of the groups, and two kinds were found "
        "in {:.0f} % of the groups of 20 people and in {:.0f} % of those of 30",
        (TRUTH,),
        lambda: [
            100 * TRUTH.bar("one kind of people split"),
            100 * TRUTH.bar("two kinds found, 20 people"),
            100 * TRUTH.bar("two kinds found, 30 people"),
        ],
    ),
    Claim(
        "docs/course/09_large.md",
        "A hundred thousand comparisons took {:.1f} s of processor time",
        (MANY,),
        lambda: [MANY.seconds("100000 comparisons")],
    ),
    Claim(
        "docs/course/09_large.md",
        "Five thousand people took {:.1f} s on one thread",
        (POPULATION,),
        lambda: [POPULATION.seconds("learn from 5000 people")],
    ),
    Claim(
        "docs/guide/app.md",
        "the loss after three questions changed by {:+.0f} %, and by {:+.0f} % where "
        "they do not",
        (ABOUT,),
        lambda: [_change("they matter"), _change("they do not")],
    ),
    Claim(
        "docs/upgrading.md",
        "an exchange with a person takes {:.0f} to {:.0f} ms of processor time, "
        "{:.0f} ms where the best and the worst of four are asked for",
        (STUDY,),
        lambda: [
            100 * STUDY.seconds("10 exchanges, pair, 40 items"),
            100 * STUDY.seconds("10 exchanges, pair, 100 items, SQLite"),
            100 * STUDY.seconds("10 exchanges, best-worst"),
        ],
    ),
    Claim(
        "docs/course/03_curves.md",
        "held the truth at {:.0f} to {:.0f} % of the points of curves, at {:.0f} to "
        "{:.0f} % at their ends, and at {:.0f} to {:.0f} % of the points of pairs",
        (BANDS,),
        lambda: [
            *_held("curves", skewed=False),
            *_held("ends of curves", skewed=False),
            *_held("pairs", skewed=False),
        ],
    ),
    Claim(
        "docs/course/03_curves.md",
        "there {:.0f} to {:.0f} % of the points of pairs were held, and {:.0f} to "
        "{:.0f} % of those of curves",
        (BANDS,),
        lambda: [*_held("pairs", skewed=True), *_held("curves", skewed=True)],
    ),
    Claim(
        "docs/instead.md",
        "ahead of ridge on {:.0f} of {:.0f}, of pyGAM on {:.0f} of {:.0f}, of "
        "RuleFit on {:.0f} of {:.0f}; **ahead of EBM in mean rank** ({:.2f}, ours "
        "{:.2f}) on the {:.0f} tables",
        (GAI,),
        lambda: [
            *_ahead("ridge", "regression"),
            *_ahead("pyGAM", "regression"),
            *_ahead("RuleFit", "regression"),
            *map(_rank, ("EBM", "GAIRegressor")),
            GAI.cell("all sets (regression)", "EBM", "n"),
        ],
    ),
    Claim(
        "docs/instead.md",
        "ahead of logistic regression on {:.0f} of {:.0f}, of boosting on {:.0f} of "
        "{:.0f}, of EBM on {:.0f} of {:.0f}",
        (GAI,),
        lambda: [
            *_ahead("logistic", "classes"),
            *_ahead("boosting", "classes"),
            *_ahead("EBM", "classes"),
        ],
    ),
    Claim(
        "docs/instead.md",
        "behind it by {:.1f} standard errors on average and {:.1f} at worst, on the "
        "{:.0f} of {:.0f} tables that were run",
        (LEARN,),
        lambda: [
            LEARN.cell("all sets", "behind the best"),
            LEARN.noted("all sets", "behind the best", r"the worst ([\d.]+)"),
            LEARN.cell("all sets", "behind the best", "n"),
            len({c["row"] for c in LEARN.content["outcome"]["measurements"]}) - 1,
        ],
    ),
    Claim(
        "docs/instead.md",
        "more accurate than RuleFit on {:.0f} of {:.0f} with {:.0f} % of its rules, "
        "than FIGS on {:.0f} of {:.0f}",
        (RULES,),
        lambda: [*_against("RuleFit"), *_against("FIGS")[:2]],
    ),
    Claim(
        "docs/instead.md",
        "**XGBoost is better on {:.0f} and worse on {:.0f}**, scikit-learn's boosting "
        "better on {:.0f} and worse on {:.0f}",
        (CHOQUET,),
        lambda: [
            _better(model, word)
            for model in ("XGBoost, monotone", "boosting, monotone")
            for word in ("better", "worse")
        ],
    ),
    Claim(
        "docs/course/04_monotone.md",
        "XGBoost with monotone constraints was better than such integrals on {:.0f} "
        "and worse on {:.0f}",
        (CHOQUET,),
        lambda: [_better("XGBoost, monotone", word) for word in ("better", "worse")],
    ),
    Claim(
        "docs/course/05_rules.md",
        "more accurate than RuleFit on {:.0f} of {:.0f} data sets with {:.0f} % of its "
        "rules, and more accurate than FIGS on {:.0f} of {:.0f}",
        (RULES,),
        lambda: [*_against("RuleFit"), *_against("FIGS")[:2]],
    ),
    Claim(
        "docs/course/07_why.md",
        "for forests in {:.0f} of {:.0f} cases and for support vector machines in "
        "{:.0f} of {:.0f}",
        (SQUARES,),
        lambda: [*_nearer("forest"), *_nearer("SVC")],
    ),
    Claim(
        "docs/instead.md",
        "with EUBO, {:.0f} people on sushi | best item found after ten questions for "
        "{:.0f} % without earlier people ({:.0f} % with what an elicitor believes by "
        "default), BoTorch {:.0f} %; {:.3f} s of processor time for a question, "
        "BoTorch {:.2f} s",
        (BOTORCH,),
        lambda: [
            BOTORCH.cell("sushi, loss after 10", EUBO, "n"),
            *map(_sushi, (ALONE, DEFAULT, EUBO)),
            *(
                BOTORCH.cell("sushi, CPU seconds per question", w)
                for w in (ALONE, EUBO)
            ),
        ],
    ),
    Claim(
        "docs/instead.md",
        "nearer to the complete game with a quarter or half of its models: forests in "
        "{:.0f} of {:.0f} cases, support vector machines in {:.0f} of {:.0f}",
        (SQUARES,),
        lambda: [*_nearer("forest"), *_nearer("SVC")],
    ),
)


def pages() -> Iterator[tuple[Path, list[Claim]]]:
    """Give every page with its claims."""
    for name in sorted({claim.page for claim in CLAIMS}):
        yield ROOT / name, [claim for claim in CLAIMS if claim.page == name]


def main() -> int:
    """Write the numbers into the pages."""
    for page, claims in pages():
        text = page.read_text(encoding="utf-8")
        for claim in claims:
            text = claim.mend(text)
        page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
