"""What reading and formatting text costs: `python -m tests.bench.language`.

The figures are processor time, so other programs on the machine hardly count.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from writ.compiler.language.parse import parse
from writ.compiler.language.statements import statements
from writ.compiler.language.writing.format import formatted
from writ.compiler.load import load
from writ.compiler.source import Source

POLICIES = 10_000
PASSES = 3
HEAD = """\
type document
    actions read, update, delete
    attributes status string, size number

role editor
role reviewer
"""
POLICY = """
policy p{0} "Editors update drafts, {0}"
    priority 10
    allow editor, reviewer to update document
    when resource.status is "draft"
    and context.mfa is true
    and resource.size < {0}
    on mon to fri from 08:00 until 18:00 in Europe/Oslo
    from 10.0.0.0/8
"""


def text(policies: int) -> str:
    """A model with so many policies: six conditions each, on nine lines."""
    return HEAD + "".join(POLICY.format(number) for number in range(1, policies + 1))


def seconds(work: Callable[[], Any]) -> float:
    """The processor time of one call, the median of some."""
    taken = []
    for _ in range(PASSES):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return median(taken)


def parse_all(found: str) -> None:
    """Parse each statement."""
    for statement in statements(found):
        parse(found, statement)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policies", type=int, default=POLICIES)
    policies = parser.parse_args().policies
    found = text(policies)
    source = Source("model.writ", found.encode())
    assert formatted(text(2)) == text(2)
    assert load([Source("model.writ", text(2).encode())], ("Europe/Oslo",)).model is not None
    rows = {
        "parse": lambda: parse_all(found),
        "format": lambda: formatted(found),
        "load: parse, check and lint": lambda: load([source], ("Europe/Oslo",)),
    }
    print(f"{policies} policies, {len(found.encode())} bytes, {PASSES} passes")
    for name, work in rows.items():
        print(f"{name:30} {seconds(work):6.2f} s")


if __name__ == "__main__":
    main()
