"""`python -m penchant`, where the command `penchant` is not on the path."""

from penchant.cli import main

main()
