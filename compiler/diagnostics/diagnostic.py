"""Diagnostics: what is wrong with a source, where, and what to do about it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning"]
Path: TypeAlias = tuple[str | int, ...]
"""Members and indexes from the document's root: `("policies", 0, "effect")`."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `line` and `column` count from 1, in characters; both are 0 where a file has no such place."""

    code: str
    severity: Severity
    message: str
    file: str
    line: int
    column: int
    path: str
    help: str = ""
    length: int = 1
    """Characters that a rendering underlines."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic before its place is known.

    `path` leads through one document as its reader sees it, and through the merged model for the checks and lints.
    `at_key` means the member's name; `see` is the path of an element that help then tells the place of.
    """

    code: str
    message: str
    path: Path
    help: str = ""
    severity: Severity = "error"
    at_key: bool = False
    see: Path = ()


def show_path(path: Path) -> str:
    """A path as text.

    >>> show_path(("policies", 0, "effect")), show_path(("resources", 1, "attributes", "a b"))
    ('$.policies[0].effect', "$.resources[1].attributes['a b']")
    """
    shown = "$"
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            shown += f".{step}" if step.isidentifier() else f"[{step!r}]"
    return shown
