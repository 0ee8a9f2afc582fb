"""Diagnostics: what is wrong with a source, where, and what to do about it."""

from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from heapq import nsmallest
from typing import Literal, TypeAlias

from ...bundles.wording import quoted

MAX_COMPARED_CHARACTERS = 100
MAX_COMPARED_NAMES = 100
MAX_KNOWN_NAMES = 10_000
MAX_SLIPS = 4
"""Characters more or fewer that a misspelt name may have and still be recognised."""

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


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Help that names the nearest of `known`, capitals or not, or nothing.

    >>> did_you_mean("raed", ["read", "update"]), did_you_mean("allow", ["ALLOW", "DENY"])
    ('did you mean `read`?', 'did you mean `ALLOW`?')
    """
    folded = {word.casefold(): word for word in _comparable(name, known)}
    near = get_close_matches(name.casefold(), folded, n=1)
    return f"did you mean {quoted(folded[near[0]])}?" if near else ""


def _comparable(name: str, known: Collection[str]) -> list[str]:
    """Those of `known` with the most letters in common with `name`, as many as can be compared at leisure."""
    if len(name) > MAX_COMPARED_CHARACTERS or len(known) > MAX_KNOWN_NAMES:
        return []
    letters = set(name.casefold())
    likely = (word for word in known if abs(len(word) - len(name)) <= MAX_SLIPS)
    return nsmallest(MAX_COMPARED_NAMES, likely, key=lambda word: (len(letters ^ set(word.casefold())), word))
