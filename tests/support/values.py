"""Values that tests need and JSON parsers would not give."""

from typing import Any


def deep(levels: int, kind: str) -> Any:
    """A list in a list, or a dictionary in a dictionary, so many levels deep."""
    value: Any = []
    for _ in range(levels):
        value = [value] if kind == "list" else {"b": value}
    return value
