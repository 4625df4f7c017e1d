"""Run a paper's experiments: ``python -m experiments gai --quick``."""

import sys

from experiments._command import main

sys.exit(main())
