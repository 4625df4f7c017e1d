"""Run benchmarks: ``python -m benchmarks`` or ``python -m benchmarks read_csv``."""

import sys

from benchmarks._command import main

sys.exit(main())
