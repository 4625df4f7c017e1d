"""Check what people are told: ``python -m experiments.truth --quick``."""

import sys

from experiments.truth._command import main

sys.exit(main())
