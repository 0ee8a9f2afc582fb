"""The check of a raw piece of SQL: it ends where the brackets around it end, as its database reads it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from ..bundles.wording import quoted
from .refusal import QueryRefused

REMEDY: Final = "write it with columns and functions, and bind its values"
"""The remedy for a raw piece of SQL that may reach out of its brackets."""

STATEMENT_WORDS: Final = frozenset(
    [
        *("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH", "JOIN", "ON"),
        *("UNION", "INTERSECT", "EXCEPT", "MINUS", "VALUES", "TABLE", "WITH", "USING", "RETURNING", "INTO", "SET"),
        *("FOR", "LOCK", "PROCEDURE", "QUALIFY", "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE"),
    ]
)
"""The words outside of brackets that begin another part of a statement, or another statement."""

LOOSE_WORDS: Final = STATEMENT_WORDS | {"OR", "XOR", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END", "||"}
"""The words outside of brackets that bind weaker than AND, or that wait for an AND or another word."""

VALUE: Final = "\x01"
"""Stands for a value in a piece of SQL. Drivers put values into strings too, where quotes of theirs end the string."""

_LATE_VALUE: Final = "__[POSTCOMPILE_"
"""The beginning of a list of values that SQLAlchemy puts in last, wherever it finds one."""

_VALUE_IN_QUOTES: Final = re.compile(rf"{VALUE}|{re.escape(_LATE_VALUE)}|%\([^)]*\)s")

Backslash: TypeAlias = Literal["refused", "plain", "escape"]
"""A backslash in a string: refused where the database may read one, a plain character, or an escape."""

_Spans: TypeAlias = Iterator[tuple[str, str]]


class _Reading(NamedTuple):
    """The way in which a database reads SQL.

    `quotes` is what stands in quotes, beside `'…'` and `"…"`, and `quote` begins one. `refused` may not stand outside
    of them. `operators` are those that bind as a word does.
    """

    quotes: str
    quote: str
    refused: str
    operators: str
    reads_backslash: bool


_EVERYWHERE: Final = rf"--|/\*|;|\0|{re.escape(_LATE_VALUE)}"
_QUOTED: Final = r"""'(?:[^']|'')*'|"(?:[^"]|"")*\""""
_ESCAPED: Final = r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*\""""
_BACKTICKS: Final = r"`(?:[^`]|``)*`"
_MYSQL: Final = _Reading(_BACKTICKS, r"['\"`]", rf"{_EVERYWHERE}|\#|\?", r"|\|\|", True)
_READINGS: Final[Mapping[str, _Reading]] = {
    "postgresql": _Reading(r"[eE]'(?:[^'\\]|''|\\.)*'", r"[eE]?'|\"", rf"{_EVERYWHERE}|\$", "", True),
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    # A variable of SQLite takes a value that is for another place, and may have brackets: `@a(')`.
    "sqlite": _Reading(
        rf"{_BACKTICKS}|\[[^\]]*\]",
        r"['\"`\[]",
        rf"{_EVERYWHERE}|\?|(?:[$@\#]|(?<!:):(?!:))(?:[\w$:\x80-\U0010ffff]+\(?|\()",
        "",
        False,
    ),
}
_NAMES: Final = {
    "--": "a comment",
    "/*": "a comment",
    "#": "a comment",
    ";": "a semicolon",
    "\0": "a NUL",
    "$": "a dollar sign",
    "?": "a question mark",
    _LATE_VALUE: "a name of SQLAlchemy's values",
}
_CLOSED: Final = {")": "(", "]": "["}


def check_raw(sql: str, dialect: str | None = None) -> None:
    """Raises QueryRefused if a piece of SQL may end elsewhere than brackets around it.

    `dialect` is postgresql, mysql, mariadb or sqlite. Without one of these, no database may read it so.
    """
    fault = fault_of(sql, dialect)
    if fault is not None:
        raise QueryRefused(f"the SQL text {shown(sql)} {fault}", REMEDY)


def shown(sql: str) -> str:
    """Returns a piece of SQL in quotes, for a message."""
    return quoted(sql.replace(VALUE, "<value>"))


def fault_of(sql: str, dialect: str | None = None, backslash: Backslash = "refused") -> str | None:
    """Returns the fault of a piece of SQL that may end elsewhere than brackets around it.

    It closes a bracket that it did not open, leaves a bracket or a quote open, has a value inside of quotes, or has a
    comment, a semicolon, a variable, a dollar quote or a backslash, where the database reads one. `VALUE` stands in
    `sql` for each value.
    """
    for name in [dialect] if dialect in _READINGS else _READINGS:
        fault = _fault(_spans(sql, str(name), backslash))
        if fault is not None:
            return fault
    return None


def words_outside(sql: str, dialect: str | None = None) -> set[str]:
    """Returns the words of a piece of SQL without a fault that stand outside of all brackets, in capitals.

    `||` is a word where a database reads it as OR. The FROM of IS DISTINCT FROM is none: it is a part of an operator.
    """
    found: set[str] = set()
    for name in [dialect] if dialect in _READINGS else _READINGS:
        depth, before = 0, list[str]()
        for kind, text in _spans(sql, str(name), "refused"):
            depth += (kind == "open") - (kind == "close")
            if kind == "word":
                if depth == 0 and not (text.upper() == "FROM" and _is_distinct(before)):
                    found.add(text.upper())
                before.append(text.upper())
            elif not text.isspace():
                before.clear()
    return found


def _is_distinct(before: list[str]) -> bool:
    """Returns whether these words end as IS DISTINCT does. No database reads DISTINCT there, but before FROM."""
    return before[-2:] == ["IS", "DISTINCT"] or before[-3:] == ["IS", "NOT", "DISTINCT"]


def names_word(sql: str, words: Iterable[str], dialect: str | None = None) -> str | None:
    """Returns one of the words that a piece of SQL has outside of all brackets, or None."""
    return next(iter(sorted(words_outside(sql, dialect) & set(words))), None)


def _fault(spans: _Spans) -> str | None:
    opened: list[str] = []
    for kind, text in spans:
        if kind == "refused":
            return f"has {_NAMES.get(text, 'a variable')}"
        if kind == "quoted" and _VALUE_IN_QUOTES.search(text):
            return "has a value inside of quotes"
        if kind == "backslash":
            return "has a backslash"
        if kind == "quote":
            return "leaves a quote open"
        if kind == "open":
            opened.append(text)
        elif kind == "close" and (not opened or opened.pop() != _CLOSED[text]):
            return "closes a bracket that it did not open"
    return "leaves a bracket open" if opened else None


def _spans(sql: str, dialect: str, backslash: Backslash) -> _Spans:
    """Yields the parts of a piece of SQL with their kinds, as one database reads them."""
    reading = _READINGS[dialect]
    refused = reading.reads_backslash and backslash == "refused"
    for found in _pattern(dialect, backslash == "escape").finditer(sql):
        kind, text = str(found.lastgroup), found.group()
        yield ("backslash", text) if refused and "\\" in text else (kind, text)


def _pattern(dialect: str, escapes: bool) -> re.Pattern[str]:
    reading = _READINGS[dialect]
    strings = _ESCAPED if escapes and reading.reads_backslash else _QUOTED
    kinds = {
        "quoted": rf"{reading.quotes}|{strings}",
        "refused": reading.refused,
        "quote": reading.quote,
        "word": rf"[A-Za-z_\x80-\U0010ffff][\w$\x80-\U0010ffff]*{reading.operators}",
        "open": r"[(\[]",
        "close": r"[)\]]",
        "other": r".",
    }
    return re.compile("|".join(f"(?P<{kind}>{one})" for kind, one in kinds.items()), re.ASCII | re.DOTALL)
