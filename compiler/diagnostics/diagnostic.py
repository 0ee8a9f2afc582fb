"""Diagnostics: a fault of a source, its place, and its remedy."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ...bundles.wording import Path

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault, as it is reported. `line` and `column` count from 1, in characters.

    Both are 0 if the fault belongs to a whole file or to no file.
    """

    code: str
    severity: Severity
    message: str
    file: str
    line: int
    column: int
    path: str
    help: str = ""
    length: int = 1
    """The number of characters that a rendering underlines."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic before its line and column are known.

    A reader gives a `path` in its document, and a check or a lint gives a `path` in the joined model. With `at_key`,
    the fault is in the name of the member at `path`. If `see` is not empty, it is the path of another element, and the
    help gives the place of that element.
    """

    code: str
    message: str
    path: Path
    help: str = ""
    severity: Severity = "error"
    at_key: bool = False
    see: Path = ()
