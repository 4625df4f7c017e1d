"""Rules in words: alone, in tables, for one item; and why they were chosen."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from penchant._html import html_table
from penchant.exceptions import DataError
from penchant.typing import FloatArray

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<=": r"$\leq$",
    ">=": r"$\geq$",
    "!=": r"$\neq$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "·": r"$\cdot$",
    "\N{MINUS SIGN}": "$-$",
    **{sign: f"$^{digit}$" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}


@dataclass(frozen=True)
class Rule:
    """A weighted rule.

    Parameters
    ----------
    text : str
        When it holds, in the words and units of the data.
    weight : float
        How much it counts; positive.
    target : label, or "better" or "worse"
        What it speaks for.
    against : label, or "better" or "worse"
        What it speaks against.
    coverage : float
        Share of the items of the fit for which it holds.
    feature : Feature
        The same as `text`, to be evaluated.
    """

    text: str
    weight: float
    target: Any
    against: Any
    coverage: float
    feature: Any

    def reweighed(self, weight: float) -> "Rule":
        """Give the rule another weight; a negative one turns it round."""
        if weight > 0:
            return replace(self, weight=weight)
        return replace(self, weight=-weight, target=self.against, against=self.target)

    def __str__(self) -> str:
        return f"{self.text} -> {self.target} ({self.weight:.3g})"


@dataclass(frozen=True)
class RulesTable:
    """Rules as a table: plain text, HTML, LaTeX, Rich, or a data frame.

    Parameters
    ----------
    rules : tuple of Rule
    bias : tuple of (label, label, float)
        What holds without any rule: for which label rather than which other, and its
        weight; the last lines of the table.
    n_labels : int
        With more than two the table tells what rules speak against.
    """

    rules: tuple[Rule, ...]
    bias: tuple[tuple[Any, Any, float], ...] = ()
    n_labels: int = 2

    @property
    def header(self) -> tuple[str, ...]:
        """Headings of the columns."""
        against = ("rather than",) if self.n_labels > 2 else ()
        return ("rule", "speaks for", *against, "weight", "coverage")

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Cells as text, rules first."""
        told = [(r.text, r.target, r.against, r.weight, r.coverage) for r in self.rules]
        told += [("always", *labels, weight, 1.0) for *labels, weight in self.bias]
        return [
            (
                text,
                str(target),
                *((str(against),) if self.n_labels > 2 else ()),
                f"{weight:.3f}",
                f"{coverage:.0%}",
            )
            for text, target, against, weight, coverage in told
        ]

    def to_frame(self) -> pd.DataFrame:
        """Give the table as a data frame of texts."""
        return pd.DataFrame(self.rows, columns=list(self.header))

    def to_latex(self) -> str:
        """Give the table as a LaTeX tabular; needs the package booktabs."""
        n_numbers = 2
        align = "l" * (len(self.header) - n_numbers) + "r" * n_numbers
        lines = [
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            " & ".join(self.header) + r" \\",
            r"\midrule",
            *(" & ".join(map(_latex, row)) + r" \\" for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
        return "\n".join(lines) + "\n"

    def __rich__(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for heading in self.header:
            numbers = heading in ("weight", "coverage")
            table.add_column(heading, justify="right" if numbers else "left")
        for row in self.rows:
            table.add_row(*map(Text, row))
        return table

    def __str__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) for cell, width in zip(line, widths, strict=True)
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        return html_table(self.header, self.rows)


def rules_table(model: Any, format: str | None = None) -> Any:
    """Make a table of the rules of a fitted model.

    Parameters
    ----------
    model : RuleClassifier or RuleRanker
    format : {"text", "html", "latex", "rich", "frame"} or None, default=None
        None: a `RulesTable`, which notebooks show as HTML and Rich consoles as a
        table.

    Returns
    -------
    RulesTable, str, rich.table.Table or DataFrame

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import RuleClassifier, rules_table
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> model = RuleClassifier(nu=0.5, degree=1).fit(X, ["no", "no", "yes", "yes"])
    >>> print(rules_table(model))
    rule     speaks for  weight  coverage
    x0 <= 2  no          0.500   50%
    x0 >= 3  yes         0.500   50%
    """
    makers: dict[str | None, Callable[[RulesTable], Any]] = {
        None: lambda table: table,
        "text": str,
        "html": RulesTable._repr_html_,
        "latex": RulesTable.to_latex,
        "rich": RulesTable.__rich__,
        "frame": RulesTable.to_frame,
    }
    if format not in makers:
        known = ", ".join(repr(name) for name in makers)
        raise DataError(f"format must be one of {known}. Got {format!r}.")
    return makers[format](model._table())


@dataclass(frozen=True, eq=False)
class RuleExplanation:
    """Which rules hold for an item, and what they vote for.

    Parameters
    ----------
    rules : tuple of Rule
        Those that hold, most influential first.
    values : ndarray of shape (n_rules,)
        Value of each rule: 1, or that of a monomial.
    votes : ndarray of shape (n_rules, n_labels)
        What each adds to the scores.
    bias : ndarray of shape (n_labels,)
        What the scores are without any rule.
    labels : tuple
        The labels that the scores belong to.
    prediction : label, or float
        The label with the largest score; for a ranker the utility.
    """

    rules: tuple[Rule, ...]
    values: FloatArray
    votes: FloatArray
    bias: FloatArray
    labels: tuple[Any, ...]
    prediction: Any

    @property
    def scores(self) -> FloatArray:
        """The total of all votes, shape (n_labels,)."""
        return self.votes.sum(axis=0) + self.bias

    def spoken(self) -> list[tuple[str, Any, float]]:
        """Give the text of each vote, the label that it is for, and its size.

        The bias comes last, as "always". The size is by how much the vote moves the
        label away from the one that it speaks against.
        """
        texts = [rule.text for rule in self.rules]
        votes = list(self.votes)
        if np.any(self.bias):
            texts.append("always")
            votes.append(self.bias)
        return [
            (text, self.labels[int(vote.argmax())], float(np.ptp(vote)))
            for text, vote in zip(texts, votes, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Give the explanation as plain values for JSON."""
        return {
            "prediction": _plain(self.prediction),
            "scores": {
                str(label): float(score)
                for label, score in zip(self.labels, self.scores, strict=True)
            },
            "rules": [
                {"text": text, "target": str(label), "vote": vote}
                for text, label, vote in self.spoken()
            ],
        }

    def __str__(self) -> str:
        lines = [f"prediction: {_told(self.prediction)}"]
        for text, label, vote in self.spoken():
            lines.append(f"  {vote:.3f} for {label}: {text}")
        if len(lines) == 1:
            lines.append("  no rule holds")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [(text, label, f"{vote:.3f}") for text, label, vote in self.spoken()]
        heads = ("rule that holds", "speaks for", "vote")
        return html_table(heads, rows, f"prediction: {_told(self.prediction)}")


def _latex(text: str) -> str:
    """Escape what LaTeX reads as commands; two signs before one."""
    parts: list[str] = []
    i = 0
    while i < len(text):
        sign = text[i : i + 2] if text[i : i + 2] in _LATEX else text[i]
        parts.append(_LATEX.get(sign, sign))
        i += len(sign)
    return "".join(parts)


def _told(prediction: Any) -> str:
    """Write a label, or a utility with four digits."""
    is_number = isinstance(prediction, float)
    return f"{prediction:.4g}" if is_number else str(prediction)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class RuleCandidate:
    """One way to weigh rules.

    Parameters
    ----------
    loss : {"margin", "logistic"}
        How the rules get their weights.
    origin : {"margin", "labels", "ramps", "greedy", "smooth"}
        What the rules are: those of the margin program, or chosen one by one against
        the labels or against the probabilities of a smooth sum of ramps. Version 0.1.0
        called the latter two "greedy" and "smooth".
    nu : float or None
        Soft margin of the program; None: hard margin, or no program.
    balanced : bool
        Whether all labels count the same.
    n_rules : int or None
        Largest number of rules; None: no limit.
    accuracy : float or None
        Share of the preferences that were predicted out of fold.
    n_found : float or None
        Mean number of rules in the folds; told by version 0.1.0.
    log_loss : float or None
        Mean log loss out of fold.
    """

    loss: str
    origin: str
    nu: float | None
    balanced: bool
    n_rules: int | None
    accuracy: float | None = None
    n_found: float | None = None
    log_loss: float | None = None

    def __str__(self) -> str:
        text = f"weights by the {self.loss} loss"
        if self.loss == "margin":
            nu = "hard margin" if self.nu is None else f"nu = {self.nu:g}"
            text = f"weights by the margin program, {nu}"
        if self.origin in ("ramps", "smooth"):
            text += ", rules that follow a smooth model"
        if self.balanced:
            text += ", labels balanced"
        if self.n_rules is not None:
            text += f", at most {self.n_rules} rules"
        return text


@dataclass(frozen=True)
class RuleChoice:
    """What was chosen by cross-validation, and what it was compared with.

    Parameters
    ----------
    candidates : tuple of RuleCandidate
        The chosen one, then the others, best first.
    n_folds : int
    """

    candidates: tuple[RuleCandidate, ...]
    n_folds: int

    def __str__(self) -> str:
        best = self.candidates[0]
        return (
            f"{best}: accuracy {best.accuracy:.3f} in {self.n_folds} folds, chosen "
            f"among {len(self.candidates)}"
        )
