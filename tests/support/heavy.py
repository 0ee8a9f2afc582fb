"""The groups of tests that the ordinary suite leaves out, and the files that have any of them."""

import re
from functools import cache
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).parents[1]

HEAVY: Final = {
    "agent": "starts agents or publishers as processes of their own",
    "browser": "needs a headless browser",
    "deployment": "runs what stands around a service in production",
    "gateway": "runs a gateway beside the service",
    "network": "changes the network of the machine, at which a browser beside it gives up its requests",
    "object_store": "runs an object store",
    "postgresql": "runs the tests of the store on PostgreSQL too",
    "service": "runs whole services, for many seconds",
}
"""The groups. A test with such a mark is `heavy`; `.ci/run` runs these apart."""

_MARK: Final = re.compile(rf"\bmark\.(heavy|{'|'.join(HEAVY)})\b")


def are_heavy_alone(expression: str) -> bool:
    """Returns whether the expression of `-m` leaves out each test without a heavy mark. In doubt it does not."""
    first, *others = expression.split() or [""]
    return first in {"heavy", *HEAVY} and "or" not in others


@cache
def may_be_heavy(path: Path) -> bool:
    """Returns whether a file of tests, or a conftest.py that holds for it, gives a heavy mark."""
    folders = [folder for folder in path.parents if folder.is_relative_to(TESTS) and folder != TESTS]
    return any(_gives_mark(file) for file in [path, *(folder / "conftest.py" for folder in folders)])


@cache
def _gives_mark(path: Path) -> bool:
    return path.is_file() and bool(_MARK.search(path.read_text()))
