"""
A table of alternatives, in and out
===================================

A table says little about itself: that less rent is better, or that energy class A comes
before B. ``Items`` guesses what it can, takes what you know, and keeps both when the
table is written and read again.
"""

# %%
# Look before you use it
# ----------------------
# ``inspect_table`` shows the guesses and every problem, and raises nothing.

import tempfile
from pathlib import Path

from penchant.data import Attribute, Items, inspect_table, read_table

content = b"""\
name;rent;rooms;energy;balcony
Mill Lane 4;620;1;C;no
Park View 9;790;2;B;yes
Quay 1;1150;3;A;yes
Station Road 22;;2;E;no
"""

report = inspect_table(read_table(content, "flats.csv"))
for attribute in report.attributes:
    print(f"{attribute.name:8} {attribute.kind:12} {attribute.direction}")
for problem in report.problems:
    print(problem)

# %%
# Say what you know
# -----------------
# An attribute of the same name replaces the guess. The domain covers all values that
# can occur, so that a flat keeps its place when the table grows.

flats = Items.from_csv(
    content,
    attributes=[
        Attribute("rent", direction="down", domain=(400, 1500), unit="EUR"),
        Attribute("energy", "ordinal", "down", tuple("ABCDEFG")),
    ],
)
print(flats.describe(flats.index("Quay 1")))

# %%
# Missing values
# --------------
# Nobody told the rent of the last flat. Encoding refuses to guess it; here we assume
# the worst.

for gap in flats.missing():
    print(gap)
complete = flats.impute("worst")
print(complete.encode().round(2))

# %%
# Out and in again
# ----------------
# The meaning of the columns is written beside the CSV file, so nothing is lost.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "flats.csv"
    complete.to_csv(path)
    print("written:", sorted(file.name for file in Path(folder).iterdir()))
    print("the same after reading:", Items.from_csv(path) == complete)
