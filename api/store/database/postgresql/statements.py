"""The store's statements as PostgreSQL and its driver take them."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from ..connection import Parameters

MOST_STATEMENTS: Final = 4_096
"""The statements that a process remembers. A search makes new ones, with as many parameters as it has constants."""

_PART: Final = re.compile(
    r"""
    (?P<text>'(?:[^']|'')*')            # a text, which stays as it is
    | \?(?P<number>[0-9]*)              # a parameter by its place, or by its number
    | (?<!:):(?P<name>[a-z]\w*)         # a parameter by its name
    | (?P<hint>\ INDEXED\ BY\ \w+)      # PostgreSQL's planner takes no hints
    | CAST\((?P<bytes>\w+)\ AS\ BLOB\)  # a text as its bytes
    | (?P<percent>%)
    """,
    re.VERBOSE,
)


class Statement(NamedTuple):
    """A statement of the driver. With `numbered`, it names its parameters by their numbers."""

    sql: bytes
    numbered: bool

    def values(self, parameters: Parameters | None) -> Parameters:
        """Returns the parameters of the statement, of which one may occur several times."""
        if self.numbered and parameters is not None and not isinstance(parameters, dict):
            return {f"p{number}": value for number, value in enumerate(parameters, 1)}
        return parameters or ()


@lru_cache(MOST_STATEMENTS)
def statement_of(sql: str) -> Statement:
    """Returns a statement of the store as the driver takes it.

    >>> statement_of("SELECT '?' FROM roles AS t INDEXED BY x WHERE a = ?").sql
    b"SELECT '?' FROM roles AS t WHERE a = %s"
    >>> statement_of("SELECT :id, ?1").sql
    b'SELECT %(id)s, %(p1)s'
    """
    numbered = False

    def part(found: re.Match[str]) -> str:
        nonlocal numbered
        if found["text"] is not None:
            return found["text"].replace("%", "%%")
        if found["name"] is not None:
            return f"%({found['name']})s"
        if found["bytes"] is not None:
            return f"convert_to({found['bytes']}, 'UTF8')"
        if found["hint"] is not None:
            return ""
        if found["percent"] is not None:
            return "%%"
        numbered = numbered or bool(found["number"])
        return f"%(p{found['number']})s" if found["number"] else "%s"

    return Statement(_PART.sub(part, sql).encode(), numbered)
