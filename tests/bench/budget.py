"""The budget: how many instructions each of the ten operations may take, by minor version of Python."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

TABLE: Final = Path(__file__).with_name("budget.json")
VERSION: Final = f"{sys.version_info.major}.{sys.version_info.minor}"

MOST_OVER: Final = 0.05
"""The share of its budget that an operation may take beyond it. Small changes need no new table."""

UPDATE: Final = "python -m pytest tests/bench/test_budget.py --update-golden"


def budget(version: str = VERSION) -> Mapping[str, int] | None:
    """Returns the instructions of each operation, by name, or None if this version of Python has none yet."""
    found: Mapping[str, int] | None = json.loads(TABLE.read_text()).get(version)
    return found


def write_budget(counts: Mapping[str, int]) -> None:
    """Makes the counts the budget of this version of Python. The other versions keep theirs."""
    table = json.loads(TABLE.read_text()) | {VERSION: dict(counts)}
    TABLE.write_text(json.dumps(table, indent=1) + "\n")


def over(counts: Mapping[str, int], allowed: Mapping[str, int]) -> Iterator[str]:
    """Yields a sentence for each operation that takes too much, or that is in only one of the two."""
    for name in sorted(counts.keys() ^ allowed.keys()):
        yield f"`{name}` is {'counted, but has no budget' if name in counts else 'in the budget, but is not counted'}"
    for name, count, most in _both(counts, allowed):
        if count > most * (1 + MOST_OVER):
            yield f"`{name}` takes {count:,} instructions, {count / most - 1:.0%} more than its budget of {most:,}"


def under(counts: Mapping[str, int], allowed: Mapping[str, int]) -> Iterator[str]:
    """Yields a sentence for each operation that takes so much less that a later regression could hide in its budget."""
    for name, count, most in _both(counts, allowed):
        if count < most * (1 - MOST_OVER):
            yield f"`{name}` takes {count:,} instructions, {1 - count / most:.0%} less than its budget of {most:,}"


def _both(counts: Mapping[str, int], allowed: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    for name in counts:
        if name in allowed:
            yield name, counts[name], allowed[name]
