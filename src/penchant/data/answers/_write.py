"""write_answers: answers by name as CSV, PrefLib or chosen/rejected records."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from penchant.data._by_name import NameFinder
from penchant.data._comparisons import Comparisons
from penchant.data._ratings import BestWorst, Choices, Rankings, Ratings
from penchant.data.answers._common import AnswerFile
from penchant.data.answers._preflib import write_preflib
from penchant.data.reading.files._writing import write_csv_table
from penchant.exceptions import DataError


def write_answers(
    answers: Any, path: str | Path, items: Any = None, *, prompt: str = ""
) -> None:
    """Write answers with the names of the items; the ending tells the format.

    Parameters
    ----------
    answers : Comparisons, Ratings, Rankings, Choices, BestWorst or AnswerFile
    path : path
        Ending in ``.csv``; ``.soc`` or ``.soi`` (rankings), ``.toc`` or ``.toi``
        (rankings and ratings) for PrefLib; or ``.jsonl`` for records with ``prompt``,
        ``chosen`` and ``rejected``, one per comparison that is no tie.
    items : Items or sequence of str, optional
        The items, or their names. An AnswerFile brings its own; without names items are
        called item 1, item 2 and so on.
    prompt : str
        What the records say was asked.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from penchant.data import Rankings, write_answers
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "votes.soc"
    ...     write_answers(Rankings([[2, 0, 1]]), file, ["Mill", "Kiln", "Barn"])
    ...     file.read_text().splitlines()[-1]
    '1: 3,1,2'
    """
    path = Path(path)
    if isinstance(answers, AnswerFile):
        items = answers.names if items is None else items
        answers = answers.answers
    names = _names(answers, items)
    ending = path.suffix.lower().lstrip(".")
    if ending == "csv":
        text = write_csv_table(_table(answers, names), None) or ""
    elif ending in ("soc", "soi", "toc", "toi"):
        text = write_preflib(answers, names, ending, path.name)
    elif ending == "jsonl":
        text = _records(answers, names, prompt)
    else:
        raise DataError(
            "Answers are written to files ending in .csv, .soc, .soi, .toc, .toi or "
            f".jsonl. Got {path.name!r}."
        )
    path.write_text(text, encoding="utf-8", newline="")


def _names(answers: Any, items: Any) -> tuple[str, ...]:
    needed = 1 + int(
        max((np.max(part, initial=-1) for part in _indices(answers)), default=-1)
    )
    if items is None:
        return tuple(f"item {k}" for k in range(1, needed + 1))
    names = NameFinder(items).names
    if needed > len(names):
        raise DataError(
            f"The answers speak of item {needed - 1}, but there are {len(names)} names."
        )
    return names


def _indices(answers: Any) -> Any:
    if isinstance(answers, Comparisons):
        return [answers.winners, answers.losers]
    if isinstance(answers, Ratings):
        return [answers.items]
    return answers.orders if isinstance(answers, Rankings) else answers.sets


def _table(answers: Any, names: tuple[str, ...]) -> pd.DataFrame:
    """Give answers as the table that `read_answers` reads."""
    word = np.array(names, dtype=object)
    if isinstance(answers, Comparisons):
        table = answers.to_frame()
        return table.assign(winner=word[table["winner"]], loser=word[table["loser"]])
    if isinstance(answers, Ratings):
        columns: dict[str, Any] = {
            "item": word[answers.items],
            "rating": answers.values,
            "weight": answers.weights,
        }
        return _by(answers.users, columns)
    if isinstance(answers, Rankings):
        sizes = [len(order) for order in answers.orders]
        places = [np.arange(1, size + 1) for size in sizes]
        columns = {
            "ranking": np.repeat(np.arange(1, len(sizes) + 1), sizes),
            "place": np.concatenate([np.zeros(0, np.int64), *places]),
            "item": word[np.concatenate([np.zeros(0, np.int64), *answers.orders])],
        }
        return _by(np.repeat(answers.users, sizes), columns)
    most = max(map(len, answers.sets), default=0)
    columns = {
        f"item_{slot + 1}": [
            word[shown[slot]] if slot < len(shown) else None for shown in answers.sets
        ]
        for slot in range(most)
    }
    if isinstance(answers, Choices):
        columns["chosen"] = word[answers.chosen]
    elif isinstance(answers, BestWorst):
        columns |= {"best": word[answers.best], "worst": word[answers.worst]}
    return _by(answers.users, columns)


def _by(users: Any, columns: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(columns if users is None else {"user": users, **columns})


def _records(answers: Any, names: tuple[str, ...], prompt: str) -> str:
    is_pairs = isinstance(answers, Comparisons)
    pairs = (answers if is_pairs else answers.to_comparisons()).without_ties()
    lines = [
        json.dumps(
            {"prompt": prompt, "chosen": names[winner], "rejected": names[loser]},
            ensure_ascii=False,
        )
        for winner, loser in zip(pairs.winners, pairs.losers, strict=True)
    ]
    return "\n".join(lines) + ("\n" if lines else "")
