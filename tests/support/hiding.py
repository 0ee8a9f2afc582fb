"""Hides the modules of `without` from the process that imports this: the one that commands are forked from."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("without")))
